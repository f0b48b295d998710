#include "limit/leaky.h"

#include <gtest/gtest.h>

#include "limit/int128.h"
#include "tests/unit/limit/bucket.h"

namespace gub {
namespace {

using LeakyBucket = Bucket<LeakyState>;

TEST(LeakyTest, AdmitsTheLimitAtOnceAndDeniesTheNextHit) {
  LeakyBucket bucket(2, 1000);
  EXPECT_EQ(bucket.Hit(), Under(1, 500));
  EXPECT_EQ(bucket.Hit(), Under(0, 1000));
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, 500));
}

TEST(LeakyTest, DrainsContinuouslyAtLimitPerDuration) {
  LeakyBucket bucket(10, 1000);
  bucket.Hit(10);
  bucket.Advance(99);
  EXPECT_EQ(bucket.Hit(), At(99, Over(0, 1000, 1)));
  bucket.Advance(1);
  EXPECT_EQ(bucket.Hit(), At(100, Under(0, 1100)));
}

TEST(LeakyTest, KeepsTheFractionWhenTheWholePartIsTaken) {
  LeakyBucket bucket(3, 1000);
  bucket.Hit(3);
  bucket.Advance(500);  // 1.5 hits have drained
  EXPECT_EQ(bucket.Hit(), At(500, Under(0, 1334)));
  bucket.Advance(166);
  EXPECT_EQ(bucket.Hit(), At(666, Over(0, 1334, 1)));
  bucket.Advance(1);
  EXPECT_EQ(bucket.Hit(), At(667, Under(0, 1667)));
}

TEST(LeakyTest, BeingAskedEveryMsDoesNotSlowTheDrain) {
  LeakyBucket bucket(3, 1000);
  bucket.Hit(3);
  for (int ms = 1; ms < 334; ++ms) {
    bucket.Advance(1);
    EXPECT_EQ(bucket.Hit(), At(ms, Over(0, 1000, 334 - ms)));
  }
  bucket.Advance(1);
  EXPECT_EQ(bucket.Hit(), At(334, Under(0, 1334)));
}

TEST(LeakyTest, LapsesWhenItHasDrainedAndNot1MsEarlier) {
  LeakyBucket bucket(3, 1000);
  bucket.Hit(1);
  EXPECT_EQ(LapsesAtMs(*bucket.state), kT0Ms + 334);
  bucket.Advance(333);
  EXPECT_EQ(bucket.Peek().reset_ms, kT0Ms + 334);
  bucket.Advance(1);
  EXPECT_EQ(bucket.Peek(), At(334, Under(3, 334)));
}

TEST(LeakyTest, NeverLapsesWhenItDoesNotDrain) {
  LeakyBucket bucket(3, 1000);
  bucket.Hit(1);
  bucket.request.limit = 0;
  bucket.Hit(1);
  EXPECT_EQ(LapsesAtMs(*bucket.state), kInt64Max);
}

TEST(LeakyTest, TheBurstIsItsSizeAndTheLimitItsRate) {
  LeakyBucket bucket(10, 1000);
  bucket.request.burst = 20;
  EXPECT_EQ(bucket.Hit(20), Under(0, 2000));
  EXPECT_EQ(bucket.Hit(), Over(0, 2000, 100));
  EXPECT_EQ(bucket.Hit(21), Over(0, 2000, Decision::kNever));
}

