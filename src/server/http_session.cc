#include "server/http_session.h"

#include "base/log.h"

namespace gub {

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr int64_t kNsPerMs = 1'000'000;

// What is told to who may be no client: CountRefusal has counted it.
HttpResponse AnswerOf(std::string_view refusal) {
  HttpResponse response = HttpErrorResponse(refusal.starts_with("DENIED") ? 403 : 503, refusal);
  response.error = {};
  return response;
}

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

void HttpSession::Refuse(std::string_view text, bool lingers) {
  ByteBuffer out;
  place_.http->WriteLast(AnswerOf(text), &out);
  connection_.Refuse(out.view(), lingers);
}

ConnectionHandler::Progress HttpSession::OnInput(std::string_view input, ByteBuffer* replies) {
  client_.pending.Drain(replies);
  if (client_.close) return {input.size(), NextWhenClosing(Next::kLinger)};
  size_t consumed = 0;
  dispatcher_->BeginBatch(&client_);
  const Next next = RunRequests(input, replies, &consumed);
  dispatcher_->EndBatch();
  NoteTime();
  const size_t held = client_.HeldBytes() + parser_.HeldBytes();
  std::atomic<int64_t>& known = client_.record->queued_bytes;
  if (static_cast<size_t>(known) != held) SetHeld(&known, held);
  return {client_.close ? input.size() : consumed, next};
}

ConnectionHandler::Next HttpSession::RunRequests(std::string_view input, ByteBuffer* replies,
                                                 size_t* consumed) {
  while (!IsFull(*Out(replies))) {
    using Outcome = HttpRequestParser::Outcome;
    const Outcome outcome = parser_.Next(input.substr(*consumed));
    ByteBuffer* const out = Out(replies);
    if (outcome == Outcome::kError) {
      place_.counters->Add(Counter::kProtocolErrors);
      return RefuseLast(HttpErrorResponse(parser_.error().status, parser_.error().text), out);
    }
    if (outcome == Outcome::kNeedMore && late_) {
      place_.counters->Add(Counter::kHttpTimeouts);
      return RefuseLast(HttpErrorResponse(408, "the request did not come whole in time"), out);
    }
    const auto objection = outcome == Outcome::kRequest ? Objection() : ObjectionMidway();
    if (objection) return RefuseLast(*objection, out);
    if (outcome == Outcome::kNeedMore) {
      TellToContinue(out);
      return Next::kRead;
    }
    *consumed += parser_.consumed();
    Run(*consumed == input.size(), out);
    if (client_.close) return NextWhenClosing(Next::kLinger);
  }
  return client_.pending.empty() ? Next::kPause : Next::kWait;
}

// Runs a request that is whole. `is_last`: nothing stands behind it, as far as is known.
void HttpSession::Run(bool is_last, ByteBuffer* out) {
  const HttpRequest& request = parser_.request();
  const bool stops = is_last && place_.node->stopping;
  client_.close = !request.keep_alive || !refusal_.empty() || stops;
  place_.http->Serve(request, &client_, out);
  told_continue_ = late_ = false;
  began_mono_ns_ = 0;  // what stands behind it has its own time
}

std::optional<HttpResponse> HttpSession::Objection() {
  if (HttpFront::IsOpen(parser_.request())) {
    if (!parser_.HasBodyOver(kOpenBodyBytes)) return std::nullopt;
    return HttpErrorResponse(413, "the body is too long");
  }
  if (refusal_.empty()) return std::nullopt;
  CountRefusal(refusal_);
  return AnswerOf(refusal_);
}

// Whoever has no password gets no room for a body.
std::optional<HttpResponse> HttpSession::ObjectionMidway() {
  if (!parser_.IsMidway() || !parser_.has_header()) return std::nullopt;
  if (auto objection = Objection()) return objection;
  if (place_.http->IsAuthorized(parser_.request())) return std::nullopt;
  return place_.http->Unauthorized();
}

// Whoever waits for leave to send a body is given it.
void HttpSession::TellToContinue(ByteBuffer* out) {
  if (told_continue_ || !parser_.IsMidway() || !parser_.has_header()) return;
  if (parser_.request().expects_continue) out->Append(kContinue);
  told_continue_ = true;
}

ConnectionHandler::Next HttpSession::RefuseLast(const HttpResponse& response, ByteBuffer* out) {
  place_.http->WriteLast(response, out);
  client_.close = true;
  return NextWhenClosing(Next::kLinger);
}

void HttpSession::NoteTime() {
  if (!parser_.IsMidway() || client_.close) {
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
  const int64_t age_ns = now_mono_ns - record().since_mono_ns;
  if (!refusal_.empty() && age_ns > kStrangerMs * kNsPerMs) return connection_.Close();
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
