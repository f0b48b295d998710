#include "cluster/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gub {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kGraceMs = 30'000;

// A node "a:1" whose source and links the test plays.
class MembershipTest : public ::testing::Test {
 protected:
  // The members as "b:1", or "b:1*3" where the weight is not 1. Whether the list has changed.
  bool List(const std::string& text) {
    return Keep(membership_.Listed(*ParseMembers(text, 0), now_mono_ms_));
  }
  bool Trouble() { return Keep(membership_.Listed({}, now_mono_ms_)); }
  bool Leaves(const std::string& address) {
    return Keep(membership_.MemberLeaves(address, now_mono_ms_));
  }
  bool Advance(int64_t ms) {
    now_mono_ms_ += ms;
    return Keep(membership_.Look(now_mono_ms_));
  }
  bool Keep(const Membership::Verdict& verdict) {
    verdict_ = verdict;
    return verdict.changed;
  }

  std::vector<std::string> Members() const {
    std::vector<std::string> words;
    for (const Member& member : membership_.members()) {
      words.push_back(member.address +
                      (member.weight == 1 ? "" : "*" + std::to_string(member.weight)));
    }
    return words;
  }

  std::set<std::string> answering_;
  std::set<std::string> untried_;
  std::vector<std::string> tried_;
  std::set<std::string> other_names_of_self_;
  int64_t now_mono_ms_ = 1'000'000;
  Membership::Verdict verdict_;
  Membership membership_{{"a:1", 2},
                         kGraceMs,
                         {[this](const std::string& a) { return other_names_of_self_.contains(a); },
                          [this](const std::string& a) {
                            if (untried_.contains(a)) return LinkState::kUnknown;
                            return answering_.contains(a) ? LinkState::kAnswers
                                                          : LinkState::kSilent;
                          },
                          [this](const std::string& a) { tried_.push_back(a); }}};
};

TEST_F(MembershipTest, IsTheNodeAloneBeforeTheFirstList) {
  EXPECT_THAT(Members(), ElementsAre("a:1*2"));
  EXPECT_FALSE(Trouble());
  EXPECT_THAT(Members(), ElementsAre("a:1*2"));
}

TEST_F(MembershipTest, TakesAnAdditionAtOnce) {
  EXPECT_TRUE(List("a:1*2 b:1"));
  EXPECT_TRUE(List("a:1*2 b:1 c:1*4"));
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1", "c:1*4"));
  EXPECT_EQ(verdict_.look_again_mono_ms, std::nullopt);
}

TEST_F(MembershipTest, TakesAnotherWeightAtOnce) {
  List("a:1 b:1");
  EXPECT_TRUE(List("a:1 b:1*7"));
  EXPECT_THAT(Members(), ElementsAre("a:1", "b:1*7"));
}

TEST_F(MembershipTest, DoesNothingWhenTheSameListComesAgain) {
  List("a:1 b:1 c:1");
  EXPECT_FALSE(List("c:1 b:1 a:1"));
  EXPECT_FALSE(List("a:1 b:1 c:1"));
}

TEST_F(MembershipTest, TakesTheLargerOfTwoWeightsInWhateverOrder) {
  membership_.Listed({{"b:1", 3}, {"b:1", 5}}, now_mono_ms_);
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1*5"));
  EXPECT_FALSE(Keep(membership_.Listed({{"b:1", 5}, {"b:1", 3}}, now_mono_ms_)));
}

TEST_F(MembershipTest, KeepsTheLastGoodListThroughTrouble) {
  List("a:1 b:1");
  EXPECT_FALSE(Trouble());
  EXPECT_FALSE(Advance(100 * kGraceMs));
  EXPECT_THAT(Members(), ElementsAre("a:1", "b:1"));
}

TEST_F(MembershipTest, KeepsADroppedMemberForTheGraceWhileItsLinkAnswers) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  EXPECT_FALSE(List("a:1"));
  EXPECT_EQ(verdict_.look_again_mono_ms, now_mono_ms_ + Membership::kLookMs);
  EXPECT_FALSE(Advance(kGraceMs - 1));
  EXPECT_EQ(verdict_.look_again_mono_ms, now_mono_ms_ + 1);
  EXPECT_TRUE(Advance(1));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
  EXPECT_EQ(verdict_.look_again_mono_ms, std::nullopt);
}

TEST_F(MembershipTest, CountsTheGraceFromTheFirstListWithoutTheMember) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  List("a:1");
  now_mono_ms_ += kGraceMs / 2;
  EXPECT_FALSE(List("a:1"));
  EXPECT_TRUE(Advance(kGraceMs / 2));
}

TEST_F(MembershipTest, EndsTheGraceThroughTroubleToo) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  List("a:1");
  now_mono_ms_ += kGraceMs;
  EXPECT_TRUE(Trouble());
}