TEST(LeakyTest, ABurstOfZeroDeniesEveryHit) {
  LeakyBucket bucket(10, 1000);
  bucket.request.burst = 0;
  EXPECT_EQ(bucket.Hit(), Over(0, 0, Decision::kNever));
  EXPECT_EQ(bucket.HitAndDrain(1), Over(0, 0, Decision::kNever));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(LeakyTest, ADeniedHitConsumesNothing) {
  LeakyBucket bucket(5, 1000);
  bucket.Hit(2);
  EXPECT_EQ(bucket.Hit(4), Over(3, 400, 200));
  EXPECT_EQ(bucket.Hit(3), Under(0, 1000));
}

TEST(LeakyTest, AFirstHitThatIsDeniedLeavesNoState) {
  LeakyBucket bucket(5, 1000);
  EXPECT_EQ(bucket.Hit(6), Over(5, 0, Decision::kNever));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(LeakyTest, AFirstHitThatIsDeniedWithDrainLeavesAFullUse) {
  LeakyBucket bucket(5, 1000);
  EXPECT_EQ(bucket.HitAndDrain(6), Over(0, 1000, Decision::kNever));
}

TEST(LeakyTest, RetryAfterCountsFromWhatIsLeftAfterDraining) {
  LeakyBucket bucket(10, 1000);
  bucket.Hit(9);
  EXPECT_EQ(bucket.HitAndDrain(2), Over(0, 1000, 200));
  bucket.Advance(199);
  EXPECT_EQ(bucket.Hit(2), At(199, Over(1, 1000, 1)));
  bucket.Advance(1);
  EXPECT_EQ(bucket.Hit(2), At(200, Under(0, 1200)));
}

TEST(LeakyTest, DrainNeverLowersWhatWasUsed) {
  LeakyBucket bucket(10, 1000);
  bucket.Hit(10);
  bucket.request.limit = 5;
  EXPECT_EQ(bucket.HitAndDrain(1), Over(0, 2000, 1200));
}

TEST(LeakyTest, APeekChangesNothingAndOpensNothing) {
  LeakyBucket bucket(5, 1000);
  EXPECT_EQ(bucket.Peek(), Under(5, 0));
  EXPECT_EQ(bucket.state, std::nullopt);
  bucket.Hit(2);
  const auto before = bucket.state;
  bucket.Advance(10);
  bucket.request.limit = 9;
  bucket.request.period = Period::Ms(2000);
  EXPECT_EQ(bucket.Peek(), At(10, Under(7, 444)));
  EXPECT_EQ(bucket.state, before);
}

TEST(LeakyTest, ARefundStopsAtAWholeBucketWhichIsNoState) {
  LeakyBucket bucket(5, 1000);
  EXPECT_EQ(bucket.Refund(2), Under(5, 0));
  EXPECT_EQ(bucket.state, std::nullopt);
  bucket.Hit(3);
  EXPECT_EQ(bucket.Refund(1), Under(3, 400));
  EXPECT_EQ(bucket.Refund(9), Under(5, 0));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(LeakyTest, WhatDrainedUnderTheOldLimitStaysDrained) {
  LeakyBucket bucket(10, 1000);
  bucket.Hit(10);
  bucket.Advance(500);
  bucket.request.limit = 1;
  bucket.request.burst = 10;
  EXPECT_EQ(bucket.Hit(6), At(500, Over(5, 5500, 1000)));
  bucket.Advance(1000);
  EXPECT_EQ(bucket.Hit(6), At(1500, Under(0, 11'500)));
}

TEST(LeakyTest, FlappingLimitsNeitherMintNorLoseAnything) {
  LeakyBucket bucket(100, 1000);
  bucket.Hit(50);
  bucket.request.limit = 10;
  EXPECT_EQ(bucket.Hit(), Over(0, 5000, 4100));
  bucket.request.limit = 100;
  EXPECT_EQ(bucket.Hit(50), Under(0, 1000));
}

// Limit 0.

TEST(LeakyLimitZeroTest, DeniesAFirstHitAndLeavesNothingDrainOrNot) {
  LeakyBucket bucket(0, 1000);
  bucket.request.burst = 5;
  EXPECT_EQ(bucket.Hit(), Over(5, 0, Decision::kNever));
  EXPECT_EQ(bucket.HitAndDrain(1), Over(5, 0, Decision::kNever));
  EXPECT_EQ(bucket.state, std::nullopt);
}

TEST(LeakyLimitZeroTest, ADenialUpdatesTheStateAsAnyDenialDoes) {
  LeakyBucket bucket(5, 1000);
  bucket.Hit(2);
  bucket.request.limit = 0;
  bucket.request.period = Period::Ms(3000);
  bucket.Advance(100);
  EXPECT_EQ(bucket.Hit(), At(100, Over(0, 3100, Decision::kNever)));
  const LeakyState wanted = {
      .used_units = 4500, .last_ms = kT0Ms + 100, .limit = 0, .duration_ms = 3000, .marked = true};
  EXPECT_EQ(bucket.state, wanted);
}

TEST(LeakyLimitZeroTest, NothingDrainsUntilTheNextHitOfAnotherLimit) {
  LeakyBucket bucket(5, 1000);
  bucket.Hit(5);
  bucket.request.limit = 0;
  bucket.Hit();
  bucket.Advance(1000);
  bucket.request.limit = 5;
  EXPECT_EQ(bucket.Hit(), At(1000, Over(0, 2000, 200)));
  bucket.Advance(200);
  EXPECT_EQ(bucket.Hit(), At(1200, Under(0, 2200)));
}

TEST(LeakyLimitZeroTest, TakesRefundsAllTheSame) {
  LeakyBucket bucket(5, 1000);
  bucket.Hit(5);
  bucket.request.limit = 0;
  bucket.request.burst = 5;
  EXPECT_EQ(bucket.Refund(2), Under(2, 1000));
}

// Another duration.

TEST(LeakyDurationTest, RoundsUseUpToTheNewUnit) {
  LeakyBucket bucket(3, 1000);
  bucket.Hit(3);
  bucket.Advance(100);  // 2.7 hits are used: 2700/1000
  bucket.request.period = Period::Ms(777);
  EXPECT_EQ(bucket.Hit(), At(100, Over(0, 800, 182)));
  EXPECT_EQ(bucket.state->used_units, 2098);  // 2.7 x 777 = 2097.9
}

TEST(LeakyDurationTest, DrainsByTheStoredDurationUntilTheChange) {
  LeakyBucket bucket(10, 1000);
  bucket.Hit(10);
  bucket.Advance(500);
  bucket.request.period = Period::Ms(100'000);
  EXPECT_EQ(bucket.Hit(5), At(500, Under(0, 100'500)));
}

TEST(LeakyDurationTest, AnExactChangeRoundsNothing) {
  LeakyBucket bucket(3, 1000);
  bucket.Hit(3);
  bucket.request.period = Period::Ms(1);
  EXPECT_EQ(bucket.Hit(), Over(0, 1, 1));
  EXPECT_EQ(bucket.state->used_units, 3);
}

TEST(LeakyDurationTest, ACalendarUnitIsTheLengthOfThePeriodOfNow) {
  LeakyBucket bucket(30, 1000);
  bucket.request.period = Period::Calendar(CalendarUnit::kMonth);  // November, 30 days
  EXPECT_EQ(bucket.Hit(), Under(29, kDayMs));
  EXPECT_EQ(bucket.state->duration_ms, 30 * kDayMs);
}

TEST(LeakyDurationTest, AMonthDrainsByItsStoredLengthUntilTheNextHit) {
  LeakyBucket bucket(30, 1000);
  bucket.request.period = Period::Calendar(CalendarUnit::kMonth);
  bucket.Hit(30);
  bucket.Advance(20 * kDayMs);  // into December, 31 days
  EXPECT_EQ(bucket.Peek().remaining, 20);
  EXPECT_EQ(bucket.Hit(20).remaining, 0);
  EXPECT_EQ(bucket.state->duration_ms, 31 * kDayMs);
  EXPECT_EQ(bucket.Hit().retry_after_ms, 31 * kDayMs / 30);
}

// RESET_REMAINING.

TEST(LeakyResetTest, ForgetsTheBucketAndIgnoresTheHits) {
  LeakyBucket bucket(5, 1000);
  bucket.request.burst = 7;
  for (const int64_t hits : {3, 0, -3}) {
    bucket.Hit(7);
    EXPECT_EQ(bucket.Reset(hits), Under(7, 0));
    EXPECT_EQ(bucket.state, std::nullopt);
  }
}

TEST(LeakyResetTest, ForgetsTheLastHitToo) {
  LeakyBucket bucket(5, 1000);
  bucket.Advance(500);
  bucket.Hit(5);
  bucket.Advance(-500);
  EXPECT_EQ(bucket.Reset(), Under(5, 0));
  EXPECT_EQ(bucket.Hit(), Under(4, 200));
}

// A clock that runs back.

TEST(LeakyBackwardClockTest, NowIsNeverBeforeTheLastHit) {
  LeakyBucket bucket(2, 1000);
  bucket.Hit(2);
  bucket.Advance(-500);
  EXPECT_EQ(bucket.Hit(), Over(0, 1000, 500));
  EXPECT_EQ(bucket.Peek(), Over(0, 1000, 0));
  bucket.Advance(1000);
  EXPECT_EQ(bucket.Hit(), At(500, Under(0, 1500)));
}

TEST(LeakyBackwardClockTest, ADeniedHitAndARefundCountAsLastHitsAPeekDoesNot) {
  LeakyBucket bucket(10, 10'000);
  bucket.Hit(10);
  bucket.Advance(300);
  bucket.Peek();
  bucket.now_ms = kT0Ms;
  EXPECT_EQ(bucket.Peek().now_ms, kT0Ms);
  bucket.Advance(300);
  bucket.Hit();
  bucket.now_ms = kT0Ms;
  EXPECT_EQ(bucket.Peek().now_ms, kT0Ms + 300);
  bucket.Advance(400);
  bucket.Refund(1);
  bucket.now_ms = kT0Ms;
  EXPECT_EQ(bucket.Peek().now_ms, kT0Ms + 400);
}

// The ends of int64.

TEST(LeakyInt64Test, TheGreatestBurstOverTheLongestPeriodIsExact) {
  LeakyBucket bucket(kInt64Max, Period::kMaxMs);
  bucket.Hit(kInt64Max);
  EXPECT_EQ(bucket.state->used_units, static_cast<Int128>(kInt64Max) * Period::kMaxMs);
  EXPECT_EQ(bucket.Hit(), Over(0, Period::kMaxMs, 1));
  EXPECT_EQ(bucket.Hit(kInt64Max), Over(0, Period::kMaxMs, Period::kMaxMs));
  bucket.Advance(Period::kMaxMs - 1);
  EXPECT_EQ(bucket.Peek().remaining, kInt64Max - kInt64Max / Period::kMaxMs - 1);
  bucket.Advance(1);
  EXPECT_EQ(bucket.Peek().remaining, kInt64Max);
}

TEST(LeakyInt64Test, AChangeFromTheLongestPeriodToAnotherIsExact) {
  LeakyBucket bucket(kInt64Max, Period::kMaxMs);
  bucket.Hit(kInt64Max);
  bucket.request.period = Period::Ms(Period::kMaxMs - 1);
  bucket.Hit();
  EXPECT_EQ(bucket.state->used_units, static_cast<Int128>(kInt64Max) * (Period::kMaxMs - 1));
}

TEST(LeakyInt64Test, ResetAndRetryAfterStayAtTheirEnds) {
  LeakyBucket bucket(1, Period::kMaxMs);
  bucket.request.burst = kInt64Max;
  EXPECT_EQ(bucket.Hit(kInt64Max).reset_ms, kInt64Max);
  EXPECT_EQ(LapsesAtMs(*bucket.state), kInt64Max);
  EXPECT_EQ(bucket.Hit(kInt64Max).retry_after_ms, kInt64Max);
  EXPECT_EQ(bucket.Hit(1).retry_after_ms, Period::kMaxMs);
}

TEST(LeakyInt64Test, ElapsedTimeThatLeavesInt64StaysAtItsEnd) {
  LeakyBucket bucket(1, 4);
  bucket.request.burst = kInt64Max;
  bucket.now_ms = kInt64Min;
  bucket.Hit(kInt64Max);
  bucket.now_ms = kInt64Max;
  EXPECT_EQ(bucket.Peek().remaining, kInt64Max / 4);
}

TEST(LeakyInt64Test, TheLongestElapsedTimeAtTheGreatestLimitIsExact) {
  LeakyBucket bucket(kInt64Max, 1000);
  bucket.now_ms = kInt64Min;
  bucket.Hit(kInt64Max);
  bucket.now_ms = kInt64Max;
  EXPECT_EQ(bucket.Peek().remaining, kInt64Max);
}

TEST(LeakyInt64Test, TheSmallestRefundIsExact) {
  LeakyBucket bucket(kInt64Max, 1000);
  bucket.Hit(kInt64Max);
  bucket.request.hits = kInt64Min;
  EXPECT_EQ(ApplyLeaky(bucket.request, Calendar(), kT0Ms, &bucket.state), Under(kInt64Max, 0));
  EXPECT_EQ(bucket.state, std::nullopt);
}

}  // namespace
}  // namespace gub
