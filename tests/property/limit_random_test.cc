// Random sequences of requests on one bucket, checked step by step against exact fractions.
//
// A run prints its seed; GUB_SEED=n repeats it. A failing sequence prints the seed that makes it
// the first of a run, and its steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

#include "tests/property/seed.h"
#include "tests/property/twin.h"

namespace gub {
namespace {

constexpr uint64_t kSequences = 6'000;  // of each algorithm
constexpr size_t kSteps = 30;           // of each sequence
constexpr int64_t kT0Ms = 1'700'000'000'000;

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  uint64_t Below(uint64_t sides) { return random_() % sides; }
  bool OneIn(uint64_t sides) { return Below(sides) == 0; }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }

  template <typename T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Below(values.size())];
  }

  // From 0 on, each number of bits as likely as another.
  int64_t AnySize() { return static_cast<int64_t>(random_() >> (1 + Below(63))); }

  // From 0 on, rather where something may go wrong.
  int64_t Edge() {
    const auto near_max = kInt64Max - Between(0, 3);
    const auto near_power = (int64_t{1} << Between(0, 62)) + Between(-1, 1);
    return Pick<int64_t>({0, 1, near_max, near_max, near_power, AnySize()});
  }

  int64_t SignedEdge() {
    const int64_t edge = Edge();
    return Pick<int64_t>({edge, -edge, -edge - 1, kInt64Min + Between(0, 3)});
  }

 private:
  std::mt19937_64 random_;
};

// Whether a sequence is of a toy, of a limiter as people use them, or of int64's ends.
enum class Scale { kSmall, kUsual, kHuge };

// Draws the requests of one sequence. Most steps keep the limit, burst and period of the one
// before, so that buckets fill up, and are made to land on the edges of the last answer.
class RequestDealer {
 public:
  RequestDealer(Algorithm algorithm, uint64_t seed)
      : dice_(seed), scale_(dice_.Pick({Scale::kSmall, Scale::kUsual, Scale::kHuge})) {
    request_.algorithm = algorithm;
    request_.limit = NewLimit();
    request_.burst = NewBurst();
    request_.period = NewPeriod();
    last_.now_ms = NewStartMs();
    last_.remaining = request_.BucketSize();
    last_.reset_ms = last_.now_ms;
  }

  std::pair<Request, int64_t> Next() {
    if (dice_.OneIn(12)) request_.limit = NewLimit();
    if (dice_.OneIn(12)) request_.burst = NewBurst();
    if (dice_.OneIn(12)) request_.period = NewPeriod();
    request_.behavior = NewBehavior();
    request_.hits = NewHits();
    return {request_, NewNowMs()};
  }

  void Heard(const Decision& decision) { last_ = decision; }

