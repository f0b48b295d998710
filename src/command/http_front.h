// HttpFront: what a worker knows of HTTP: finds what a request asks for, whether it may, and
// answers it, at once or later in its place.
//
// One list of routes (http_front.cc) says what there is.
//
// Threads:  loop-confined; one per worker.
// Errors:   an answer for each request, always, and in order: 400, 401, 404, 405 and what the
//           handlers say. Bodies of errors are {"code", "message", "details"}, as Gubernator's.

#ifndef GUB_COMMAND_HTTP_FRONT_H_
#define GUB_COMMAND_HTTP_FRONT_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "command/client_state.h"
#include "command/command_stats.h"
#include "command/context.h"
#include "proto/http_request.h"
#include "proto/http_response.h"

namespace gub {

class HttpCall;

struct HttpRoute {
  std::string_view path;
  std::string_view methods;  // as in Allow
  void (*handler)(HttpCall& call);
  bool is_open = false;  // needs no password
};

// In the order of docs/http.md.
std::span<const HttpRoute> HttpRoutes();

class HttpFront {
 public:
  HttpFront(CommandContext::Worker* worker, size_t thread)
      : worker_(worker), stats_(&worker->node->http_stats.ForThread(thread)) {}

  // Answers a request into *out, or opens a place in the client's pending replies. The answer tells
  // whether the connection closes after it: whether client->close is set.
  // REQUIRES: between BeginBatch and EndBatch of the worker's dispatcher.
  void Serve(const HttpRequest& request, ClientState* client, ByteBuffer* out);

  // Whether everybody may ask it.
  static bool IsOpen(const HttpRequest& request);
  // Whether it has the password, or needs none.
  bool IsAuthorized(const HttpRequest& request) const;
  // 401.
  HttpResponse Unauthorized() const;

  // An answer that has been written counts as an error if it is one. `route`: its number, or
  // kHttpRouteCount.
  void Count(const HttpResponse& response, size_t route);
  // An answer that no handler makes: the connection closes after it.
  void WriteLast(const HttpResponse& response, ByteBuffer* out);
  void Write(const HttpResponse& response, const HttpReplyStyle& style, ByteBuffer* out);

  CommandContext::Worker& worker() { return *worker_; }

 private:
  CommandContext::Worker* const worker_;
  CommandStats::Set* const stats_;  // by route, the last row for what is none
  HttpDate date_;
};

// The error `message`, with the code that gRPC has for the status. It counts as OWNERDOWN or OOM
// when it starts so, as NOAUTH with 401, and otherwise as ERR.
HttpResponse HttpErrorResponse(int status, std::string_view message);

}  // namespace gub

#endif  // GUB_COMMAND_HTTP_FRONT_H_
