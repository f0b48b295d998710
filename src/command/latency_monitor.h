// LatencyMonitor: what took longer than latency-monitor-threshold, by kind, as LATENCY LATEST tells
// it.
//
// Threads:  thread-safe.
// Memory:   a row per kind.

#ifndef GUB_COMMAND_LATENCY_MONITOR_H_
#define GUB_COMMAND_LATENCY_MONITOR_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace gub {

// Named as Redis names them.
enum class LatencyEvent : uint8_t {
  kCommand,      // a command that is not of constant time
  kFastCommand,  // a run of commands that are
  kExpireCycle,  // one pass of the sweeper
  kCount,
};

class LatencyMonitor {
 public:
  struct Row {
    LatencyEvent event{};
    int64_t unix_s = 0;  // of the latest; 0: there was none
    int64_t latest_ms = 0;
    int64_t longest_ms = 0;
  };

  static std::string_view NameOf(LatencyEvent event) {
    constexpr std::string_view kNames[] = {"command", "fast-command", "expire-cycle"};
    return kNames[static_cast<size_t>(event)];
  }

  void Add(LatencyEvent event, int64_t unix_s, int64_t ms) {
    MutexLock lock(&mu_);
    Row& row = rows_[static_cast<size_t>(event)];
    row = {event, unix_s, ms, std::max(row.longest_ms, ms)};
  }

  // The rows of the events that there were.
  std::vector<Row> Latest() const {
    MutexLock lock(&mu_);
    std::vector<Row> latest;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(latest),
                 [](const Row& row) { return row.unix_s != 0; });
    return latest;
  }

  // Forgets the events of these names, or all for none; how many there were.
  int Reset(const std::vector<std::string_view>& names) {
    MutexLock lock(&mu_);
    int forgotten = 0;
    for (Row& row : rows_) {
      const bool named =
          names.empty() || std::find(names.begin(), names.end(), NameOf(row.event)) != names.end();
      if (row.unix_s == 0 || !named) continue;
      row = Row{};
      ++forgotten;
    }
    return forgotten;
  }

 private:
  mutable Mutex mu_;
  std::array<Row, static_cast<size_t>(LatencyEvent::kCount)> rows_ ABSL_GUARDED_BY(mu_){};
};

}  // namespace gub

#endif  // GUB_COMMAND_LATENCY_MONITOR_H_
