// Twin: one bucket kept twice, by limit/ and by the exact model, which have to agree at every step.

#ifndef GUB_TESTS_PROPERTY_TWIN_H_
#define GUB_TESTS_PROPERTY_TWIN_H_

#include <gtest/gtest.h>

#include <optional>

#include "gub/types.h"
#include "limit/calendar.h"
#include "limit/int128.h"
#include "limit/leaky.h"
#include "limit/token.h"
#include "tests/support/exact_model.h"
#include "tests/support/printers.h"

namespace gub {

inline Decision Apply(const Request& request, const Calendar& calendar, int64_t now_ms,
                      std::optional<TokenState>* state) {
  return ApplyToken(request, calendar, now_ms, state);
}

inline Decision Apply(const Request& request, const Calendar& calendar, int64_t now_ms,
                      std::optional<LeakyState>* state) {
  return ApplyLeaky(request, calendar, now_ms, state);
}

// Model is ExactToken or ExactLeaky.
template <typename Model>
class Twin {
 public:
  using State = typename Model::State;

  // Both decide; their answers and what they leave behind have to be the same.
  Decision Hit(const Request& request, int64_t now_ms) {
    const Decision wanted = model_.Hit(request, now_ms);
    const Decision got = Apply(request, calendar_, now_ms, &state_);
    EXPECT_EQ(got, wanted);
    EXPECT_EQ(state_, model_.Expected());
    KeepsItsWord(request, got);
    return got;
  }

  const std::optional<State>& state() const { return state_; }

 private:
  // What an answer promises, tried out. Calendar periods may change their length in between, and
  // what int64 cuts short cannot be tried.
  void KeepsItsWord(const Request& request, const Decision& decision) const {
    if (request.period.IsCalendar() || request.Has(kResetRemaining)) return;
    if (decision.retry_after_ms > 0) KeepsRetryAfter(request, decision);
    if (request.hits != 0 && request.limit > 0 && state_.has_value()) KeepsReset(request, decision);
  }

  // Whether a time, and the time until then, are not what int64 cut short.
  static bool IsExact(int64_t future_ms, int64_t now_ms) {
    return future_ms < kInt64Max && static_cast<Int128>(future_ms) - now_ms < kInt64Max;
  }

  // The same hit passes after retry_after, and not 1 ms earlier.
  void KeepsRetryAfter(const Request& request, const Decision& decision) const {
    const int64_t retry_ms = SaturatingAdd(decision.now_ms, decision.retry_after_ms);
    if (!IsExact(retry_ms, decision.now_ms)) return;
    EXPECT_EQ(At(retry_ms, request).status, LimitStatus::kUnder);
    EXPECT_EQ(At(retry_ms - 1, request).status, LimitStatus::kOver);
  }

  // The bucket is whole at reset, and not 1 ms earlier.
  void KeepsReset(Request request, const Decision& decision) const {
    EXPECT_EQ(LapsesAtMs(*state_), decision.reset_ms);
    if (!IsExact(decision.reset_ms, decision.now_ms)) return;
    request.hits = 0;
    EXPECT_EQ(At(decision.reset_ms - 1, request).reset_ms, decision.reset_ms);
    EXPECT_EQ(At(decision.reset_ms, request).remaining, Whole(request));
    EXPECT_EQ(At(decision.reset_ms, request).status, LimitStatus::kUnder);
  }

  static int64_t Whole(const Request& request) {
    return request.algorithm == Algorithm::kToken ? request.limit : request.BucketSize();
  }

  Decision At(int64_t now_ms, const Request& request) const {
    std::optional<State> copy = state_;
    return Apply(request, calendar_, now_ms, &copy);
  }

  Calendar calendar_;  // UTC, as the model's
  std::optional<State> state_;
  Model model_;
};

}  // namespace gub

#endif  // GUB_TESTS_PROPERTY_TWIN_H_
