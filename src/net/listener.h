// Listener: a listening socket on a loop.
//
// An error on one connection never stops the accepting of others. Without a descriptor or memory
// for one more, connections wait with the kernel, and every kPauseMs it is tried again. (libuv's
// own accept, of 1.44, turns without end when two loops run out of descriptors at once.)
//
// Threads:  loop-confined.
// Memory:   may be destroyed at any time, also inside its callback.

#ifndef GUB_NET_LISTENER_H_
#define GUB_NET_LISTENER_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "net/listen_socket.h"
#include "net/loop.h"
#include "net/timer.h"

namespace gub {

class Listener {
 public:
  static constexpr int kPauseMs = 50;
  // After that many connections at once the loop has a look at others.
  static constexpr int kAcceptsAtOnce = 1000;

  // `on_connection` is called with the descriptor of each connection, and owns it.
  Listener(Loop* loop, std::function<void(int fd)> on_connection);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  absl::Status Start(ListenSocket socket);

 private:
  // Lives until libuv has let go of it.
  struct Handle {
    uv_poll_t poll;
    std::function<void(int)> on_connection;
    Listener* listener;
    int fd = -1;
  };

  static void AcceptAll(Handle* handle);
  int StartPolling();
  void Pause(int error);

  Loop* const loop_;
  Handle* handle_;
  std::unique_ptr<Timer> pause_;
};

}  // namespace gub

#endif  // GUB_NET_LISTENER_H_
