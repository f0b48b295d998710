#include "base/top_keys.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace gub {
namespace {

std::vector<TopEntry> Top(const TopKeys& keys, TopKeys::Kind kind, size_t most = 10) {
  TopSum sum;
  keys.AddTo(kind, &sum);
  return sum.Largest(most);
}

TEST(SpaceSavingTest, KeepsWhoeverHasMoreThanOneInSo) {
  SpaceSaving sketch(10);
  for (int round = 0; round < 1000; ++round) {
    sketch.Add(1, "n", "heavy", 1);  // one in four
    for (int other = 0; other < 3; ++other) {
      const uint64_t hash = 100 + static_cast<uint64_t>(round) * 3 + static_cast<uint64_t>(other);
      sketch.Add(hash, "n", "light", 1);
    }
  }
  uint64_t total = 0;
  const SpaceSaving::Counter* heavy = nullptr;
  for (const SpaceSaving::Counter& counter : sketch.counters()) {
    total += counter.entry.count;
    if (counter.entry.key == "heavy") heavy = &counter;
  }
  EXPECT_EQ(sketch.counters().size(), 10u);
  EXPECT_EQ(total, 4000u);  // every hit is in some counter
  ASSERT_NE(heavy, nullptr);
  EXPECT_GE(heavy->entry.count, 1000u);
  EXPECT_LE(heavy->entry.count - heavy->entry.error, 1000u);
  EXPECT_LE(sketch.Least(), 400u);  // at most one in ten of all
}

TEST(SpaceSavingTest, WhoeverTakesAPlaceBeginsWhereTheLastOneStood) {
  SpaceSaving sketch(1);
  sketch.Add(1, "n", "a", 5);
  sketch.Add(2, "n", "b", 1);
  ASSERT_EQ(sketch.counters().size(), 1u);
  EXPECT_EQ(sketch.counters()[0].entry.key, "b");
  EXPECT_EQ(sketch.counters()[0].entry.count, 6u);
  EXPECT_EQ(sketch.counters()[0].entry.error, 5u);
}

// Keys of very different numbers of hits, in a mixed order, over sketches that are all too small.
TEST(TopSumTest, TheHitsLieBetweenTheCountLessItsErrorAndTheCount) {
  constexpr size_t kSketches = 3;
  std::vector<SpaceSaving> sketches(kSketches, SpaceSaving(8));
  std::map<std::string, uint64_t> hits;
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const auto number = static_cast<uint64_t>(40 / (1 + random() % 40) + random() % 3);
    const std::string key = std::to_string(number);
    // Some keys come to one sketch only.
    const size_t sketch = number % 2 == 0 ? number % kSketches : random() % kSketches;
    sketches[sketch].Add(number, "n", key, 1);
    ++hits[key];
  }
  TopSum sum;
  for (const SpaceSaving& sketch : sketches) sum.Add(sketch);
  const std::vector<TopEntry> entries = sum.Largest(100);
  EXPECT_GT(entries.size(), 8u);
  size_t wrong = 0;
  for (const TopEntry& entry : entries) {
    EXPECT_GE(entry.count, hits[entry.key]) << entry.key;
    EXPECT_LE(entry.count - entry.error, hits[entry.key]) << entry.key;
    wrong += entry.count != hits[entry.key] ? 1 : 0;
  }
  EXPECT_GT(wrong, 0u) << "the sketches were large enough";
}

TEST(TopSumTest, AKeyMayHaveBeenInAFullSketchThatDoesNotHaveIt) {
  SpaceSaving full(1);
  for (int i = 0; i < 5; ++i) full.Add(1, "n", "a", 1);
  full.Add(2, "n", "b", 1);
  SpaceSaving other(2);
  for (int i = 0; i < 3; ++i) other.Add(1, "n", "a", 1);
  TopSum sum;
  sum.Add(full);
  sum.Add(other);
  const std::vector<TopEntry> entries = sum.Largest(2);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, "a");
  EXPECT_EQ(entries[0].count, 9u);  // of 8
  EXPECT_EQ(entries[0].error, 6u);
  EXPECT_EQ(entries[1].count, 6u);  // `other` has room, so b was not there
  EXPECT_EQ(entries[1].error, 5u);
}

TEST(TopKeysTest, CountsFewHitsExactly) {
  TopKeys keys(8);
  keys.Tick(1);
  for (int i = 0; i < 7; ++i) keys.Add("n", "a", i >= 3);
  for (int i = 0; i < 5; ++i) keys.Add("n", "b", false);
  const auto hit = Top(keys, TopKeys::Kind::kHit);
  ASSERT_EQ(hit.size(), 2u);
  EXPECT_EQ(hit[0].key, "a");
  EXPECT_EQ(hit[0].count, 7u);
  EXPECT_EQ(hit[1].count, 5u);
  const auto denied = Top(keys, TopKeys::Kind::kDenied);
  ASSERT_EQ(denied.size(), 1u);
  EXPECT_EQ(denied[0].count, 4u);
}

