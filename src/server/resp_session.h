// RespSession: a client that speaks RESP: parser, state and dispatch over one connection.
//
// Threads:  confined to the loop of its worker; its record is what others see of it.
// Memory:   the worker owns it and destroys it when its connection is closed.

#ifndef GUB_SERVER_RESP_SESSION_H_
#define GUB_SERVER_RESP_SESSION_H_

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "command/client_state.h"
#include "command/dispatch.h"
#include "net/connection.h"
#include "proto/request_parser.h"

namespace gub {

class RespSession : public ConnectionHandler {
 public:
  // What a client may send and leave unread before it has given the password.
  static constexpr size_t kUnauthenticatedArgs = 10;
  static constexpr size_t kUnauthenticatedBulkBytes = size_t{16} * 1024;
  static constexpr size_t kUnauthenticatedPendingBytes = size_t{256} * 1024;
  static constexpr size_t kUnauthenticatedUnsentBytes = size_t{64} * 1024;
  // What one request of another node may take: a batch.
  static constexpr size_t kPeerBulkBytes = size_t{16} * 1024 * 1024;
  static constexpr size_t kPeerUnsentBytes = size_t{64} * 1024 * 1024;
  // Replies that a client may have waiting for other nodes before it is read from no more.
  static constexpr size_t kMaxWaitingReplies = 4096;
  static constexpr int64_t kCandidateMs = 2000;

  // How many requests of a pipeline are read ahead.
  static constexpr size_t kReadAhead = Dispatcher::kMostExpected;
  using ReadAhead = std::array<ShortRequest, kReadAhead>;

  // Where the session runs: its worker.
  struct Place {
    Loop* loop;
    Node* node;
    Dispatcher* dispatcher;
    CounterSet* counters;
    size_t worker;
    ReadAhead* read_ahead;  // to work in
    // Called last; may destroy the session.
    std::function<void(RespSession*)> on_closed;
  };

  explicit RespSession(const Place& place);
  ~RespSession() override;

  // Serves the client. REQUIRES: its connection is accepted.
  void Start();

  Connection& connection() { return connection_; }
  const ClientRecord& record() const { return *client_.record; }
  int64_t id() const { return client_.id(); }

  // The options have changed: takes over what of them bounds the client.
  void ApplyConfig(const Config& config);

  // A reply that came later than its command. Flush sends what may leave.
  void Fill(PendingReplies::Ticket ticket, std::string_view bytes) {
    client_.pending.Fill(ticket, bytes);
  }
  void Flush() { connection_.Wake(); }

  // It must greet as another node first, within kCandidateMs, or is answered `refusal`, a constant.
  // REQUIRES: before Start.
  void TakeOnlyPeers(std::string_view refusal) {
    client_.peer.refusal = refusal;
    place_.node->Count(client_.record.get(), ClientRecord::Standing::kCandidate);
  }
  // It is gone.
  void Uncount() { place_.node->Count(client_.record.get(), std::nullopt); }
  // Whether it should have proved by now that it is another node.
  bool IsLate(int64_t now_mono_ns) const {
    return record().standing == ClientRecord::Standing::kCandidate &&
           now_mono_ns - record().since_mono_ns > kCandidateMs * 1'000'000;
  }

  // Whether the client was silent for timeout_s and may be closed for it.
  bool IsIdle(int64_t now_mono_ns, int64_t timeout_s) const;

  Progress OnInput(std::string_view input, ByteBuffer* replies) override;
  void OnHeld(size_t pending_bytes, size_t unsent_bytes) override;
  bool HasPending() const override { return !client_.pending.empty(); }
  void OnClosed() override;

 private:
  // Which bounds hold for it.
  enum class Bounds { kStranger, kClient, kPeer };

  static Connection::Limits ConnectionLimits(const Config& config, Bounds bounds);
  static RequestLimits ParserLimits(const Config& config, Bounds bounds);
  Next RunRequests(std::string_view input, ReplyWriter* reply, size_t* consumed);
  std::optional<Next> RunShort(std::string_view input, ReplyWriter* reply, size_t* consumed);
  std::optional<Next> RunOne(Args args, ReplyWriter* reply);
  Next CloseForProtocol(ReplyWriter* reply);
  Next RefuseForPeers(ReplyWriter* reply);
  Next NextWhenClosing() const;
  bool IsFull(const ReplyWriter& reply) const;
  Bounds BoundsOf(const Config& config) const;
  void SetHeld(std::atomic<int64_t>* field, size_t bytes);

  const Place& place_;
  Dispatcher* const dispatcher_;
  Connection connection_;
  RequestParser parser_;
  ClientState client_;
  bool registered_ = false;
  Bounds bounds_ = Bounds::kClient;
};

// Closes those that hold the most until all hold no more than max_bytes. `counters` are the calling
// thread's.
void EvictClients(Node* node, CounterSet* counters, int64_t max_bytes);

}  // namespace gub

#endif  // GUB_SERVER_RESP_SESSION_H_
