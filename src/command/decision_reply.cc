#include "command/decision_reply.h"

namespace gub {

namespace {

void WriteFull(const ReplyShape& shape, const Decision& decision, const DecidedFor& decided,
               ReplyWriter* reply) {
  const auto field = [reply](std::string_view name, int64_t value) {
    reply->Bulk(name);
    reply->Integer(value);
  };
  reply->Map(7);
  field("status", static_cast<int64_t>(decision.status));
  field("limit", shape.limit);
  field("remaining", decision.remaining);
  field("reset", decision.reset_ms);
  field("retry_after", decision.retry_after_ms);
  reply->Bulk("owner");
  reply->Bulk(decided.owner);
  field("degraded", decided.degraded ? 1 : 0);
}

// Whole seconds, rounded up. REQUIRES: ms >= 0.
int64_t CeilToSeconds(int64_t ms) { return ms / 1000 + (ms % 1000 != 0 ? 1 : 0); }

// The shape and the rounding of redis-cell: a peek is never limited, retry is -1 unless this very
// request would pass later.
void WriteThrottle(const ReplyShape& shape, const Decision& decision, ReplyWriter* reply) {
  const bool limited = shape.hits > 0 && decision.status == LimitStatus::kOver;
  const bool passes_later = limited && decision.retry_after_ms != Decision::kNever;
  reply->Array(5);
  reply->Integer(limited ? 1 : 0);
  reply->Integer(shape.burst);
  reply->Integer(decision.remaining);
  reply->Integer(passes_later ? CeilToSeconds(decision.retry_after_ms) : -1);
  reply->Integer(CeilToSeconds(decision.reset_ms - decision.now_ms));
}

Counter TokenCounterOf(const Request& request, const Decision& decision) {
  if (request.Has(kResetRemaining)) return Counter::kTokenResets;
  if (request.hits == 0) return Counter::kTokenPeeks;
  if (request.hits < 0) return Counter::kTokenRefunded;
  return decision.status == LimitStatus::kUnder ? Counter::kTokenAdmitted : Counter::kTokenDenied;
}

}  // namespace

Counter CounterOf(const Request& request, const Decision& decision) {
  const Counter token = TokenCounterOf(request, decision);
  return request.algorithm == Algorithm::kLeaky ? LeakyCounterOf(token) : token;
}

void WriteDecision(const ReplyShape& shape, const Decision& decision, const DecidedFor& decided,
                   ReplyWriter* reply) {
  switch (shape.kind) {
    case ReplyKind::kTriple:
      return reply->IntegerTriple(static_cast<int64_t>(decision.status), decision.remaining,
                                  decision.reset_ms);
    case ReplyKind::kFull:
      return WriteFull(shape, decision, decided, reply);
    case ReplyKind::kTake:
      return reply->IntegerTriple(decision.status == LimitStatus::kUnder ? 1 : 0,
                                  decision.remaining, decision.retry_after_ms);
    case ReplyKind::kThrottle:
      return WriteThrottle(shape, decision, reply);
  }
}

}  // namespace gub
