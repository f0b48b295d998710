// What the store does when its callers' clocks disagree, for each read its own a moment ago.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "store/store.h"

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kNoBudget = int64_t{1} << 60;

class StoreTimeTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr int64_t kKeys = 20'000;

  // Fills the store with buckets that lapse at kNowMs + 1000, and lets one shard get there: it
  // frees some, and the rest have come up.
  void SetUp() override {
    for (int64_t i = 0; i < kKeys; ++i) Hit("old" + std::to_string(i), 1000);
    ASSERT_EQ(store_.Size(), kKeys);
    ASSERT_TRUE(store_.Sweep(kNowMs + 1000, store_.epoch(), 0));
    ASSERT_EQ(store_.counts().expired_keys, uint64_t{Shard::kStepsPerLock});
  }

  Store::Outcome Hit(const std::string& key, int64_t period_ms) {
    Decision decision;
    const Request request = {.name = "n", .key = key, .limit = 10, .period = Period::Ms(period_ms)};
    return store_.Decide(request, kNowMs, &decision);
  }

  Store store_{{.max_keys = kKeys, .evict = GetParam()}};
};

TEST_P(StoreTimeTest, WhatHasLapsedInAShardGivesWayToALaterHitOfAnEarlierReading) {
  // More than were freed; and few, for a shard that chance has filled more than the others may have
  // no slot for many more.
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(Hit("new" + std::to_string(i), kHourMs), Store::Outcome::kDecided);
  }
  EXPECT_GT(store_.counts().expired_keys, uint64_t{Shard::kStepsPerLock});
  EXPECT_EQ(store_.counts().evicted_live_keys, 0u);
}

TEST_P(StoreTimeTest, WhatHasLapsedInAShardIsSweptByALaterSweepOfAnEarlierReading) {
  EXPECT_FALSE(store_.Sweep(kNowMs + 999, store_.epoch(), kNoBudget));
  // All of that shard, a tenth or so, and none of the others.
  EXPECT_LT(store_.Size(), kKeys * 95 / 100);
  EXPECT_GT(store_.Size(), kKeys * 85 / 100);
}

INSTANTIATE_TEST_SUITE_P(EvictOrRefuse, StoreTimeTest, ::testing::Bool());

}  // namespace
}  // namespace gub
