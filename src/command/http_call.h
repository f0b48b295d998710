// HttpCall: one HTTP request on its way through a handler.
//
// A handler reads request() and either calls Respond once, or Later once and answers through that.
//
// Threads:  loop-confined.

#ifndef GUB_COMMAND_HTTP_CALL_H_
#define GUB_COMMAND_HTTP_CALL_H_

#include "command/client_state.h"
#include "command/context.h"
#include "command/http_front.h"
#include "proto/http_request.h"
#include "proto/http_response.h"

namespace gub {

// Where an answer goes that comes later than its request. A client that is gone is ignored.
class HttpLater {
 public:
  void Respond(const HttpResponse& response) const;

 private:
  friend class HttpCall;
  HttpLater(HttpFront* front, ClientState* client, const HttpReplyStyle& style, size_t kept_bytes)
      : front_(front),
        client_(client->id()),
        ticket_(client->pending.Open(kept_bytes)),
        style_(style) {}

  HttpFront* front_;
  int64_t client_;
  PendingReplies::Ticket ticket_;
  HttpReplyStyle style_;
};

class HttpCall {
 public:
  HttpCall(HttpFront* front, const HttpRequest& request, ClientState* client, ByteBuffer* out)
      : front_(front),
        request_(request),
        client_(client),
        out_(out),
        style_{.keep_alive = !client->close,
               .is_http_1_1 = request.is_http_1_1,
               .is_head = request.IsHead()} {}

  const HttpRequest& request() const { return request_; }
  CommandContext::Worker& worker() { return front_->worker(); }
  Node& node() { return *worker().node; }
  const Config& config() { return *worker().config; }

  void Respond(const HttpResponse& response) {
    status_ = response.status;
    front_->Write(response, style_, out_);
  }
  void Fail(int status, std::string_view message) { Respond(HttpErrorResponse(status, message)); }
  // `kept_bytes`: about what is kept in memory until then, so that it counts as the client's.
  HttpLater Later(size_t kept_bytes) { return {front_, client_, style_, kept_bytes}; }

  // Of the answer; 0: it comes later.
  int status() const { return status_; }

 private:
  HttpFront* const front_;
  const HttpRequest& request_;
  ClientState* const client_;
  ByteBuffer* const out_;
  const HttpReplyStyle style_;
  int status_ = 0;
};

}  // namespace gub

#endif  // GUB_COMMAND_HTTP_CALL_H_
