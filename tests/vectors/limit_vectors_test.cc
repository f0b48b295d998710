// The contract's examples on the algorithms alone: no table, no server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "limit/calendar.h"
#include "limit/leaky.h"
#include "limit/token.h"
#include "tests/support/printers.h"
#include "tests/support/vectors.h"

namespace gub {

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;

// Buckets by (name, key); the two algorithms do not share.
class PlainStore {
 public:
  Decision Hit(const Request& request, int64_t now_ms) {
    const Id id(request.name, request.key);
    return request.algorithm == Algorithm::kToken
               ? ApplyToken(request, calendar_, now_ms, &token_[id])
               : ApplyLeaky(request, calendar_, now_ms, &leaky_[id]);
  }

 private:
  using Id = std::pair<std::string, std::string>;
  Calendar calendar_;
  std::map<Id, std::optional<TokenState>> token_;
  std::map<Id, std::optional<LeakyState>> leaky_;
};

// What the vectors say of a decision: all but the time at which it was made.
Decision Spoken(Decision decision) {
  decision.now_ms = 0;
  return decision;
}

void Check(const VectorCase& vector_case, const VectorStep& step, PlainStore* store) {
  SCOPED_TRACE(vector_case.file + ":" + std::to_string(step.line) + ": case " + vector_case.name +
               "\n" + step.text);
  Request request;
  const bool accepted = ToRequest(step, &request);
  EXPECT_EQ(accepted, !step.is_error);
  if (accepted) {
    EXPECT_EQ(Spoken(store->Hit(request, step.now_ms)), step.want);
  }
}

class VectorsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(VectorsTest, EveryLineOfTheFileHolds) {
  size_t steps = 0;
  for (const VectorCase& vector_case : LoadVectors()) {
    if (vector_case.file != GetParam()) continue;
    PlainStore store;
    for (const VectorStep& step : vector_case.steps) Check(vector_case, step, &store);
    steps += vector_case.steps.size();
  }
  EXPECT_GT(steps, 0u);
}

INSTANTIATE_TEST_SUITE_P(Files, VectorsTest,
                         ::testing::Values("gubernator.vec", "field.vec", "random.vec"),
                         [](const auto& file) {
                           const std::string name = file.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(VectorsTest, TheReaderLosesNoStepOfAnyFile) {
  size_t steps = 0;
  size_t errors = 0;
  const std::vector<VectorCase> cases = LoadVectors();
  for (const VectorCase& vector_case : cases) {
    steps += vector_case.steps.size();
    for (const VectorStep& step : vector_case.steps) errors += step.is_error ? 1 : 0;
  }
  EXPECT_EQ(cases.size(), 390u);
  EXPECT_EQ(steps, 4674u);
  EXPECT_EQ(errors, 3u);
}

TEST(VectorsTest, TheReaderKeepsEveryWordOfAStep) {
  const std::vector<VectorCase> cases = LoadVectors();
  EXPECT_THAT(cases, Contains(AllOf(Field(&VectorCase::name, "token-limit-0-after-a-refund"),
                                    Field(&VectorCase::file, "field.vec"))));
  for (const VectorCase& vector_case : cases) {
    if (vector_case.name != "token-limit-0-after-a-refund") continue;
    const VectorStep& step = vector_case.steps.at(2);
    EXPECT_EQ(std::tie(step.name, step.key, step.hits, step.limit, step.duration, step.algorithm),
              std::make_tuple("requests", "account:1", "1", "0", "60000", "token"));
    EXPECT_EQ(step.now_ms, kVectorT0Ms + 2);
    EXPECT_EQ(step.burst, "5");
    EXPECT_TRUE(step.drain);
    EXPECT_FALSE(step.reset);
    EXPECT_EQ(step.want, (Decision{.status = LimitStatus::kOver,
                                   .remaining = 5,
                                   .reset_ms = kVectorT0Ms + 60000,
                                   .retry_after_ms = -1}));
  }
}

TEST(VectorsTest, AStepOutsideTheContractIsNoRequest) {
  const VectorStep good = {.line = 1,
                           .text = "",
                           .now_ms = 0,
                           .name = "n",
                           .key = "k",
                           .hits = "1",
                           .limit = "2",
                           .duration = "month",
                           .algorithm = "leaky",
                           .burst = "3",
                           .want = {}};
  Request request;
  ASSERT_TRUE(ToRequest(good, &request));
  EXPECT_EQ(request.period, Period::Calendar(CalendarUnit::kMonth));
  EXPECT_EQ(request.algorithm, Algorithm::kLeaky);
  EXPECT_EQ(request.burst, 3);

  const std::pair<std::string VectorStep::*, const char*> bad_words[] = {
      {&VectorStep::hits, "one"},      {&VectorStep::hits, "9223372036854775808"},
      {&VectorStep::limit, "-1"},      {&VectorStep::burst, "-1"},
      {&VectorStep::duration, "0"},    {&VectorStep::duration, "3155760000001"},
      {&VectorStep::duration, "fort"}, {&VectorStep::algorithm, "sieve"}};
  for (const auto& [word, value] : bad_words) {
    VectorStep bad = good;
    bad.*word = value;
    EXPECT_FALSE(ToRequest(bad, &request)) << value;
  }
}

}  // namespace
}  // namespace gub
