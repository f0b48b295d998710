// SignalWatch: signals as calls on a loop's thread.
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

class SignalWatch {
 public:
  SignalWatch(Loop* loop, std::initializer_list<int> signals, std::function<void(int)> callback);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Hears no more; the signals have their default effect again.
  void Stop();

 private:
  struct Handle {
    uv_signal_t signal;
    SignalWatch* watch;
  };
  const std::function<void(int)> callback_;
  std::vector<Handle*> handles_;
};

}  // namespace gub

#endif  // GUB_NET_SIGNAL_WATCH_H_
