#include "server/resp_session.h"

#include <algorithm>
#include <string>

#include "base/log.h"
#include "command/transaction_commands.h"

namespace gub {

namespace {

Connection::Limits ConnectionLimits(const Config& config, bool stranger) {
  const auto pending = static_cast<size_t>(config.client_query_buffer_limit_bytes);
  const auto unsent = static_cast<size_t>(config.client_output_buffer_limit_bytes);
  return {.max_pending_bytes =
              stranger ? std::min(pending, RespSession::kUnauthenticatedPendingBytes) : pending,
          .max_unsent_bytes =
              stranger ? std::min(unsent, RespSession::kUnauthenticatedUnsentBytes) : unsent,
          .keepalive_s = static_cast<int>(config.tcp_keepalive_s)};
}

RequestLimits ParserLimits(const Config& config, bool stranger) {
  const auto args = static_cast<size_t>(config.max_args);
  const auto bulk = static_cast<size_t>(config.proto_max_bulk_len_bytes);
  if (!stranger) return {.max_args = args, .max_bulk_bytes = bulk};
  return {.max_args = std::min(args, RespSession::kUnauthenticatedArgs),
          .max_bulk_bytes = std::min(bulk, RespSession::kUnauthenticatedBulkBytes),
          .unauthenticated = true};
}

}  // namespace

RespSession::RespSession(const Place& place)
    : place_(place),
      dispatcher_(place.dispatcher),
      connection_(place.loop, this, place.counters,
                  ConnectionLimits(place.dispatcher->config(), false)),
      parser_(ParserLimits(place.dispatcher->config(), false)) {
  client_.record->id = place.node->next_client_id.fetch_add(1, std::memory_order_relaxed);
}

RespSession::~RespSession() { EndTransaction(&client_, &place_.node->watch); }

void RespSession::Start() {
  ClientRecord& record = *client_.record;
  record.worker = place_.worker;
  record.fd = connection_.fd();
  record.address = connection_.PeerAddress();
  record.local_address = connection_.LocalAddress();
  place_.node->clients.Add(client_.record);
  registered_ = true;
  client_.authenticated = dispatcher_->config().requirepass.empty();
  ApplyConfig(dispatcher_->config());
  connection_.Start();
}

bool RespSession::IsStranger(const Config& config) const {
  return !client_.authenticated && !config.requirepass.empty();
}

void RespSession::ApplyConfig(const Config& config) {
  as_stranger_ = IsStranger(config);
  connection_.set_limits(ConnectionLimits(config, as_stranger_));
  parser_.set_limits(ParserLimits(config, as_stranger_));
}

bool RespSession::IsIdle(int64_t now_mono_ns, int64_t timeout_s) const {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  return !client_.IsSubscribed() &&
         now_mono_ns - client_.record->last_mono_ns > timeout_s * kNsPerSecond;
}

ConnectionHandler::Progress RespSession::OnInput(std::string_view input, ByteBuffer* replies) {
  ReplyWriter reply(replies);
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
  while (reply->out()->size() < connection_.ReplySoftLimit()) {
    const RequestParser::Outcome outcome = parser_.Next(input.substr(*consumed));
    if (outcome == RequestParser::Outcome::kRequest) {
      dispatcher_->Run(parser_.args(), &client_, reply);
      if (as_stranger_ != IsStranger(dispatcher_->config())) ApplyConfig(dispatcher_->config());
    }
    *consumed += parser_.consumed();
    if (client_.drop) return Next::kDrop;
    if (client_.close) return Next::kClose;
    if (outcome == RequestParser::Outcome::kNeedMore) return Next::kRead;
    if (outcome == RequestParser::Outcome::kError) return CloseForProtocol(reply);
  }
  return Next::kPause;
}

ConnectionHandler::Next RespSession::CloseForProtocol(ReplyWriter* reply) {
  place_.counters->Add(Counter::kProtocolErrors);
  place_.counters->Add(Counter::kErrorReplies);
  GUB_LOG_EVERY(1000, warn,
                "closing a client that broke the protocol reason=\"{}\" id={} address={}",
                parser_.error(), client_.id(), client_.record->address);
  reply->Error("ERR " + parser_.error());
  return Next::kClose;
}

void RespSession::OnHeld(size_t pending_bytes, size_t unsent_bytes) {
  SetHeld(&client_.record->pending_bytes, pending_bytes);
  SetHeld(&client_.record->unsent_bytes, unsent_bytes);
}

void RespSession::SetHeld(std::atomic<int64_t>* field, size_t bytes) {
  Node& node = *place_.node;
  const bool grows = static_cast<int64_t>(bytes) > *field;
  node.client_memory.Set(client_.record.get(), field, static_cast<int64_t>(bytes));
  const int64_t limit = dispatcher_->config().maxmemory_clients_bytes;
  if (grows && limit > 0 && node.client_memory.total() > limit) {
    EvictClients(&node, place_.counters, limit);
  }
}

void EvictClients(Node* node, CounterSet* counters, int64_t max_bytes) {
  for (const auto& client : node->client_memory.Evict(node->clients, max_bytes)) {
    counters->Add(Counter::kEvictedClients);
    GUB_LOG_EVERY(1000, warn,
                  "closing the client that holds the most, all are past maxmemory-clients "
                  "held_bytes={} address={}",
                  client->HeldBytes(), client->address);
    node->hooks.close_client(*client);
  }
}

void RespSession::OnClosed() {
  if (registered_) place_.node->clients.Remove(client_.id());
  place_.node->client_memory.Forget(client_.record.get());
  place_.on_closed(this);
}

}  // namespace gub
