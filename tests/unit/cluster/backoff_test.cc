#include "cluster/backoff.h"

#include <gtest/gtest.h>

#include <set>

namespace gub {

namespace {

TEST(BackoffTest, WaitsBetweenItsBoundsAndLongerWithEachFailure) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Backoff backoff(100, 1000, seed);
    for (const int64_t ceiling_ms : {200, 400, 800, 1000, 1000, 1000}) {
      const int64_t pause_ms = backoff.NextMs();
      EXPECT_GE(pause_ms, 100);
      EXPECT_LE(pause_ms, ceiling_ms);
    }
    backoff.Reset();
    EXPECT_LE(backoff.NextMs(), 200);
  }
}

TEST(BackoffTest, DoesNotWaitInStepWithOthers) {
  std::set<int64_t> pauses_ms;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Backoff backoff(1000, 10'000, seed);
    pauses_ms.insert(backoff.NextMs());
  }
  EXPECT_GT(pauses_ms.size(), 10u);
}

}  // namespace
}  // namespace gub
