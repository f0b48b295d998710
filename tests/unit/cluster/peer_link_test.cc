#include "tests/unit/cluster/peer_link_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(PeerLinkTest, TheFirstRequestConnectsAndLeavesWhenTheOwnerHasProvedItself) {
  EXPECT_TRUE(Forward(1));
  link_.Flush(now_us_);
  EXPECT_EQ(connects_, 1);
  EXPECT_THAT(sent_, IsEmpty());
  link_.OnConnected(now_us_);
  EXPECT_EQ(greets_, 1);
  EXPECT_THAT(sent_, IsEmpty());
  link_.OnGreeted(kOwnerMs, now_us_);
  ASSERT_EQ(sent_.size(), 1u);
  Answer(1, 1);
  EXPECT_THAT(answered_, ElementsAre(1));
}

TEST_F(PeerLinkTest, OnAnIdleLinkABatchLeavesAtOnceAndWhatComesThenWaitsForItsAnswer) {
  MakeReady();
  Forward(1);
  Forward(2);
  link_.Flush(now_us_);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].count, 2u);
  Forward(3);
  link_.Flush(now_us_);
  EXPECT_EQ(sent_.size(), 1u);
  Answer(2, 2);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[1].count, 1u);
  EXPECT_THAT(answered_, ElementsAre(1, 2));
}

TEST_F(PeerLinkTest, WhatWaitsLeavesWhenItsTimeIsOverOrTheBatchIsFullOrOneIsUrgent) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  Forward(2);
  EXPECT_EQ(link_.NextTickUs(), now_us_ + 500);
  now_us_ += 500;
  link_.OnTick(now_us_);
  EXPECT_EQ(sent_.size(), 2u);
  for (uint64_t token : {3, 4, 5}) Forward(token);
  EXPECT_EQ(sent_.size(), 3u);
  Forward(6);
  link_.Flush(now_us_);
  EXPECT_EQ(sent_.size(), 3u);
  Forward(7, kNoBatching);
  link_.Flush(now_us_);
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(sent_[3].count, 2u);
}

TEST_F(PeerLinkTest, ABatchExpiresInTheOwnersTimeWhenItsFirstRequestIsGivenUp) {
  MakeReady();
  now_us_ += 7000;
  Forward(1);
  now_us_ += 2000;
  link_.Flush(now_us_);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].expires_mono_ms, kOwnerMs + 7 + 100);
}

TEST_F(PeerLinkTest, TheOwnersTimeIsKnownFromBelow) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  now_us_ += 10'000;
  // Written 3 ms after it was sent, read 7 ms later: no less than that is known.
  std::string answers;
  AppendPeerAnswer({}, &answers);
  link_.OnAnswer({2, kOwnerMs + 3, answers}, now_us_);
  Forward(2);
  link_.Flush(now_us_);
  EXPECT_EQ(sent_.back().expires_mono_ms, kOwnerMs + 10 + 100);  // the handshake knew better
}

TEST_F(PeerLinkTest, WhatIsNotAnsweredInTimeFailsAndItsAnswerIsDropped) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  now_us_ += 60'000;
  Forward(2, kNoBatching);
  link_.Flush(now_us_);
  now_us_ += 40'000;
  link_.OnTick(now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1));
  Answer(2, 1);
  EXPECT_THAT(TakeAnswered(), IsEmpty());
  EXPECT_EQ(link_.counts().late_answers, 1u);
  Answer(3, 1);
  EXPECT_THAT(TakeAnswered(), ElementsAre(2));
  EXPECT_EQ(link_.health(), OwnerHealth::State::kUp);
}

// A denial that is here is not turned into an admission: whoever ticks reads first.
TEST_F(PeerLinkTest, TheTimeOfABatchIsFromItsWritingToItsAnswer) {
  MakeReady();
  const PeerLink::Counts before = link_.counts();
  Forward(1);
  link_.Flush(now_us_);
  now_us_ += 700;
  Answer(2, 1);
  EXPECT_EQ(link_.counts().answered_batches - before.answered_batches, 1u);
  EXPECT_EQ(link_.counts().answer_us - before.answer_us, 700u);
}

TEST_F(PeerLinkTest, AnAnswerThatComesBeforeTheTickIsTaken) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  now_us_ += 100'000;
  Answer(2, 1);
  EXPECT_THAT(TakeAnswered(), ElementsAre(1));
  EXPECT_THAT(TakeFailed(), IsEmpty());
}

TEST_F(PeerLinkTest, ABatchThatTheOwnerReadTooLateFails) {
  MakeReady();
  Forward(1);
  Forward(2);
  link_.Flush(now_us_);
  link_.OnAnswer({2, kOwnerMs, "", true}, now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1, 2));
  EXPECT_THAT(TakeAnswered(), IsEmpty());
}

TEST_F(PeerLinkTest, TheEndOfAConnectionFailsWhatWasSentAndWhatWaits) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  Forward(2);
  link_.OnClosed(now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1, 2));
  EXPECT_EQ(disconnects_, 1);
  Forward(3);
  EXPECT_EQ(connects_, 2);
}

