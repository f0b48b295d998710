// Dialer: a TCP connection to another machine, as a descriptor.
//
// Names are the NameCache's; of a name's addresses the first that takes the connection is used.
//
// Threads:  loop-confined.
// Time:     no bound of its own: whoever dials gives up by Cancel.
// Memory:   may be destroyed at any time but within `done`; that cancels.

#ifndef GUB_NET_DIALER_H_
#define GUB_NET_DIALER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/loop.h"
#include "net/name_cache.h"

namespace gub {

class Dialer {
 public:
  // fd: connected, not blocking, the callee's; -1: there is none, and error says why.
  using Done = std::function<void(int fd, const std::string& error)>;

  // names: nullptr: only addresses can be dialled.
  Dialer(Loop* loop, NameCache* names) : loop_(loop), names_(names) {}
  ~Dialer() { Cancel(); }
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  // `host` is a name or an address without brackets. Cancels what was dialled before.
  void Dial(const std::string& host, int port, Done done);
  // `done` is not called.
  void Cancel();

 private:
  struct Attempt;

  bool Add(const std::string& host, int port);
  bool AddKnown(const std::string& name, int port);
  void Await(const std::string& name, int port);
  void TryNext();
  void OnWritable();
  void DropAttempt(bool close_fd);
  void Finish(int fd, const std::string& error);

  Loop* const loop_;
  NameCache* const names_;
  Done done_;
  std::shared_ptr<Dialer*> lookup_;  // nullptr in it: nobody waits for the name any more
  Attempt* attempt_ = nullptr;
  std::vector<std::string> addresses_;  // as sockaddr bytes
  size_t next_address_ = 0;
  std::string last_error_;
};

}  // namespace gub

#endif  // GUB_NET_DIALER_H_
