// FineTimer: calls back at a microsecond, where libuv's timers know whole milliseconds.
//
// All of a loop's share one descriptor of the kernel's (timerfd), which is set anew only when one
// of them is due before all others.
//
// Threads:  loop-confined.
// Memory:   the clock must outlive its timers, and the loop both; a timer may be destroyed at any
//           time, also inside its own callback.

#ifndef GUB_NET_FINE_TIMER_H_
#define GUB_NET_FINE_TIMER_H_

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "net/loop.h"

namespace gub {

class FineTimer;

class FineClock {
 public:
  // When the system gives it no descriptor, its timers are rounded up to milliseconds.
  explicit FineClock(Loop* loop);
  ~FineClock();
  FineClock(const FineClock&) = delete;
  FineClock& operator=(const FineClock&) = delete;

 private:
  friend class FineTimer;
  struct Handle;

  void Set(FineTimer* timer, int64_t mono_us);
  void Forget(FineTimer* timer);
  // Sees to it that OnDue is called when the first timer is due.
  void Arm();
  void OnDue();

  Handle* handle_;  // lives until libuv has let go of it
  int64_t armed_mono_us_ = INT64_MAX;
  int64_t running_mono_us_ = -1;  // the time for which callbacks run; -1: none do
  std::set<std::pair<int64_t, FineTimer*>> due_;
};

class FineTimer {
 public:
  FineTimer(FineClock* clock, std::function<void()> callback)
      : clock_(clock), callback_(std::move(callback)) {}
  ~FineTimer() { Stop(); }
  FineTimer(const FineTimer&) = delete;
  FineTimer& operator=(const FineTimer&) = delete;

  // Calls back once at this time of the monotonic clock (base/clock.h), or soon when it is past;
  // instead of any time that was set before.
  void At(int64_t mono_us) { clock_->Set(this, mono_us); }
  void Stop() { clock_->Forget(this); }

 private:
  friend class FineClock;

  FineClock* const clock_;
  const std::function<void()> callback_;
  int64_t due_mono_us_ = -1;  // -1: never
};

}  // namespace gub

#endif  // GUB_NET_FINE_TIMER_H_
