#include "store/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;

class ShardTest : public ::testing::Test {
 protected:
  Shard::Outcome Hit(Shard* shard, const std::string& key, int64_t period_ms, int64_t now_ms) {
    const Request request = {.name = "n", .key = key, .limit = 10, .period = Period::Ms(period_ms)};
    const BucketKey bucket(request.name, request.key, request.algorithm, hash_);
    Shard::Hit hit = {.key = bucket, .request = request, .now_ms = now_ms};
    return shard->Decide(&hit, &decision_);
  }

  const Calendar calendar_;
  const KeyHash hash_;
  Occupancy occupancy_{1'000'000};
  const Shard::Shared shared_ = {calendar_, hash_, occupancy_, /*evict=*/true};
  Decision decision_;
};

// Two threads that set the clock back may come to a shard in the other order.
TEST_F(ShardTest, ARewindOlderThanTheLastOneDoesNothing) {
  Shard shard(64, shared_);
  shard.Rewind(kNowMs - 2000, 2);
  shard.Rewind(kNowMs, 1);
  EXPECT_EQ(Hit(&shard, "k", 1000, kNowMs - 2000), Shard::Outcome::kDecided);
  EXPECT_EQ(decision_.now_ms, kNowMs - 2000);
  shard.Sweep(kNowMs, 2);
  EXPECT_EQ(occupancy_.taken(), 0);
}

// For the bucket may have lapsed since the caller read its clock.
TEST_F(ShardTest, ALapsedBucketIsEvictedFirstAndCountedAsLapsed) {
  Shard shard(64, shared_);
  Hit(&shard, "live", kHourMs, kNowMs);
  Hit(&shard, "lapsed", 1000, kNowMs);
  Hit(&shard, "live too", kHourMs, kNowMs);
  EXPECT_EQ(shard.EvictForPlace(kNowMs + 1000), Shard::Eviction::kDone);
  EXPECT_EQ(shard.counts().expired, 1u);
  EXPECT_EQ(shard.counts().evicted, 0u);
  EXPECT_EQ(shard.EvictForPlace(kNowMs), Shard::Eviction::kDone);
  EXPECT_EQ(shard.counts().evicted, 1u);
}

TEST_F(ShardTest, WhatCameUpAtTheShardsOwnTimeMayHaveLapsedForACallerOfAnEarlierTime) {
  Shard shard(64, shared_);
  for (int i = 0; i < 10; ++i) Hit(&shard, std::to_string(i), 1000, kNowMs);
  EXPECT_FALSE(shard.MayHaveLapsed(kNowMs + 900));
  Hit(&shard, "other", kHourMs, kNowMs + 1000);
  EXPECT_TRUE(shard.MayHaveLapsed(kNowMs + 900));
  EXPECT_FALSE(shard.Sweep(kNowMs + 900, 0));
  EXPECT_FALSE(shard.MayHaveLapsed(kNowMs + 900));
  EXPECT_EQ(shard.counts().expired, 10u);
}

// A table of two lines of eight slots. Half of all keys have both their places in one line.
class ShardSeatTest : public ShardTest {
 protected:
  static constexpr size_t kSlots = 16;
  static constexpr size_t kLine = 8;

  uint64_t HashOf(const std::string& key) const {
    return BucketKey("n", key, Algorithm::kToken, hash_).hash();
  }

  // Whether nine buckets, eight of them with the first hash, find no seats.
  static bool FillALine(uint64_t hash, uint64_t ninth) {
    const BucketPool pool(kSlots);
    Table table(kSlots, &pool);
    for (uint32_t number = 0; number < kLine; ++number) EXPECT_TRUE(table.Insert(number, hash));
    return !table.Insert(kLine, ninth);
  }

  // That many keys that have to sit in one line, the one of `like` or else the other.
  std::vector<std::string> KeysOfALine(size_t count, const std::string& like, bool same) const {
    std::vector<std::string> keys;
    for (int i = 0; keys.size() < count; ++i) {
      const std::string key = std::to_string(i);
      const bool sits_in_one = FillALine(HashOf(key), HashOf(key));
      if (sits_in_one && FillALine(HashOf(like), HashOf(key)) == same) keys.push_back(key);
    }
    return keys;
  }

  std::string AKeyOfOneLine() const {
    int i = 0;
    while (!FillALine(HashOf(std::to_string(i)), HashOf(std::to_string(i)))) ++i;
    return std::to_string(i);
  }
};

TEST_F(ShardSeatTest, AHitThatFindsNoSlotEvictsNothingAfterItsLastTry) {
  const std::string like = AKeyOfOneLine();
  const auto far = KeysOfALine(kLine + 1, like, true);
  const auto near = KeysOfALine(kLine, like, false);
  Shard shard(kSlots, shared_);
  for (size_t i = 0; i < kLine; ++i) {
    ASSERT_EQ(Hit(&shard, far[i], 2 * kHourMs, kNowMs), Shard::Outcome::kDecided);
    ASSERT_EQ(Hit(&shard, near[i], kHourMs, kNowMs), Shard::Outcome::kDecided);
  }
  // Those that are nearest to their reset give way, and it helps nobody.
  EXPECT_EQ(Hit(&shard, far[kLine], 2 * kHourMs, kNowMs), Shard::Outcome::kNoSlot);
  EXPECT_EQ(shard.counts().evicted, uint64_t{Shard::kSeatTries - 1});
  EXPECT_EQ(occupancy_.taken(), int64_t{kSlots} - (Shard::kSeatTries - 1));
}

}  // namespace
}  // namespace gub
