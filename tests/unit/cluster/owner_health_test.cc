#include "cluster/owner_health.h"

#include <gtest/gtest.h>

namespace gub {
namespace {

using State = OwnerHealth::State;

class OwnerHealthTest : public ::testing::Test {
 protected:
  void Fail(int times) {
    for (int i = 0; i < times; ++i) health_.OnFailure(now_ms_, dice_);
  }
  // The wait that begins now, to its end.
  int64_t WaitMs() const { return health_.next_probe_mono_ms() - now_ms_; }

  OwnerHealth health_;
  int64_t now_ms_ = 1000;
  uint64_t dice_ = 0;
};

TEST_F(OwnerHealthTest, FailuresInARowOpenTheCircuitAndASuccessBetweenThemDoesNot) {
  Fail(OwnerHealth::kFailuresToOpen - 1);
  EXPECT_EQ(health_.state(), State::kSuspect);
  EXPECT_TRUE(health_.IsAsked());
  health_.OnSuccess();
  EXPECT_EQ(health_.state(), State::kUp);
  Fail(OwnerHealth::kFailuresToOpen - 1);
  EXPECT_TRUE(health_.IsAsked());
  Fail(1);
  EXPECT_EQ(health_.state(), State::kDown);
  EXPECT_FALSE(health_.IsAsked());
}

TEST_F(OwnerHealthTest, OneProbeIsDueAfterTheWaitAndNotBefore) {
  Fail(OwnerHealth::kFailuresToOpen);
  EXPECT_FALSE(health_.TakeProbe(health_.next_probe_mono_ms() - 1));
  EXPECT_TRUE(health_.TakeProbe(health_.next_probe_mono_ms()));
  EXPECT_EQ(health_.state(), State::kProbing);
  EXPECT_FALSE(health_.TakeProbe(health_.next_probe_mono_ms() + 100'000));
  EXPECT_FALSE(health_.IsAsked());
  health_.OnProbeSuccess();
  EXPECT_EQ(health_.state(), State::kUp);
}

TEST_F(OwnerHealthTest, TheWaitDoublesUpToItsBoundAndStartsOverAfterASuccess) {
  Fail(OwnerHealth::kFailuresToOpen);
  int64_t expected_ms = OwnerHealth::kFirstWaitMs / 2;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(WaitMs(), expected_ms);
    now_ms_ = health_.next_probe_mono_ms();
    ASSERT_TRUE(health_.TakeProbe(now_ms_));
    health_.OnProbeFailure(now_ms_, dice_);
    expected_ms = std::min(expected_ms * 2, OwnerHealth::kLongestWaitMs / 2);
  }
  now_ms_ = health_.next_probe_mono_ms();
  ASSERT_TRUE(health_.TakeProbe(now_ms_));
  health_.OnProbeSuccess();
  Fail(OwnerHealth::kFailuresToOpen);
  EXPECT_EQ(WaitMs(), OwnerHealth::kFirstWaitMs / 2);
}

TEST_F(OwnerHealthTest, TheDiceSpreadTheWaitOverItsSecondHalf) {
  dice_ = 50;
  Fail(OwnerHealth::kFailuresToOpen);
  EXPECT_EQ(WaitMs(), OwnerHealth::kFirstWaitMs);
  for (uint64_t dice : {uint64_t{1}, uint64_t{12345}, ~uint64_t{0}}) {
    OwnerHealth health;
    for (int i = 0; i < OwnerHealth::kFailuresToOpen; ++i) health.OnFailure(0, dice);
    EXPECT_GE(health.next_probe_mono_ms(), OwnerHealth::kFirstWaitMs / 2);
    EXPECT_LE(health.next_probe_mono_ms(), OwnerHealth::kFirstWaitMs);
  }
}

TEST_F(OwnerHealthTest, WhatComesLateChangesNothing) {
  Fail(OwnerHealth::kFailuresToOpen);
  const int64_t due_ms = health_.next_probe_mono_ms();
  health_.OnSuccess();
  health_.OnProbeSuccess();
  health_.OnFailure(now_ms_ + 50, dice_);
  health_.OnProbeFailure(now_ms_ + 50, dice_);
  EXPECT_EQ(health_.state(), State::kDown);
  EXPECT_EQ(health_.next_probe_mono_ms(), due_ms);
}

}  // namespace
}  // namespace gub
