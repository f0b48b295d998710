// The handlers of the HTTP routes.

#ifndef GUB_COMMAND_HTTP_HANDLERS_H_
#define GUB_COMMAND_HTTP_HANDLERS_H_

#include <string_view>

#include "command/http_call.h"

namespace gub {

void HttpCheck(HttpCall& call);          // /v1/check
void HttpGetRateLimits(HttpCall& call);  // /v1/GetRateLimits
void HttpHealthCheck(HttpCall& call);    // /v1/HealthCheck
void HttpLiveCheck(HttpCall& call);      // /v1/LiveCheck
void HttpTop(HttpCall& call);            // /v1/top
void HttpMetrics(HttpCall& call);        // /metrics
void HttpAlive(HttpCall& call);          // /healthz
void HttpReady(HttpCall& call);          // /readyz

// Of a node that does not serve.
std::string_view WhyNotReady(const Node& node);

}  // namespace gub

#endif  // GUB_COMMAND_HTTP_HANDLERS_H_
