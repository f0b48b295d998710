#include "server/resp_session.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "command/transaction_commands.h"
#include "fmt/format.h"

namespace gub {

Connection::Limits RespSession::ConnectionLimits(const Config& config, Bounds bounds) {
  auto pending = static_cast<size_t>(config.client_query_buffer_limit_bytes);
  auto unsent = static_cast<size_t>(config.client_output_buffer_limit_bytes);
  if (bounds == Bounds::kStranger) {
    pending = std::min(pending, kUnauthenticatedPendingBytes);
    unsent = std::min(unsent, kUnauthenticatedUnsentBytes);
  } else if (bounds == Bounds::kPeer) {
    pending = std::max(pending, 2 * kPeerBulkBytes);
    unsent = std::max(unsent, kPeerUnsentBytes);
  }
  return {.max_pending_bytes = pending,
          .max_unsent_bytes = unsent,
          .keepalive_s = static_cast<int>(config.tcp_keepalive_s)};
}

RequestLimits RespSession::ParserLimits(const Config& config, Bounds bounds) {
  const auto args = static_cast<size_t>(config.max_args);
  const auto bulk = static_cast<size_t>(config.proto_max_bulk_len_bytes);
  if (bounds == Bounds::kClient) return {.max_args = args, .max_bulk_bytes = bulk};
  if (bounds == Bounds::kPeer) {
    return {.max_args = args, .max_bulk_bytes = std::max(bulk, kPeerBulkBytes)};
  }
  return {.max_args = std::min(args, kUnauthenticatedArgs),
          .max_bulk_bytes = std::min(bulk, kUnauthenticatedBulkBytes),
          .unauthenticated = true};
}

RespSession::RespSession(const Place& place)
    : Session(place, ConnectionLimits(place.dispatcher->config(), Bounds::kClient)),
      parser_(ParserLimits(place.dispatcher->config(), Bounds::kClient)) {}

RespSession::~RespSession() { EndTransaction(&client_, &place_.node->watch); }

void RespSession::Start() {
  Register();
  client_.authenticated = dispatcher_->config().requirepass.empty();
  client_.peer.is_local = connection_.IsFromLoopback();
  ApplyConfig(dispatcher_->config());
  connection_.Start();
}

RespSession::Bounds RespSession::BoundsOf(const Config& config) const {
  if (client_.peer.proven) return Bounds::kPeer;
  const bool has_no_password = !client_.authenticated && !config.requirepass.empty();
  return has_no_password || !client_.peer.refusal.empty() ? Bounds::kStranger : Bounds::kClient;
}

void RespSession::ApplyConfig(const Config& config) {
  bounds_ = BoundsOf(config);
  connection_.set_limits(ConnectionLimits(config, bounds_));
  parser_.set_limits(ParserLimits(config, bounds_));
}

void RespSession::Refuse(std::string_view text, bool lingers) {
  connection_.Refuse(fmt::format("-{}\r\n", text), lingers);
}

bool RespSession::IsLate(int64_t now_mono_ns) const {
  return record().standing == ClientRecord::Standing::kCandidate &&
         now_mono_ns - record().since_mono_ns > kCandidateMs * 1'000'000;
}

void RespSession::Look(int64_t now_mono_ns) {
  const bool may_be_silent = client_.IsSubscribed() || client_.peer.proven;
  if ((!may_be_silent && IsIdle(now_mono_ns)) || IsLate(now_mono_ns)) connection_.Close();
}

ConnectionHandler::Progress RespSession::OnInput(std::string_view input, ByteBuffer* replies) {
  client_.pending.Drain(replies);
  if (client_.close) return {0, NextWhenClosing()};
  ReplyWriter reply(client_.pending.empty() ? replies : client_.pending.behind());
  reply.set_version(client_.version);
  size_t consumed = 0;
  dispatcher_->BeginBatch(&client_);
  const Next next = RunRequests(input, &reply, &consumed);
  dispatcher_->EndBatch();
  const Transaction& transaction = client_.transaction;
  ClientRecord& record = *client_.record;
  record.queued_commands =
      transaction.open ? static_cast<int64_t>(transaction.queued.size()) : int64_t{-1};
  const size_t held = client_.HeldBytes() + parser_.HeldBytes();
  if (static_cast<size_t>(record.queued_bytes) != held) SetHeld(&record.queued_bytes, held);
  return {consumed, next};
}

ConnectionHandler::Next RespSession::RunRequests(std::string_view input, ReplyWriter* reply,
                                                 size_t* consumed) {
  while (!IsFull(*reply)) {
    if (const std::optional<Next> next = RunShort(input, reply, consumed)) return *next;
    if (IsFull(*reply)) break;
    const RequestParser::Outcome outcome = parser_.Next(input.substr(*consumed));
    if (outcome == RequestParser::Outcome::kRequest) {
      if (const std::optional<Next> next = RunOne(parser_.args(), reply)) return *next;
    }
    *consumed += parser_.consumed();
    if (client_.drop) return Next::kDrop;
    if (client_.close) return NextWhenClosing();
    if (outcome == RequestParser::Outcome::kNeedMore) return Next::kRead;
    if (outcome == RequestParser::Outcome::kError) return CloseForProtocol(reply);
  }
  return client_.pending.empty() ? Next::kPause : Next::kWait;
}

// Runs one request. What comes next, when it was not run.
std::optional<ConnectionHandler::Next> RespSession::RunOne(Args args, ReplyWriter* reply) {
  if (!client_.peer.refusal.empty() && !EqualsIgnoreCase(args[0], "gub.peer")) {
    return RefuseForPeers(reply);
  }
  dispatcher_->Run(args, &client_, reply);
  if (std::exchange(client_.retry, false)) return Next::kWait;
  if (bounds_ != BoundsOf(dispatcher_->config())) ApplyConfig(dispatcher_->config());
  return std::nullopt;
}

// Runs what a pipeline has brought of short requests, some at a time: they are read ahead, so that
// what they will ask of memory comes for all of them at once. What comes next, when that is known.
std::optional<ConnectionHandler::Next> RespSession::RunShort(std::string_view input,
                                                             ReplyWriter* reply, size_t* consumed) {
  ReadAhead& ahead = *place_.read_ahead;
  size_t count = kReadAhead;
  while (count == kReadAhead) {
    count = 0;
    size_t offset = *consumed;
    while (count < kReadAhead && parser_.ReadShort(input.substr(offset), &ahead[count])) {
      offset += ahead[count++].bytes;
    }
    if (count > 1) dispatcher_->Expect({ahead.data(), count});
    const absl::Cleanup forget = [this] { dispatcher_->ExpectNothing(); };
    const RequestLimits limits = parser_.limits();
    for (size_t i = 0; i < count; ++i) {
      if (dispatcher_->RunExpected(i, &client_, reply)) {
        *consumed += ahead[i].bytes;
        if (IsFull(*reply)) return std::nullopt;
        continue;
      }
      if (const std::optional<Next> next = RunOne(ahead[i].args(), reply)) return next;
      *consumed += ahead[i].bytes;
      if (client_.drop) return Next::kDrop;
      if (client_.close) return NextWhenClosing();
      // Other bounds now may hold for what was read.
      if (IsFull(*reply) || parser_.limits() != limits) return std::nullopt;
    }
  }
  return std::nullopt;
}

// As Worker does with whoever is no client.
ConnectionHandler::Next RespSession::RefuseForPeers(ReplyWriter* reply) {
  CountRefusal(client_.peer.refusal);
  reply->Error(client_.peer.refusal);
  client_.close = true;
  return NextWhenClosing();
}

ConnectionHandler::Next RespSession::CloseForProtocol(ReplyWriter* reply) {
  place_.counters->Add(Counter::kProtocolErrors);
  place_.counters->Add(Counter::kErrorReplies);
  GUB_LOG_EVERY(1000, warn,
                "closing a client that broke the protocol reason=\"{}\" id={} address={}",
                parser_.error(), client_.id(), client_.record->address);
  reply->Error("ERR " + parser_.error());
  client_.close = true;
  return NextWhenClosing();
}

}  // namespace gub
