// The contract's examples on the store: table, shards and locks below, no server above.

#include <gtest/gtest.h>

#include "limit/calendar.h"
#include "store/store.h"
#include "tests/support/printers.h"
#include "tests/support/vectors.h"

namespace gub {

namespace {

// Whether lapsed buckets are freed before every step: a lapsed or full bucket and none are the
// same.
class StoreVectorsTest : public ::testing::TestWithParam<bool> {};

TEST_P(StoreVectorsTest, EveryLineOfEveryFileHolds) {
  constexpr int64_t kNoBudget = int64_t{1} << 60;
  Store store({.max_keys = 100});
  for (const VectorCase& vector_case : LoadVectors()) {
    store.Clear();
    for (const VectorStep& step : vector_case.steps) {
      SCOPED_TRACE(vector_case.file + ":" + std::to_string(step.line) + ": case " +
                   vector_case.name + "\n" + step.text);
      Request request;
      ASSERT_EQ(ToRequest(step, &request), !step.is_error);
      if (step.is_error) continue;
      if (GetParam()) store.Sweep(step.now_ms, store.epoch(), kNoBudget);
      Decision decision;
      ASSERT_EQ(store.Decide(request, step.now_ms, &decision), Store::Outcome::kDecided);
      decision.now_ms = 0;  // the vectors do not speak of it
      EXPECT_EQ(decision, step.want);
    }
  }
  EXPECT_GT(store.counts().expired_keys, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sweeping, StoreVectorsTest, ::testing::Bool());

}  // namespace
}  // namespace gub
