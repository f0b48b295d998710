// Bucket: one bucket and its clock, for tests that read like a story.

#ifndef GUB_TESTS_UNIT_LIMIT_BUCKET_H_
#define GUB_TESTS_UNIT_LIMIT_BUCKET_H_

#include <gtest/gtest.h>

#include <optional>

#include "gub/types.h"
#include "limit/calendar.h"
#include "limit/leaky.h"
#include "limit/token.h"
#include "tests/support/printers.h"

namespace gub {

inline constexpr int64_t kT0Ms = 1'700'000'000'000;  // 2023-11-14 22:13:20 UTC, a Tuesday
inline constexpr int64_t kDayMs = 86'400'000;

// State is TokenState or LeakyState. The request's limit, burst and period are public: a test sets
// them and then hits.
template <typename State>
class Bucket {
 public:
  Bucket(int64_t limit, int64_t period_ms) {
    request.limit = limit;
    request.period = Period::Ms(period_ms);
  }

  Decision Hit(int64_t hits = 1) { return Ask(hits, kBatching); }
  Decision Peek() { return Ask(0, kBatching); }
  Decision Refund(int64_t hits) { return Ask(-hits, kBatching); }
  Decision HitAndDrain(int64_t hits) { return Ask(hits, kDrainOverLimit); }
  Decision Reset(int64_t hits = 1) { return Ask(hits, kResetRemaining); }

  void Advance(int64_t ms) { now_ms += ms; }

  Request request;
  int64_t now_ms = kT0Ms;
  std::optional<State> state;

 private:
  Decision Ask(int64_t hits, uint32_t behavior) {
    request.hits = hits;
    request.behavior = behavior;
    return Apply(&state);
  }

  Decision Apply(std::optional<TokenState>* of) {
    return ApplyToken(request, calendar_, now_ms, of);
  }
  Decision Apply(std::optional<LeakyState>* of) {
    return ApplyLeaky(request, calendar_, now_ms, of);
  }

  Calendar calendar_;
};

// What a decision is wanted to be; times count from kT0Ms.
inline Decision Under(int64_t remaining, int64_t reset_ms) {
  return {.status = LimitStatus::kUnder,
          .remaining = remaining,
          .reset_ms = kT0Ms + reset_ms,
          .retry_after_ms = 0,
          .now_ms = kT0Ms};
}

inline Decision Over(int64_t remaining, int64_t reset_ms, int64_t retry_after_ms) {
  return {.status = LimitStatus::kOver,
          .remaining = remaining,
          .reset_ms = kT0Ms + reset_ms,
          .retry_after_ms = retry_after_ms,
          .now_ms = kT0Ms};
}

// …decided so many ms after kT0Ms.
inline Decision At(int64_t now_ms, Decision decision) {
  decision.now_ms = kT0Ms + now_ms;
  return decision;
}

}  // namespace gub

#endif  // GUB_TESTS_UNIT_LIMIT_BUCKET_H_
