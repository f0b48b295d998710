#include "command/limit_commands.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/command_fixture.h"

namespace gub {

namespace {

std::string Integers(std::initializer_list<int64_t> values) {
  std::string text = "*" + std::to_string(values.size()) + "\r\n";
  for (int64_t value : values) text += ":" + std::to_string(value) + "\r\n";
  return text;
}

class LimitCommandsTest : public CommandFixture {
 protected:
  int64_t Count(Counter id) const { return static_cast<int64_t>(node_.counters.Sum(id)); }
};

TEST_F(LimitCommandsTest, HitAnswersStatusRemainingAndReset) {
  EXPECT_EQ(RunLine("GUB.HIT n k 2 3 1s"), Integers({0, 1, kNowMs + 1000}));
  EXPECT_EQ(RunLine("gub.hit n k 2 3 1000"), Integers({1, 1, kNowMs + 1000}));
  EXPECT_EQ(RunLine("Gub.Hit n k -1 3 1s token BATCHING"), Integers({0, 2, kNowMs + 1000}));
}

TEST_F(LimitCommandsTest, OptionsStandAnywhereBehindTheDuration) {
  const std::string full =
      "*14\r\n$6\r\nstatus\r\n:0\r\n$5\r\nlimit\r\n:10\r\n$9\r\nremaining\r\n:19\r\n$5\r\nreset\r\n"
      ":1700000000100\r\n$11\r\nretry_after\r\n:0\r\n$5\r\nowner\r\n$14\r\n127.0.0.1:7379\r\n"
      "$8\r\ndegraded\r\n:0\r\n";
  int key = 0;
  for (const char* words :
       {"leaky 0 BURST 20 FULL", "FULL burst 20 leaky BATCHING", "burst 20 LEAKY_BUCKET full",
        "leaky ONFAIL open FULL BURST 20", "onfail LOCAL 1 NO_BATCHING BURST 20 FULL"}) {
    EXPECT_EQ(RunLine("GUB.HIT n " + std::to_string(key++) + " 1 10 1s " + words), full) << words;
  }
}

TEST_F(LimitCommandsTest, FullIsAMapInResp3) {
  client_.version = RespVersion::k3;
  EXPECT_EQ(RunLine("GUB.HIT n k 4 3 1s FULL"),
            "%7\r\n$6\r\nstatus\r\n:1\r\n$5\r\nlimit\r\n:3\r\n$9\r\nremaining\r\n:3\r\n"
            "$5\r\nreset\r\n:1700000001000\r\n$11\r\nretry_after\r\n:-1\r\n$5\r\nowner\r\n"
            "$14\r\n127.0.0.1:7379\r\n$8\r\ndegraded\r\n:0\r\n");
}

TEST_F(LimitCommandsTest, ABurstOfZeroIsTheLimitAndTokenIgnoresIt) {
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s leaky 0 BURST 0"), Integers({0, 9, kNowMs + 100}));
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s token 0 BURST 3"), Integers({0, 9, kNowMs + 1000}));
}

TEST_F(LimitCommandsTest, ABadRequestNamesTheArgumentAndChangesNothing) {
  const std::pair<const char*, const char*> rows[] = {
      {"GUB.HIT n k x 10 1s", "hits is not an integer or out of range"},
      {"GUB.HIT n k 9223372036854775808 10 1s", "hits is not an integer or out of range"},
      {"GUB.HIT n k 1 1.5 1s", "limit is not an integer or out of range"},
      {"GUB.HIT n k 1 -1 1s", "limit must not be negative"},
      {"GUB.HIT n k 1 10 nope", "duration is not an integer or out of range"},
      {"GUB.HIT n k 1 10 0", "duration must be from 1 to 3155760000000 ms"},
      {"GUB.HIT n k 1 10 9 token 4", "duration must be a calendar code from 0 to 5"},
      {"GUB.HIT n k 1 10 1s bucket", "unknown algorithm 'bucket'"},
      {"GUB.HIT n k 1 10 1s token 64", "unknown behavior '64'"},
      {"GUB.HIT n k 1 10 1s token 0 third", "unknown option 'third'"},
      {"GUB.HIT n k 1 10 1s BURST", "syntax error"},
      {"GUB.HIT n k 1 10 1s BURST 1 BURST 1", "syntax error"},
      {"GUB.HIT n k 1 10 1s FULL FULL", "syntax error"},
      {"GUB.HIT n k 1 10 1s ONFAIL", "syntax error"},
      {"GUB.HIT n k 1 10 1s ONFAIL open ONFAIL open", "syntax error"},
      {"GUB.HIT n k 1 10 1s ONFAIL maybe", "unknown onfail 'maybe'"},
      {"GUB.HIT n k 1 10 1s BURST x", "burst is not an integer or out of range"},
      {"GUB.HIT n k 1 10 1s BURST -1", "burst must not be negative"},
      {"GUB.TAKE k x 1", "capacity is not an integer or out of range"},
      {"GUB.TAKE k -1 1", "capacity must not be negative"},
      {"GUB.TAKE k 1 0",
       "refill_per_second must be a decimal number above 0, at most 9000000000, with up to 9 "
       "decimals"},
      {"GUB.TAKE k 1 1 x", "cost is not an integer or out of range"},
      {"GUB.TAKE k 1 1 1 1", "syntax error"},
      {"CL.THROTTLE k -1 1 1", "max_burst must not be negative"},
      {"CL.THROTTLE k 9223372036854775807 1 1", "max_burst is not an integer or out of range"},
      {"CL.THROTTLE k 1 0 1", "count must be at least 1"},
      {"CL.THROTTLE k 1 1 0", "period must be at least 1"},
      {"CL.THROTTLE k 1 1 3155760001", "period must be at most 3155760000"},
      {"CL.THROTTLE k 1 1 1 x", "quantity is not an integer or out of range"},
      {"CL.THROTTLE k 1 1 1 1 1", "syntax error"},
  };
  for (const auto& [line, text] : rows) {
    EXPECT_EQ(RunLine(line), std::string("-ERR ") + text + "\r\n") << line;
  }
  EXPECT_EQ(RunLine("DBSIZE"), ":0\r\n");
  EXPECT_EQ(Count(Counter::kRequestErrors), static_cast<int64_t>(std::size(rows)));
}

TEST_F(LimitCommandsTest, NameAndKeyAreBoundedTogetherAndNotEmpty) {
  const std::string name(96, 'n');
  const std::string key(4000, 'k');
  EXPECT_EQ(Run({"GUB.HIT", name, key, "1", "10", "1s"}), Integers({0, 9, kNowMs + 1000}));
  EXPECT_EQ(Run({"GUB.HIT", name, key + "k", "1", "10", "1s"}),
            "-ERR name and key are longer than 4096 bytes\r\n");
  EXPECT_EQ(Run({"GUB.HIT", "", "k", "1", "10", "1s"}), "-ERR name must not be empty\r\n");
  EXPECT_EQ(Run({"GUB.HIT", "n", "", "1", "10", "1s"}), "-ERR key must not be empty\r\n");
  EXPECT_EQ(Run({"GUB.TAKE", "", "1", "1"}), "-ERR key must not be empty\r\n");
  EXPECT_EQ(Run({"GUB.TAKE", std::string(4089, 'k'), "1", "1"}),
            "-ERR name and key are longer than 4096 bytes\r\n");
  EXPECT_EQ(Run({"GUB.RESET", "", "k"}), "-ERR name must not be empty\r\n");
}

TEST_F(LimitCommandsTest, TakeIsALeakyBucketOfItsCapacity) {
  EXPECT_EQ(RunLine("GUB.TAKE k 3 0.5"), Integers({1, 2, 0}));
  EXPECT_EQ(RunLine("GUB.TAKE k 3 0.5 2"), Integers({1, 0, 0}));
  EXPECT_EQ(RunLine("GUB.TAKE k 3 0.5"), Integers({0, 0, 2000}));
  EXPECT_EQ(RunLine("GUB.TAKE k 3 0.5 4"), Integers({0, 0, -1}));
  EXPECT_EQ(RunLine("GUB.TAKE k 3 0.5 -1"), Integers({1, 1, 0}));
  EXPECT_EQ(RunLine("GUB.HIT gub.take k 0 5 10s leaky 0 BURST 3"), Integers({0, 1, kNowMs + 4000}));
  EXPECT_EQ(RunLine("GUB.TAKE none 0 1"), Integers({0, 0, -1}));
}

TEST_F(LimitCommandsTest, ThrottleAnswersAsRedisCellDoes) {
  EXPECT_EQ(RunLine("CL.THROTTLE u 15 30 60"), Integers({0, 16, 15, -1, 2}));
  EXPECT_EQ(RunLine("CL.THROTTLE b 4 1 10 6"), Integers({1, 5, 5, -1, 0}));
  for (int64_t left = 4; left >= 0; --left) {
    EXPECT_EQ(RunLine("CL.THROTTLE b 4 1 10"), Integers({0, 5, left, -1, 10 * (5 - left)}));
  }
  EXPECT_EQ(RunLine("CL.THROTTLE b 4 1 10"), Integers({1, 5, 0, 10, 50}));
  EXPECT_EQ(RunLine("CL.THROTTLE b 4 1 10 0"), Integers({0, 5, 0, -1, 50}));
  node_.clock.Freeze(kNowMs + 29'999);
  EXPECT_EQ(RunLine("CL.THROTTLE b 4 1 10 5"), Integers({1, 5, 2, 21, 21}));
  EXPECT_EQ(RunLine("CL.THROTTLE b 4 1 10 -5"), Integers({0, 5, 5, -1, 0}));
}

TEST_F(LimitCommandsTest, ResetForgetsBothAlgorithmsOfANameAndKey) {
  RunLine("GUB.HIT n k 1 10 1s");
  RunLine("GUB.HIT n k 1 10 1s leaky");
  RunLine("GUB.TAKE k 10 1");
  EXPECT_EQ(RunLine("DBSIZE"), ":3\r\n");
  EXPECT_EQ(RunLine("GUB.RESET n k"), ":2\r\n");
  EXPECT_EQ(RunLine("GUB.RESET gub.take k"), ":1\r\n");
  EXPECT_EQ(RunLine("GUB.RESET n k"), ":0\r\n");
}

TEST_F(LimitCommandsTest, FlushAllTakesItsTwoWordsAndNoOther) {
  RunLine("GUB.HIT n k 1 10 1s");
  EXPECT_EQ(RunLine("FLUSHALL now"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("FLUSHALL ASYNC SYNC"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("DBSIZE"), ":1\r\n");
  EXPECT_EQ(RunLine("FLUSHALL async"), "+OK\r\n");
  EXPECT_EQ(RunLine("DBSIZE"), ":0\r\n");
}

TEST_F(LimitCommandsTest, EveryDecisionIsCountedOnceByWhatItWas) {
  for (const char* line : {"GUB.HIT n k 1 1 1h", "GUB.HIT n k 1 1 1h", "GUB.HIT n k 1 1 1h",
                           "GUB.HIT n k -1 1 1h", "GUB.HIT n k 0 1 1h", "GUB.HIT n k 0 1 1h",
                           "GUB.HIT n k 0 1 1h", "GUB.HIT n k 5 1 1h token RESET_REMAINING",
                           "GUB.HIT n k x 1 1h", "GUB.RESET n k", "GUB.HIT n k"}) {
    RunLine(line);
  }
  EXPECT_EQ(Count(Counter::kTokenAdmitted), 1);
  EXPECT_EQ(Count(Counter::kTokenDenied), 2);
  EXPECT_EQ(Count(Counter::kTokenRefunded), 1);
  EXPECT_EQ(Count(Counter::kTokenPeeks), 3);
  EXPECT_EQ(Count(Counter::kTokenResets), 1);
  EXPECT_EQ(Count(Counter::kKeyResets), 1);
  EXPECT_EQ(Count(Counter::kLeakyAdmitted), 0);
  EXPECT_EQ(Count(Counter::kRequestErrors), 2);
}

TEST_F(LimitCommandsTest, OnlyWhatAsksForADecisionCountsAsAnErrorOfOne) {
  for (const char* line : {"GUB.HIT n", "GUB.TAKE k", "CL.THROTTLE k", "GUB.RESET n"}) {
    RunLine(line);
  }
  EXPECT_EQ(Count(Counter::kRequestErrors), 4);
  for (const char* line : {"GUB.OWNER", "GUB.TOP 1 2", "GUB.DEBUG STALL", "GUB.PEERS 1"}) {
    EXPECT_EQ(RunLine(line).front(), '-') << line;
  }
  EXPECT_EQ(Count(Counter::kRequestErrors), 4);
  ASSERT_EQ(RunLine("CONFIG SET requirepass p"), "+OK\r\n");
  client_.authenticated = false;
  EXPECT_EQ(RunLine("GUB.HIT n k 1 1 1h"), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(Count(Counter::kRequestErrors), 4);
}

TEST_F(LimitCommandsTest, DebugIsRefusedUnlessItIsSwitchedOn) {
  EXPECT_EQ(RunLine("GUB.DEBUG CLOCK SET 1"),
            "-ERR GUB.DEBUG is off; it needs the option enable-debug-commands yes\r\n");
  EXPECT_EQ(node_.clock.NowMs(), kNowMs);
}

Config With(std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  Config config;
  for (const auto& [name, value] : options) {
    EXPECT_TRUE(SetOption(*FindOption(name), value, &config).ok());
  }
  return config;
}

class DebugClockTest : public CommandFixture {
 protected:
  DebugClockTest() : CommandFixture(With({{"enable-debug-commands", "yes"}})) {}
};

TEST_F(DebugClockTest, SetAndAdvanceHoldForTheNextRequest) {
  EXPECT_EQ(RunLine("GUB.DEBUG CLOCK SET 5000"), "+OK\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s"), Integers({0, 9, 6000}));
  EXPECT_EQ(RunLine("GUB.DEBUG clock advance 999"), "+OK\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s"), Integers({0, 8, 6000}));
  EXPECT_EQ(RunLine("GUB.DEBUG CLOCK ADVANCE 1"), "+OK\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s"), Integers({0, 9, 7000}));
  EXPECT_EQ(RunLine("GUB.DEBUG CLOCK SYSTEM"), "+OK\r\n");
  EXPECT_GT(node_.clock.NowMs(), kNowMs);
}

TEST_F(DebugClockTest, RefusesTimesOutsideTheClock) {
  for (const char* line :
       {"GUB.DEBUG CLOCK SET -1", "GUB.DEBUG CLOCK SET x", "GUB.DEBUG CLOCK ADVANCE -9000000000000",
        "GUB.DEBUG CLOCK ADVANCE 9223372036854775807"}) {
    EXPECT_EQ(RunLine(line), "-ERR ms is not an integer or out of range\r\n") << line;
  }
  EXPECT_EQ(RunLine("GUB.DEBUG CLOCK STOP"), "-ERR syntax error\r\n");
  EXPECT_EQ(node_.clock.NowMs(), kNowMs);
}

class SmallTableTest : public CommandFixture {
 protected:
  SmallTableTest() : CommandFixture(With({{"max-keys", "2"}, {"eviction", "refuse"}})) {}
};

TEST_F(SmallTableTest, AFullTableIsAnErrorThatIsCounted) {
  RunLine("GUB.HIT n a 1 10 1h");
  RunLine("GUB.HIT n b 1 10 1h");
  EXPECT_EQ(RunLine("GUB.HIT n c 1 10 1h"), "-OOM the table is full of live buckets\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n a 1 10 1h"), Integers({0, 8, kNowMs + 3'600'000}));
  EXPECT_EQ(node_.store.counts().refused_keys, 1u);
}

}  // namespace
}  // namespace gub
