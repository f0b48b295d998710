// WATCH and UNWATCH, with Redis' rules.

#include <gtest/gtest.h>

#include <string>

#include "command/transaction_commands.h"
#include "tests/support/command_fixture.h"

namespace gub {
namespace {

class WatchTest : public CommandFixture {
 protected:
  // Another client's request on the same node.
  std::string Other(const std::string& line) {
    std::swap(client_, other_);
    const std::string reply = RunLine(line);
    std::swap(client_, other_);
    return reply;
  }
  std::string Exec() {
    RunLine("MULTI");
    RunLine("PING");
    return RunLine("EXEC");
  }

  static constexpr char kRan[] = "*1\r\n+PONG\r\n";
  static constexpr char kDidNot[] = "*-1\r\n";
  ClientState other_;
};

TEST_F(WatchTest, ExecRunsWhenNothingHasHappened) {
  EXPECT_EQ(RunLine("WATCH a b"), "+OK\r\n");
  Other("GUB.HIT n other 1 10 1h");
  EXPECT_EQ(Exec(), kRan);
}

TEST_F(WatchTest, WhateverChangesAWatchedKeyMakesExecRunNothing) {
  for (const std::string line :
       {"GUB.HIT n k 1 10 1h", "GUB.HIT n k -1 10 1h", "GUB.TAKE k 5 1", "CL.THROTTLE k 5 1 1",
        "GUB.RESET n k", "DEL k", "FLUSHALL", "GUB.HIT n k 0 10 1h token RESET_REMAINING"}) {
    RunLine("WATCH k");
    Other(line);
    EXPECT_EQ(Exec(), kDidNot) << line;
    EXPECT_EQ(Exec(), kRan) << line;  // it watches no more
  }
}

TEST_F(WatchTest, APeekChangesNothing) {
  RunLine("WATCH k");
  Other("GUB.HIT n k 0 10 1h");
  EXPECT_EQ(Exec(), kRan);
}

TEST_F(WatchTest, AHitOfTheClientItselfCountsToo) {
  RunLine("WATCH k");
  RunLine("GUB.HIT n k 1 10 1h");
  EXPECT_EQ(Exec(), kDidNot);
}

TEST_F(WatchTest, UnwatchDiscardAndResetEndIt) {
  for (const std::string end : {"UNWATCH", "RESET"}) {
    RunLine("WATCH k");
    Other("GUB.HIT n k 1 10 1h");
    RunLine(end);
    EXPECT_EQ(Exec(), kRan) << end;
  }
  RunLine("WATCH k");
  Other("GUB.HIT n k 1 10 1h");
  RunLine("MULTI");
  RunLine("DISCARD");
  EXPECT_EQ(Exec(), kRan);
}

TEST_F(WatchTest, InsideMultiItIsRefusedAndTheTransactionGoesOn) {
  RunLine("MULTI");
  EXPECT_EQ(RunLine("WATCH k"), "-ERR WATCH inside MULTI is not allowed\r\n");
  EXPECT_EQ(RunLine("PING"), "+QUEUED\r\n");
  EXPECT_EQ(RunLine("EXEC"), kRan);
}

TEST_F(WatchTest, HowMuchIsWatchedIsBounded) {
  for (int i = 0; i < 20'000; ++i) RunLine("WATCH " + std::to_string(i));
  EXPECT_LE(client_.watches.size(), 4096u);
  EXPECT_GT(client_.watches.size(), 4000u);
}

TEST_F(WatchTest, TheFirstLookAtAKeyCounts) {
  RunLine("WATCH k");
  Other("GUB.HIT n k 1 10 1h");
  RunLine("WATCH k");
  EXPECT_EQ(Exec(), kDidNot);
}

TEST_F(WatchTest, ATransactionThatIsAbortedConsumesNothing) {
  RunLine("MULTI");
  RunLine("GUB.HIT n k 1 10 1h");
  EXPECT_EQ(RunLine("GUB.HIT n k"), "-ERR wrong number of arguments for 'gub.hit' command\r\n");
  EXPECT_EQ(RunLine("EXEC"), "-EXECABORT Transaction discarded because of previous errors.\r\n");
  EXPECT_EQ(node_.store.Size(), 0);
}

}  // namespace
}  // namespace gub
