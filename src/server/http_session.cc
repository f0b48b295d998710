#include "server/http_session.h"

#include "base/log.h"

namespace gub {

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr int64_t kNsPerMs = 1'000'000;

}  // namespace

HttpLimits HttpSession::ParserLimits(const Config& config) {
  return {.max_header_bytes = kMaxHeaderBytes,
          .max_body_bytes = static_cast<size_t>(config.client_query_buffer_limit_bytes)};
}

Connection::Limits HttpSession::ConnectionLimits(const Config& config) {
  // The parser refuses before this is reached.
  const HttpRequestParser parser(ParserLimits(config));
  return {.max_pending_bytes = parser.MaxBytes() + Loop::kReadBytes,
          .max_unsent_bytes = static_cast<size_t>(config.client_output_buffer_limit_bytes),
          .keepalive_s = static_cast<int>(config.tcp_keepalive_s)};
}

HttpSession::HttpSession(const Place& place)
    : Session(place, ConnectionLimits(place.dispatcher->config())),
      parser_(ParserLimits(place.dispatcher->config())) {}

void HttpSession::Start() {
  Register();
  connection_.Start();
}

void HttpSession::ApplyConfig(const Config& config) {
  connection_.set_limits(ConnectionLimits(config));
  parser_.set_limits(ParserLimits(config));
}

void HttpSession::Refuse(std::string_view text) {
  const int status = text.starts_with("DENIED") ? 403 : 503;
  ByteBuffer out;
  HttpResponse response = HttpErrorResponse(status, text);
  response.error = {};  // the worker has counted it
  place_.http->WriteLast(response, &out);
  connection_.Refuse(out.view());
}

ConnectionHandler::Progress HttpSession::OnInput(std::string_view input, ByteBuffer* replies) {
  client_.pending.Drain(replies);
  if (lingers_) return {input.size(), Next::kRead};
  if (client_.close) return {0, NextWhenClosing()};
  size_t consumed = 0;
  dispatcher_->BeginBatch(&client_);
  const Next next = RunRequests(input, replies, &consumed);
  dispatcher_->EndBatch();
  NoteTime();
  const size_t held = client_.HeldBytes() + parser_.HeldBytes();
  std::atomic<int64_t>& known = client_.record->queued_bytes;
  if (static_cast<size_t>(known) != held) SetHeld(&known, held);
  return {consumed, next};
}

ConnectionHandler::Next HttpSession::RunRequests(std::string_view input, ByteBuffer* replies,
                                                 size_t* consumed) {
  while (!IsFull(*Out(replies))) {
    using Outcome = HttpRequestParser::Outcome;
    const Outcome outcome = parser_.Next(input.substr(*consumed));
    ByteBuffer* const out = Out(replies);
    if (outcome == Outcome::kRequest) {
      const bool stays = parser_.request().keep_alive;
      place_.http->Serve(parser_.request(), &client_, out);
      *consumed += parser_.consumed();
      told_continue_ = late_ = false;
      began_mono_ns_ = 0;  // what stands behind it has its own time
      client_.close = !stays;
      if (client_.close) return NextWhenClosing();
      continue;
    }
    if (outcome == Outcome::kError) {
      place_.counters->Add(Counter::kProtocolErrors);
      RefuseLast(HttpErrorResponse(parser_.error().status, parser_.error().text), out);
    } else if (late_) {
      place_.counters->Add(Counter::kHttpTimeouts);
      RefuseLast(HttpErrorResponse(408, "the request did not come whole in time"), out);
    } else if (!RefusesMidway(out)) {
      return Next::kRead;
    }
    *consumed = input.size();
    return Next::kRead;
  }
  return client_.pending.empty() ? Next::kPause : Next::kWait;
}

// Whoever waits for leave to send a body is given it, and whoever has no password gets no room for
// one.
bool HttpSession::RefusesMidway(ByteBuffer* out) {
  if (!parser_.IsMidway() || !parser_.has_header()) return false;
  if (!place_.http->IsAuthorized(parser_.request())) {
    RefuseLast(place_.http->Unauthorized(), out);
    return true;
  }
  if (parser_.request().expects_continue && !told_continue_) out->Append(kContinue);
  told_continue_ = true;
  return false;
}

void HttpSession::RefuseLast(const HttpResponse& response, ByteBuffer* out) {
  place_.http->WriteLast(response, out);
  lingers_ = true;
  lingers_since_mono_ns_ = MonotonicNs();
}

void HttpSession::NoteTime() {
  if (!parser_.IsMidway() || lingers_) {
    began_mono_ns_ = 0;
  } else if (began_mono_ns_ == 0) {
    began_mono_ns_ = MonotonicNs();
  }
}

bool HttpSession::IsLate(int64_t now_mono_ns) const {
  if (began_mono_ns_ == 0) return false;
  const int64_t may_take_ms = parser_.has_header() ? kRequestMs : kHeaderMs;
  return now_mono_ns - began_mono_ns_ > may_take_ms * kNsPerMs;
}

void HttpSession::Look(int64_t now_mono_ns) {
  if (lingers_ && now_mono_ns - lingers_since_mono_ns_ > kLingerMs * kNsPerMs) {
    return connection_.Close();
  }
  if (HasPending()) return;
  if (began_mono_ns_ == 0) {
    if (IsIdle(now_mono_ns)) connection_.Close();
    return;
  }
  if (!IsLate(now_mono_ns)) return;
  if (connection_.IsBlocked()) return connection_.Close();
  late_ = true;
  connection_.Wake();
}

}  // namespace gub
