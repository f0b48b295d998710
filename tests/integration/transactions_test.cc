// MULTI, EXEC and DISCARD, as redis-py's pipelines use them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

const RespReply kOk = RespReply::Status("OK");
const RespReply kQueued = RespReply::Status("QUEUED");
const RespReply kAborted =
    RespReply::Error("EXECABORT Transaction discarded because of previous errors.");
constexpr int64_t kReset = 1700000060000;

class TransactionsTest : public ::testing::Test {
 protected:
  TransactionsTest() { Run("GUB.DEBUG CLOCK SET 1700000000000"); }

  RespReply Run(const std::string& line) { return client_.RunLine(line); }
  void ExpectRemaining(int64_t remaining) {
    EXPECT_EQ(other_.RunLine("GUB.HIT n k 0 100 60000"),
              RespReply::Integers({0, remaining, kReset}));
  }

  ServerProcess server_{{"--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
  RespClient other_{server_.port()};
};

TEST_F(TransactionsTest, ExecAnswersForEveryCommandInOrder) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
  EXPECT_EQ(Run("PING"), kQueued);
  EXPECT_EQ(Run("GUB.HIT n k 2 100 60000"), kQueued);
  ExpectRemaining(100);
  EXPECT_EQ(Run("EXEC"),
            RespReply::Array({RespReply::Integers({0, 99, kReset}), RespReply::Status("PONG"),
                              RespReply::Integers({0, 97, kReset})}));
  ExpectRemaining(97);
}

TEST_F(TransactionsTest, AHundredHitsInOneTransactionAreDecidedOneAfterTheOther) {
  std::vector<std::vector<std::string>> commands = {{"MULTI"}};
  std::vector<RespReply> wanted;
  for (int i = 0; i < 100; ++i) {
    commands.push_back(SplitWords("GUB.HIT n many 1 60 60000"));
    wanted.push_back(i < 60 ? RespReply::Integers({0, 59 - i, kReset})
                            : RespReply::Integers({1, 0, kReset}));
  }
  commands.push_back({"EXEC"});
  const std::vector<RespReply> replies = client_.RunAll(commands);
  EXPECT_EQ(replies.front(), kOk);
  for (int i = 1; i <= 100; ++i) EXPECT_EQ(replies[i], kQueued);
  EXPECT_EQ(replies.back(), RespReply::Array(wanted));
}

TEST_F(TransactionsTest, AnEmptyTransactionAnswersAnEmptyArray) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("EXEC"), RespReply::Array({}));
}

TEST_F(TransactionsTest, WhatCannotBeQueuedAbortsAllOfIt) {
  for (const std::string line : {"GUB.HIT n k 1 100", "GUB.NOPE n k", "CLIENT NOPE", "ECHO"}) {
    EXPECT_EQ(Run("MULTI"), kOk);
    EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
    EXPECT_TRUE(Run(line).IsError()) << line;
    EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
    EXPECT_EQ(Run("EXEC"), kAborted) << line;
    ExpectRemaining(100);
    EXPECT_EQ(Run("EXEC"), RespReply::Error("ERR EXEC without MULTI"));
  }
}

TEST_F(TransactionsTest, AnErrorOfOneCommandLeavesTheOthersAlone) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
  EXPECT_EQ(Run("GUB.HIT n k one 100 60000"), kQueued);
  EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
  EXPECT_EQ(Run("EXEC"),
            RespReply::Array({RespReply::Integers({0, 99, kReset}),
                              RespReply::Error("ERR hits is not an integer or out of range"),
                              RespReply::Integers({0, 98, kReset})}));
}

TEST_F(TransactionsTest, DiscardConsumesNothing) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("GUB.HIT n k 5 100 60000"), kQueued);
  EXPECT_EQ(Run("DISCARD"), kOk);
  ExpectRemaining(100);
  EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), RespReply::Integers({0, 99, kReset}));
}

TEST_F(TransactionsTest, DiscardForgetsAnEarlierError) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_TRUE(Run("NOPE").IsError());
  EXPECT_EQ(Run("DISCARD"), kOk);
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("PING"), kQueued);
  EXPECT_EQ(Run("EXEC"), RespReply::Array({RespReply::Status("PONG")}));
}

