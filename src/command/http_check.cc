// /v1/check: may this caller go on? 200 or 429, for gateways and whoever has an HTTP client.
//
// Headers: RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10, Retry-After
// of RFC 9110, and the X-RateLimit-* trio that many clients know.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "command/decide.h"
#include "command/hit_arguments.h"
#include "command/http_handlers.h"
#include "command/owned_request.h"
#include "command/words.h"
#include "fmt/format.h"
#include "proto/gubernator_json.h"
#include "proto/query_string.h"

namespace gub {

namespace {

enum Parameter : size_t {
  kName,
  kKey,
  kLimit,
  kDuration,
  kHits,
  kAlgorithm,
  kBehavior,
  kBurst,
  kOnFail,
  kDenyStatus,
  kKeyHeader,
  kParameters,
};

struct ParameterRow {
  std::string_view name;
  std::string_view field;  // of the header that may stand for it
  bool required = false;
};

constexpr std::array<ParameterRow, kParameters> kRows = {{
    {"name", "X-Gub-Name", true},
    {"key", "X-Gub-Key", true},
    {"limit", "X-Gub-Limit", true},
    {"duration", "X-Gub-Duration", true},
    {"hits", "X-Gub-Hits"},
    {"algorithm", "X-Gub-Algorithm"},
    {"behavior", "X-Gub-Behavior"},
    {"burst", "X-Gub-Burst"},
    {"onfail", "X-Gub-Onfail"},
    {"deny_status", "X-Gub-Deny-Status"},
    {"key_header", ""},
}};

using Values = std::array<std::optional<std::string>, kParameters>;

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::Status ReadUrl(std::string_view query, Values* values) {
  const std::optional<std::vector<QueryParameter>> parameters = ReadQuery(query);
  if (!parameters) return Invalid("the URL has a '%' without two hex digits");
  for (const QueryParameter& parameter : *parameters) {
    const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const ParameterRow& candidate) {
      return candidate.name == parameter.name;
    });
    if (row == kRows.end()) {
      return Invalid(fmt::format("unknown parameter '{}'", Escape(parameter.name)));
    }
    std::optional<std::string>& value = (*values)[static_cast<size_t>(row - kRows.begin())];
    if (value) return Invalid(fmt::format("{} is given twice", row->name));
    value = parameter.value;
  }
  return absl::OkStatus();
}

// A gateway hands its client's headers on, and its client may try some. So a header counts only for
// what the URL needs and leaves open, and the others only where the URL says nothing at all.
void ReadHeaders(const HttpRequest& request, Values* values) {
  const bool has_url = !request.query.empty();
  for (size_t i = 0; i < kParameters; ++i) {
    if ((*values)[i] || kRows[i].field.empty() || (has_url && !kRows[i].required)) continue;
    const std::string_view value = request.Field(kRows[i].field);
    if (!value.empty()) (*values)[i] = std::string(value);
  }
}

absl::Status ReadParameters(const HttpRequest& request, Values* values) {
  if (absl::Status status = ReadUrl(request.query, values); !status.ok()) return status;
  if (const auto& header = (*values)[kKeyHeader]; header) {
    if ((*values)[kKey]) return Invalid("key and key_header are given both");
    const std::string_view key = request.Field(*header);
    if (key.empty()) return Invalid(fmt::format("there is no header '{}'", Escape(*header)));
    (*values)[kKey] = std::string(key);
  }
  ReadHeaders(request, values);
  for (size_t i = 0; i < kParameters; ++i) {
    if (kRows[i].required && !(*values)[i]) {
      return Invalid(fmt::format("{} is missing", kRows[i].name));
    }
  }
  return absl::OkStatus();
}

// Through the reader of GUB.HIT, so that both take the same.
absl::Status ParseRequest(const Values& values, size_t max_key_bytes, Request* request) {
  const auto value = [&values](Parameter which, std::string_view otherwise) {
    return values[which] ? std::string_view(*values[which]) : otherwise;
  };
  const std::string_view algorithm = value(kAlgorithm, "token");
  // Else a word such as FULL would be taken for an option.
  if (!ParseAlgorithm(algorithm)) {
    return Invalid(fmt::format("unknown algorithm '{}'", Escape(algorithm)));
  }
  const std::string_view behavior = value(kBehavior, "0");
  if (const auto bits = ParseBehavior(behavior); !bits.ok()) return bits.status();
  const std::string_view args[] = {"",
                                   *values[kName],
                                   *values[kKey],
                                   value(kHits, "1"),
                                   *values[kLimit],
                                   *values[kDuration],
                                   algorithm,
                                   behavior,
                                   "BURST",
                                   value(kBurst, "0"),
                                   "ONFAIL",
                                   value(kOnFail, "")};
  const size_t count = std::size(args) - (values[kOnFail] ? 0 : 2);
  Hit hit;
  const absl::Status status = ParseHit({args, count}, max_key_bytes, &hit);
  *request = hit.request;
  return status;
}

