#include "cluster/lease_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster/lease_pair.h"

namespace gub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LeaseOwnerTest : public LeasePair {};

// G1
TEST_F(LeaseOwnerTest, TheOwnerAdmitsAndLendsOnlyWhatIsFree) {
  Lend(kA, 4);
  EXPECT_EQ(owner().Held(), 4);
  EXPECT_EQ(Own(6).status, LimitStatus::kUnder);
  EXPECT_EQ(Own(1).status, LimitStatus::kOver);
  // What is shown is what is not known to be spent.
  EXPECT_EQ(Own(0).remaining, 4);
}

TEST_F(LeaseOwnerTest, ADoubledOrOvertakenReportChangesNothing) {
  const uint64_t generation = Lend(kA, 6).generation;
  const LeaseReport early = Report(generation, 2, 0);
  const LeaseReport late = Report(generation, 3, 3);
  for (const LeaseReport& report : {late, late, early}) Send(kA, report);
  EXPECT_EQ(owner().Held(), 0);
  EXPECT_EQ(Own(0).remaining, 7);
}

TEST_F(LeaseOwnerTest, MoreThanWasLentIsNotTaken) {
  const uint64_t generation = Lend(kA, 2).generation;
  Send(kA, Report(generation, 2, 1));
  EXPECT_EQ(owner().Held(), 2);
}

// G2
TEST_F(LeaseOwnerTest, ATermIsThreeSyncsButEndsBeforeTheWindow) {
  EXPECT_EQ(Lend(kA, 1).term_ms, 300);
  Advance(9900);
  EXPECT_EQ(Send(kB, Asking(1))->term_ms, 94);  // of 99 ms, by a clock that may run 5 % faster
}

// G3
TEST_F(LeaseOwnerTest, WhatASilentHolderHasIsSpentAndALateReportCorrectsThat) {
  const uint64_t generation = Lend(kA, 6).generation;
  Advance(301);
  EXPECT_EQ(Own(5).status, LimitStatus::kOver);
  EXPECT_EQ(Own(0).remaining, 4);
  Send(kA, Report(generation, 1, 5));
  EXPECT_EQ(Own(0).remaining, 9);
}

TEST_F(LeaseOwnerTest, ALapsedLeaseIsRecalledForAWhile) {
  Lend(kA, 6);
  Advance(301);
  int recalls = 0;
  for (int i = 0; i < 30; ++i) {
    outbox_ = {};
    owner().OnTick(time_, &outbox_);
    recalls += static_cast<int>(Recalled().size());
  }
  EXPECT_EQ(recalls, LeaseOwner::kMaxRecallsWhenLapsed);
}

TEST_F(LeaseOwnerTest, AnotherNodeIdIsAnotherHolder) {
  const uint64_t generation = Lend(kA, 6).generation;
  Send(kB, Report(generation, 0, 6));
  EXPECT_EQ(owner().Held(), 6);
}

// G4
TEST_F(LeaseOwnerTest, AHitThatWouldFitWaitsUntilAllHaveAnswered) {
  const uint64_t a = Lend(kA, 4).generation;
  const uint64_t b = Lend(kB, 4).generation;
  outbox_ = {};
  EXPECT_EQ(owner().Decide(Of(7), 5, time_, &outbox_).outcome, LeaseOutcome::kWaits);
  EXPECT_THAT(Recalled(), ElementsAre(kA, kB));
  Send(kA, Report(a, 1, 3));
  EXPECT_THAT(outbox_.settled, IsEmpty());
  Send(kB, Report(b, 0, 4));
  ASSERT_EQ(outbox_.settled.size(), 1u);
  EXPECT_EQ(outbox_.settled[0].token, 5u);
  EXPECT_EQ(outbox_.settled[0].decision.status, LimitStatus::kUnder);
  EXPECT_EQ(outbox_.settled[0].decision.remaining, 2);
}

