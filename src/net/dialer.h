// Dialer: a TCP connection to another machine, as a descriptor.
//
// The name is resolved by the system's resolver on libuv's pool; of its addresses the first that
// takes the connection is used.
//
// Threads:  loop-confined.
// Time:     no bound of its own: whoever dials gives up by Cancel.
// Memory:   may be destroyed at any time but within `done`; that cancels.

#ifndef GUB_NET_DIALER_H_
#define GUB_NET_DIALER_H_

#include <functional>
#include <string>
#include <vector>

#include "net/loop.h"

struct addrinfo;

namespace gub {

class Dialer {
 public:
  // fd: connected, not blocking, the callee's; -1: there is none, and error says why.
  using Done = std::function<void(int fd, const std::string& error)>;

  explicit Dialer(Loop* loop) : loop_(loop) {}
  ~Dialer() { Cancel(); }
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  // `host` is a name or an address without brackets. Cancels what was dialled before.
  void Dial(const std::string& host, int port, Done done);
  // `done` is not called.
  void Cancel();

 private:
  struct Lookup;
  struct Attempt;

  void OnResolved(int status, addrinfo* list);
  void TryNext();
  void OnWritable();
  void DropAttempt(bool close_fd);
  void Finish(int fd, const std::string& error);

  Loop* const loop_;
  Done done_;
  Lookup* lookup_ = nullptr;
  Attempt* attempt_ = nullptr;
  std::vector<std::string> addresses_;  // as sockaddr bytes
  size_t next_address_ = 0;
  std::string last_error_;
};

}  // namespace gub

#endif  // GUB_NET_DIALER_H_
