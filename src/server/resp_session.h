// RespSession: a client that speaks RESP: parser, state and dispatch over one connection.
//
// Threads:  confined to the loop of its worker; its record is what others see of it.
// Memory:   the worker owns it and destroys it when its connection is closed.

#ifndef GUB_SERVER_RESP_SESSION_H_
#define GUB_SERVER_RESP_SESSION_H_

#include <optional>
#include <string_view>

#include "proto/request_parser.h"
#include "server/session.h"

namespace gub {

class RespSession : public Session {
 public:
  // What a client may send and leave unread before it has given the password.
  static constexpr size_t kUnauthenticatedArgs = 10;
  static constexpr size_t kUnauthenticatedBulkBytes = size_t{16} * 1024;
  static constexpr size_t kUnauthenticatedPendingBytes = size_t{256} * 1024;
  static constexpr size_t kUnauthenticatedUnsentBytes = size_t{64} * 1024;
  // What one request of another node may take: a batch.
  static constexpr size_t kPeerBulkBytes = size_t{16} * 1024 * 1024;
  static constexpr size_t kPeerUnsentBytes = size_t{64} * 1024 * 1024;
  static constexpr int64_t kCandidateMs = 2000;

  explicit RespSession(const Place& place);
  ~RespSession() override;

  void Start() override;
  void ApplyConfig(const Config& config) override;
  void Refuse(std::string_view text, bool lingers) override;
  // It must greet as another node first, within kCandidateMs.
  void TakeStranger(std::string_view refusal) override {
    client_.peer.refusal = refusal;
    Count(ClientRecord::Standing::kCandidate);
  }
  void Look(int64_t now_mono_ns) override;

  Progress OnInput(std::string_view input, ByteBuffer* replies) override;

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
  bool IsFull(const ReplyWriter& reply) const { return Session::IsFull(*reply.out()); }
  // Whether it should have proved by now that it is another node.
  bool IsLate(int64_t now_mono_ns) const;
  Bounds BoundsOf(const Config& config) const;

  RequestParser parser_;
  Bounds bounds_ = Bounds::kClient;
};

}  // namespace gub

#endif  // GUB_SERVER_RESP_SESSION_H_
