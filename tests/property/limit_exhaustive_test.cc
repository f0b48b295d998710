// Every sequence of up to five small requests on one bucket, checked against exact fractions.
//
// The sequences are far too many to run one after the other, but they lead to few different
// buckets. So each depth takes every bucket that the depth before has reached for the first time
// and tries every request on it. Buckets count as the same when they differ only by a shift in
// time, which nothing but calendars could tell apart.

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/property/twin.h"

namespace gub {
namespace {

constexpr int kDepth = 5;
constexpr int64_t kMaxLimit = 4;
constexpr int64_t kMaxPeriodMs = 4;
constexpr int64_t kMaxHits = 5;
constexpr int64_t kWaitsMs[] = {-1, 0, 1, 2, 3, 5};  // -1: a clock that runs back

// A bucket without its place in time.
using Shape = std::tuple<int64_t, int64_t, int64_t, int64_t, bool>;

Shape ShapeOf(const TokenState& state) {
  return {state.used, state.open_ms - state.last_ms, state.end_ms - state.last_ms,
          state.period.ms(), state.marked};
}

Shape ShapeOf(const LeakyState& state) {
  return {static_cast<int64_t>(state.used_units), state.limit, state.duration_ms, 0, state.marked};
}

// Every small request; DRAIN says something for positive hits only, a burst for the leaky bucket.
std::vector<Request> SmallRequests(Algorithm algorithm) {
  std::vector<Request> requests;
  Request request;
  request.algorithm = algorithm;
  for (const int64_t burst : {Request::kBurstIsLimit, int64_t{3}}) {
    request.burst = burst;
    for (request.limit = 0; request.limit <= kMaxLimit; ++request.limit) {
      for (int64_t ms = 1; ms <= kMaxPeriodMs; ++ms) {
        request.period = Period::Ms(ms);
        for (request.hits = -kMaxHits; request.hits <= kMaxHits; ++request.hits) {
          request.behavior = kBatching;
          requests.push_back(request);
          request.behavior = kDrainOverLimit;
          if (request.hits > 0) requests.push_back(request);
        }
      }
    }
    if (algorithm == Algorithm::kToken) break;
  }
  return requests;
}

template <typename Model>
class Explorer {
 public:
  explicit Explorer(Algorithm algorithm) : requests_(SmallRequests(algorithm)) {}

  void Run() {
    std::vector<Reached> frontier(1);
    for (int depth = 0; depth < kDepth && !frontier.empty(); ++depth) {
      frontier = Expand(frontier);
      if (::testing::Test::HasFailure()) return;
    }
    std::cout << steps_ << " steps on " << seen_.size() << " buckets\n";
  }

 private:
  struct Reached {
    Twin<Model> twin;
    int64_t now_ms = 0;
  };

  std::vector<Reached> Expand(const std::vector<Reached>& frontier) {
    std::vector<Reached> next;
    for (const Reached& from : frontier) {
      for (const Request& request : requests_) {
        for (const int64_t wait_ms : kWaitsMs) {
          Step(from, request, from.now_ms + wait_ms, &next);
          if (::testing::Test::HasFailure()) return {};
        }
      }
    }
    return next;
  }

  void Step(const Reached& from, const Request& request, int64_t now_ms,
            std::vector<Reached>* next) {
    ++steps_;
    Twin<Model> twin = from.twin;
    const Decision decision = twin.Hit(request, now_ms);
    if (::testing::Test::HasFailure()) {
      std::cout << "@" << now_ms << ' ' << ::testing::PrintToString(request) << "\n  on "
                << ::testing::PrintToString(from.twin.state()) << '\n';
    }
    if (twin.state().has_value() && seen_.insert(ShapeOf(*twin.state())).second) {
      next->push_back({std::move(twin), decision.now_ms});
    }
  }

  const std::vector<Request> requests_;
  int64_t steps_ = 0;
  std::set<Shape> seen_;
};

TEST(LimitExhaustiveTest, EverySmallTokenSequenceDecidesAsExactIntegersDo) {
  Explorer<ExactToken>(Algorithm::kToken).Run();
}

TEST(LimitExhaustiveTest, EverySmallLeakySequenceDecidesAsExactFractionsDo) {
  Explorer<ExactLeaky>(Algorithm::kLeaky).Run();
}

}  // namespace
}  // namespace gub
