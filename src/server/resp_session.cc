#include "server/resp_session.h"

#include <string>
#include <utility>

#include "base/log.h"

namespace gub {

namespace {

Connection::Limits ConnectionLimits(const Config& config) {
  return {.max_pending_bytes = static_cast<size_t>(config.client_query_buffer_limit_bytes),
          .max_unsent_bytes = static_cast<size_t>(config.client_output_buffer_limit_bytes),
          .keepalive_s = static_cast<int>(config.tcp_keepalive_s)};
}

RequestLimits ParserLimits(const Config& config) {
  return {.max_args = static_cast<size_t>(config.max_args),
          .max_bulk_bytes = static_cast<size_t>(config.proto_max_bulk_len_bytes)};
}

}  // namespace

RespSession::RespSession(const Place& place, std::function<void(RespSession*)> on_closed)
    : dispatcher_(place.dispatcher),
      counters_(place.counters),
      on_closed_(std::move(on_closed)),
      connection_(place.loop, this, place.counters, ConnectionLimits(place.node->config)),
      parser_(ParserLimits(place.node->config)) {
  client_.id = place.node->next_client_id.fetch_add(1, std::memory_order_relaxed);
}

ConnectionHandler::Progress RespSession::OnInput(std::string_view input, ByteBuffer* replies) {
  ReplyWriter reply(replies);
  reply.set_version(client_.version);
  size_t consumed = 0;
  dispatcher_->BeginBatch();
  const Next next = RunRequests(input, &reply, &consumed);
  dispatcher_->EndBatch();
  return {consumed, next};
}

ConnectionHandler::Next RespSession::RunRequests(std::string_view input, ReplyWriter* reply,
                                                 size_t* consumed) {
  while (reply->out()->size() < connection_.ReplySoftLimit()) {
    const RequestParser::Outcome outcome = parser_.Next(input.substr(*consumed));
    if (outcome == RequestParser::Outcome::kRequest) {
      dispatcher_->Run(parser_.args(), &client_, reply);
    }
    *consumed += parser_.consumed();
    if (client_.drop) return Next::kDrop;
    if (client_.close) return Next::kClose;
    if (outcome == RequestParser::Outcome::kNeedMore) return Next::kRead;
    if (outcome == RequestParser::Outcome::kError) {
      counters_->Add(Counter::kProtocolErrors);
      counters_->Add(Counter::kErrorReplies);
      GUB_LOG_EVERY(1000, warn, "closing a client that broke the protocol reason=\"{}\" id={}",
                    parser_.error(), client_.id);
      reply->Error("ERR " + parser_.error());
      return Next::kClose;
    }
  }
  return Next::kPause;
}

void RespSession::OnClosed() { on_closed_(this); }

}  // namespace gub
