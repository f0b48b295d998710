#include "cluster/lease_holder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster/lease_pair.h"

namespace gub {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class LeaseHolderTest : public LeasePair {
 protected:
  // Has a lease of 5, 1 of which is spent.
  void HoldFive() {
    const LeaseReport asking = AskBy(&holder_, 1);
    EXPECT_THAT(Hand(&holder_, Lending(asking, 3, 5)), SizeIs(1));
    EXPECT_EQ(holder_.Left(time_), 4);
  }

  LeaseHolder holder_ = MakeHolder();
};

// G1
TEST_F(LeaseHolderTest, HitsAreAdmittedWhileTheyFitTheLease) {
  HoldFive();
  EXPECT_EQ(OutcomeOf(&holder_, Of(4)), LeaseOutcome::kAnswered);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
}

TEST_F(LeaseHolderTest, ADoubledOrOvertakenAnswerChangesNothing) {
  const LeaseReport first = AskBy(&holder_, 1);
  Hand(&holder_, Lending(first, 3, 5));
  holder_.Decide(Of(4), 2, time_, true);
  Hand(&holder_, Lending(first, 3, 5));
  EXPECT_EQ(holder_.Left(time_), 0);
  const LeaseReport second = AskBy(&holder_, 1, 3);
  Hand(&holder_, Lending(second, 3, 4));
  EXPECT_EQ(holder_.Left(time_), 0);
}

TEST_F(LeaseHolderTest, WhatIsReturnedIsNotSpent) {
  HoldFive();
  Advance(100);
  SyncOf(&holder_);
  Advance(100);
  const std::vector<LeaseReport> reports = SyncOf(&holder_);
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].spent, 1);
  EXPECT_EQ(reports[0].returned, 4);
  EXPECT_EQ(holder_.Left(time_), 0);
}

// G2
TEST_F(LeaseHolderTest, ALeaseEndsATermAfterItsRequestLeft) {
  const LeaseReport asking = AskBy(&holder_, 1);
  Advance(90);
  Hand(&holder_, Lending(asking, 3, 5));
  Advance(300 - 90 - 2);
  EXPECT_EQ(holder_.Left(time_), 4);
  Advance(1);
  EXPECT_EQ(holder_.Left(time_), 0);
}

TEST_F(LeaseHolderTest, AnAnswerThatWasOvertakenBringsNoOldNews) {
  HoldFive();
  const LeaseReport older = SyncOf(&holder_).at(0);
  holder_.Decide(Of(1), 2, time_, true);
  LeaseAnswer newer = Lending(SyncOf(&holder_).at(0), 3, 5);
  newer.remaining = 3;  // others have spent meanwhile
  Hand(&holder_, newer);
  Hand(&holder_, Lending(older, 3, 5));
  EXPECT_EQ(holder_.Decide(Of(0), 3, time_, true).decision.remaining, 3);
}

TEST_F(LeaseHolderTest, WhatIsLeftOfALeaseThatIsOverIsReturnedWithTheNextReport) {
  HoldFive();
  Advance(300);
  const LeaseReport asking = AskBy(&holder_, 1, 3);
  EXPECT_EQ(asking.spent, 1);
  EXPECT_EQ(asking.returned, 4);
}

