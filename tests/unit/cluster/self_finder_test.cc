#include "cluster/self_finder.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gub {
namespace {

// A node bound to 127.0.0.1:7379. Nobody answers for names.
class SelfFinderTest : public ::testing::Test {
 protected:
  ~SelfFinderTest() override {
    finder_.reset();
    loop_.CloseMailbox();
    loop_.Run();
  }
  void Learn(const std::vector<Member>& members) {
    finder_->Learn(members, [this] { ++learned_; });
  }

  Loop loop_;
  int learned_ = 0;
  int more_ = 0;
  std::unique_ptr<SelfFinder> finder_ = std::make_unique<SelfFinder>(
      &loop_, OwnEndpoint{{"127.0.0.1"}, 7379}, "127.0.0.1:1", [this] { ++more_; });
};

TEST_F(SelfFinderTest, AddressesNeedNoAnswer) {
  Learn({{"127.0.0.1:7379", 1}, {"10.0.0.1:7379", 1}, {"gub.invalid:7380", 1}});
  EXPECT_EQ(learned_, 1);
  EXPECT_TRUE(finder_->IsSelf("127.0.0.1:7379"));
  EXPECT_FALSE(finder_->IsSelf("10.0.0.1:7379"));
}

TEST_F(SelfFinderTest, AListWaitsForTheNamesInIt) {
  finder_->Learn({{"localhost:7379", 1}}, [this] {
    ++learned_;
    loop_.Soon([this] {
      finder_.reset();
      loop_.CloseMailbox();
    });
    EXPECT_TRUE(finder_->IsSelf("localhost:7379"));
  });
  EXPECT_EQ(learned_, 0);
  loop_.Run();
  EXPECT_EQ(learned_, 1);
}

// One connection may be led astray.
TEST_F(SelfFinderTest, AnAddressIsItsOwnWhenItHasGreetedItselfThereSeveralTimes) {
  const std::string address = "gub.example.org:80";
  for (int i = 1; i < SelfFinder::kFoundTimes; ++i) finder_->Found(address);
  EXPECT_FALSE(finder_->IsSelf(address));
  finder_->FoundOther(address);
  for (int i = 1; i < SelfFinder::kFoundTimes; ++i) finder_->Found(address);
  EXPECT_FALSE(finder_->IsSelf(address));
  EXPECT_EQ(more_, 0);
  finder_->Found(address);
  EXPECT_TRUE(finder_->IsSelf(address));
  EXPECT_EQ(more_, 1);
  finder_->FoundOther(address);
  EXPECT_FALSE(finder_->IsSelf(address));
  EXPECT_EQ(more_, 2);
}

TEST_F(SelfFinderTest, WhatIsNoMemberAnyMoreIsForgotten) {
  const std::string address = "gub.example.org:80";
  for (int i = 0; i < SelfFinder::kFoundTimes; ++i) finder_->Found(address);
  Learn({{address, 1}});
  EXPECT_TRUE(finder_->IsSelf(address));
  Learn({{"127.0.0.1:7379", 1}});
  EXPECT_FALSE(finder_->IsSelf(address));
}

}  // namespace
}  // namespace gub
