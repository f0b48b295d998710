#include "command/decide.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/printers.h"

namespace gub {
namespace {

Config SmallConfig() {
  Config config;
  config.max_keys = 1;
  config.eviction = "refuse";
  return config;
}

// A worker of a node that is in no cluster, as a front without RESP has one.
class DecideTest : public testing::Test {
 protected:
  Decided Ask(std::string_view key, int64_t hits, int64_t limit) {
    std::optional<Decided> answer;
    Decide(&worker_, {.name = "n", .key = key, .hits = hits, .limit = limit},
           [&answer](const Decided& decided) { answer = decided; });
    EXPECT_TRUE(answer.has_value()) << "nothing has to be waited for";
    return answer.value_or(Decided{});
  }
  uint64_t Count(Counter counter) const { return node_.counters.Sum(counter); }

  Node node_{SmallConfig(), Calendar(), 1};
  CommandContext::Worker worker_{&node_, &node_.counters.ForThread(0), &node_.errors.ForThread(0),
                                 ConfigView(node_.config), 1'700'000'000'000};
};

TEST_F(DecideTest, AnswersBeforeItReturnsWhatThisNodeOwns) {
  node_.address = "127.0.0.1:7379";
  const Decided first = Ask("k", 3, 3);
  EXPECT_EQ(first.error, "");
  EXPECT_EQ(first.decision.status, LimitStatus::kUnder);
  EXPECT_EQ(first.decision.remaining, 0);
  EXPECT_EQ(first.owner, "127.0.0.1:7379");
  EXPECT_FALSE(first.degraded);
  EXPECT_EQ(Ask("k", 1, 3).decision.status, LimitStatus::kOver);
  EXPECT_EQ(Count(Counter::kTokenAdmitted), 1u);
  EXPECT_EQ(Count(Counter::kTokenDenied), 1u);
}

TEST_F(DecideTest, SaysInItsErrorThatTheTableIsFull) {
  EXPECT_EQ(Ask("k", 1, 3).error, "");
  EXPECT_EQ(Ask("another", 1, 3).error, "OOM the table is full of live buckets");
  EXPECT_EQ(Count(Counter::kRequestErrors), 1u);
  EXPECT_EQ(Count(Counter::kErrorReplies), 0u) << "the front counts what it sends";
  EXPECT_EQ(Ask("k", 0, 3).decision.remaining, 2);
}

TEST_F(DecideTest, TouchesAKeyThatIsWatchedUnlessItOnlyLooks) {
  node_.watch.AddWatcher();
  const KeyWatch::Mark mark = node_.watch.Look("k");
  Ask("k", 0, 3);
  EXPECT_TRUE(node_.watch.IsUntouched(mark));
  Ask("k", 1, 3);
  EXPECT_FALSE(node_.watch.IsUntouched(mark));
}

}  // namespace
}  // namespace gub
