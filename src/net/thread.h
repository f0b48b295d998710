// Thread: a thread that may fail to start without ending the process, as std::thread would.
//
// Threads:  by its owner only.
// Errors:   kResourceExhausted when the system gives no more threads.

#ifndef GUB_NET_THREAD_H_
#define GUB_NET_THREAD_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "uv.h"

namespace gub {

class Thread {
 public:
  static absl::StatusOr<std::unique_ptr<Thread>> Start(std::function<void()> body);
  // Waits for the body to return.
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  explicit Thread(std::function<void()> body) : body_(std::move(body)) {}

  const std::function<void()> body_;
  uv_thread_t thread_{};
  bool started_ = false;
};

}  // namespace gub

#endif  // GUB_NET_THREAD_H_