TEST_F(LeaseHolderTest, WhatNobodyAskedForIsHandedBack) {
  HoldFive();
  LeaseAnswer unasked = Lending({.number = 12'345}, 3, 9);
  EXPECT_THAT(Hand(&holder_, unasked), IsEmpty());
  EXPECT_EQ(holder_.Left(time_), 4);
  EXPECT_EQ(CollectOne(&holder_).returned, 4);
}

// G4
TEST_F(LeaseHolderTest, ARecallIsAnsweredWithAllThatIsLeft) {
  HoldFive();
  Hand(&holder_, {.key = Key(),
                  .about = 3,
                  .about_is_known = true,
                  .recall = true,
                  .generation = 3,
                  .lent = 5});
  EXPECT_EQ(holder_.Left(time_), 0);
  const LeaseReport report = CollectOne(&holder_);
  EXPECT_EQ(report.spent, 1);
  EXPECT_EQ(report.returned, 4);
}

TEST_F(LeaseHolderTest, ARecallOvertakesItsLend) {
  const LeaseReport asking = AskBy(&holder_, 2);
  Hand(&holder_, {.key = Key(), .recall = true, .generation = 3, .lent = 2});
  EXPECT_EQ(CollectOne(&holder_).returned, 2);
  EXPECT_THAT(Hand(&holder_, Lending(asking, 3, 2)), IsEmpty());
  EXPECT_EQ(holder_.Left(time_), 0);
}

// G5
TEST_F(LeaseHolderTest, WhatChangesMoreThanHitsGoesToTheOwner) {
  HoldFive();
  EXPECT_EQ(OutcomeOf(&holder_, Of(-1)), LeaseOutcome::kForward);
  EXPECT_EQ(OutcomeOf(&holder_, Of(0, kResetRemaining)), LeaseOutcome::kForward);
  EXPECT_EQ(OutcomeOf(&holder_, Of(5, kDrainOverLimit)), LeaseOutcome::kForward);
  EXPECT_EQ(OutcomeOf(&holder_, Of(4, kDrainOverLimit)), LeaseOutcome::kAnswered);
}

TEST_F(LeaseHolderTest, AForwardedHitIsPrecededByWhatWasSpent) {
  HoldFive();
  OutcomeOf(&holder_, Of(-1));
  EXPECT_EQ(CollectOne(&holder_).spent, 1);
}

// So that many hits that are forwarded in a row are not as many reports.
TEST_F(LeaseHolderTest, WhatWasSpentIsToldOnceBeforeThoseThatAreForwarded) {
  HoldFive();
  OutcomeOf(&holder_, Of(-1));
  CollectOne(&holder_);
  OutcomeOf(&holder_, Of(-1));
  std::vector<LeaseReport> reports;
  holder_.Collect(time_, &reports);
  EXPECT_THAT(reports, IsEmpty());
  OutcomeOf(&holder_, Of(1));
  OutcomeOf(&holder_, Of(-1));
  EXPECT_EQ(CollectOne(&holder_).spent, 2);
}

TEST_F(LeaseHolderTest, WhatWasToldAnOwnerThatIsLostIsToldAgain) {
  HoldFive();
  OutcomeOf(&holder_, Of(-1));
  CollectOne(&holder_);
  std::vector<LeaseSettled> settled;
  holder_.OnOwnerLost(&settled);
  OutcomeOf(&holder_, Of(-1));
  EXPECT_EQ(CollectOne(&holder_).spent, 1);
}

TEST_F(LeaseHolderTest, OtherNumbersCloseTheLeaseAndAreForwardedOnce) {
  HoldFive();
  request_.limit = 20;
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kForward);
  const LeaseReport report = CollectOne(&holder_);
  EXPECT_EQ(report.generation, 3u);
  EXPECT_EQ(report.returned, 4);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
}

// G6
TEST_F(LeaseHolderTest, AnOldGenerationIsNotTakenAgain) {
  HoldFive();
  const LeaseReport asking = AskBy(&holder_, 5, 2);
  LeaseAnswer gone = Lending(asking, 0, 0);
  gone.about_is_known = false;
  Hand(&holder_, gone);
  const LeaseReport again = CollectOne(&holder_);
  EXPECT_EQ(again.newest, 3u);
  EXPECT_THAT(Hand(&holder_, Lending(again, 3, 20)), IsEmpty());
  EXPECT_EQ(holder_.Left(time_), 0);
}

// G7
TEST_F(LeaseHolderTest, ALentHitIsSpentOnReceiptOrAskedForAgain) {
  const LeaseReport asking = AskBy(&holder_, 1);
  Advance(60);
  std::vector<LeaseSettled> settled;
  holder_.OnTick(time_, &settled);
  const LeaseReport again = CollectOne(&holder_);
  EXPECT_EQ(again.hits, 1);
  EXPECT_THAT(Hand(&holder_, Lending(again, 3, 1)), SizeIs(1));
  // The first ask was answered too: that is left over, for other hits or to be returned.
  EXPECT_THAT(Hand(&holder_, Lending(asking, 3, 2)), IsEmpty());
  EXPECT_EQ(holder_.Left(time_), 1);
}

TEST_F(LeaseHolderTest, AHitThatWasGivenUpIsNeverAlsoSpent) {
  const LeaseReport asking = AskBy(&holder_, 1);
  Advance(100);
  std::vector<LeaseSettled> settled;
  EXPECT_LE(holder_.NextTickUs().value_or(INT64_MAX), time_.mono_us);
  holder_.OnTick(time_, &settled);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].outcome, LeaseOutcome::kOnFail);
  EXPECT_THAT(Hand(&holder_, Lending(asking, 3, 1)), IsEmpty());
  EXPECT_EQ(holder_.Left(time_), 1);
}

