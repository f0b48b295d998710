// Timer: calls back on its loop's thread, once or again and again.
//
// Threads:  loop-confined.
// Memory:   may be destroyed at any time but inside its own callback.

#ifndef GUB_NET_TIMER_H_
#define GUB_NET_TIMER_H_

#include <cstdint>
#include <functional>

#include "net/loop.h"

namespace gub {

class Timer {
 public:
  Timer(Loop* loop, std::function<void()> callback);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // The first call after delay_ms, further ones every repeat_ms (0: none). Restarts a running one.
  void Start(int64_t delay_ms, int64_t repeat_ms);
  void Stop();

 private:
  // Lives until libuv has let go of it, which may be later than its Timer.
  struct Handle {
    uv_timer_t timer;
    std::function<void()> callback;
  };
  Handle* handle_;
};

}  // namespace gub

#endif  // GUB_NET_TIMER_H_
