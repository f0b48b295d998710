// SLOWLOG, LATENCY, subscriptions and other small commands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command_fixture.h"

namespace gub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class DiagnosticsTest : public CommandFixture {};

TEST_F(DiagnosticsTest, WithAThresholdOfZeroEveryCommandIsSlow) {
  client_.record->address = "10.0.0.1:5";
  RunLine("CLIENT SETNAME me");
  RunLine("CONFIG SET slowlog-log-slower-than 0");
  RunLine("SLOWLOG RESET");
  RunLine("ECHO hi");
  EXPECT_THAT(RunLine("SLOWLOG GET 1"),
              MatchesRegex("\\*1\r\n\\*6\r\n:[0-9]+\r\n:[0-9]+\r\n:[0-9]+\r\n\\*2\r\n\\$4\r\nECHO"
                           "\r\n\\$2\r\nhi\r\n\\$10\r\n10.0.0.1:5\r\n\\$2\r\nme\r\n"));
  // SLOWLOG RESET, ECHO, SLOWLOG GET
  EXPECT_EQ(RunLine("SLOWLOG LEN"), ":3\r\n");
}

TEST_F(DiagnosticsTest, MinusOneTurnsTheSlowLogOff) {
  RunLine("CONFIG SET slowlog-log-slower-than -1");
  RunLine("PING");
  EXPECT_EQ(RunLine("SLOWLOG GET"), "*0\r\n");
}

TEST_F(DiagnosticsTest, TheSlowLogIsBoundedAndKeepsTheLatest) {
  RunLine("CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 2");
  for (const char* word : {"a", "b", "c"}) Run({"ECHO", word});
  const std::string log = RunLine("SLOWLOG GET");
  EXPECT_THAT(log, StartsWith("*2\r\n"));
  EXPECT_THAT(log, HasSubstr("\r\nc\r\n"));
  EXPECT_THAT(log, Not(HasSubstr("\r\na\r\n")));
  EXPECT_EQ(RunLine("SLOWLOG GET -2"), "-ERR count should be greater than or equal to -1\r\n");
}

TEST_F(DiagnosticsTest, LongRequestsAreCutInTheSlowLog) {
  const std::string longer(129, 'x');
  std::vector<std::string_view> many(40, "a");
  many[0] = longer;
  EXPECT_THAT(SlowLog::Shown(std::span(many).first(2)),
              ElementsAre(std::string(128, 'x') + "... (1 more bytes)", "a"));
  const std::vector<std::string> shown = SlowLog::Shown(many);
  EXPECT_EQ(shown.size(), SlowLog::kMaxArgs);
  EXPECT_EQ(shown.back(), "... (9 more arguments)");
}

TEST_F(DiagnosticsTest, ExecIsNotLoggedButWhatItRuns) {
  RunLine("CONFIG SET slowlog-log-slower-than 0");
  RunLine("MULTI");
  RunLine("ECHO inside");
  RunLine("EXEC");
  const std::string log = RunLine("SLOWLOG GET -1");
  EXPECT_THAT(log, HasSubstr("inside"));
  EXPECT_THAT(log, Not(HasSubstr("EXEC")));
}

TEST_F(DiagnosticsTest, TheHistogramHoldsEveryCallByPowersOfTwo) {
  RunLine("PING");
  RunLine("PING");
  const std::string histogram = RunLine("LATENCY HISTOGRAM ping nope");
  EXPECT_THAT(histogram, StartsWith("*2\r\n$4\r\nping\r\n*4\r\n$5\r\ncalls\r\n:2\r\n"
                                    "$14\r\nhistogram_usec\r\n"));
  EXPECT_TRUE(histogram.ends_with(":2\r\n")) << histogram;
}

