// The mark, "denied at zero", which both algorithms remember alike: only a peek tells of it.

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "limit/leaky.h"
#include "limit/token.h"
#include "tests/unit/limit/bucket.h"

namespace gub {
namespace {

// A bucket of 2 that is full and has denied a hit.
template <typename State>
class MarkTest : public ::testing::Test {
 protected:
  MarkTest() {
    bucket_.Hit(2);
    bucket_.Hit();
  }

  LimitStatus PeekAtLimit(int64_t limit) {
    bucket_.request.limit = limit;
    return bucket_.Peek().status;
  }

  Bucket<State> bucket_{2, 1000};
};

using States = ::testing::Types<TokenState, LeakyState>;

struct StateNames {
  template <typename State>
  static std::string GetName(int) {
    return std::is_same_v<State, TokenState> ? "Token" : "Leaky";
  }
};

TYPED_TEST_SUITE(MarkTest, States, StateNames);

TYPED_TEST(MarkTest, APeekSaysOverAfterAHitWasDeniedAtZero) {
  EXPECT_EQ(this->PeekAtLimit(2), LimitStatus::kOver);
}

TYPED_TEST(MarkTest, APeekSaysUnderAtZeroWhenNothingWasDenied) {
  Bucket<TypeParam> bucket(2, 1000);
  bucket.Hit(2);
  EXPECT_EQ(bucket.Peek(), Under(0, 1000));
}

TYPED_TEST(MarkTest, APeekSaysUnderWhileSomethingRemainsAndClearsNothing) {
  EXPECT_EQ(this->PeekAtLimit(3), LimitStatus::kUnder);
  EXPECT_EQ(this->PeekAtLimit(2), LimitStatus::kOver);
}

TYPED_TEST(MarkTest, ADeniedHitThatFindsSomethingClearsIt) {
  this->bucket_.request.limit = 3;
  EXPECT_EQ(this->bucket_.Hit(2).status, LimitStatus::kOver);
  EXPECT_EQ(this->PeekAtLimit(2), LimitStatus::kUnder);
}

TYPED_TEST(MarkTest, ADeniedHitThatDrainsClearsItForItFoundSomething) {
  this->bucket_.request.limit = 3;
  EXPECT_EQ(this->bucket_.HitAndDrain(2).remaining, 0);
  EXPECT_EQ(this->PeekAtLimit(3), LimitStatus::kUnder);
}

TYPED_TEST(MarkTest, ADeniedHitThatDrainsAtZeroKeepsIt) {
  this->bucket_.HitAndDrain(2);
  EXPECT_EQ(this->PeekAtLimit(2), LimitStatus::kOver);
}

TYPED_TEST(MarkTest, AnAdmittedHitClearsIt) {
  this->bucket_.request.limit = 3;
  EXPECT_EQ(this->bucket_.Hit().status, LimitStatus::kUnder);
  EXPECT_EQ(this->PeekAtLimit(3), LimitStatus::kUnder);
}

TYPED_TEST(MarkTest, ARefundThatLeavesSomethingClearsIt) {
  EXPECT_EQ(this->bucket_.Refund(1).remaining, 1);
  EXPECT_EQ(this->PeekAtLimit(1), LimitStatus::kUnder);
}

TYPED_TEST(MarkTest, ARefundThatLeavesNothingKeepsItButIsNotDenied) {
  this->bucket_.request.limit = 1;
  EXPECT_EQ(this->bucket_.Refund(1).status, LimitStatus::kUnder);
  EXPECT_EQ(this->PeekAtLimit(1), LimitStatus::kOver);
}

TYPED_TEST(MarkTest, IsGoneWithTheBucket) {
  this->bucket_.Advance(1000);
  EXPECT_EQ(this->PeekAtLimit(0), LimitStatus::kUnder);
  this->bucket_.request.limit = 2;
  this->bucket_.Hit(2);
  EXPECT_EQ(this->PeekAtLimit(2), LimitStatus::kUnder);
}

TEST(LeakyMarkTest, APeekSaysUnderOnceAWholeHitHasDrained) {
  Bucket<LeakyState> bucket(2, 1000);
  bucket.Hit(2);
  bucket.Hit();
  bucket.Advance(499);
  EXPECT_EQ(bucket.Peek(), At(499, Over(0, 1000, 0)));
  bucket.Advance(1);
  EXPECT_EQ(bucket.Peek(), At(500, Under(1, 1000)));
}

}  // namespace
}  // namespace gub