// G8
TEST_F(LeaseHolderTest, WhatIsShownIsTheNewsLessWhatWasSpentSince) {
  HoldFive();
  EXPECT_EQ(holder_.Decide(Of(2), 2, time_, true).decision.remaining, 7);
  EXPECT_EQ(holder_.Decide(Of(0), 3, time_, true).decision.remaining, 7);
  Advance(101);
  EXPECT_EQ(OutcomeOf(&holder_, Of(0)), LeaseOutcome::kWaits);
}

TEST_F(LeaseHolderTest, ADenialIsRepeatedUntilItEndsOrTheBucketReopens) {
  LeaseAnswer denied = Lending(AskBy(&holder_, 1), 0, 0);
  denied.verdict = LeaseVerdict::kDenied;
  denied.remaining = 0;
  denied.retry_after_ms = denied.denial_ms = 50;
  Hand(&holder_, denied);
  const LeaseHolder::Result repeated = holder_.Decide(Of(1), 2, time_, true);
  EXPECT_EQ(repeated.decision.status, LimitStatus::kOver);
  EXPECT_EQ(repeated.decision.retry_after_ms, 50);
  EXPECT_TRUE(SyncOf(&holder_).front().denied);
  Hand(&holder_, {.key = Key(), .reopened = true});
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
}

TEST_F(LeaseHolderTest, ADenialEndsWhenNewsSayThatSomethingIsLeft) {
  const LeaseReport asking = AskBy(&holder_, 1);
  LeaseAnswer denied = Lending(asking, 0, 0);
  denied.verdict = LeaseVerdict::kDenied;
  denied.remaining = 0;
  denied.retry_after_ms = denied.denial_ms = 500;
  // The letter overtakes the denial.
  Hand(&holder_, {.key = Key(), .reopened = true});
  Hand(&holder_, denied);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kAnswered);
  LeaseAnswer news = Lending(SyncOf(&holder_).front(), 0, 0);
  news.remaining = 3;
  Hand(&holder_, news);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
}

TEST_F(LeaseHolderTest, ADenialEndsInTime) {
  LeaseAnswer denied = Lending(AskBy(&holder_, 1), 0, 0);
  denied.verdict = LeaseVerdict::kDenied;
  denied.denial_ms = 50;
  Hand(&holder_, denied);
  Advance(48);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kAnswered);
  Advance(1);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
}

// G9
TEST_F(LeaseHolderTest, AHolderThatLeavesReportsUntilItIsAcknowledged) {
  HoldFive();
  std::vector<LeaseSettled> settled;
  holder_.Leave(true, time_, &settled);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kForward);
  CollectOne(&holder_);
  EXPECT_FALSE(holder_.IsIdle(time_));
  const std::vector<LeaseReport> reports = SyncOf(&holder_);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].returned, 4);
  for (const LeaseReport& report : reports) Hand(&holder_, Lending(report, 0, 0));
  EXPECT_TRUE(holder_.IsIdle(time_));
}

