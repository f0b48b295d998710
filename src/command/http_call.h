// HttpCall: one HTTP request on its way through a handler.
//
// A handler reads request() and either calls Respond once, or Later once and answers through that.
//
// Threads:  loop-confined.

#ifndef GUB_COMMAND_HTTP_CALL_H_
#define GUB_COMMAND_HTTP_CALL_H_

#include <cstddef>

#include "command/client_state.h"
#include "command/context.h"
#include "command/http_front.h"
#include "proto/http_request.h"
#include "proto/http_response.h"

namespace gub {

// Whose answer it is: counted for its route (of HttpRoutes(), or kHttpRouteCount).
struct HttpPlace {
  HttpFront* front;
  size_t route;
};

// Where an answer goes that comes later than its request. A client that is gone is ignored.
class HttpLater {
 public:
  void Respond(const HttpResponse& response) const;

 private:
  friend class HttpCall;
  HttpLater(const HttpPlace& place, ClientState* client, const HttpReplyStyle& style,
            size_t kept_bytes)
      : place_(place),
        client_(client->id()),
        ticket_(client->pending.Open(kept_bytes)),
        style_(style) {}

  HttpPlace place_;
  int64_t client_;
  PendingReplies::Ticket ticket_;
  HttpReplyStyle style_;
};

class HttpCall {
 public:
  HttpCall(const HttpPlace& place, const HttpRequest& request, ClientState* client, ByteBuffer* out)
      : place_(place),
        request_(request),
        client_(client),
        out_(out),
        style_{.keep_alive = !client->close,
               .is_http_1_1 = request.is_http_1_1,
               .is_head = request.IsHead()} {}

  const HttpRequest& request() const { return request_; }
  CommandContext::Worker& worker() { return place_.front->worker(); }
  Node& node() { return *worker().node; }
  const Config& config() { return *worker().config; }

  void Respond(const HttpResponse& response) {
    place_.front->Write(response, style_, out_);
    place_.front->Count(response, place_.route);
  }
  void Fail(int status, std::string_view message) { Respond(HttpErrorResponse(status, message)); }
  // `kept_bytes`: about what is kept in memory until then, so that it counts as the client's.
  HttpLater Later(size_t kept_bytes) { return {place_, client_, style_, kept_bytes}; }

 private:
  const HttpPlace place_;
  const HttpRequest& request_;
  ClientState* const client_;
  ByteBuffer* const out_;
  const HttpReplyStyle style_;
};

}  // namespace gub

#endif  // GUB_COMMAND_HTTP_CALL_H_
