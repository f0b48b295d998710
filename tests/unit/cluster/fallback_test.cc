#include "cluster/fallback.h"

#include <gtest/gtest.h>

namespace gub {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

class FallbackTest : public ::testing::Test {
 protected:
  Decision Decide(OnFail policy, const Request& request) {
    Decision decision;
    EXPECT_EQ(DecideInStead({policy, kNowMs, 100}, request, &store_, &decision),
              Store::Outcome::kDecided);
    return decision;
  }

  Store store_{{.max_keys = 100}};
  const Request token_ = {.name = "n", .key = "k", .limit = 10, .period = Period::Ms(60'000)};
};

TEST_F(FallbackTest, OpenAdmitsAsIfTheBucketWereWhole) {
  EXPECT_EQ(Decide(OnFail::kOpen, token_), (Decision{.status = LimitStatus::kUnder,
                                                     .remaining = 10,
                                                     .reset_ms = kNowMs + 60'000,
                                                     .now_ms = kNowMs}));
  Request leaky = token_;
  leaky.algorithm = Algorithm::kLeaky;
  leaky.burst = 3;
  EXPECT_EQ(Decide(OnFail::kOpen, leaky).remaining, 3);
  EXPECT_EQ(store_.Size(), 0);
}

TEST_F(FallbackTest, ClosedDeniesAndSaysWhenToTryAgain) {
  EXPECT_EQ(Decide(OnFail::kClosed, token_), (Decision{.status = LimitStatus::kOver,
                                                       .remaining = 0,
                                                       .reset_ms = kNowMs + 60'000,
                                                       .retry_after_ms = 100,
                                                       .now_ms = kNowMs}));
}

TEST_F(FallbackTest, AStandInIsNeverTheOwnersBucket) {
  Decision owned;
  store_.Decide(token_, kNowMs, &owned);
  EXPECT_EQ(owned.remaining, 9);
  EXPECT_EQ(Decide(OnFail::kLocal, token_).remaining, 9);
  EXPECT_EQ(Decide(OnFail::kLocal, token_).remaining, 8);
  store_.Decide(token_, kNowMs, &owned);
  EXPECT_EQ(owned.remaining, 8);
  EXPECT_EQ(store_.Size(), 2);
}

TEST_F(FallbackTest, ACalendarWindowEndsInTheFuture) {
  Request request = token_;
  request.period = Period::Calendar(CalendarUnit::kYear);
  EXPECT_GT(Decide(OnFail::kClosed, request).reset_ms, kNowMs);
}

}  // namespace
}  // namespace gub