TEST_F(LeaseOwnerTest, ARoundIsOverAfterAQuarterOfPeerTimeout) {
  Lend(kA, 4);
  EXPECT_EQ(owner().Decide(Of(7), 5, time_, &outbox_).outcome, LeaseOutcome::kWaits);
  EXPECT_EQ(owner().NextTickUs(), time_.mono_us + 25'000);
  Advance(24);
  owner().OnTick(time_, &outbox_);
  EXPECT_THAT(outbox_.settled, IsEmpty());
  Advance(1);
  owner().OnTick(time_, &outbox_);
  ASSERT_EQ(outbox_.settled.size(), 1u);
  EXPECT_EQ(outbox_.settled[0].decision.status, LimitStatus::kOver);
}

TEST_F(LeaseOwnerTest, ThoseThatWaitAreDecidedInOrderByOneRound) {
  const uint64_t generation = Lend(kA, 8).generation;
  EXPECT_EQ(owner().Decide(Of(5), 1, time_, &outbox_).outcome, LeaseOutcome::kWaits);
  outbox_ = {};
  EXPECT_EQ(owner().Decide(Of(1), 2, time_, &outbox_).outcome, LeaseOutcome::kWaits);
  EXPECT_THAT(Recalled(), IsEmpty());
  Send(kA, Report(generation, 2, 6));
  ASSERT_EQ(outbox_.settled.size(), 2u);
  EXPECT_EQ(outbox_.settled[0].token, 1u);
  EXPECT_EQ(outbox_.settled[1].token, 2u);
}

TEST_F(LeaseOwnerTest, AnAskThatIsSentAgainWhileItWaitsIsLentForOnce) {
  const uint64_t generation = Lend(kA, 8).generation;
  EXPECT_FALSE(Send(kB, Asking(5)).has_value());
  const LeaseReport again = Asking(5);
  EXPECT_FALSE(Send(kB, again).has_value());
  Send(kA, Report(generation, 2, 6));
  std::vector<uint64_t> answered;
  for (const LeaseOutbox::Letter& letter : outbox_.letters) {
    if (letter.holder == kB) answered.push_back(letter.answer.number);
  }
  EXPECT_THAT(answered, ElementsAre(again.number));
  EXPECT_EQ(owner().Held(), 5);
}

TEST_F(LeaseOwnerTest, AHitThatCannotFitIsDeniedAtOnce) {
  Lend(kA, 4);
  EXPECT_EQ(owner().Decide(Of(11), 5, time_, &outbox_).outcome, LeaseOutcome::kAnswered);
}

// G5
TEST_F(LeaseOwnerTest, AResetLeavesWhatIsLentChargedUntilItsHolderHasReported) {
  const uint64_t generation = Lend(kA, 4).generation;
  Send(kA, Report(generation, 1, 0));
  outbox_ = {};
  EXPECT_EQ(Own(0, kResetRemaining).remaining, 10);
  EXPECT_THAT(Recalled(), ElementsAre(kA));
  EXPECT_EQ(Own(8).status, LimitStatus::kOver);
  EXPECT_EQ(Own(7).status, LimitStatus::kUnder);
  const std::optional<LeaseAnswer> answer = Send(kA, Report(generation, 2, 0));
  EXPECT_TRUE(answer->recall);
  // Only what was spent after the last news counts.
  EXPECT_EQ(Own(0).remaining, 2);
  Send(kA, Report(generation, 2, 2));
  EXPECT_EQ(owner().Held(), 0);
}

TEST_F(LeaseOwnerTest, ForgottenBucketsAreChargedAsResetOnes) {
  Lend(kA, 4);
  store_.Forget();
  owner().OnGone(time_, &outbox_);
  EXPECT_EQ(Own(7).status, LimitStatus::kOver);
  EXPECT_EQ(Own(6).status, LimitStatus::kUnder);
}

TEST_F(LeaseOwnerTest, OtherNumbersReplaceAllLeases) {
  const uint64_t generation = Lend(kA, 4).generation;
  Request lower = Of(1);
  lower.limit = 5;
  EXPECT_EQ(Own(lower).status, LimitStatus::kUnder);
  lower.hits = 1;
  EXPECT_EQ(Own(lower).status, LimitStatus::kOver);
  request_.limit = 5;
  Send(kA, Report(generation, 0, 4));
  EXPECT_NE(Lend(kA, 4).generation, generation);
}

TEST_F(LeaseOwnerTest, ADeniedDrainDrainsAlsoWhatReturns) {
  const uint64_t generation = Lend(kA, 4).generation;
  EXPECT_EQ(Own(11, kDrainOverLimit).status, LimitStatus::kOver);
  Send(kA, Report(generation, 0, 4));
  EXPECT_EQ(owner().Held(), 0);
  EXPECT_EQ(Own(0).remaining, 0);
}

// G6
TEST_F(LeaseOwnerTest, AReportOfAnotherGenerationChangesNothing) {
  const uint64_t generation = Lend(kA, 4).generation;
  const std::optional<LeaseAnswer> answer = Send(kA, Report(generation + 7, 0, 4));
  EXPECT_FALSE(answer->about_is_known);
  EXPECT_EQ(owner().Held(), 4);
}

TEST_F(LeaseOwnerTest, WhatIsReportedAfterTheWindowIsDropped) {
  const uint64_t generation = Lend(kA, 4).generation;
  Advance(10'000);
  Own(1);
  EXPECT_FALSE(Send(kA, Report(generation, 4, 0))->about_is_known);
  EXPECT_EQ(Own(0).remaining, 9);
}

TEST_F(LeaseOwnerTest, AHolderThatWasMadeAnewIsNotLentFromItsOldGeneration) {
  const uint64_t generation = Lend(kA, 4).generation;
  Send(kA, Report(generation, 4, 0));
  LeaseReport anew = Asking(1);
  anew.newest = generation;
  EXPECT_NE(Send(kA, anew)->generation, generation);
}

// G7
TEST_F(LeaseOwnerTest, AnAskedHitIsLentAndNotSpent) {
  const LeaseAnswer answer = Lend(kA, 3);
  EXPECT_EQ(answer.lent, 3);
  EXPECT_EQ(answer.remaining, 10);
}

TEST_F(LeaseOwnerTest, AnAskThatComesTwiceIsLentForOnce) {
  const LeaseReport asking = Asking(3);
  Send(kA, asking);
  EXPECT_EQ(Send(kA, asking)->verdict, LeaseVerdict::kNone);
  EXPECT_EQ(owner().Held(), 3);
}

// G8
TEST_F(LeaseOwnerTest, ADenialIsKeptOnlyWhenNothingIsLeftAndNothingIsLent) {
  Own(9);
  EXPECT_EQ(Send(kA, Asking(2))->denial_ms, 0);
  const uint64_t generation = Lend(kB, 1).generation;
  Send(kB, Report(generation, 1, 0));
  const std::optional<LeaseAnswer> denied = Send(kA, Asking(2));
  EXPECT_EQ(denied->verdict, LeaseVerdict::kDenied);
  EXPECT_EQ(denied->denial_ms, 1000);
  EXPECT_TRUE(denied->marked);
}

TEST_F(LeaseOwnerTest, ADenialIsNotKeptWhileSomeOfALowerLimitMayReturn) {
  Lend(kA, 4);
  Own(6);
  request_.limit = 6;
  Own(1);
  const std::optional<LeaseAnswer> denied = Send(kB, Asking(1));
  EXPECT_EQ(denied->verdict, LeaseVerdict::kDenied);
  EXPECT_EQ(denied->remaining, 0);
  EXPECT_EQ(denied->denial_ms, 0);
}

TEST_F(LeaseOwnerTest, WhoWasToldThatNothingIsLeftHearsOfARefund) {
  Own(10);
  Send(kA, Asking(1));
  outbox_ = {};
  Own(-1);
  ASSERT_EQ(outbox_.letters.size(), 1u);
  EXPECT_EQ(outbox_.letters[0].holder, kA);
  EXPECT_TRUE(outbox_.letters[0].answer.reopened);
}

TEST_F(LeaseOwnerTest, DenialsThatAreReportedMarkTheBucket) {
  const uint64_t generation = Lend(kA, 10).generation;
  LeaseReport report = Report(generation, 10, 0);
  report.denied = true;
  EXPECT_TRUE(Send(kA, report)->marked);
  EXPECT_EQ(Own(0).status, LimitStatus::kOver);
}

// G11
TEST_F(LeaseOwnerTest, ANodeThatIsNotTheOwnerLendsNothing) {
  EXPECT_EQ(Send(kA, Asking(1), false)->verdict, LeaseVerdict::kForward);
  EXPECT_TRUE(owner().IsIdle());
}

TEST_F(LeaseOwnerTest, ANodeThatIsNotTheOwnerAnyMoreProlongsNothing) {
  const uint64_t generation = Lend(kA, 1).generation;
  LeaseReport report = Report(generation, 1, 0);
  report.wanted = 5;
  const LeaseAnswer answer = *Send(kA, report, false);
  EXPECT_EQ(answer.generation, 0u);
  EXPECT_EQ(answer.term_ms, 0);
  EXPECT_TRUE(answer.about_is_known);
  EXPECT_EQ(answer.spent, 1);
  EXPECT_EQ(owner().Held(), 0);
}

// G12
TEST_F(LeaseOwnerTest, RefillDoesNotFillWhatIsLentOfALeakyBucket) {
  request_.algorithm = Algorithm::kLeaky;
  request_.period = Period::Ms(1000);
  const uint64_t generation = Lend(kA, 6).generation;
  Own(4);
  Advance(200);
  Send(kA, Report(generation, 0, 0));
  EXPECT_EQ(Own(3).status, LimitStatus::kOver);
  EXPECT_EQ(Own(2).status, LimitStatus::kUnder);
  Advance(250);
  Send(kA, Report(generation, 0, 0));
  EXPECT_EQ(Own(5).status, LimitStatus::kOver);
}

TEST_F(LeaseOwnerTest, ALapsedLeaseOfALeakyBucketIsSpentForGood) {
  request_.algorithm = Algorithm::kLeaky;
  const uint64_t generation = Lend(kA, 6).generation;
  Advance(300);
  EXPECT_EQ(Own(5).status, LimitStatus::kOver);
  EXPECT_FALSE(Send(kA, Report(generation, 0, 6))->about_is_known);
  EXPECT_EQ(Own(5).status, LimitStatus::kOver);
}

// G13
TEST_F(LeaseOwnerTest, WithoutARoomNothingIsLent) {
  while (room_.Take()) {
  }
  EXPECT_EQ(Send(kA, Asking(1))->verdict, LeaseVerdict::kForward);
  room_.GiveBack(1);
  EXPECT_EQ(Send(kA, Asking(1))->verdict, LeaseVerdict::kLent);
}

TEST_F(LeaseOwnerTest, PlacesAreGivenBack) {
  const uint64_t generation = Lend(kA, 1).generation;
  Lend(kB, 1);
  EXPECT_EQ(room_.taken(), 2);
  Send(kA, Report(generation, 1, 0));
  Advance(10'000);
  owner().OnTick(time_, &outbox_);
  EXPECT_EQ(room_.taken(), 0);
  Lend(kA, 1);
  owner_.reset();
  EXPECT_EQ(room_.taken(), 0);
}

TEST_F(LeaseOwnerTest, AFullStoreLendsNothing) {
  store_.is_full = true;
  EXPECT_EQ(Send(kA, Asking(1))->verdict, LeaseVerdict::kForward);
}

// --- size
TEST_F(LeaseOwnerTest, ALeaseIsTwoIntervalsWorthOrAFairShare) {
  request_.limit = 1000;
  EXPECT_EQ(Send(kA, Asking(1, 20))->lent, 40);
  EXPECT_EQ(Send(kB, Asking(1, 5000))->lent, 240);  // (960 - 1 + 1) / 2 / 2
}

TEST_F(LeaseOwnerTest, EachRecallHalvesTheShare) {
  request_.limit = 1000;
  const uint64_t b = Lend(kB, 1).generation;
  EXPECT_EQ(owner().Decide(Of(1000), 1, time_, &outbox_).outcome, LeaseOutcome::kWaits);
  Send(kB, Report(b, 0, 1));
  Own(-1000);
  EXPECT_EQ(Send(kA, Asking(1, 5000))->lent, 1000 / 4 / 2);
}

// --- requests of all kinds
TEST_F(LeaseOwnerTest, AsksDoNotChangeNumbers) {
  Own(1);
  request_.limit = 20;
  EXPECT_EQ(Send(kA, Asking(1))->verdict, LeaseVerdict::kForward);
  request_.limit = 10;
  EXPECT_EQ(Send(kA, Asking(1))->verdict, LeaseVerdict::kLent);
}

TEST_F(LeaseOwnerTest, ALeaseOpensTheWindow) {
  Lend(kA, 1);
  Advance(500);
  EXPECT_EQ(Own(0).reset_ms, time_.now_ms + 9500);
}

TEST_F(LeaseOwnerTest, ACalendarWindowEndsLeasesWithIt) {
  request_.period = Period::Calendar(CalendarUnit::kMinute);
  time_.now_ms = 1'700'000'040'000 - 50;
  EXPECT_EQ(Send(kA, Asking(1))->term_ms, 46);
}

TEST_F(LeaseOwnerTest, ABucketThatDrainsNothingIsChargedAllTheSame) {
  request_.algorithm = Algorithm::kLeaky;
  const uint64_t generation = Lend(kA, 4).generation;
  Request none = Of(1);
  none.limit = 0;
  none.burst = 10;
  EXPECT_EQ(Own(none).status, LimitStatus::kOver);
  Send(kA, Report(generation, 4, 0));
  ASSERT_TRUE(store_.leaky.has_value());
  EXPECT_EQ(store_.leaky->limit, 0);
  EXPECT_EQ(Own(0).remaining, 6);
}

}  // namespace
}  // namespace gub