TEST_F(TransactionsTest, MultiInMultiIsRefusedAndTheFirstGoesOn) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
  EXPECT_EQ(Run("MULTI"), RespReply::Error("ERR MULTI calls can not be nested"));
  EXPECT_EQ(Run("EXEC"), RespReply::Array({RespReply::Integers({0, 99, kReset})}));
}

TEST_F(TransactionsTest, ExecAndDiscardNeedAMulti) {
  EXPECT_EQ(Run("EXEC"), RespReply::Error("ERR EXEC without MULTI"));
  EXPECT_EQ(Run("DISCARD"), RespReply::Error("ERR DISCARD without MULTI"));
  EXPECT_EQ(Run("PING"), RespReply::Status("PONG"));
}

TEST_F(TransactionsTest, TheClockCanBeSetBetweenTwoHits) {
  EXPECT_EQ(Run("MULTI"), kOk);
  EXPECT_EQ(Run("GUB.HIT n k 100 100 60000"), kQueued);
  EXPECT_EQ(Run("GUB.DEBUG CLOCK ADVANCE 60000"), kQueued);
  EXPECT_EQ(Run("GUB.HIT n k 1 100 60000"), kQueued);
  EXPECT_EQ(Run("EXEC"), RespReply::Array({RespReply::Integers({0, 0, kReset}), kOk,
                                           RespReply::Integers({0, 99, kReset + 60000})}));
}

TEST_F(TransactionsTest, ATransactionEndsWithItsConnection) {
  {
    RespClient gone(server_.port());
    gone.RunLine("MULTI");
    gone.RunLine("GUB.HIT n k 1 100 60000");
  }
  ExpectRemaining(100);
}

TEST_F(TransactionsTest, QuitDropsATransactionAndCloses) {
  RespClient leaving(server_.port());
  const std::vector<RespReply> replies =
      leaving.RunAll({{"MULTI"}, SplitWords("GUB.HIT n k 1 100 60000"), {"QUIT"}});
  EXPECT_EQ(replies, (std::vector<RespReply>{kOk, kQueued, kOk}));
  EXPECT_TRUE(leaving.Run({"EXEC"}).IsError());
  ExpectRemaining(100);
}

TEST_F(TransactionsTest, AQueueLargerThanTheQueryBufferIsRefusedAndAborts) {
  const std::string message(60'000, 'x');
  std::vector<std::vector<std::string>> commands = {{"MULTI"}};
  for (int i = 0; i < 18; ++i) commands.push_back({"ECHO", message});
  commands.push_back({"EXEC"});
  const std::vector<RespReply> replies = client_.RunAll(commands);
  EXPECT_EQ(replies[17], kQueued);
  EXPECT_EQ(replies[18],
            RespReply::Error("ERR the transaction is larger than client-query-buffer-limit"));
  EXPECT_EQ(replies[19], kAborted);
  EXPECT_EQ(Run("PING"), RespReply::Status("PONG"));
}

// Optimistic locking is what WATCH is for: of several that looked at the same, one goes ahead.
TEST_F(TransactionsTest, OfManyThatWatchAKeyOnOtherThreadsOneAtMostGoesAhead) {
  constexpr int kClients = 8;
  constexpr int kRounds = 40;
  std::vector<RawClient> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back(server_.port());
  std::string transaction = EncodeCommand({"MULTI"});
  for (int i = 0; i < 300; ++i) transaction += EncodeCommand({"PING"});
  transaction += EncodeCommand({"GUB.HIT", "n", "watched", "1", "1000", "1h"});
  for (int round = 0; round < kRounds; ++round) {
    for (RawClient& client : clients) {
      client.Send(EncodeCommand({"WATCH", "watched"}) + transaction);
      ASSERT_EQ(client.ReadReplies(303).size(), 303u);
    }
    for (RawClient& client : clients) client.Send(EncodeCommand({"EXEC"}));
    int ran = 0;
    for (RawClient& client : clients) {
      const std::optional<RespReply> reply = client.ReadReply();
      ASSERT_TRUE(reply.has_value());
      ran += reply->type == RespReply::Type::kArray ? 1 : 0;
    }
    EXPECT_EQ(ran, 1) << "round " << round;
  }
}

}  // namespace
}  // namespace gub