// What of a request its answer shows.
struct CheckShape {
  std::string policy;  // the name as an item of Structured Fields
  int64_t limit = 0;
  int64_t window_s = 0;
  int deny_status = 429;
  bool as_json = false;
};

int64_t CeilToSeconds(int64_t ms) { return ms <= 0 ? 0 : ms / 1000 + (ms % 1000 != 0 ? 1 : 0); }

// Structured Fields have integers of 15 digits.
int64_t Fifteen(int64_t value) { return std::clamp<int64_t>(value, 0, 999'999'999'999'999); }

int64_t WindowSeconds(const Period& period) {
  constexpr int64_t kSeconds[] = {60, 3'600, 86'400, 604'800, 2'592'000, 31'536'000};
  return period.IsCalendar() ? kSeconds[static_cast<size_t>(period.unit())]
                             : CeilToSeconds(period.ms());
}

// A name that no such string can hold goes by another.
std::string PolicyName(std::string_view name) {
  const bool printable =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) return "\"default\"";
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string JsonOf(const CheckShape& shape, const Decided& decided) {
  const Decision& decision = decided.decision;
  return fmt::format(
      "{{\"status\":\"{}\",\"limit\":{},\"remaining\":{},\"reset_time\":{},"
      "\"retry_after_ms\":{},\"owner\":{},\"degraded\":{}}}\n",
      decision.status == LimitStatus::kOver ? "OVER_LIMIT" : "UNDER_LIMIT", shape.limit,
      decision.remaining, decision.reset_ms, decision.retry_after_ms, JsonQuoted(decided.owner),
      decided.degraded);
}

HttpResponse ResponseOf(const CheckShape& shape, const Decided& decided) {
  if (!decided.error.empty()) return HttpErrorResponse(503, decided.error);
  const Decision& decision = decided.decision;
  const bool over = decision.status == LimitStatus::kOver;
  HttpResponse response = {.status = over ? shape.deny_status : 200};
  const auto put = std::back_inserter(response.fields);
  const int64_t reset_s = CeilToSeconds(decision.reset_ms - decision.now_ms);
  fmt::format_to(put,
                 "RateLimit-Policy: {0};q={1};w={2}\r\nRateLimit: {0};r={3};t={4}\r\n"
                 "X-RateLimit-Limit: {5}\r\nX-RateLimit-Remaining: {6}\r\n"
                 "X-RateLimit-Reset: {7}\r\nCache-Control: no-store\r\n",
                 shape.policy, Fifteen(shape.limit), Fifteen(shape.window_s),
                 Fifteen(decision.remaining), Fifteen(reset_s), shape.limit, decision.remaining,
                 CeilToSeconds(decision.reset_ms));
  // Nothing when it can never pass.
  if (over && decision.retry_after_ms >= 0) {
    const int64_t retry_s = std::max<int64_t>(1, CeilToSeconds(decision.retry_after_ms));
    fmt::format_to(put, "Retry-After: {}\r\n", retry_s);
  }
  if (decided.degraded) response.AddField("X-Gub-Degraded", "1");
  if (shape.as_json) {
    response.type = kJsonType;
    response.body = JsonOf(shape, decided);
  }
  return response;
}

absl::Status ReadDenyStatus(const Values& values, int* status) {
  if (!values[kDenyStatus]) return absl::OkStatus();
  const std::optional<int64_t> number = ParseInt64(*values[kDenyStatus]);
  if (!number || *number < 400 || *number > 599) {
    return Invalid("deny_status must be from 400 to 599");
  }
  *status = static_cast<int>(*number);
  return absl::OkStatus();
}

}  // namespace

void HttpCheck(HttpCall& call) {
  Values values;
  Request request;
  CheckShape shape;
  absl::Status status = ReadParameters(call.request(), &values);
  if (status.ok()) status = ReadDenyStatus(values, &shape.deny_status);
  if (status.ok()) {
    status = ParseRequest(values, static_cast<size_t>(call.config().max_key_bytes), &request);
  }
  if (!status.ok()) {
    call.worker().counters->Add(Counter::kRequestErrors);
    return call.Fail(400, ToStd(status.message()));
  }
  shape.policy = PolicyName(request.name);
  shape.limit = request.limit;
  shape.window_s = WindowSeconds(request.period);
  shape.as_json = call.request().Field("Accept").find(kJsonType) != std::string_view::npos;
  Decided decided;
  const Routed routed = Route(call.worker(), request);
  if (DecideHere(&call.worker(), routed, &decided)) {
    return call.Respond(ResponseOf(shape, decided));
  }
  const auto later = std::make_shared<std::optional<HttpLater>>();
  const auto make_later = [&later, &shape]() -> OnDecided {
    return [later, shape](const Decided& what) { (*later)->Respond(ResponseOf(shape, what)); };
  };
  if (DecideElsewhere(&call.worker(), routed, &decided, make_later)) {
    return call.Respond(ResponseOf(shape, decided));
  }
  *later = call.Later(sizeof(CheckShape) + shape.policy.size() + OwnedRequest::BytesFor(request));
}

}  // namespace gub