TEST_F(DiagnosticsTest, CallsFallIntoTheCellOfTheirTime) {
  CommandStats stats(1, 1);
  stats.ForThread(0).AddRun(0, 1, 1);         // up to 1 us
  stats.ForThread(0).AddRun(0, 1, 1000);      // 1 us
  stats.ForThread(0).AddRun(0, 2, 2 * 1001);  // just above, twice
  stats.ForThread(0).AddRun(0, 1, 4'000);     // 4 us
  stats.ForThread(0).AddRun(0, 1, 5'000'000'000'000);
  const CommandStats::Totals sum = stats.Sum(0);
  EXPECT_EQ(sum.by_us[0], 2u);
  EXPECT_EQ(sum.by_us[1], 2u);
  EXPECT_EQ(sum.by_us[2], 1u);
  EXPECT_EQ(sum.by_us[CommandStats::kCells - 1], 1u);
  EXPECT_EQ(sum.calls, 6u);
}

TEST_F(DiagnosticsTest, LatestTellsWhatTookLongAndResetForgets) {
  EXPECT_EQ(RunLine("LATENCY LATEST"), "*0\r\n");
  node_.latency.Add(LatencyEvent::kCommand, 1'700'000'000, 30);
  node_.latency.Add(LatencyEvent::kCommand, 1'700'000'001, 20);
  node_.latency.Add(LatencyEvent::kExpireCycle, 1'700'000'002, 5);
  EXPECT_EQ(RunLine("LATENCY LATEST"),
            "*2\r\n*4\r\n$7\r\ncommand\r\n:1700000001\r\n:20\r\n:30\r\n"
            "*4\r\n$12\r\nexpire-cycle\r\n:1700000002\r\n:5\r\n:5\r\n");
  EXPECT_EQ(RunLine("LATENCY RESET command nope"), ":1\r\n");
  EXPECT_EQ(RunLine("LATENCY RESET"), ":1\r\n");
  EXPECT_EQ(RunLine("LATENCY LATEST"), "*0\r\n");
}

TEST_F(DiagnosticsTest, SubscriptionsAreAcceptedOneReplyEach) {
  EXPECT_EQ(RunLine("SUBSCRIBE a b"),
            "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n");
  EXPECT_EQ(RunLine("PING"), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
  EXPECT_EQ(RunLine("PING x"), "*2\r\n$4\r\npong\r\n$1\r\nx\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s"),
            "-ERR Can't execute 'gub.hit': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / "
            "RESET are allowed in this context\r\n");
  EXPECT_EQ(RunLine("UNSUBSCRIBE a"), "*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n");
  EXPECT_EQ(RunLine("UNSUBSCRIBE"), "*3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:0\r\n");
  EXPECT_EQ(RunLine("UNSUBSCRIBE"), "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
}

TEST_F(DiagnosticsTest, InResp3ASubscriberMayDoAnything) {
  RunLine("HELLO 3");
  EXPECT_EQ(RunLine("SUBSCRIBE a"), ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
  EXPECT_THAT(RunLine("GUB.HIT n k 1 10 1s"), StartsWith("*3\r\n:0\r\n"));
}

TEST_F(DiagnosticsTest, SubscriptionsAreBounded) {
  RunLine("CONFIG SET client-query-buffer-limit 1kb");
  EXPECT_EQ(Run({"SUBSCRIBE", std::string(1024, 'c')}),
            "-ERR the subscriptions are larger than client-query-buffer-limit\r\n");
  EXPECT_EQ(client_.HeldBytes(), 0u);
}

TEST_F(DiagnosticsTest, AnHttpRequestIsDroppedWithoutAWord) {
  for (const std::string line :
       {"POST / HTTP/1.1", "Host: gub", "GET / HTTP/1.1", "OPTIONS /x HTTP/1.0", "host: a b c"}) {
    client_.drop = false;
    EXPECT_EQ(RunLine(line), "") << line;
    EXPECT_TRUE(client_.drop) << line;
  }
  client_.drop = false;
  EXPECT_EQ(RunLine("GET a b"), "-ERR wrong number of arguments for 'get' command\r\n");
  EXPECT_FALSE(client_.drop);
}

TEST_F(DiagnosticsTest, WhatOnlyAClusterKnowsIsRefused) {
  for (const std::string line : {"CLUSTER SLOTS", "CLUSTER INFO", "CLUSTER NODES", "CLUSTER MYID",
                                 "CLUSTER KEYSLOT k", "READONLY", "READWRITE", "ASKING"}) {
    EXPECT_EQ(RunLine(line), "-ERR This instance has cluster support disabled\r\n") << line;
  }
  EXPECT_THAT(RunLine("CLUSTER HELP"), StartsWith("*"));
}

TEST_F(DiagnosticsTest, SmallCommandsAnswerAsRedisWould) {
  EXPECT_EQ(RunLine("ROLE"), "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
  EXPECT_EQ(RunLine("ACL WHOAMI"), "$7\r\ndefault\r\n");
  EXPECT_EQ(RunLine("MODULE LIST"), "*0\r\n");
  EXPECT_EQ(RunLine("FUNCTION FLUSH"), "+OK\r\n");
  EXPECT_EQ(RunLine("FUNCTION FLUSH async"), "+OK\r\n");
  EXPECT_EQ(RunLine("FUNCTION FLUSH now"),
            "-ERR FUNCTION FLUSH only supports SYNC|ASYNC option\r\n");
  EXPECT_THAT(RunLine("MONITOR"), StartsWith("-ERR MONITOR is not there"));
  EXPECT_THAT(RunLine("MEMORY DOCTOR"), HasSubstr("Nothing is wrong"));
}

TEST_F(DiagnosticsTest, ShutdownAsksForTheEndAndIsNotAnswered) {
  bool stopped = false;
  node_.hooks.stop = [&stopped] { stopped = true; };
  EXPECT_EQ(RunLine("SHUTDOWN x"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("SHUTDOWN ABORT"), "-ERR No shutdown in progress.\r\n");
  EXPECT_EQ(RunLine("SHUTDOWN ABORT NOW"), "-ERR syntax error\r\n");
  EXPECT_FALSE(stopped);
  EXPECT_EQ(RunLine("SHUTDOWN NOSAVE NOW"), "");
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(client_.close);
}

TEST_F(DiagnosticsTest, InfoHasTheSectionsAndFieldsThatToolsRead) {
  RunLine("GUB.HIT n k 1 10 1s");
  RunLine("NOPE");
  const std::string info = RunLine("INFO");
  for (const char* field :
       {"\r\nredis_version:7.", "loading:0\r\n", "role:master\r\n", "cluster_enabled:0\r\n",
        "db0:keys=1,expires=1,avg_ttl=0\r\n", "connected_slaves:0\r\n",
        "used_memory_human:", "instantaneous_ops_per_sec:", "errorstat_ERR:count=1\r\n",
        "used_cpu_sys:", "blocked_clients:0\r\n", "evicted_keys:0\r\n"}) {
    EXPECT_THAT(info, HasSubstr(field));
  }
  EXPECT_THAT(info, Not(HasSubstr("cmdstat_")));
  EXPECT_THAT(RunLine("INFO all"), HasSubstr("cmdstat_gub.hit:calls=1,"));
  EXPECT_THAT(RunLine("INFO everything"), HasSubstr("latency_percentiles_usec_gub.hit:p50="));
}

TEST_F(DiagnosticsTest, TheRateIsWhatTheCounterGrewByInASecond) {
  RateMeter meter;
  for (int i = 0; i <= 16; ++i) {
    meter.Sample(int64_t{100'000'000} * (i + 1), static_cast<uint64_t>(i) * 50);
  }
  EXPECT_EQ(meter.PerSecond(), 500);
  meter.Sample(int64_t{100'000'000} * 18, 0);  // CONFIG RESETSTAT
  EXPECT_EQ(meter.PerSecond(), 0);
}

}  // namespace
}  // namespace gub
