#include "net/thread.h"

#include "fmt/format.h"

namespace gub {

absl::StatusOr<std::unique_ptr<Thread>> Thread::Start(std::function<void()> body) {
  std::unique_ptr<Thread> thread(new Thread(std::move(body)));
  const auto run = [](void* argument) noexcept { static_cast<Thread*>(argument)->body_(); };
  const int error = uv_thread_create(&thread->thread_, run, thread.get());
  if (error != 0) {
    return absl::ResourceExhaustedError(
        fmt::format("a thread could not be started: {}", uv_strerror(error)));
  }
  thread->started_ = true;
  return thread;
}

Thread::~Thread() {
  if (started_) uv_thread_join(&thread_);
}

}  // namespace gub