TEST_F(MembershipTest, RemovesADroppedMemberAtOnceWhenItsLinkDoesNotAnswer) {
  List("a:1 b:1");
  EXPECT_TRUE(List("a:1"));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, TriesADroppedMemberThatItHasNoLinkTo) {
  List("a:1 b:1 c:1");
  untried_ = {"b:1", "c:1"};
  EXPECT_FALSE(List("a:1"));
  EXPECT_THAT(tried_, ElementsAre("b:1", "c:1"));
  EXPECT_EQ(verdict_.look_again_mono_ms, now_mono_ms_ + Membership::kTryMs);
  untried_ = {};
  answering_ = {"b:1"};
  EXPECT_TRUE(Advance(Membership::kTryMs));
  EXPECT_THAT(Members(), ElementsAre("a:1", "b:1"));
  EXPECT_TRUE(Advance(kGraceMs));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, LeavesToTheOthersUnlessItIsAlone) {
  List("a:1 b:1");
  EXPECT_TRUE(Keep(membership_.Leave(now_mono_ms_)));
  EXPECT_THAT(Members(), ElementsAre("b:1"));
  answering_ = {};
  EXPECT_TRUE(List("a:1"));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, RemovesADroppedMemberOnceItsLinkNoLongerAnswers) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  List("a:1");
  answering_ = {};
  EXPECT_TRUE(Advance(Membership::kLookMs));
}

TEST_F(MembershipTest, RemovesAMemberThatSaidItLeavesOnceItIsDropped) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  EXPECT_FALSE(Leaves("b:1"));
  EXPECT_FALSE(List("a:1 b:1"));
  EXPECT_TRUE(List("a:1"));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, RemovesADroppedMemberOnceItSaysThatItLeaves) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  List("a:1");
  EXPECT_TRUE(Leaves("b:1"));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, BelievesForTheGraceOnlyThatAMemberLeaves) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  Leaves("b:1");
  Advance(kGraceMs);
  EXPECT_FALSE(List("a:1"));
}

TEST_F(MembershipTest, TakesAMemberBackThatHadLeft) {
  List("a:1 b:1");
  Leaves("b:1");
  List("a:1");
  EXPECT_TRUE(List("a:1 b:1"));
  answering_ = {"b:1"};
  EXPECT_FALSE(List("a:1")) << "what it said before it came back no longer counts";
}

TEST_F(MembershipTest, DoesNotFlapWithAMemberWhoseLinkAnswers) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(List("a:1"));
    EXPECT_FALSE(Advance(kGraceMs - 1));
    EXPECT_FALSE(List("a:1 b:1"));
  }
}

TEST_F(MembershipTest, DoesNotFlapWithAMemberWhoseLinkDoesNotAnswer) {
  List("a:1 b:1");
  EXPECT_TRUE(List("a:1"));
  EXPECT_TRUE(List("a:1 b:1"));
  int changes = 0;
  for (int i = 0; i < 9; ++i) {
    now_mono_ms_ += kGraceMs / 10;
    if (List(i % 2 == 0 ? "a:1" : "a:1 b:1")) ++changes;
  }
  EXPECT_EQ(changes, 0);
  EXPECT_THAT(Members(), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(verdict_.look_again_mono_ms, now_mono_ms_ + kGraceMs / 10);
  EXPECT_TRUE(Advance(kGraceMs / 10));
  EXPECT_THAT(Members(), ElementsAre("a:1"));
}

TEST_F(MembershipTest, KeepsTheNodeItselfThatIsNotListed) {
  EXPECT_TRUE(List("b:1"));
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1"));
  EXPECT_FALSE(Advance(2 * kGraceMs));
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1"));
}

TEST_F(MembershipTest, KeepsTheNodeItselfThatIsDropped) {
  List("a:1*2 b:1");
  EXPECT_FALSE(List("b:1"));
  EXPECT_FALSE(Advance(2 * kGraceMs));
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1"));
}

TEST_F(MembershipTest, TakesTheListedWeightOfTheNodeItselfAsOthersDo) {
  EXPECT_TRUE(List("a:1*5 b:1"));
  EXPECT_THAT(Members(), ElementsAre("a:1*5", "b:1"));
}

TEST_F(MembershipTest, NamesTheNodeItselfAsTheSourceDoes) {
  other_names_of_self_ = {"node-a:1"};
  EXPECT_TRUE(List("b:1 node-a:1"));
  EXPECT_THAT(Members(), ElementsAre("b:1", "node-a:1"));
}

TEST_F(MembershipTest, LearnsLaterThatAListedNameIsTheNodeItself) {
  List("b:1 node-a:1");
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1", "node-a:1"));
  other_names_of_self_ = {"node-a:1"};
  EXPECT_TRUE(Advance(0));
  EXPECT_THAT(Members(), ElementsAre("b:1", "node-a:1"));
}

TEST_F(MembershipTest, GivesUpAnotherNameOfItselfAfterTheGraceAsOthersDo) {
  other_names_of_self_ = {"node-a:1"};
  List("b:1 node-a:1");
  EXPECT_FALSE(List("b:1"));
  EXPECT_TRUE(Advance(kGraceMs));
  EXPECT_THAT(Members(), ElementsAre("a:1*2", "b:1"));
}

TEST_F(MembershipTest, TakesAnotherGraceFromTheNextCallOn) {
  List("a:1 b:1");
  answering_ = {"b:1"};
  List("a:1");
  membership_.set_leave_grace_ms(10);
  EXPECT_TRUE(Advance(10));
}

TEST_F(MembershipTest, ForgetsWhatAStrangerSays) {
  List("a:1 b:1");
  EXPECT_FALSE(Leaves("c:1"));
  List("a:1 b:1 c:1");
  answering_ = {"c:1"};
  EXPECT_FALSE(List("a:1 b:1"));
}

}  // namespace
}  // namespace gub
