#include "net/fine_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace gub {

namespace {

constexpr int64_t kUsPerSecond = 1'000'000;

int64_t NowUs() { return MonotonicNs() / 1000; }

template <typename T>
uv_handle_t* AsHandle(T* handle) {
  return reinterpret_cast<uv_handle_t*>(handle);
}

}  // namespace

// Either a poll of a timerfd, or a timer of libuv's.
struct FineClock::Handle {
  FineClock* clock;
  int fd;
  uv_poll_t poll;
  uv_timer_t timer;
};

FineClock::FineClock(Loop* loop) : handle_(new Handle{this, -1, {}, {}}) {
  handle_->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (handle_->fd >= 0 && uv_poll_init(loop->uv(), &handle_->poll, handle_->fd) != 0) {
    close(handle_->fd);
    handle_->fd = -1;
  }
  if (handle_->fd < 0) {
    uv_timer_init(loop->uv(), &handle_->timer);
    handle_->timer.data = handle_;
    return;
  }
  handle_->poll.data = handle_;
  uv_poll_start(&handle_->poll, UV_READABLE, [](uv_poll_t* poll, int, int) noexcept {
    auto* const handle = static_cast<Handle*>(poll->data);
    uint64_t times = 0;
    if (read(handle->fd, &times, sizeof times) > 0) handle->clock->OnDue();
  });
}

FineClock::~FineClock() {
  const auto release = [](uv_handle_t* handle) noexcept {
    auto* const self = static_cast<Handle*>(handle->data);
    if (self->fd >= 0) close(self->fd);
    delete self;
  };
  uv_close(handle_->fd < 0 ? AsHandle(&handle_->timer) : AsHandle(&handle_->poll), release);
}

void FineClock::Set(FineTimer* timer, int64_t mono_us) {
  // One that is set to what is past from its own callback waits for the loop's next turn.
  mono_us = std::max(mono_us, running_mono_us_ + 1);
  if (timer->due_mono_us_ == mono_us) return;
  Forget(timer);
  timer->due_mono_us_ = mono_us;
  due_.emplace(mono_us, timer);
  Arm();
}

void FineClock::Forget(FineTimer* timer) {
  if (timer->due_mono_us_ < 0) return;
  due_.erase({timer->due_mono_us_, timer});
  timer->due_mono_us_ = -1;
}

// What is armed for a time at which nothing is due any more is left: it costs one look.
void FineClock::Arm() {
  if (running_mono_us_ >= 0 || due_.empty() || due_.begin()->first >= armed_mono_us_) return;
  armed_mono_us_ = due_.begin()->first;
  if (handle_->fd < 0) {
    const int64_t wait_us = std::max<int64_t>(armed_mono_us_ - NowUs(), 0);
    uv_timer_start(
        &handle_->timer,
        [](uv_timer_t* timer) noexcept { static_cast<Handle*>(timer->data)->clock->OnDue(); },
        static_cast<uint64_t>((wait_us + 999) / 1000), 0);
    return;
  }
  // A time of 0 would disarm it.
  const int64_t us = std::max<int64_t>(armed_mono_us_, 1);
  const itimerspec when = {{0, 0}, {us / kUsPerSecond, us % kUsPerSecond * 1000}};
  timerfd_settime(handle_->fd, TFD_TIMER_ABSTIME, &when, nullptr);
}

void FineClock::OnDue() {
  armed_mono_us_ = INT64_MAX;
  // Those that are due now; a callback may set its own and others anew.
  running_mono_us_ = NowUs();
  while (!due_.empty() && due_.begin()->first <= running_mono_us_) {
    FineTimer* const timer = due_.begin()->second;
    Forget(timer);
    const std::function<void()> callback = timer->callback_;  // the timer may go
    callback();
  }
  running_mono_us_ = -1;
  Arm();
}

}  // namespace gub
