// Leases on a good network: what clients see, and what share of a limit is admitted at which cost.
// (lease_sim_test.cc has the bad networks.)

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "tests/sim/lease_sim.h"
#include "tests/support/sanitized.h"

namespace gub {
namespace {

constexpr int64_t kSyncUs = 100'000;
constexpr int64_t kMinuteMs = 60'000;

LeasePlan Plan(int nodes, int64_t limit, int64_t period_ms = 3 * kMinuteMs) {
  LeasePlan plan;
  plan.nodes = nodes;
  plan.request.limit = limit;
  plan.request.period = Period::Ms(period_ms);
  return plan;
}

class Story {
 public:
  explicit Story(const LeasePlan& plan) : sim_(1, plan) { sim_.Run(1000); }

  LeaseSim& sim() { return sim_; }
  Decision Hit(int node, int64_t hits) {
    Request request = sim_.plan().request;
    request.hits = hits;
    return Hit(node, request);
  }
  Decision Hit(int node, const Request& request) {
    const uint64_t token = sim_.Hit(node, request);
    sim_.Run(40'000);
    const auto answer = sim_.answers().find(token);
    if (answer == sim_.answers().end() || answer->second.degraded) {
      ADD_FAILURE() << "no answer";
      return {};
    }
    return answer->second.decision;
  }
  void WaitTwoSyncs() { sim_.Run(2 * kSyncUs + 10'000); }

  void Expect(int node, int64_t hits, LimitStatus status, int64_t remaining) {
    const Decision decision = Hit(node, hits);
    EXPECT_EQ(decision.status, status) << "node " << node << ", " << hits << " hits";
    EXPECT_EQ(decision.remaining, remaining) << "node " << node << ", " << hits << " hits";
  }
  void ExpectAllPeek(int64_t remaining) {
    for (int i = 0; i < sim_.plan().nodes; ++i) Expect(i, 0, LimitStatus::kUnder, remaining);
  }

 private:
  LeaseSim sim_;
};

constexpr LimitStatus kUnder = LimitStatus::kUnder;
constexpr LimitStatus kOver = LimitStatus::kOver;

// Gubernator's TestGlobalRateLimits, and as good in any order of nodes.
TEST(LeaseStoryTest, HitsOnSeveralNodesCountTogetherAndResetStaysTheSame) {
  Story story(Plan(5, 5));
  const int64_t reset_ms = story.Hit(1, 1).reset_ms;
  EXPECT_EQ(story.Hit(1, 2).reset_ms, reset_ms);
  story.WaitTwoSyncs();
  story.Expect(0, 0, kUnder, 2);
  story.Expect(2, 0, kUnder, 2);
  story.Expect(3, 2, kUnder, 0);
  story.WaitTwoSyncs();
  story.Expect(4, 1, kOver, 0);
  EXPECT_EQ(story.Hit(4, 1).reset_ms, reset_ms);
}

TEST(LeaseStoryTest, HitsInTurnOnOwnerAndOtherAreDeniedAtTheLimit) {
  Story story(Plan(2, 2));
  story.Expect(0, 1, kUnder, 1);
  story.Expect(1, 1, kUnder, 0);
  for (int i = 0; i < 9; ++i) story.Expect(i % 2, 1, kOver, 0);
}

TEST(LeaseStoryTest, ANodeWhoseHitsWereDeniedAtZeroPeeksOver) {
  Story story(Plan(3, 2));
  story.Expect(1, 1, kUnder, 1);
  story.Expect(1, 1, kUnder, 0);
  story.Expect(1, 1, kOver, 0);
  story.WaitTwoSyncs();
  for (int node : {0, 1, 2}) story.Expect(node, 0, kOver, 0);
}

// Gubernator admits 50 on each node here.
TEST(LeaseStoryTest, LargeHitsOnAllNodesAreNotOverAdmitted) {
  LeasePlan plan = Plan(5, 100, 1000 * kMinuteMs);
  plan.request.algorithm = Algorithm::kLeaky;
  Story story(plan);
  int admitted = 0;
  for (int i = 1; i < 5; ++i) admitted += story.Hit(i, 50).status == kUnder ? 1 : 0;
  EXPECT_EQ(admitted, 2);
}

TEST(LeaseStoryTest, RefundsLiftWhatRemainsOnAllNodes) {
  Story story(Plan(4, 2));
  story.Expect(1, -1, kUnder, 3);
  story.WaitTwoSyncs();
  story.Expect(2, -1, kUnder, 4);
  story.WaitTwoSyncs();
  story.Expect(3, 4, kUnder, 0);
  story.WaitTwoSyncs();
  for (int i = 0; i < 4; ++i) story.Expect(i, 0, kUnder, 0);
}

TEST(LeaseStoryTest, HitsWhereverTheyAreSentAreSeenByAllWithinTwoSyncs) {
  for (const std::vector<int>& nodes : {std::vector{0}, {1}, {1, 2, 3, 4, 5}}) {
    Story story(Plan(6, 1000));
    for (int i = 0; i < 11; ++i) story.sim().Hit(nodes[static_cast<size_t>(i) % nodes.size()]);
    story.WaitTwoSyncs();
    story.ExpectAllPeek(989);
  }
}

TEST(LeaseStoryTest, AResetWithoutHitsReachesTheOwnerFromAnyNode) {
  Story story(Plan(3, 5));
  story.Expect(1, 5, kUnder, 0);
  Request reset = story.sim().plan().request;
  reset.hits = 0;
  reset.behavior = kResetRemaining;
  EXPECT_EQ(story.Hit(2, reset).remaining, 5);
  story.WaitTwoSyncs();
  story.ExpectAllPeek(5);
}

TEST(LeaseStoryTest, ARefundAtZeroReopensAllNodesWithinASync) {
  Story story(Plan(4, 3));
  story.Expect(1, 3, kUnder, 0);
  for (int i = 0; i < 4; ++i) story.Expect(i, 1, kOver, 0);
  story.Hit(2, -3);
  story.sim().Run(kSyncUs);
  for (int i : {3, 1, 2}) EXPECT_EQ(story.Hit(i, 1).status, kUnder) << i;
}

TEST(LeaseStoryTest, ARaisedLimitCountsAtOnceWhereItIsAskedAndWithinASyncElsewhere) {
  Story story(Plan(3, 2));
  story.Expect(1, 2, kUnder, 0);
  for (int i = 0; i < 3; ++i) story.Expect(i, 1, kOver, 0);
  Request raised = story.sim().plan().request;
  raised.limit = 10;
  EXPECT_EQ(story.Hit(2, raised).remaining, 7);
  story.sim().Run(kSyncUs);
  EXPECT_EQ(story.Hit(1, raised).remaining, 6);
}

TEST(LeaseStoryTest, WhatALeavingNodeHasSpentAndNotSpentIsKnownAfterwards) {
  Story story(Plan(3, 1000));
  for (int i = 0; i < 30; ++i) story.sim().Hit(1);
  story.sim().Run(20'000);
  ASSERT_GT(story.sim().node(0).OwnHeld(0), 0);
  story.sim().Terminate(1);
  story.sim().Run(20'000);
  EXPECT_EQ(story.sim().node(0).OwnHeld(0), 0);
  story.Expect(0, 0, kUnder, 970);
}

TEST(LeaseStoryTest, NodesThatDoNotUseAKeyHearNothingOfItAndAnIdleKeyIsSilent) {
  Story story(Plan(20, 1000));
  for (int i = 0; i < 500; ++i) story.sim().Hit(1);
  story.sim().Run(10 * kSyncUs);
  const int64_t frames = story.sim().frames();
  EXPECT_LT(frames, 30);
  story.sim().Run(20 * kSyncUs);
  EXPECT_EQ(story.sim().frames(), frames);
  EXPECT_EQ(story.sim().node(1).holders(), 0u);
  EXPECT_EQ(story.sim().node(0).leases(), 0);
}

TEST(LeaseStoryTest, WithoutRoomForLeasesHitsAreForwardedAndNoneIsLost) {
  LeasePlan plan = Plan(5, 100);
  plan.max_leases = 1;
  Story story(plan);
  for (int i = 0; i < 300; ++i) {
    story.sim().Hit(i % 5);
    story.sim().Run(5000);
    EXPECT_LE(story.sim().node(0).leases(), 1);
  }
  story.sim().Run(10 * kSyncUs);
  EXPECT_EQ(story.sim().ledger().admitted(), 100);
}

// --- figures

struct Load {
  int nodes;
  int64_t limit;
  bool hot = false;  // all on one non-owner
};

// Twice the limit in hits of 1, spread over 9.8 s; the share that was admitted.
double Admitted(const Load& load) {
  LeaseSim sim(7, Plan(load.nodes, load.limit));
  const int64_t us = 9'800'000;
  for (int64_t i = 0; i < 2 * load.limit; ++i) {
    const auto at_us = static_cast<int64_t>(sim.world().Below(static_cast<size_t>(us)));
    const int place =
        load.hot ? 1 : static_cast<int>(sim.world().Below(static_cast<size_t>(load.nodes)));
    sim.world().After(at_us, [&sim, place] { sim.Hit(place); });
  }
  sim.Run(us + 500'000);
  int64_t at_once = 0, remote = 0;
  for (const auto& [token, answer] : sim.answers()) at_once += answer.took_us == 0 ? 1 : 0;
  remote = static_cast<int64_t>(sim.answers().size());
  EXPECT_EQ(sim.violations(), 0);
  const double share =
      static_cast<double>(sim.ledger().admitted()) / static_cast<double>(load.limit);
  std::printf("%2d nodes, %s, limit %6ld: admitted %.4f, at once %5.1f %%, %6.1f frames/s\n",
              load.nodes, load.hot ? "one hot" : "even   ", static_cast<long>(load.limit), share,
              100.0 * static_cast<double>(at_once) / static_cast<double>(remote),
              static_cast<double>(sim.frames()) / 9.8);
  return share;
}

TEST(LeaseStoryTest, SmallLimitsAreAdmittedExactly) {
  for (int nodes : {2, 5, 20}) {
    for (int64_t limit : {1, 3, 5, 10, 100}) EXPECT_EQ(Admitted({nodes, limit}), 1.0);
  }
}

TEST(LeaseStoryTest, LargeLimitsAreAdmittedToNinetyNinePercent) {
  for (int nodes : {2, 5, 20}) {
    for (int64_t limit : {5000, 100'000}) {
      if (kSanitized && limit > 5000) continue;
      EXPECT_GE(Admitted({nodes, limit}), 0.99);
      EXPECT_GE(Admitted({nodes, limit, true}), 0.99);
    }
  }
}

}  // namespace
}  // namespace gub
