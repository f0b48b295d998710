// Listener: a listening socket on a loop.
//
// An error on one accepted connection, or no descriptor left for it (libuv then accepts and closes
// it), never stops the accepting of others.
//
// Threads:  loop-confined.

#ifndef GUB_NET_LISTENER_H_
#define GUB_NET_LISTENER_H_

#include <functional>

#include "absl/status/status.h"
#include "net/listen_socket.h"
#include "net/loop.h"

namespace gub {

class Connection;

class Listener {
 public:
  // `on_connection` is called for each waiting connection and must take it by Accept.
  Listener(Loop* loop, std::function<void(Listener*)> on_connection);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  absl::Status Start(ListenSocket socket);

  // Hands the waiting connection to `connection`, which has not been started; whether it worked.
  bool Accept(Connection* connection);

 private:
  struct Handle {
    uv_tcp_t tcp;
    Listener* listener;
  };

  void OnConnection(int status);

  std::function<void(Listener*)> on_connection_;
  Handle* handle_;
};

}  // namespace gub

#endif  // GUB_NET_LISTENER_H_
