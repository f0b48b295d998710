#include "cluster/peer_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PeerLinkTest : public ::testing::Test, public PeerLink::Host {
 protected:
  struct Sent {
    uint64_t number;
    int64_t expires_mono_ms;
    size_t count;
  };

  void Connect() override { ++connects_; }
  void Greet() override { ++greets_; }
  void Write(const PeerBatch& batch) override {
    EXPECT_EQ(ReadPeerRequests(batch.requests, 1000, PeerLink::kMaxBatchBytes)->size(),
              batch.count);
    sent_.push_back({batch.number, batch.expires_mono_ms, batch.count});
  }
  bool CanWrite() const override { return can_write_; }
  void Disconnect() override { ++disconnects_; }
  void OnAnswered(uint64_t token, const PeerAnswer&) override { answered_.push_back(token); }
  void OnFailed(uint64_t token) override { failed_.push_back(token); }
  uint64_t Dice() override { return 0; }

  bool Forward(uint64_t token, uint32_t behavior = kBatching) {
    return link_.Forward(
        token, {PeerOperation::kDecide, {.name = "n", .key = "k", .behavior = behavior}}, now_us_);
  }
  void MakeReady() {
    Forward(99);
    link_.OnConnected(now_us_);
    link_.OnGreeted(kOwnerMs, now_us_);
    Answer(1, 1);
    sent_.clear();
    answered_.clear();
  }
  void Answer(uint64_t number, size_t count, bool late = false) {
    std::string answers;
    for (size_t i = 0; i < count; ++i) AppendPeerAnswer({}, &answers);
    link_.OnAnswer({number, kOwnerMs + now_us_ / 1000 - kStartUs / 1000, answers, late}, now_us_);
  }
  std::vector<uint64_t> TakeFailed() { return std::exchange(failed_, {}); }
  std::vector<uint64_t> TakeAnswered() { return std::exchange(answered_, {}); }

  static constexpr int64_t kStartUs = 1'000'000;
  static constexpr int64_t kOwnerMs = 50'000;
  int64_t now_us_ = kStartUs;
  bool can_write_ = true;
  int connects_ = 0, greets_ = 0, disconnects_ = 0;
  std::vector<Sent> sent_;
  std::vector<uint64_t> answered_, failed_;
  PeerLink link_{this,
                 {.timeout_ms = 100, .batch_wait_us = 500, .batch_limit = 3, .max_requests = 10}};
};

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
TEST_F(PeerLinkTest, AnAnswerThatComesBeforeTheTickIsTaken) {
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  now_us_ += 100'000;
  Answer(2, 1);
  EXPECT_THAT(TakeAnswered(), ElementsAre(1));
  EXPECT_THAT(TakeFailed(), IsEmpty());
}

TEST_F(PeerLinkTest, WhatIsAskedInBetweenDoesNotPutOffWhatWaits) {
  Forward(1);
  now_us_ += 90'000;
  link_.Ask(now_us_);
  link_.OnConnected(now_us_);
  link_.OnGreeted(kOwnerMs, now_us_);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(link_.NextTickUs(), kStartUs + 100'000);
  now_us_ = kStartUs + 100'000;
  link_.OnTick(now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1));
}

TEST_F(PeerLinkTest, WhileTheConnectionTakesNoMoreRequestsWaitAndAreGivenUpUnsent) {
  MakeReady();
  can_write_ = false;
  for (uint64_t token = 1; token <= 5; ++token) Forward(token);
  link_.Flush(now_us_);
  EXPECT_THAT(sent_, IsEmpty());
  EXPECT_EQ(link_.NextTickUs(), now_us_ + 100'000);
  now_us_ += 50'000;
  can_write_ = true;
  link_.Flush(now_us_);
  EXPECT_EQ(sent_.size(), 1u);
  can_write_ = false;
  Forward(6);
  now_us_ += 100'000;
  link_.OnTick(now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(sent_.size(), 1u);
}

// The owner's clock runs slower than ours: an old bound would let it apply what is too late.
TEST_F(PeerLinkTest, WhatWasLearntOfTheOwnersClockGrowsOld) {
  MakeReady();
  int64_t owner_ms = kOwnerMs;
  uint64_t number = 2;
  for (int second = 0; second < 60; ++second) {
    now_us_ += 1'000'000;
    owner_ms += 990;
    Forward(static_cast<uint64_t>(100 + second));
    link_.Flush(now_us_);
    std::string answers;
    AppendPeerAnswer({}, &answers);
    link_.OnAnswer({number++, owner_ms, answers, false}, now_us_);
  }
  Forward(1);
  link_.Flush(now_us_);
  // 10 ms a second were lost, of 20 s at most.
  EXPECT_LE(sent_.back().expires_mono_ms, owner_ms + 100 + 200);
  EXPECT_GE(sent_.back().expires_mono_ms, owner_ms + 100);
}

TEST_F(PeerLinkTest, AShorterTimeOutHoldsForWhatIsUnderWay) {
  link_.SetLimits({.timeout_ms = 60'000, .batch_limit = 10}, now_us_);
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  link_.SetLimits({.timeout_ms = 50, .batch_limit = 10}, now_us_);
  Forward(2);
  EXPECT_EQ(link_.NextTickUs(), now_us_ + 500);
  now_us_ += 50'000;
  link_.OnTick(now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1, 2));
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

TEST_F(PeerLinkTest, NoMoreBytesWaitThanMayBeUnderWay) {
  link_.SetLimits({.timeout_ms = 100, .max_requests = 1000, .max_waiting_bytes = 1000}, now_us_);
  const std::string key(400, 'k');
  const PeerRequest request = {PeerOperation::kReset, {.name = "n", .key = key}};
  EXPECT_TRUE(link_.Forward(1, request, now_us_));
  EXPECT_TRUE(link_.Forward(2, request, now_us_));
  EXPECT_TRUE(link_.Forward(3, request, now_us_));  // past the bound, for the last of them
  EXPECT_FALSE(link_.Forward(4, request, now_us_));
  EXPECT_EQ(link_.counts().refused, 1u);
  link_.OnConnected(now_us_);
  link_.OnGreeted(kOwnerMs, now_us_);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_TRUE(link_.Forward(5, request, now_us_));
}

TEST_F(PeerLinkTest, WhatStillWaitsWhenItIsGivenUpIsNeverSent) {
  link_.SetLimits({.timeout_ms = 100, .batch_wait_us = 1'000'000, .batch_limit = 10}, now_us_);
  MakeReady();
  Forward(1);
  link_.Flush(now_us_);
  ASSERT_EQ(sent_.size(), 1u);
  now_us_ += 30'000;
  Forward(2);
  link_.Flush(now_us_);
  EXPECT_EQ(sent_.size(), 1u);
  // The wait is bounded by half of the time-out, whatever the options say.
  EXPECT_EQ(link_.NextTickUs(), now_us_ + 50'000);
  now_us_ += 49'000;
  Forward(3);
  link_.Flush(now_us_);
  now_us_ += 1000;
  link_.OnTick(now_us_);
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[1].count, 2u);
}

TEST_F(PeerLinkTest, WhileTheHandshakeLastsRequestsAreGivenUpInTimeToo) {
  Forward(1);
  now_us_ += 20'000;
  Forward(2);
  link_.OnConnected(now_us_);
  now_us_ = kStartUs + 100'000;
  link_.OnTick(now_us_);
  EXPECT_THAT(TakeFailed(), ElementsAre(1, 2));  // the connection is given up at the same time
  link_.OnGreeted(kOwnerMs, now_us_);
  EXPECT_THAT(sent_, IsEmpty());
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
