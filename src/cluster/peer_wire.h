// PeerWire: the connection to a peer, and what is to be written to it.
//
// Threads:  loop-confined.
// Memory:   owns itself from its making until its connection has closed, for libuv lets go of that
//           later; its user hears nothing after Drop or Finish.

#ifndef GUB_CLUSTER_PEER_WIRE_H_
#define GUB_CLUSTER_PEER_WIRE_H_

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "base/byte_buffer.h"
#include "base/counters.h"
#include "net/connection.h"
#include "net/loop.h"

namespace gub {

class PeerWire : private ConnectionHandler {
 public:
  class User {
   public:
    virtual ~User() = default;
    // How many of these bytes are done with; the rest comes again with more.
    virtual size_t OnReplies(std::string_view bytes) = 0;
    // HasRoom is true again.
    virtual void OnRoom() = 0;
    // The peer has closed; the wire is gone.
    virtual void OnWireClosed() = 0;
  };

  // The most that an answer may be.
  static constexpr size_t kMaxAnswerBytes = size_t{4} * 1024 * 1024;

  PeerWire(User* user, Loop* loop, CounterSet* counters);

  // Takes a connected descriptor. When it fails, only Drop may be called.
  bool Open(int fd);
  // Whether the peer is on this machine.
  bool IsLocal() const { return connection_.IsFromLoopback(); }
  // Whether more should be sent: the connection has taken most of what was.
  bool HasRoom() const { return out_.size() < kMaxWaitingBytes; }

  // Written with the next Pump.
  void Send(std::initializer_list<std::string_view> command);
  void Pump() {
    if (!out_.empty()) connection_.Wake();
  }

  // Closes.
  void Drop();
  // Closes once this is sent. Only from within OnReplies.
  void Finish(std::initializer_list<std::string_view> command);

 private:
  static constexpr size_t kMaxWaitingBytes = size_t{8} * 1024 * 1024;

  Progress OnInput(std::string_view input, ByteBuffer* replies) override;
  bool HasPending() const override { return !out_.empty(); }
  void OnClosed() override;

  User* user_;
  Connection connection_;
  ByteBuffer out_;
  bool finishes_ = false;
};

}  // namespace gub

#endif  // GUB_CLUSTER_PEER_WIRE_H_