TEST(TopKeysTest, TellsNamesAndKeysApart) {
  TopKeys keys(8);
  keys.Add("a", "bc", false);
  keys.Add("ab", "c", false);
  keys.Add("a", std::string(1000, 'x') + "1", false);
  keys.Add("a", std::string(1000, 'x') + "2", false);
  const auto hit = Top(keys, TopKeys::Kind::kHit);
  ASSERT_EQ(hit.size(), 4u);
  EXPECT_EQ(hit[3].key.size(), 1u);
  EXPECT_EQ(hit[1].key, std::string(TopKeys::kShownBytes, 'x'));
}

TEST(TopKeysTest, EstimatesManyHitsFromSomeOfThem) {
  TopKeys keys(64);
  constexpr int kRounds = 1'000'000;
  for (int i = 0; i < kRounds; ++i) {
    keys.Add("n", i % 2 == 0 ? "half" : "other" + std::to_string(i % 1000), i % 4 == 0);
  }
  const auto hit = Top(keys, TopKeys::Kind::kHit);
  EXPECT_EQ(hit[0].key, "half");
  EXPECT_NEAR(static_cast<double>(hit[0].count), kRounds / 2.0, kRounds * 0.05);
  const auto denied = Top(keys, TopKeys::Kind::kDenied);
  EXPECT_EQ(denied[0].key, "half");
  EXPECT_NEAR(static_cast<double>(denied[0].count), kRounds / 4.0, kRounds * 0.05);
}

TEST(TopKeysTest, TheErrorContainsWhatWasPassedOver) {
  TopKeys keys(4096);  // room for all
  std::map<std::string, uint64_t> hits;
  std::mt19937 random(7);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string key = i % 2 == 0 ? "half" : std::to_string(random() % 100'000);
    keys.Add("n", key, false);
    ++hits[key];
  }
  const auto entries = Top(keys, TopKeys::Kind::kHit, 10'000);
  EXPECT_GT(entries.size(), 100u);
  for (const TopEntry& entry : entries) {
    ASSERT_LE(entry.error, entry.count) << entry.key;
    EXPECT_LE(entry.count - entry.error, hits[entry.key]) << entry.key;
  }
  EXPECT_EQ(entries[0].key, "half");
  EXPECT_LT(static_cast<double>(entries[0].error), 0.25 * static_cast<double>(entries[0].count));
}

TEST(TopKeysTest, ForgetsAfterAMinute) {
  TopKeys keys(8);
  int64_t now_ms = 5;
  keys.Tick(now_ms);
  keys.Add("n", "old", false);
  const int64_t seen_until_ms = now_ms + TopKeys::kGenerationMs * (TopKeys::kGenerations - 1);
  for (; now_ms <= seen_until_ms; now_ms += 1000) {
    keys.Tick(now_ms);
    EXPECT_EQ(Top(keys, TopKeys::Kind::kHit).size(), 1u) << now_ms;
  }
  keys.Tick(5 + TopKeys::kGenerationMs * TopKeys::kGenerations);
  EXPECT_TRUE(Top(keys, TopKeys::Kind::kHit).empty());
  keys.Add("n", "new", false);
  keys.Tick(now_ms + 1'000'000'000);
  EXPECT_TRUE(Top(keys, TopKeys::Kind::kHit).empty());
}

TEST(TopKeysTest, IsOffWithoutCounters) {
  TopKeys keys(0);
  keys.Tick(1);
  for (int i = 0; i < 100; ++i) keys.Add("n", "k", true);
  EXPECT_TRUE(Top(keys, TopKeys::Kind::kHit).empty());
}

TEST(TopKeysTest, AddsThreadsUpAndKeepsTheLargest) {
  TopKeys one(8);
  TopKeys two(8);
  for (int i = 0; i < 3; ++i) one.Add("n", "a", false);
  for (int i = 0; i < 2; ++i) two.Add("n", "a", false);
  for (int i = 0; i < 4; ++i) two.Add("n", "b", false);
  TopSum sum;
  one.AddTo(TopKeys::Kind::kHit, &sum);
  two.AddTo(TopKeys::Kind::kHit, &sum);
  const auto top = sum.Largest(1);
  ASSERT_EQ(top.size(), 1u);
  EXPECT_EQ(top[0].key, "a");
  EXPECT_EQ(top[0].count, 5u);
}

}  // namespace
}  // namespace gub
