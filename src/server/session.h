// Session: a client of either front, as its worker sees it: a connection, a record and replies that
// may come later.
//
// Threads:  confined to the loop of its worker; its record is what others see of it.
// Memory:   the worker owns it and destroys it when its connection is closed.

#ifndef GUB_SERVER_SESSION_H_
#define GUB_SERVER_SESSION_H_

#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "command/client_state.h"
#include "command/dispatch.h"
#include "command/http_front.h"
#include "net/connection.h"
#include "proto/request_parser.h"

namespace gub {

class Session : public ConnectionHandler {
 public:
  // How many requests of a pipeline are read ahead.
  static constexpr size_t kReadAhead = Dispatcher::kMostExpected;
  using ReadAhead = std::array<ShortRequest, kReadAhead>;
  // Replies that a client may have waiting for other nodes before it is read from no more.
  static constexpr size_t kMaxWaitingReplies = 4096;

  // Where the session runs: its worker.
  struct Place {
    Loop* loop;
    Node* node;
    Dispatcher* dispatcher;
    HttpFront* http;
    CounterSet* counters;
    size_t worker;
    ReadAhead* read_ahead;  // to work in
    // Called last; may destroy the session.
    std::function<void(Session*)> on_closed;
  };

  Connection& connection() { return connection_; }
  const ClientRecord& record() const { return *client_.record; }
  int64_t id() const { return client_.id(); }

  // Serves the client. REQUIRES: its connection is accepted.
  virtual void Start() = 0;
  // The options have changed: takes over what of them bounds the client.
  virtual void ApplyConfig(const Config& config) = 0;
  // Answers an error, whose text starts with its code, and closes; before that it lingers, or not.
  // REQUIRES: not started.
  virtual void Refuse(std::string_view text, bool lingers) = 0;
  // It has come where no client may, for the reason `refusal`, a constant: soon it must show that
  // it is none, or is told so. REQUIRES: before Start.
  virtual void TakeStranger(std::string_view refusal) = 0;
  // Closes it when it was silent or slow for too long. To be called every second or so.
  virtual void Look(int64_t now_mono_ns) = 0;

  // A reply that came later than its command. Flush sends what may leave.
  void Fill(PendingReplies::Ticket ticket, std::string_view bytes) {
    client_.pending.Fill(ticket, bytes);
  }
  void Flush() { connection_.Wake(); }

  // It is told `refusal` now.
  void CountRefusal(std::string_view refusal);

  // From now on it counts as that.
  void Count(ClientRecord::Standing standing) {
    place_.node->Count(client_.record.get(), standing);
  }
  // It is gone.
  void Uncount() { place_.node->Count(client_.record.get(), std::nullopt); }

  void OnHeld(size_t pending_bytes, size_t unsent_bytes) override;
  bool HasPending() const override { return !client_.pending.empty(); }
  void OnClosed() override;

 protected:
  Session(const Place& place, const Connection::Limits& limits);

  // From now on others see it.
  void Register();
  // Replies that are still to come leave before the connection ends.
  Next NextWhenClosing(Next end = Next::kClose) const {
    return client_.pending.empty() ? end : Next::kWait;
  }
  // Whether no more is to be read before replies have left. `out`: where they are written to.
  bool IsFull(const ByteBuffer& out) const;
  void SetHeld(std::atomic<int64_t>* field, size_t bytes);
  // Whether it said nothing for as long as the option `timeout` allows.
  bool IsIdle(int64_t now_mono_ns) const;

  const Place& place_;
  Dispatcher* const dispatcher_;
  Connection connection_;
  ClientState client_;

 private:
  bool registered_ = false;
};

// Closes those that hold the most until all hold no more than max_bytes. `counters` are the calling
// thread's.
void EvictClients(Node* node, CounterSet* counters, int64_t max_bytes);

}  // namespace gub

#endif  // GUB_SERVER_SESSION_H_
