// GUB.TAKE and CL.THROTTLE: the replies that people know from Lua scripts and from redis-cell.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

// A line and the integers of its reply; a line without integers answers +OK.
struct Step {
  std::string line;
  std::vector<int64_t> want;
};

class TakeAndThrottleTest : public ::testing::Test {
 protected:
  TakeAndThrottleTest() { Check({{"GUB.DEBUG CLOCK SET 1700000000000", {}}}); }

  void Check(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      std::vector<RespReply> items;
      for (const int64_t value : step.want) items.push_back(RespReply::Integer(value));
      EXPECT_EQ(client_.RunLine(step.line),
                items.empty() ? RespReply::Status("OK") : RespReply::Array(items))
          << step.line;
    }
  }

  ServerProcess server_{{"--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
};

TEST_F(TakeAndThrottleTest, ThrottleAnswersRedisCellsExample) {
  Check({{"CL.THROTTLE user 15 30 60", {0, 16, 15, -1, 2}},
         {"cl.throttle user 15 30 60 1", {0, 16, 14, -1, 4}}});
}

TEST_F(TakeAndThrottleTest, ThrottleAnswersDragonflysVectorsWithRedisCellsRounding) {
  Check({{"CL.THROTTLE k 4 1 10 6", {1, 5, 5, -1, 0}},
         {"CL.THROTTLE k 4 1 10", {0, 5, 4, -1, 10}},
         {"CL.THROTTLE k 4 1 10", {0, 5, 3, -1, 20}},
         {"CL.THROTTLE k 4 1 10", {0, 5, 2, -1, 30}},
         {"CL.THROTTLE k 4 1 10", {0, 5, 1, -1, 40}},
         {"CL.THROTTLE k 4 1 10", {0, 5, 0, -1, 50}},
         {"CL.THROTTLE k 4 1 10", {1, 5, 0, 10, 50}},
         {"GUB.DEBUG CLOCK ADVANCE 30000", {}},
         {"CL.THROTTLE k 4 1 10", {0, 5, 2, -1, 30}},
         {"CL.THROTTLE k 4 1 10 5", {1, 5, 2, 30, 30}},
         {"CL.THROTTLE fast 4 500000 1 2", {0, 5, 3, -1, 1}}});
}

TEST_F(TakeAndThrottleTest, ThrottleRoundsSecondsUp) {
  Check({{"CL.THROTTLE k 0 1 10", {0, 1, 0, -1, 10}},
         {"GUB.DEBUG CLOCK ADVANCE 1", {}},
         {"CL.THROTTLE k 0 1 10", {1, 1, 0, 10, 10}},
         {"GUB.DEBUG CLOCK ADVANCE 998", {}},
         {"CL.THROTTLE k 0 1 10", {1, 1, 0, 10, 10}},
         {"GUB.DEBUG CLOCK ADVANCE 1", {}},
         {"CL.THROTTLE k 0 1 10", {1, 1, 0, 9, 9}},
         {"GUB.DEBUG CLOCK ADVANCE 8999", {}},
         {"CL.THROTTLE k 0 1 10", {1, 1, 0, 1, 1}},
         {"GUB.DEBUG CLOCK ADVANCE 1", {}},
         {"CL.THROTTLE k 0 1 10", {0, 1, 0, -1, 10}}});
}

TEST_F(TakeAndThrottleTest, ThrottlePeeksByZeroAndRefundsByLess) {
  Check({{"CL.THROTTLE k 4 1 10 0", {0, 5, 5, -1, 0}},
         {"CL.THROTTLE k 4 1 10 5", {0, 5, 0, -1, 50}},
         {"CL.THROTTLE k 4 1 10", {1, 5, 0, 10, 50}},
         {"CL.THROTTLE k 4 1 10 0", {0, 5, 0, -1, 50}},
         {"CL.THROTTLE k 4 1 10 -2", {0, 5, 2, -1, 30}},
         {"CL.THROTTLE k 4 1 10 -9", {0, 5, 5, -1, 0}}});
  EXPECT_EQ(client_.Run({"DBSIZE"}), RespReply::Integer(0));
}

TEST_F(TakeAndThrottleTest, ThrottleSharesItsBucketWithHitAndReset) {
  Check({{"CL.THROTTLE k 15 30 60 5", {0, 16, 11, -1, 10}},
         {"GUB.HIT cl.throttle k 1 30 60000 leaky BURST 16", {0, 10, 1700000012000}},
         {"CL.THROTTLE k 15 30 60", {0, 16, 9, -1, 14}}});
  EXPECT_EQ(client_.RunLine("GUB.RESET cl.throttle k"), RespReply::Integer(1));
  Check({{"CL.THROTTLE k 15 30 60", {0, 16, 15, -1, 2}}});
}

TEST_F(TakeAndThrottleTest, TakeAnswersAllowedTokensAndRetry) {
  Check({{"GUB.TAKE k 10 2 7", {1, 3, 0}},
         {"GUB.TAKE k 10 2 4", {0, 3, 500}},
         {"GUB.TAKE k 10 2 11", {0, 3, -1}},
         {"GUB.TAKE k 10 2 3", {1, 0, 0}},
         {"gub.take k 10 2", {0, 0, 500}},
         {"GUB.DEBUG CLOCK ADVANCE 499", {}},
         {"GUB.TAKE k 10 2", {0, 0, 1}},
         {"GUB.DEBUG CLOCK ADVANCE 1", {}},
         {"GUB.TAKE k 10 2", {1, 0, 0}},
         {"GUB.DEBUG CLOCK ADVANCE 1000000", {}},
         {"GUB.TAKE k 10 2", {1, 9, 0}}});
}

TEST_F(TakeAndThrottleTest, TakeKeepsARateOfDecimalsExactly) {
  Check({{"GUB.TAKE slow 1 0.001", {1, 0, 0}},
         {"GUB.TAKE slow 1 0.001", {0, 0, 1'000'000}},
         {"GUB.TAKE slower 1 0.000000001", {1, 0, 0}},
         {"GUB.TAKE slower 1 0.000000001", {0, 0, 1'000'000'000'000}},
         {"GUB.TAKE odd 10 1.5 10", {1, 0, 0}},
         {"GUB.TAKE odd 10 1.500", {0, 0, 667}},
         {"GUB.TAKE top 10 9000000000 10", {1, 0, 0}},
         {"GUB.TAKE top 10 9000000000.000000000", {0, 0, 1}},
         {"GUB.DEBUG CLOCK ADVANCE 666", {}},
         {"GUB.TAKE odd 10 1.5", {0, 0, 1}},
         {"GUB.DEBUG CLOCK ADVANCE 1", {}},
         {"GUB.TAKE odd 10 1.5", {1, 0, 0}}});
}

TEST_F(TakeAndThrottleTest, TakePeeksByZeroAndRefundsByLess) {
  Check({{"GUB.TAKE k 10 1 0", {1, 10, 0}},
         {"GUB.TAKE k 10 1 10", {1, 0, 0}},
         {"GUB.TAKE k 10 1 -4", {1, 4, 0}},
         {"GUB.TAKE k 10 1 0", {1, 4, 0}},
         {"GUB.TAKE none 0 1", {0, 0, -1}},
         {"GUB.HIT gub.take k 1 1 1000 leaky BURST 10", {0, 3, 1700000007000}}});
  EXPECT_EQ(client_.RunLine("GUB.RESET gub.take k"), RespReply::Integer(1));
  Check({{"GUB.TAKE k 10 1 0", {1, 10, 0}}});
}

TEST_F(TakeAndThrottleTest, TheClockTakesEffectForTheNextCommandOfOnePipeline) {
  const std::vector<RespReply> replies =
      client_.RunAll({SplitWords("GUB.TAKE k 1 1"), SplitWords("GUB.DEBUG CLOCK ADVANCE 999"),
                      SplitWords("GUB.TAKE k 1 1"), SplitWords("GUB.DEBUG CLOCK SET 1700000001000"),
                      SplitWords("GUB.TAKE k 1 1"), SplitWords("GUB.DEBUG CLOCK SET 5000"),
                      SplitWords("GUB.TAKE other 1 1"), SplitWords("GUB.DEBUG CLOCK SYSTEM")});
  EXPECT_EQ(replies[0], RespReply::Integers({1, 0, 0}));
  EXPECT_EQ(replies[2], RespReply::Integers({0, 0, 1}));
  EXPECT_EQ(replies[4], RespReply::Integers({1, 0, 0}));
  EXPECT_EQ(replies[6], RespReply::Integers({1, 0, 0}));
  EXPECT_EQ(replies[7], RespReply::Status("OK"));
}

}  // namespace
}  // namespace gub
