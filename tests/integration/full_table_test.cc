// A table that is full of live buckets refuses new keys and nothing else.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

const RespReply kFull = RespReply::Error("OOM the table is full of live buckets");

class FullTableTest : public ::testing::Test {
 protected:
  // Hits new keys, key:0 and on, until one is refused; keys_ is how many were not.
  FullTableTest() {
    client_.RunLine("GUB.DEBUG CLOCK SET 1700000000000");
    while (keys_ < 200) {
      const RespReply reply = Hit("key:" + std::to_string(keys_));
      if (reply.IsError()) {
        EXPECT_EQ(reply, kFull);
        break;
      }
      EXPECT_EQ(reply, RespReply::Integers({0, 9, 1700003600000}));
      ++keys_;
    }
  }

  RespReply Hit(const std::string& key) { return client_.RunLine("GUB.HIT n " + key + " 1 10 1h"); }

  ServerProcess server_{
      {"--max-keys", "100", "--eviction", "refuse", "--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
  int keys_ = 0;
};

TEST_F(FullTableTest, TakesNearlyAsManyKeysAsMaxKeys) {
  EXPECT_GE(keys_, 97);
  EXPECT_LE(keys_, 100);
  EXPECT_EQ(client_.Run({"DBSIZE"}), RespReply::Integer(keys_));
}

TEST_F(FullTableTest, RefusesEveryCommandThatWouldLeaveANewBucket) {
  EXPECT_EQ(Hit("new"), kFull);
  EXPECT_EQ(client_.RunLine("GUB.HIT n key:0 1 10 1h leaky"), kFull);
  EXPECT_EQ(client_.RunLine("GUB.HIT n new -1 10 1h"), kFull);
  EXPECT_EQ(client_.RunLine("GUB.HIT n new 11 10 1h token DRAIN_OVER_LIMIT"), kFull);
  EXPECT_EQ(client_.RunLine("GUB.TAKE new 10 1"), kFull);
  EXPECT_EQ(client_.RunLine("CL.THROTTLE new 10 1 1"), kFull);
  EXPECT_EQ(client_.Run({"DBSIZE"}), RespReply::Integer(keys_));
  EXPECT_EQ(InfoNumber(&client_, "refused_keys"), 1 + 6);
}

TEST_F(FullTableTest, KeepsDecidingForTheKeysThatItHolds) {
  for (int i = 0; i < keys_; ++i) {
    EXPECT_EQ(Hit("key:" + std::to_string(i)), RespReply::Integers({0, 8, 1700003600000}));
  }
}

TEST_F(FullTableTest, StillAnswersWhatLeavesNoBucket) {
  EXPECT_EQ(client_.RunLine("GUB.HIT n new 0 10 1h"), RespReply::Integers({0, 10, 1700003600000}));
  EXPECT_EQ(client_.RunLine("GUB.HIT n new 11 10 1h"), RespReply::Integers({1, 10, 1700003600000}));
  EXPECT_EQ(client_.RunLine("GUB.RESET n new"), RespReply::Integer(0));
  EXPECT_EQ(client_.Run({"DBSIZE"}), RespReply::Integer(keys_));
}

TEST_F(FullTableTest, AResetMakesRoomForOneKey) {
  EXPECT_EQ(client_.RunLine("GUB.RESET n key:7"), RespReply::Integer(1));
  EXPECT_EQ(Hit("new"), RespReply::Integers({0, 9, 1700003600000}));
  EXPECT_EQ(Hit("newer"), kFull);
}

TEST_F(FullTableTest, FlushAllMakesRoomForAll) {
  EXPECT_EQ(client_.Run({"FLUSHALL"}), RespReply::Status("OK"));
  for (int i = 0; i < keys_; ++i) EXPECT_FALSE(Hit("other:" + std::to_string(i)).IsError());
}

TEST_F(FullTableTest, ARefusalInATransactionLeavesTheOthersAlone) {
  const std::vector<RespReply> replies = client_.RunAll({{"MULTI"},
                                                         SplitWords("GUB.HIT n new 1 10 1h"),
                                                         SplitWords("GUB.HIT n key:1 1 10 1h"),
                                                         {"EXEC"}});
  EXPECT_EQ(replies.back(), RespReply::Array({kFull, RespReply::Integers({0, 8, 1700003600000})}));
}

}  // namespace
}  // namespace gub