// G10
TEST_F(LeaseHolderTest, WithoutItsOwnerALeaseIsSpentToItsEnd) {
  HoldFive();
  EXPECT_EQ(OutcomeOf(&holder_, Of(1), false), LeaseOutcome::kAnswered);
  EXPECT_EQ(OutcomeOf(&holder_, Of(4), false), LeaseOutcome::kOnFail);
  EXPECT_EQ(holder_.KnownUsed(time_), 2);
  Advance(300);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1), false), LeaseOutcome::kOnFail);
  Advance(5000);
  EXPECT_EQ(holder_.KnownUsed(time_), std::nullopt);
}

TEST_F(LeaseHolderTest, WhenTheOwnerIsLostAllThatWaitAreGivenUp) {
  AskBy(&holder_, 1, 7);
  std::vector<LeaseSettled> settled;
  holder_.OnOwnerLost(&settled);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].token, 7u);
  EXPECT_EQ(settled[0].outcome, LeaseOutcome::kOnFail);
}

// G11
TEST_F(LeaseHolderTest, WhenTheOwnerChangesWhatWaitsGoesToTheNewOneAndNothingMoreIsTaken) {
  const LeaseReport asking = AskBy(&holder_, 1, 7);
  std::vector<LeaseSettled> settled;
  holder_.Leave(false, time_, &settled);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].outcome, LeaseOutcome::kForward);
  Hand(&holder_, Lending(asking, 3, 1));
  EXPECT_EQ(holder_.Left(time_), 0);
  EXPECT_TRUE(holder_.IsIdle(time_));
}

// G13
TEST_F(LeaseHolderTest, WhereNoLeaseIsToBeHadHitsAreForwardedForASync) {
  LeaseAnswer refused = Lending(AskBy(&holder_, 1), 0, 0);
  refused.verdict = LeaseVerdict::kForward;
  const std::vector<LeaseSettled> settled = Hand(&holder_, refused);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].outcome, LeaseOutcome::kForward);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kForward);
  Advance(100);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
}

TEST_F(LeaseHolderTest, OnlySoManyHitsWait) {
  for (size_t i = 0; i < LeaseHolder::kMaxWaiting; ++i) {
    ASSERT_EQ(holder_.Decide(Of(1), i + 1, time_, true).outcome, LeaseOutcome::kWaits);
  }
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kForward);
}

// --- reports
TEST_F(LeaseHolderTest, OneAskIsOnItsWayAtATime) {
  AskBy(&holder_, 1);
  EXPECT_EQ(OutcomeOf(&holder_, Of(1)), LeaseOutcome::kWaits);
  std::vector<LeaseReport> reports;
  holder_.Collect(time_, &reports);
  EXPECT_THAT(reports, IsEmpty());
}

TEST_F(LeaseHolderTest, ALeaseThatRunsLowIsRenewedEarly) {
  HoldFive();
  EXPECT_EQ(OutcomeOf(&holder_, Of(4)), LeaseOutcome::kAnswered);
  const LeaseReport renewal = CollectOne(&holder_);
  EXPECT_EQ(renewal.hits, 0);
  EXPECT_EQ(renewal.spent, 5);
  EXPECT_GE(renewal.wanted, 5);
}

TEST_F(LeaseHolderTest, AReportWithoutAnAnswerIsFollowedByOthers) {
  AskBy(&holder_, 1);
  std::vector<LeaseSettled> settled;
  holder_.OnOwnerLost(&settled);
  SyncOf(&holder_);
  Advance(100);
  EXPECT_THAT(SyncOf(&holder_), SizeIs(1));
  EXPECT_FALSE(holder_.IsIdle(time_));
}

}  // namespace
}  // namespace gub
