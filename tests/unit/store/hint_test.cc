#include <gtest/gtest.h>

#include <string>

#include "store/store.h"

namespace gub {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

class HintTest : public ::testing::Test {
 protected:
  Store::Hint HintOf(const std::string& key) {
    Store::Hint hint = store_.PrefetchTable("n", key, Algorithm::kToken);
    store_.PrefetchBucket(&hint);
    return hint;
  }
  // What remains of 10.
  int64_t Hit(const std::string& key, const Store::Hint& hint = {}) {
    const Request request = {.name = "n", .key = key, .limit = 10, .period = Period::Ms(60'000)};
    Decision decision;
    EXPECT_EQ(store_.Decide(request, kNowMs, &decision, {.hint = hint}), Store::Outcome::kDecided);
    return decision.remaining;
  }

  Store store_{{.max_keys = 1000}};
};

TEST_F(HintTest, AHintLeadsToTheSameBucket) {
  EXPECT_EQ(Hit("a"), 9);
  const Store::Hint hint = HintOf("a");
  EXPECT_NE(hint.hash, 0u);
  EXPECT_NE(hint.number, BucketPool::kNone);
  EXPECT_EQ(Hit("a", hint), 8);
  EXPECT_EQ(Hit("a"), 7);
}

TEST_F(HintTest, OfABucketThatIsNotThereOnlyTheHashIsKnown) {
  const Store::Hint hint = HintOf("new");
  EXPECT_EQ(hint.number, BucketPool::kNone);
  EXPECT_EQ(Hit("new", hint), 9);
  EXPECT_EQ(Hit("new"), 8);
}

TEST_F(HintTest, ABucketThatWasFreedMeanwhileIsNotUsed) {
  Hit("a");
  const Store::Hint hint = HintOf("a");
  EXPECT_EQ(store_.Reset("n", "a"), 1);
  EXPECT_EQ(Hit("a", hint), 9);
  EXPECT_EQ(store_.Size(), 1);
  EXPECT_EQ(Hit("a"), 8);
}

TEST_F(HintTest, ABucketThatIsAnothersMeanwhileIsNotUsed) {
  Hit("a");
  const Store::Hint hint = HintOf("a");
  store_.Reset("n", "a");
  for (int i = 0; i < 100; ++i) Hit("other" + std::to_string(i));
  EXPECT_EQ(Hit("a", hint), 9);
  EXPECT_EQ(Hit("a"), 8);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Hit("other" + std::to_string(i)), 8);
}

TEST_F(HintTest, AStoreThatWasClearedHasNoneOfTheOldBuckets) {
  Hit("a");
  const Store::Hint hint = HintOf("a");
  store_.Clear();
  EXPECT_EQ(Hit("a", hint), 9);
  EXPECT_EQ(store_.Size(), 1);
}

}  // namespace
}  // namespace gub
