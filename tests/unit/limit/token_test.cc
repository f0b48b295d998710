#include "limit/token.h"

#include <gtest/gtest.h>

#include "limit/int128.h"
#include "tests/unit/limit/bucket.h"

namespace gub {
namespace {

using TokenBucket = Bucket<TokenState>;

TEST(TokenTest, AdmitsTheLimitAndDeniesTheNextHit) {
  TokenBucket bucket(2, 1000);
  EXPECT_EQ(bucket.Hit(), Under(1, 1000));
  EXPECT_EQ(bucket.Hit(), Under(0, 1000));
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, 1000));
}

TEST(TokenTest, TheFirstHitOpensTheWindowAndNoLaterOneMovesIt) {
  TokenBucket bucket(9, 1000);
  bucket.Hit();
  bucket.Advance(400);
  EXPECT_EQ(bucket.Hit(), At(400, Under(7, 1000)));
  EXPECT_EQ(bucket.state->open_ms, kT0Ms);
  EXPECT_EQ(bucket.state->last_ms, kT0Ms + 400);
}

TEST(TokenTest, LapsesAtItsEndAndNot1MsEarlier) {
  TokenBucket bucket(1, 1000);
  bucket.Hit();
  EXPECT_EQ(LapsesAtMs(*bucket.state), kT0Ms + 1000);
  bucket.Advance(999);
  EXPECT_EQ(bucket.Hit(), At(999, Over(0, 1000, 1)));
  bucket.Advance(1);
  EXPECT_EQ(bucket.Hit(), At(1000, Under(0, 2000)));
}

TEST(TokenTest, ADeniedHitConsumesNothing) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(2);
  EXPECT_EQ(bucket.Hit(4), Over(3, 1000, 1000));
  EXPECT_EQ(bucket.Hit(3), Under(0, 1000));
}

TEST(TokenTest, AHitBeyondTheLimitIsToldThatItNeverPasses) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(2);
  EXPECT_EQ(bucket.Hit(6), Over(3, 1000, Decision::kNever));
}

TEST(TokenTest, AFirstHitThatIsDeniedLeavesNoState) {
  TokenBucket bucket(5, 1000);
  EXPECT_EQ(bucket.Hit(6), Over(5, 1000, Decision::kNever));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(TokenTest, AFirstHitThatIsDeniedWithDrainLeavesAnEmptyBucket) {
  TokenBucket bucket(5, 1000);
  EXPECT_EQ(bucket.HitAndDrain(6), Over(0, 1000, Decision::kNever));
  ASSERT_TRUE(bucket.state.has_value());
  EXPECT_EQ(bucket.state->used, 5);
}

TEST(TokenTest, DrainTakesWhatRemainsOnlyWhenTheHitIsDenied) {
  TokenBucket bucket(5, 1000);
  EXPECT_EQ(bucket.HitAndDrain(2), Under(3, 1000));
  EXPECT_EQ(bucket.HitAndDrain(4), Over(0, 1000, 1000));
}

TEST(TokenTest, DrainNeverLowersWhatWasUsed) {
  TokenBucket bucket(10, 1000);
  bucket.Hit(10);
  bucket.request.limit = 5;
  bucket.HitAndDrain(1);
  EXPECT_EQ(bucket.state->used, 10);
}

TEST(TokenTest, APeekOpensNothing) {
  TokenBucket bucket(5, 1000);
  EXPECT_EQ(bucket.Peek(), Under(5, 1000));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(TokenTest, APeekChangesNothing) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(2);
  const auto before = bucket.state;
  bucket.Advance(10);
  bucket.request.limit = 9;
  bucket.request.period = Period::Ms(2000);
  EXPECT_EQ(bucket.Peek(), At(10, Under(7, 2000)));
  EXPECT_EQ(bucket.state, before);
}

TEST(TokenTest, APeekSeesALapsedBucketAsWholeAndLeavesIt) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(2);
  const auto before = bucket.state;
  bucket.Advance(1000);
  EXPECT_EQ(bucket.Peek(), At(1000, Under(5, 2000)));
  EXPECT_EQ(bucket.state, before);
}

TEST(TokenTest, ARefundOpensAWindowAboveTheLimit) {
  TokenBucket bucket(5, 1000);
  EXPECT_EQ(bucket.Refund(2), Under(7, 1000));
  EXPECT_EQ(bucket.Hit(7), Under(0, 1000));
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, 1000));
}

TEST(TokenTest, ARefundAboveTheLimitIsGoneWithTheWindow) {
  TokenBucket bucket(5, 1000);
  bucket.Refund(2);
  bucket.Advance(1000);
  EXPECT_EQ(bucket.Hit(6), At(1000, Over(5, 2000, Decision::kNever)));
}

TEST(TokenTest, LoweringAndRaisingTheLimitNeitherMintsNorLosesAnything) {
  TokenBucket bucket(10, 1000);
  bucket.Hit(6);
  bucket.request.limit = 3;
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, 1000));
  bucket.request.limit = 10;
  EXPECT_EQ(bucket.Hit(4), Under(0, 1000));
}

