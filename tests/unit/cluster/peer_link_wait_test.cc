// What waits in a link: its bounds, its time, and what holds it up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/cluster/peer_link_fixture.h"

namespace gub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace gub
