// Buckets that somebody lends from: nobody else changes them, and they stay.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kPeriodMs = 1000;

class LeasedBucketTest : public ::testing::TestWithParam<Algorithm> {
 protected:
  Request Of(std::string_view key, int64_t hits) const {
    return {.name = "n",
            .key = key,
            .hits = hits,
            .limit = 10,
            .period = Period::Ms(kPeriodMs),
            .algorithm = GetParam()};
  }
  Store::Outcome Hit(std::string_view key, int64_t hits, int64_t now_ms = kNowMs) {
    return store_.Decide(Of(key, hits), now_ms, &decision_);
  }
  Store::Outcome Lend(std::string_view key, int64_t hits, int64_t now_ms = kNowMs) {
    return store_.Decide(Of(key, hits), now_ms, &decision_, {.lends = true});
  }
  void End(std::string_view key) { store_.EndLease("n", key, GetParam()); }
  int64_t Remaining(std::string_view key, int64_t now_ms = kNowMs) {
    EXPECT_EQ(Hit(key, 0, now_ms), Store::Outcome::kDecided);
    return decision_.remaining;
  }
  // As many hits on other keys as it takes to fill the store several times over.
  void Flood(int64_t now_ms = kNowMs) {
    for (int i = 0; i < 200; ++i) Hit("flood" + std::to_string(i), 1, now_ms);
  }

  Store store_{{.max_keys = 20}};
  Decision decision_;
};

TEST_P(LeasedBucketTest, IsChangedByNobodyElseUntilTheLeaseEnds) {
  ASSERT_EQ(Hit("k", 3), Store::Outcome::kDecided);
  ASSERT_EQ(Lend("k", 1), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 6);
  const Decision before = decision_;
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kLeased);
  EXPECT_EQ(Hit("k", 0), Store::Outcome::kLeased);
  EXPECT_EQ(Hit("k", -1), Store::Outcome::kLeased);
  EXPECT_EQ(decision_, before) << "nothing was decided";
  ASSERT_EQ(Lend("k", 1), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 5);
  End("k");
  EXPECT_EQ(Remaining("k"), 5);
}

TEST_P(LeasedBucketTest, IsThereAlsoWhenNothingIsUsed) {
  ASSERT_EQ(Lend("k", 0), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 10);
  EXPECT_EQ(store_.Size(), 1);
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kLeased);
  EXPECT_EQ(store_.LapsesAt("n", "k", GetParam(), kNowMs), std::nullopt);
  End("k");
  EXPECT_EQ(store_.Size(), 0);
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kDecided);
}

TEST_P(LeasedBucketTest, IsEmptyAgainWhenAllWasGivenBack) {
  ASSERT_EQ(Lend("k", 4), Store::Outcome::kDecided);
  ASSERT_EQ(Lend("k", -4), Store::Outcome::kDecided);
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kLeased);
  ASSERT_EQ(Lend("k", 3), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 7);
  End("k");
  EXPECT_EQ(Remaining("k"), 7);
}

TEST_P(LeasedBucketTest, SurvivesAFullStoreAndItsOwnEndUntilTheLeaseEnds) {
  ASSERT_EQ(Lend("k", 5), Store::Outcome::kDecided);
  Flood();
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kLeased);
  const int64_t later_ms = kNowMs + 3 * kPeriodMs;
  while (store_.Sweep(later_ms, store_.epoch(), 1'000'000)) {
  }
  EXPECT_EQ(store_.Size(), 1) << "all others have lapsed";
  Flood(later_ms);
  EXPECT_EQ(Hit("k", 1, later_ms), Store::Outcome::kLeased);
  EXPECT_EQ(Lend("k", 1, later_ms), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 9) << "its window, or its use, is over all the same";
  End("k");
  while (store_.Sweep(later_ms + 3 * kPeriodMs, store_.epoch(), 1'000'000)) {
  }
  EXPECT_EQ(store_.Size(), 0) << "it lapses like others now";
}

TEST_P(LeasedBucketTest, AreRefusedWhenTheStoreIsFullOfThem) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(Lend("k" + std::to_string(i), 1), Store::Outcome::kDecided) << i;
  }
  EXPECT_EQ(Lend("one more", 1), Store::Outcome::kFull);
  EXPECT_EQ(Hit("one more", 1), Store::Outcome::kFull);
  EXPECT_EQ(store_.counts().evicted_live_keys, 0u);
  End("k7");
  EXPECT_EQ(Hit("one more", 1), Store::Outcome::kDecided);
  EXPECT_EQ(store_.counts().evicted_live_keys, 1u);
}

TEST_P(LeasedBucketTest, StaysFlaggedWhenItIsReset) {
  ASSERT_EQ(Lend("k", 5), Store::Outcome::kDecided);
  EXPECT_EQ(store_.Reset("n", "k"), 1);
  EXPECT_EQ(store_.Reset("n", "k"), 0);
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kLeased);
  ASSERT_EQ(Lend("k", 1), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 9);
}

TEST_P(LeasedBucketTest, StaysFlaggedWhenAllBucketsAreForgotten) {
  ASSERT_EQ(Lend("k", 5), Store::Outcome::kDecided);
  ASSERT_EQ(Hit("other", 5), Store::Outcome::kDecided);
  store_.Clear();
  EXPECT_EQ(store_.Size(), 1);
  EXPECT_EQ(Remaining("other"), 10);
  EXPECT_EQ(Hit("k", 1), Store::Outcome::kLeased);
  ASSERT_EQ(Lend("k", 0), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 10);
  End("k");
  store_.Clear();
  EXPECT_EQ(store_.Size(), 0);
}

// Of what a block held before, no flag may be left.
TEST_P(LeasedBucketTest, LeavesNothingBehindForWhoTakesItsPlace) {
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(Lend("k" + std::to_string(i), 1), Store::Outcome::kDecided);
  for (int i = 0; i < 20; ++i) End("k" + std::to_string(i));
  EXPECT_EQ(store_.Reset("n", "k3"), 1);
  EXPECT_EQ(Hit("new", 1), Store::Outcome::kDecided);
  EXPECT_EQ(Hit("new", 1), Store::Outcome::kDecided);
  EXPECT_EQ(decision_.remaining, 8);
}

INSTANTIATE_TEST_SUITE_P(Both, LeasedBucketTest,
                         ::testing::Values(Algorithm::kToken, Algorithm::kLeaky),
                         [](const auto& info) {
                           return info.param == Algorithm::kToken ? "Token" : "Leaky";
                         });

}  // namespace
}  // namespace gub
