// LiveConfig: the options of a running node, which CONFIG SET and SIGHUP change.
//
// A change publishes a new immutable Config; whoever holds the one before keeps it. A thread reads
// through a ConfigView of its own, which costs one load of an integer to keep up.
//
// Threads:  LiveConfig is thread-safe; a ConfigView belongs to one thread.
// Errors:   a change that fails has changed nothing.

#ifndef GUB_BASE_LIVE_CONFIG_H_
#define GUB_BASE_LIVE_CONFIG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/config.h"
#include "base/mutex.h"

namespace gub {

class LiveConfig {
 public:
  // Edits a copy of the present options. It may call nothing of the LiveConfig.
  using Edit = std::function<absl::Status(Config* config)>;

  explicit LiveConfig(Config config) : config_(std::make_shared<Config>(std::move(config))) {}

  std::shared_ptr<const Config> Get() const {
    MutexLock lock(&mu_);
    return config_;
  }

  // Grows with each change.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Publishes the present options as edited, or leaves them when the edit fails. Of two changes at
  // once, one sees what the other did.
  absl::Status Change(const Edit& edit);

 private:
  mutable Mutex mu_;
  std::shared_ptr<const Config> config_ ABSL_GUARDED_BY(mu_);
  std::atomic<uint64_t> generation_{0};
};

class ConfigView {
 public:
  explicit ConfigView(const LiveConfig& live) : live_(live) { Take(); }

  const Config& operator*() const { return *config_; }
  const Config* operator->() const { return config_.get(); }

  // Catches up with the latest change; whether there was one. What operator* gave before may be
  // gone then.
  bool Refresh() {
    if (live_.generation() == generation_) return false;
    Take();
    return true;
  }

 private:
  // The generation first: a change in between is then taken once more, not missed.
  void Take() {
    generation_ = live_.generation();
    config_ = live_.Get();
  }

  const LiveConfig& live_;
  uint64_t generation_ = 0;
  std::shared_ptr<const Config> config_;
};

}  // namespace gub

#endif  // GUB_BASE_LIVE_CONFIG_H_
