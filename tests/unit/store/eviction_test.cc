// Which live bucket gives way when the store is full.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "store/store.h"

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kLimit = 100;

class EvictionTest : public ::testing::Test {
 protected:
  Decision Leaky(const std::string& key, int64_t hits, int64_t now_ms) {
    Decision decision;
    const Request request = {.name = "n",
                             .key = key,
                             .hits = hits,
                             .limit = kLimit,
                             .period = Period::Ms(kHourMs),
                             .algorithm = Algorithm::kLeaky};
    EXPECT_EQ(store_.Decide(request, now_ms, &decision), Store::Outcome::kDecided);
    return decision;
  }
  // How many of the keys have no bucket (any more).
  int Gone(const std::string& prefix, int keys, int64_t now_ms) {
    int gone = 0;
    for (int i = 0; i < keys; ++i) {
      gone += Leaky(prefix + std::to_string(i), 0, now_ms).remaining == kLimit ? 1 : 0;
    }
    return gone;
  }

  Store store_{{.max_keys = 1000}};
};

// The wheel was told of their first hits only, by which they would be the first to lapse.
TEST_F(EvictionTest, LeakyBucketsThatWereExhaustedHitByHitAreNotTheNearestToTheirReset) {
  constexpr int kExhausted = 500;
  for (int i = 0; i < kExhausted; ++i) {
    for (int hit = 0; hit < kLimit; ++hit) Leaky("exhausted" + std::to_string(i), 1, kNowMs);
  }
  for (int i = 0; i < 500; ++i) Leaky("one" + std::to_string(i), 1, kNowMs + 5000);
  for (int i = 0; i < 400; ++i) Leaky("new" + std::to_string(i), 1, kNowMs + 6000);
  EXPECT_EQ(store_.counts().evicted_live_keys, 400u);
  EXPECT_EQ(Gone("exhausted", kExhausted, kNowMs + 6000), 0);
  EXPECT_EQ(Gone("one", 500, kNowMs + 6000), 400);
}

TEST_F(EvictionTest, WhenAllAreExhaustedOneOfThemGivesWay) {
  for (int i = 0; i < 1000; ++i) {
    for (int hit = 0; hit < kLimit; ++hit) Leaky("exhausted" + std::to_string(i), 1, kNowMs);
  }
  Leaky("new", kLimit, kNowMs);
  EXPECT_EQ(store_.counts().evicted_live_keys, 1u);
  EXPECT_EQ(Gone("exhausted", 1000, kNowMs), 1);
}

}  // namespace
}  // namespace gub