// Limit 0.

TEST(TokenLimitZeroTest, DeniesAFirstHitAndLeavesNothingDrainOrNot) {
  TokenBucket bucket(0, 1000);
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, Decision::kNever));
  EXPECT_EQ(bucket.HitAndDrain(1), Over(0, 1000, Decision::kNever));
  EXPECT_EQ(bucket.state, std::nullopt);
  EXPECT_EQ(bucket.Peek(), Under(0, 1000));
}

TEST(TokenLimitZeroTest, DeniesAlsoWhatARefundHasLeftAndConsumesNothing) {
  TokenBucket bucket(0, 1000);
  EXPECT_EQ(bucket.Refund(5), Under(5, 1000));
  EXPECT_EQ(bucket.Hit(), Over(5, 1000, Decision::kNever));
  EXPECT_EQ(bucket.HitAndDrain(1), Over(5, 1000, Decision::kNever));
  EXPECT_EQ(bucket.state->used, -5);
}

TEST(TokenLimitZeroTest, ADenialUpdatesTheStateAsAnyDenialDoes) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(2);
  bucket.request.limit = 0;
  bucket.request.period = Period::Ms(3000);
  bucket.Advance(7);
  EXPECT_EQ(bucket.Hit(), At(7, Over(0, 3000, Decision::kNever)));
  const TokenState wanted = {.open_ms = kT0Ms,
                             .end_ms = kT0Ms + 3000,
                             .used = 2,
                             .last_ms = kT0Ms + 7,
                             .period = Period::Ms(3000),
                             .marked = true};
  EXPECT_EQ(bucket.state, wanted);
}

// Another duration.

TEST(TokenDurationTest, ADeniedHitMovesTheEndFromTheOpening) {
  TokenBucket bucket(1, 1000);
  bucket.Hit();
  bucket.Advance(500);
  bucket.request.period = Period::Ms(3000);
  EXPECT_EQ(bucket.Hit(), At(500, Over(0, 3000, 2500)));
  bucket.Advance(1000);
  EXPECT_EQ(bucket.Peek(), At(1500, Over(0, 3000, 0)));
}

TEST(TokenDurationTest, AHitForgetsAWindowThatTheShorterDurationHasEnded) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(4);
  bucket.Advance(300);
  bucket.request.period = Period::Ms(300);
  EXPECT_EQ(bucket.Hit(), At(300, Under(4, 600)));
}

TEST(TokenDurationTest, ADeniedHitForgetsSuchAWindowToo) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(4);
  bucket.Advance(300);
  bucket.request.period = Period::Ms(300);
  EXPECT_EQ(bucket.Hit(6), At(300, Over(5, 600, Decision::kNever)));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(TokenDurationTest, AWindowWith1MsLeftOfTheShorterDurationIsKept) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(4);
  bucket.Advance(299);
  bucket.request.period = Period::Ms(300);
  EXPECT_EQ(bucket.Hit(), At(299, Under(0, 300)));
}

TEST(TokenDurationTest, APeekAnswersForSuchAWindowAsEndedButLeavesIt) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(4);
  const auto before = bucket.state;
  bucket.Advance(300);
  bucket.request.period = Period::Ms(300);
  EXPECT_EQ(bucket.Peek(), At(300, Under(5, 600)));
  EXPECT_EQ(bucket.state, before);
}

TEST(TokenDurationTest, TheStoredEndDecidesFirst) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(4);
  bucket.Advance(1000);
  bucket.request.period = Period::Ms(5000);
  EXPECT_EQ(bucket.Hit(), At(1000, Under(4, 6000)));
}