 private:
  int64_t NewLimit() {
    if (dice_.OneIn(15)) return 0;
    if (scale_ == Scale::kSmall) return dice_.Between(1, 8);
    if (scale_ == Scale::kUsual) return dice_.Pick<int64_t>({1, 7, 10, 57, 100, 2000, 999'983});
    return dice_.Edge();
  }

  int64_t NewBurst() {
    if (!dice_.OneIn(3)) return Request::kBurstIsLimit;
    if (scale_ == Scale::kHuge) return dice_.Edge();
    return dice_.Pick<int64_t>({0, 1, 3, request_.limit * 2, dice_.Between(0, 500)});
  }

  Period NewPeriod() {
    if (dice_.OneIn(4)) return Period::Calendar(static_cast<CalendarUnit>(dice_.Between(0, 5)));
    if (scale_ == Scale::kSmall) return Period::Ms(dice_.Between(1, 12));
    if (scale_ == Scale::kUsual) {
      return Period::Ms(dice_.Pick<int64_t>({5, 777, 1000, 13'000, 60'000, 3'600'000}));
    }
    const int64_t near_max = Period::kMaxMs - dice_.Between(0, 3);
    return Period::Ms(std::clamp<int64_t>(dice_.Pick({near_max, dice_.AnySize()}), 1, near_max));
  }

  int64_t NewStartMs() {
    if (scale_ != Scale::kHuge) return dice_.Pick<int64_t>({kT0Ms, kT0Ms + 999, 0, -5});
    return dice_.Pick<int64_t>({kT0Ms, dice_.SignedEdge()});
  }

  // DRAIN and RESET now and then; the other behaviors decide nothing.
  uint32_t NewBehavior() {
    uint32_t behavior = dice_.Pick<uint32_t>({kBatching, kNoBatching, kGlobal, kMultiRegion});
    if (request_.period.IsCalendar()) behavior |= kDurationIsGregorian;
    if (dice_.OneIn(5)) behavior |= kDrainOverLimit;
    if (dice_.OneIn(40)) behavior |= kResetRemaining;
    return behavior;
  }

  int64_t NewHits() {
    const int64_t size = request_.BucketSize();
    if (dice_.OneIn(6)) return 0;
    if (scale_ == Scale::kHuge && dice_.OneIn(4)) return dice_.SignedEdge();
    if (dice_.OneIn(3)) return dice_.Between(1, 3);
    const int64_t near = dice_.Pick<int64_t>({last_.remaining, size, size / 2});
    const int64_t hits = SaturatingAdd(near, dice_.Between(-1, 1));
    return dice_.OneIn(6) ? -hits : hits;
  }

  // The length of the present period, roughly.
  int64_t PeriodMs() const { return request_.period.IsCalendar() ? 60'000 : request_.period.ms(); }

  int64_t NewNowMs() {
    const int64_t one_hit_ms = PeriodMs() / std::max<int64_t>(1, request_.limit);
    const int64_t step_ms =
        dice_.Pick<int64_t>({0, 0, 1, dice_.Between(0, 10), one_hit_ms, one_hit_ms + 1,
                             dice_.Between(0, PeriodMs()), PeriodMs() + dice_.Between(-1, 1)});
    const int64_t edge_ms = dice_.Pick<int64_t>(
        {last_.reset_ms, SaturatingAdd(last_.now_ms, std::max<int64_t>(0, last_.retry_after_ms))});
    if (scale_ == Scale::kHuge && dice_.OneIn(15)) return dice_.SignedEdge();
    if (dice_.OneIn(12)) return SaturatingAdd(last_.now_ms, -step_ms);
    if (dice_.OneIn(3)) return SaturatingAdd(edge_ms, dice_.Between(-1, 1));
    return SaturatingAdd(last_.now_ms, step_ms);
  }

  Dice dice_;
  Scale scale_;
  Request request_;
  Decision last_;
};

// Stops at the first step that fails and shows how it came to it.
template <typename Model>
void RunSequence(Algorithm algorithm, uint64_t seed) {
  RequestDealer dealer(algorithm, seed);
  Twin<Model> twin;
  std::vector<std::pair<Request, int64_t>> steps;
  while (steps.size() < kSteps && !::testing::Test::HasFailure()) {
    steps.push_back(dealer.Next());
    const auto& [request, now_ms] = steps.back();
    dealer.Heard(twin.Hit(request, now_ms));
  }
  if (!::testing::Test::HasFailure()) return;
  std::cout << "GUB_SEED=" << seed << " starts with the sequence that fails:\n";
  for (const auto& [request, now_ms] : steps) {
    std::cout << "  @" << now_ms << ' ' << ::testing::PrintToString(request) << '\n';
  }
}

template <typename Model>
void RunSequences(Algorithm algorithm) {
  const uint64_t seed = RunSeed();
  for (uint64_t i = 0; i < kSequences && !::testing::Test::HasFailure(); ++i) {
    RunSequence<Model>(algorithm, seed + i);
  }
}

TEST(LimitRandomTest, TheTokenBucketDecidesAsExactIntegersDo) {
  RunSequences<ExactToken>(Algorithm::kToken);
}

TEST(LimitRandomTest, TheLeakyBucketDecidesAsExactFractionsDo) {
  RunSequences<ExactLeaky>(Algorithm::kLeaky);
}

}  // namespace
}  // namespace gub
