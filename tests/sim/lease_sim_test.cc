// Leases by chance: thousands of short lives of 2 to 20 nodes, each replayed by its seed. After
// each run the guarantees of GLOBAL by leases hold, in the words of the tests' names; and with a
// rule switched off they do not, which shows that the runs would find it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "tests/property/seed.h"
#include "tests/sim/lease_sim.h"
#include "tests/support/sanitized.h"

namespace gub {
namespace {

constexpr int64_t kSecondUs = 1'000'000;

// What chance may do beside sending hits.
struct Trouble {
  bool network = true;  // loss, doubles, delay, overtaking, cuts
  bool refunds = true;
  bool resets = true;   // RESET_REMAINING, GUB.RESET, DRAIN_OVER_LIMIT
  bool changes = true;  // another limit, duration or burst
  bool deaths = true;   // of holders
  bool leaves = true;   // SIGTERM
  bool tables = true;   // another owner, a dead owner
  bool short_windows = true;
  bool leaky = true;
  bool very_late = true;  // frames may be a second late
  bool slow = false;      // every other frame is late, windows are short
};

LeasePlan RandomPlan(World* dice, const Trouble& trouble, const LeaseRules& rules) {
  constexpr int64_t kLimits[] = {1, 2, 3, 5, 10, 30, 100, 1000, 100'000};
  constexpr int64_t kPeriodsMs[] = {150, 400, 1000, 5000};
  LeasePlan plan;
  plan.rules = rules;
  plan.nodes = dice->Below(4) == 0 ? 2 + static_cast<int>(dice->Below(19))
                                   : 2 + static_cast<int>(dice->Below(5));
  plan.request.limit = kLimits[dice->Below(std::size(kLimits))];
  if (trouble.short_windows && dice->Below(3) > 0) {
    plan.request.period = Period::Ms(kPeriodsMs[dice->Below(std::size(kPeriodsMs))]);
  } else if (trouble.short_windows && dice->Below(4) == 0) {
    plan.request.period = Period::Calendar(static_cast<CalendarUnit>(dice->Below(6)));
  }
  if (trouble.leaky && dice->Below(2) == 0) {
    plan.request.algorithm = Algorithm::kLeaky;
    if (dice->Below(2) == 0) {
      plan.request.burst =
          1 + static_cast<int64_t>(dice->Below(static_cast<size_t>(2 * plan.request.limit)));
    }
  }
  if (trouble.network && dice->Below(4) > 0) {
    plan.lost = dice->Below(2) == 0 ? 0 : 5 + dice->Below(60);
    plan.doubled = dice->Below(2) == 0 ? 0 : 3 + dice->Below(30);
    plan.late = dice->Below(2) == 0 ? 0 : 3 + dice->Below(30);
    plan.latest_us = dice->Below(2) == 0 && trouble.very_late ? 1'000'000 : 60'000;
  }
  if (trouble.slow) {
    plan.request.period = Period::Ms(kPeriodsMs[dice->Below(2)]);
    plan.lost = plan.doubled = 0;
    plan.late = 2;
    plan.latest_us = 200'000;
  }
  if (dice->Below(10) == 0) plan.max_leases = static_cast<int64_t>(dice->Below(4));
  return plan;
}

class RandomRun {
 public:
  RandomRun(uint64_t seed, const Trouble& trouble, const LeaseRules& rules)
      : dice_(seed, {}), trouble_(trouble), sim_(seed, RandomPlan(&dice_, trouble, rules)) {
    hot_ = dice_.Below(3) == 0;
    bursty_ = dice_.Below(3) == 0;
    request_ = sim_.plan().request;
    // Twice the limit in each window.
    const int64_t period_ms = request_.period.IsCalendar() ? 60'000 : request_.period.ms();
    const int64_t windows = std::max<int64_t>(1, 1500 / period_ms);
    unit_ = std::max<int64_t>(1, request_.BucketSize() * 4 * windows / kHits);
  }

  LeaseSim& sim() { return sim_; }

  void Play() {
    World& world = sim_.world();
    const int64_t us = kSecondUs + static_cast<int64_t>(dice_.Below(kSecondUs));
    for (int i = 0; i < kHits; ++i) {
      // Bursts: all hits of a tenth of the time at once.
      int64_t at_us = static_cast<int64_t>(dice_.Below(static_cast<size_t>(us)));
      if (bursty_) at_us = at_us / (us / 10) * (us / 10) + static_cast<int64_t>(dice_.Below(500));
      world.After(at_us, [this] { Client(); });
    }
    for (size_t i = dice_.Below(8); i > 0; --i) {
      world.After(static_cast<int64_t>(dice_.Below(static_cast<size_t>(us))),
                  [this] { Disturb(); });
    }
    sim_.Run(us);
  }

  // Nothing is sent any more, and what was sent arrives.
  void Quiesce() {
    sim_.Heal();
    sim_.Run(3 * kSecondUs);
  }

  // Without deaths and resets an account in which nothing is lost, once all is quiet.
  bool IsExact() {
    return Told() == std::pair(Left(), Left()) && sim_.node(sim_.owner_place()).OwnHeld(0) == 0;
  }

  int64_t Left() {
    return std::max<int64_t>(0, request_.limit - static_cast<int64_t>(sim_.ledger().used()));
  }
  // The least and the most that any node says is left; one that does not answer says -1.
  std::pair<int64_t, int64_t> Told() {
    std::pair<int64_t, int64_t> told = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < sim_.plan().nodes; ++i) {
      Request peek = request_;
      peek.hits = 0;
      const uint64_t token = sim_.Hit(i, peek);
      sim_.Run(10'000);
      const auto answer = sim_.answers().find(token);
      const bool has_answer = answer != sim_.answers().end();
      const int64_t left = has_answer ? answer->second.decision.remaining : -1;
      told = {std::min(told.first, left), std::max(told.second, left)};
    }
    return told;
  }

 private:
  static constexpr int kHits = 250;

  int Place() {
    const auto nodes = static_cast<size_t>(sim_.plan().nodes);
    if (hot_ && dice_.Below(10) > 0) return static_cast<int>(nodes) - 1;
    return static_cast<int>(dice_.Below(nodes));
  }
  void Client() {
    Request request = request_;
    request.hits = dice_.Below(20) == 0
                       ? 0
                       : 1 + static_cast<int64_t>(dice_.Below(static_cast<size_t>(unit_)));
    if (trouble_.refunds && dice_.Below(40) == 0) request.hits = -request.hits;
    if (trouble_.resets && dice_.Below(100) == 0) request.behavior |= kResetRemaining;
    if (trouble_.resets && dice_.Below(30) == 0) request.behavior |= kDrainOverLimit;
    if (trouble_.changes && dice_.Below(60) == 0) request.limit = 1 + request.limit / 2;
    sim_.Hit(Place(), request);
  }
  void Disturb() {
    const auto nodes = static_cast<size_t>(sim_.plan().nodes);
    const auto any = static_cast<int>(dice_.Below(nodes));
    const auto us = static_cast<int64_t>(dice_.Below(600'000));
    const bool is_owner = any == sim_.owner_place();
    switch (dice_.Below(6)) {
      case 0:
        if (trouble_.network) sim_.Cut(any, static_cast<int>(dice_.Below(nodes)), us);
        return;
      case 1:
        if (is_owner ? trouble_.tables : trouble_.deaths) sim_.Restart(any);
        return;
      case 2:
        if (!is_owner && trouble_.leaves) sim_.Terminate(any);
        return;
      case 3:
        if (trouble_.tables) sim_.MoveTo(any);
        return;
      case 4:
        if (trouble_.resets) sim_.ResetByCommand();
        return;
      default:
        if (trouble_.changes) Change();
    }
  }
  void Change() {
    if (dice_.Below(2) == 0) request_.limit = 1 + request_.limit * 2 / 3;
    if (dice_.Below(3) == 0)
      request_.period = Period::Ms(200 + 100 * static_cast<int64_t>(dice_.Below(20)));
    if (request_.algorithm == Algorithm::kLeaky && dice_.Below(3) == 0) {
      request_.burst = 1 + request_.BucketSize() / 2;
    }
  }

  World dice_;
  const Trouble trouble_;
  LeaseSim sim_;
  Request request_;
  int64_t unit_;
  bool hot_;
  bool bursty_;
};

uint64_t Runs(uint64_t runs) { return kSanitized ? runs / 10 : runs; }

// Non-degraded answers, owners alive: within a window no more is admitted than its limit. Always,
// whatever is lost, doubled or late, whichever non-owners die; and also of each life of an owner
// where owners die and move.
TEST(LeaseSimTest, NoMoreIsAdmittedInAWindowThanItsLimit) {
  const uint64_t first = RunSeed();
  for (uint64_t seed = first; seed < first + Runs(4000); ++seed) {
    SCOPED_TRACE("repeat with GUB_SEED=" + std::to_string(seed));
    RandomRun run(seed, {}, {});
    run.Play();
    run.sim().Heal();
    run.sim().Run(400'000);
    ASSERT_EQ(run.sim().violations(), 0);
    ASSERT_EQ(run.sim().waiting(), 0u) << "hits without an answer";
    ASSERT_LE(run.sim().longest_wait_us(), 215'000) << "a hit that waited too long";
    ASSERT_EQ(run.sim().bad_frames(), 0);
  }
}

constexpr Trouble kNothingIsLost = {.refunds = true,
                                    .resets = false,
                                    .changes = false,
                                    .deaths = false,
                                    .tables = false,
                                    .short_windows = false,
                                    .leaky = false,
                                    .very_late = false};

// A lost, doubled or late frame costs nothing for good; a node that leaves takes nothing with it;
// and all nodes tell the same.
//
// But for one thing (lease_holder.h): what a late ask is lent after its node has forgotten the key,
// and hears nothing of, stays charged until the window ends. About one run of 35 000 was. Then
// too, no node ever tells more than there is.
TEST(LeaseSimTest, WhenAllIsQuietNothingIsLostAndAllNodesTellTheSame) {
  const uint64_t first = RunSeed();
  int inexact = 0;
  for (uint64_t seed = first; seed < first + Runs(1500); ++seed) {
    SCOPED_TRACE("repeat with GUB_SEED=" + std::to_string(seed));
    RandomRun run(seed, kNothingIsLost, {});
    run.Play();
    run.Quiesce();
    ASSERT_EQ(run.sim().violations(), 0);
    const auto [least, most] = run.Told();
    ASSERT_GE(least, 0);
    ASSERT_LE(most, run.Left());
    if (run.IsExact()) continue;
    std::cout << "inexact with GUB_SEED=" << seed << "\n";
    ASSERT_LE(++inexact, 1);
  }
}

// Whether one of many runs without deaths breaks a guarantee when a rule is switched off.
bool IsBroken(const LeaseRules& rules, const Trouble& trouble, bool exactly) {
  const uint64_t first = RunSeed();
  for (uint64_t seed = first; seed < first + 10'000; ++seed) {
    RandomRun run(seed, trouble, rules);
    run.Play();
    if (exactly) run.Quiesce();
    if (run.sim().violations() > 0 || (exactly && !run.IsExact())) {
      std::cout << "found after " << seed - first + 1 << " runs\n";
      return true;
    }
  }
  return false;
}
constexpr Trouble kDeathFree = {.deaths = false, .tables = false};
constexpr Trouble kSlow = {.refunds = false,
                           .resets = false,
                           .changes = false,
                           .deaths = false,
                           .leaves = false,
                           .tables = false,
                           .leaky = false,
                           .slow = true};

TEST(LeaseSimTest, WithoutCountersTooMuchIsAdmitted) {
  EXPECT_TRUE(IsBroken({.totals = false}, kDeathFree, false));
}
TEST(LeaseSimTest, WhenALeaseIsTimedFromItsAnswerTooMuchIsAdmitted) {
  EXPECT_TRUE(IsBroken({.ends_at_request = false}, kSlow, false));
}
TEST(LeaseSimTest, WhenSilenceGivesBackTooMuchIsAdmitted) {
  EXPECT_TRUE(IsBroken({.silence_keeps = false}, kDeathFree, false));
}
TEST(LeaseSimTest, WhenAReplacedLeaseIsNotChargedTooMuchIsAdmitted) {
  EXPECT_TRUE(IsBroken({.replaced_charged = false}, kDeathFree, false));
}
TEST(LeaseSimTest, WithoutGenerationsTooMuchIsAdmitted) {
  EXPECT_TRUE(IsBroken({.generations = false}, kDeathFree, false));
}
TEST(LeaseSimTest, WhenAnAskedHitIsSpentByTheOwnerHitsAreLost) {
  EXPECT_TRUE(IsBroken({.asked_is_lent = false}, kNothingIsLost, true));
}
TEST(LeaseSimTest, WhenRefillFillsTheHoleALeakyBucketAdmitsTooMuch) {
  EXPECT_TRUE(IsBroken({.hole_stays = false}, kDeathFree, false));
}

}  // namespace
}  // namespace gub
