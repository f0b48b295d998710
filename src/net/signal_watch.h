// SignalWatch: signals as calls on a loop's thread.
//
// A signal goes to any thread that does not hold it back. So the process holds its signals back
// before it starts its first thread, and the one thread with a watch lets them in again: what comes
// before that is heard then, and no other thread is ever interrupted.
//
// Threads:  loop-confined. While it watches, a signal does nothing else to the process.

#ifndef GUB_NET_SIGNAL_WATCH_H_
#define GUB_NET_SIGNAL_WATCH_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "net/loop.h"

namespace gub {

// Holds signals back, in this thread and in those that it will start.
void HoldSignals(std::initializer_list<int> signals);

class SignalWatch {
 public:
  SignalWatch(Loop* loop, std::initializer_list<int> signals, std::function<void(int)> callback);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Hears no more; the signals are held back again, so that a second one does not cut short what
  // the first one began.
  void Stop();

 private:
  struct Handle {
    uv_signal_t signal;
    SignalWatch* watch;
  };
  const std::vector<int> signals_;
  const std::function<void(int)> callback_;
  std::vector<Handle*> handles_;
};

}  // namespace gub

#endif  // GUB_NET_SIGNAL_WATCH_H_
