#include <gtest/gtest.h>

#include <string>

#include "store/store.h"

namespace gub {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

class ExpectedTest : public ::testing::Test {
 protected:
  static Request HitOf(const std::string& key) {
    return {.name = "n", .key = key, .limit = 10, .period = Period::Ms(60'000)};
  }
  // Whether it seems to be there.
  bool Expect(const std::string& key) {
    store_.PrefetchTable(HitOf(key), &expected_);
    store_.PrefetchBucket(&expected_);
    return expected_.number != BucketPool::kNone;
  }
  // What remains of 10.
  int64_t Hit(const std::string& key) {
    Decision decision;
    EXPECT_EQ(store_.Decide(HitOf(key), kNowMs, &decision), Store::Outcome::kDecided);
    return decision.remaining;
  }
  // The same of the bucket that was expected.
  int64_t HitExpected(const std::string& key) {
    Decision decision;
    EXPECT_EQ(store_.Decide(expected_, HitOf(key), kNowMs, &decision), Store::Outcome::kDecided);
    return decision.remaining;
  }

  Store store_{{.max_keys = 1000}};
  Store::Expected expected_;
};

TEST_F(ExpectedTest, LeadsToTheSameBucket) {
  EXPECT_EQ(Hit("a"), 9);
  EXPECT_TRUE(Expect("a"));
  EXPECT_EQ(HitExpected("a"), 8);
  EXPECT_EQ(Hit("a"), 7);
}

TEST_F(ExpectedTest, MakesABucketThatIsNotThere) {
  EXPECT_FALSE(Expect("new"));
  EXPECT_EQ(HitExpected("new"), 9);
  EXPECT_EQ(Hit("new"), 8);
}

TEST_F(ExpectedTest, IsOfALongKeyAndThenOfAShortOne) {
  const std::string long_key(3000, 'k');
  EXPECT_FALSE(Expect(long_key));
  EXPECT_EQ(HitExpected(long_key), 9);
  EXPECT_TRUE(Expect(long_key));
  EXPECT_FALSE(Expect("k"));
  EXPECT_EQ(HitExpected("k"), 9);
  EXPECT_EQ(Hit(long_key), 8);
  EXPECT_EQ(Hit("k"), 8);
}

TEST_F(ExpectedTest, FindsTheBucketsOfACrowdedTableInBothOfTheirPlaces) {
  for (int i = 0; i < 1000; ++i) Hit(std::to_string(i));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(Expect(std::to_string(i))) << i;
    EXPECT_EQ(HitExpected(std::to_string(i)), 8) << i;
  }
}

TEST_F(ExpectedTest, IsNotABucketThatWasFreedMeanwhile) {
  Hit("a");
  EXPECT_TRUE(Expect("a"));
  EXPECT_EQ(store_.Reset("n", "a"), 1);
  EXPECT_EQ(HitExpected("a"), 9);
  EXPECT_EQ(store_.Size(), 1);
  EXPECT_EQ(Hit("a"), 8);
}

TEST_F(ExpectedTest, IsNotABucketThatIsAnothersMeanwhile) {
  Hit("a");
  EXPECT_TRUE(Expect("a"));
  store_.Reset("n", "a");
  for (int i = 0; i < 100; ++i) Hit("other" + std::to_string(i));
  EXPECT_EQ(HitExpected("a"), 9);
  EXPECT_EQ(Hit("a"), 8);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Hit("other" + std::to_string(i)), 8);
}

TEST_F(ExpectedTest, IsNoneOfTheBucketsOfAStoreThatWasCleared) {
  Hit("a");
  EXPECT_TRUE(Expect("a"));
  store_.Clear();
  EXPECT_EQ(HitExpected("a"), 9);
  EXPECT_EQ(store_.Size(), 1);
}

}  // namespace
}  // namespace gub