TEST(TokenDurationTest, ACalendarUnitEndsTheWindowWithThePeriodOfNow) {
  TokenBucket bucket(5, 60'000);
  bucket.request.period = Period::Calendar(CalendarUnit::kMinute);
  EXPECT_EQ(bucket.Hit(), Under(4, 40'000));
  bucket.Advance(39'999);
  EXPECT_EQ(bucket.Hit(), At(39'999, Under(3, 40'000)));
  bucket.Advance(1);
  EXPECT_EQ(bucket.Hit(), At(40'000, Under(4, 100'000)));
}

TEST(TokenDurationTest, AUnitAndTheSameNumberOfMsAreDifferent) {
  TokenBucket bucket(5, 60'000);
  bucket.Hit();
  bucket.request.period = Period::Calendar(CalendarUnit::kMinute);
  bucket.Advance(10);
  EXPECT_EQ(bucket.Hit(), At(10, Under(3, 40'000)));
  bucket.request.period = Period::Ms(60'000);
  EXPECT_EQ(bucket.Hit(), At(10, Under(2, 60'000)));
}

TEST(TokenDurationTest, AnotherUnitKeepsTheOpeningForALaterChangeBackToMs) {
  TokenBucket bucket(5, 60'000);
  bucket.Hit();
  bucket.Advance(100);
  bucket.request.period = Period::Calendar(CalendarUnit::kDay);
  EXPECT_EQ(bucket.Hit(), At(100, Under(3, 6'400'000)));
  EXPECT_EQ(bucket.state->open_ms, kT0Ms);
}

// RESET_REMAINING.

TEST(TokenResetTest, ForgetsTheBucketAndIgnoresTheHits) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(5);
  bucket.Hit();
  bucket.Advance(10);
  EXPECT_EQ(bucket.Reset(3), At(10, Under(5, 1010)));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(TokenResetTest, AlsoForgetsWithAPeekOrARefund) {
  TokenBucket bucket(5, 1000);
  bucket.Hit(5);
  EXPECT_EQ(bucket.Reset(0), Under(5, 1000));
  EXPECT_EQ(bucket.state, std::nullopt);
  bucket.Hit(5);
  EXPECT_EQ(bucket.Reset(-3), Under(5, 1000));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(TokenResetTest, ForgetsTheLastHitToo) {
  TokenBucket bucket(5, 1000);
  bucket.Advance(500);
  bucket.Hit(5);
  bucket.Advance(-500);
  EXPECT_EQ(bucket.Reset(), Under(5, 1000));
  EXPECT_EQ(bucket.Hit(), Under(4, 1000));
}

// A clock that runs back.

TEST(TokenBackwardClockTest, NowIsNeverBeforeTheLastHit) {
  TokenBucket bucket(2, 1000);
  bucket.Hit();
  bucket.Advance(-500);
  EXPECT_EQ(bucket.Hit(), Under(0, 1000));
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, 1000));
  EXPECT_EQ(bucket.Peek(), Over(0, 1000, 0));
}

TEST(TokenBackwardClockTest, ADeniedHitAndARefundCountAsLastHits) {
  TokenBucket bucket(1, 1000);
  bucket.Hit();
  bucket.Advance(300);
  bucket.Hit();
  bucket.Advance(-300);
  EXPECT_EQ(bucket.Hit().now_ms, kT0Ms + 300);
  bucket.Advance(400);
  bucket.Refund(1);
  bucket.Advance(-400);
  EXPECT_EQ(bucket.Hit().now_ms, kT0Ms + 400);
}

TEST(TokenBackwardClockTest, APeekDoesNotCount) {
  TokenBucket bucket(1, 1000);
  bucket.Hit();
  bucket.Advance(300);
  bucket.Peek();
  bucket.Advance(-300);
  EXPECT_EQ(bucket.Hit().now_ms, kT0Ms);
}

// The ends of int64.

TEST(TokenInt64Test, ASumBeyondInt64IsDeniedAndNotWrapped) {
  TokenBucket bucket(kInt64Max, 1000);
  bucket.Hit(5);
  EXPECT_EQ(bucket.Hit(kInt64Max), Over(kInt64Max - 5, 1000, 1000));
  EXPECT_EQ(bucket.Hit(kInt64Max - 5), Under(0, 1000));
}

TEST(TokenInt64Test, RemainingAndUsedStayAtTheirEnds) {
  TokenBucket bucket(1, 1000);
  EXPECT_EQ(bucket.Refund(kInt64Max), Under(kInt64Max, 1000));
  EXPECT_EQ(bucket.Refund(kInt64Max), Under(kInt64Max, 1000));
  EXPECT_EQ(bucket.state->used, kInt64Min);
  EXPECT_EQ(bucket.Hit(kInt64Max), Under(2, 1000));
  EXPECT_EQ(bucket.Hit(2), Under(0, 1000));
}

TEST(TokenInt64Test, TheSmallestRefundIsExact) {
  TokenBucket bucket(1, 1000);
  bucket.request.hits = kInt64Min;
  EXPECT_EQ(ApplyToken(bucket.request, Calendar(), kT0Ms, &bucket.state), Under(kInt64Max, 1000));
  EXPECT_EQ(bucket.state->used, kInt64Min);
}

TEST(TokenInt64Test, AnEndThatLeavesInt64StaysAtItsEnd) {
  TokenBucket bucket(1, Period::kMaxMs);
  bucket.now_ms = kInt64Max - 10;
  EXPECT_EQ(bucket.Hit().reset_ms, kInt64Max);
  const Decision denied = bucket.Hit();
  EXPECT_EQ(denied.status, LimitStatus::kOver);
  EXPECT_EQ(denied.retry_after_ms, 10);
  bucket.now_ms = kInt64Max;
  EXPECT_EQ(bucket.Hit().status, LimitStatus::kUnder);
}

TEST(TokenInt64Test, AClockAtTheFarPastIsNoHindrance) {
  TokenBucket bucket(1, 1000);
  bucket.now_ms = kInt64Min;
  EXPECT_EQ(bucket.Hit().reset_ms, kInt64Min + 1000);
  bucket.now_ms = kInt64Max;
  EXPECT_EQ(bucket.Hit().status, LimitStatus::kUnder);
}

}  // namespace
}  // namespace gub
