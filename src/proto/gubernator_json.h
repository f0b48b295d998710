// The JSON of Gubernator's HTTP gateway: the body of POST /v1/GetRateLimits, and its answer.
//
// Read as protobuf's JSON mapping reads it: field names in snake_case or camelCase, numbers also as
// strings, null for the default, unknown fields ignored. The words of durations and enums are
// handed on as they came, for their meaning is known further up.
//
// Threads:  pure functions.
// Memory:   what is read is a copy.
// Errors:   kInvalidArgument: the byte at which the text breaks off, and the field; kOutOfRange:
//           there are too many requests. Nothing is handed on then.

#ifndef GUB_PROTO_GUBERNATOR_JSON_H_
#define GUB_PROTO_GUBERNATOR_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gub {

// A RateLimitReq, unchecked.
struct GatewayRequest {
  std::string name;
  std::string unique_key;
  int64_t hits = 0;
  int64_t limit = 0;
  int64_t burst = 0;
  std::string duration = "0";
  std::string algorithm = "0";
  std::string behavior = "0";
};

// {"requests": [...]}, or with the older name "rate_limits"; at most max_requests.
absl::StatusOr<std::vector<GatewayRequest>> ReadRateLimits(std::string_view body,
                                                           size_t max_requests);

// A RateLimitResp.
struct GatewayAnswer {
  bool over_limit = false;
  int64_t limit = 0;
  int64_t remaining = 0;
  int64_t reset_ms = 0;
  std::string error = {};
  std::string owner = {};  // "": this node
  bool degraded = false;
};

// {"responses": [...]}, every field present, int64 as strings.
std::string WriteRateLimits(const std::vector<GatewayAnswer>& answers);

// A text in quotes; what is no UTF-8 in it is replaced.
std::string JsonQuoted(std::string_view text);

// {"code": …, "message": …, "details": []}, as the gateway tells errors.
std::string JsonError(int code, std::string_view message);

}  // namespace gub

#endif  // GUB_PROTO_GUBERNATOR_JSON_H_