// GetParam: what is wrong with it.
class OutOfStepTest : public PeerLinkTest, public ::testing::WithParamInterface<int> {};

TEST_P(OutOfStepTest, AnAnswerOutOfStepClosesTheLink) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  if (GetParam() == 0) Answer(3, 1);                                    // another number
  if (GetParam() == 1) Answer(2, 2);                                    // an answer too many
  if (GetParam() == 2) link_.OnAnswer({2, kOwnerMs, "\xff"}, now_us_);  // no answers at all
  EXPECT_THAT(TakeFailed(), ElementsAre(1));
  EXPECT_EQ(disconnects_, 1);
}
INSTANTIATE_TEST_SUITE_P(Faults, OutOfStepTest, ::testing::Values(0, 1, 2));

TEST_F(PeerLinkTest, NoRequestWaitsForAnOwnerThatIsKnownToBeDown) {
  MakeReady();
  for (int i = 0; i < OwnerHealth::kFailuresToOpen; ++i) {
    EXPECT_TRUE(Forward(static_cast<uint64_t>(i)));
    link_.OnClosed(now_us_);
  }
  EXPECT_EQ(link_.health(), OwnerHealth::State::kDown);
  EXPECT_FALSE(Forward(9));
  EXPECT_EQ(link_.counts().refused, 1u);
  const int before = connects_;
  const int64_t due_us = *link_.NextTickUs();
  link_.OnTick(due_us - 1000);
  EXPECT_EQ(connects_, before);
  link_.OnTick(due_us);
  EXPECT_EQ(connects_, before + 1);
  EXPECT_FALSE(Forward(9));  // one probe at a time
  link_.OnConnected(due_us);
  link_.OnGreeted(kOwnerMs, due_us);
  EXPECT_TRUE(Forward(10));
}

TEST_F(PeerLinkTest, AnOwnerThatTakesConnectionsAndSaysNothingIsDeadToo) {
  for (int i = 0; i < OwnerHealth::kFailuresToOpen; ++i) {
    ASSERT_TRUE(Forward(1));
    link_.OnConnected(now_us_);
    now_us_ += 100'000;
    EXPECT_LE(*link_.NextTickUs(), now_us_);
    link_.OnTick(now_us_);
    EXPECT_THAT(TakeFailed(), ElementsAre(1));
  }
  EXPECT_EQ(link_.health(), OwnerHealth::State::kDown);
}

TEST_F(PeerLinkTest, ABatchIsBoundedInBytesToo) {
  MakeReady();
  const std::string key(PeerLink::kMaxBatchBytes / 2, 'k');
  for (uint64_t token = 1; token <= 2; ++token) {
    link_.Forward(token, {PeerOperation::kReset, {.name = "n", .key = key}}, now_us_);
  }
  Forward(3);
  EXPECT_EQ(sent_.size(), 1u);  // as many requests as a batch may have
  link_.Flush(now_us_ + 1000);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].count, 1u);
  EXPECT_EQ(sent_[1].count, 2u);
}

TEST_F(PeerLinkTest, NoMoreAreTakenThanMayBeUnderWay) {
  for (uint64_t token = 1; token <= 10; ++token) EXPECT_TRUE(Forward(token));
  EXPECT_FALSE(Forward(11));
  link_.OnClosed(now_us_);
  EXPECT_EQ(TakeFailed().size(), 10u);
}

TEST_F(PeerLinkTest, AnOwnerThatAlwaysReadsTooLateIsDown) {
  MakeReady();
  for (uint64_t token = 1; token <= 3; ++token) {
    EXPECT_TRUE(Forward(token));
    link_.Flush(now_us_);
    Answer(sent_.back().number, 0, true);
  }
  EXPECT_EQ(link_.health(), OwnerHealth::State::kDown);
  EXPECT_THAT(TakeFailed(), ElementsAre(1, 2, 3));
}

TEST_F(PeerLinkTest, AsksAndIsAnsweredAndAnOwnerThatDoesNotAnswerIsDown) {
  link_.Ask(now_us_);
  EXPECT_EQ(connects_, 1);
  link_.OnConnected(now_us_);
  link_.OnGreeted(kOwnerMs, now_us_);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].count, 0u);
  Answer(sent_[0].number, 0);
  EXPECT_EQ(link_.health(), OwnerHealth::State::kUp);
  for (int i = 0; i < 3; ++i) {
    link_.Ask(now_us_);
    now_us_ += 100'000;
    link_.OnTick(now_us_);
  }
  EXPECT_EQ(link_.health(), OwnerHealth::State::kDown);
  EXPECT_THAT(TakeFailed(), IsEmpty());  // nobody has asked for anything
  const size_t sent = sent_.size();
  link_.Ask(now_us_);
  EXPECT_EQ(sent_.size(), sent);
}

}  // namespace
}  // namespace gub
