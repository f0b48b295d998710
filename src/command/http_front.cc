#include "command/http_front.h"

#include <ctime>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/clock.h"
#include "base/secret.h"
#include "base/text.h"
#include "command/http_call.h"
#include "command/http_handlers.h"
#include "proto/gubernator_json.h"

namespace gub {

namespace {

constexpr std::string_view kGets = "GET, HEAD";

constexpr HttpRoute kRoutes[] = {
    {"/v1/check", "GET, HEAD, POST", HttpCheck},
    {"/v1/GetRateLimits", "POST", HttpGetRateLimits},
    {"/v1/HealthCheck", kGets, HttpHealthCheck},
    {"/v1/LiveCheck", kGets, HttpLiveCheck},
    {"/v1/top", kGets, HttpTop},
    {"/metrics", kGets, HttpMetrics},
    {"/healthz", kGets, HttpAlive, true},
    {"/readyz", kGets, HttpReady, true},
};
static_assert(std::size(kRoutes) == kHttpRouteCount);

const HttpRoute* FindRoute(std::string_view path) {
  for (const HttpRoute& route : kRoutes) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

// Whether "GET, HEAD" has GET. Methods are case-sensitive.
bool Has(std::string_view methods, std::string_view method) {
  while (!methods.empty()) {
    const std::string_view one = methods.substr(0, methods.find(','));
    if (one == method) return true;
    methods.remove_prefix(std::min(methods.size(), one.size() + 2));
  }
  return false;
}

// As google.rpc.Code maps them.
int GrpcCodeOf(int status) {
  constexpr std::pair<int, int> kCodes[] = {{400, 3},  {401, 16}, {403, 7},  {404, 5},
                                            {405, 12}, {413, 8},  {501, 12}, {503, 14}};
  for (const auto& [http, code] : kCodes) {
    if (http == status) return code;
  }
  return 3;
}

// What an error counts as.
std::string_view ErrorCodeOf(int status, std::string_view message) {
  for (const std::string_view code : {"OWNERDOWN", "OOM"}) {
    if (message.starts_with(code)) return code;
  }
  return status == 401 ? "NOAUTH" : "ERR";
}

// What a request says to be the password.
std::string PasswordOf(const HttpRequest& request) {
  const std::string_view field = request.Field("Authorization");
  const std::string_view scheme = field.substr(0, field.find(' '));
  std::string_view rest = field.substr(std::min(field.size(), scheme.size() + 1));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (EqualsIgnoreCase(scheme, "Bearer")) return std::string(rest);
  std::string decoded;
  if (!EqualsIgnoreCase(scheme, "Basic") ||
      !absl::Base64Unescape({rest.data(), rest.size()}, &decoded)) {
    return "";
  }
  // As for AUTH, the user is `default` or not named.
  const size_t colon = decoded.find(':');
  if (colon == std::string::npos) return "";
  const std::string_view user = std::string_view(decoded).substr(0, colon);
  return user.empty() || user == "default" ? decoded.substr(colon + 1) : "";
}

}  // namespace

std::span<const HttpRoute> HttpRoutes() { return kRoutes; }

HttpResponse HttpErrorResponse(int status, std::string_view message) {
  return {.status = status,
          .type = kJsonType,
          .body = JsonError(GrpcCodeOf(status), message) + "\n",
          .error = ErrorCodeOf(status, message)};
}

bool HttpFront::IsOpen(const HttpRequest& request) {
  const HttpRoute* const route = FindRoute(request.path);
  return route != nullptr && route->is_open;
}

bool HttpFront::IsAuthorized(const HttpRequest& request) const {
  const std::string& wanted = worker_->config->requirepass;
  if (wanted.empty() || IsOpen(request)) return true;
  return IsSecret(PasswordOf(request), wanted);
}

HttpResponse HttpFront::Unauthorized() const {
  HttpResponse response = HttpErrorResponse(
      401, "the password of requirepass is needed, as Bearer or Basic in Authorization");
  response.AddField("WWW-Authenticate", "Basic realm=\"gub\", charset=\"UTF-8\"");
  return response;
}

void HttpFront::Write(const HttpResponse& response, const HttpReplyStyle& style, ByteBuffer* out) {
  WriteHttpResponse(response, style, date_.At(std::time(nullptr)), out);
}

void HttpFront::Count(const HttpResponse& response, size_t route) {
  if (response.error.empty()) return;
  worker_->CountError(response.error);
  stats_->AddFailed(route);
}

void HttpFront::WriteLast(const HttpResponse& response, ByteBuffer* out) {
  worker_->counters->Add(Counter::kHttpRequests);
  Write(response, {.keep_alive = false}, out);
  Count(response, kHttpRouteCount);
}

void HttpFront::Serve(const HttpRequest& request, ClientState* client, ByteBuffer* out) {
  const int64_t start_mono_ns = MonotonicNs();
  worker_->counters->Add(Counter::kHttpRequests);
  const HttpRoute* const route = FindRoute(request.path);
  const size_t row =
      route == nullptr ? kHttpRouteCount : static_cast<size_t>(route - std::begin(kRoutes));
  HttpCall call({this, row}, request, client, out);
  if (!IsAuthorized(request)) {
    call.Respond(Unauthorized());
  } else if (route == nullptr) {
    call.Fail(404, "there is nothing at " + Escape(request.path));
  } else if (!Has(route->methods, request.method)) {
    HttpResponse response =
        HttpErrorResponse(405, std::string(route->path) + " takes " + std::string(route->methods));
    response.AddField("Allow", route->methods);
    call.Respond(response);
  } else {
    route->handler(call);
  }
  stats_->AddRun(row, 1, static_cast<uint64_t>(MonotonicNs() - start_mono_ns));
}

void HttpLater::Respond(const HttpResponse& response) const {
  CommandContext::Worker& worker = place_.front->worker();
  ByteBuffer& bytes = worker.late_reply;
  place_.front->Write(response, style_, &bytes);
  place_.front->Count(response, place_.route);
  worker.sink->Fill(client_, ticket_, bytes.view());
  bytes.Clear();
}

}  // namespace gub
