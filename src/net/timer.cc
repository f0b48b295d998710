#include "net/timer.h"

#include <utility>

namespace gub {

Timer::Timer(Loop* loop, std::function<void()> callback)
    : handle_(new Handle{{}, std::move(callback)}) {
  uv_timer_init(loop->uv(), &handle_->timer);
  handle_->timer.data = handle_;
}

Timer::~Timer() {
  handle_->callback = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->timer),
           [](uv_handle_t* handle) noexcept { delete static_cast<Handle*>(handle->data); });
}

void Timer::Start(int64_t delay_ms, int64_t repeat_ms) {
  const auto call = [](uv_timer_t* timer) noexcept {
    static_cast<Handle*>(timer->data)->callback();
  };
  uv_timer_start(&handle_->timer, call, static_cast<uint64_t>(delay_ms),
                 static_cast<uint64_t>(repeat_ms));
}

void Timer::Stop() { uv_timer_stop(&handle_->timer); }

}  // namespace gub
