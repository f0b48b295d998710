// Every form in which a client may write a request: all spellings of one thing decide alike.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;  // 2023-11-14 22:13:20 UTC, a Tuesday
using Lines = std::vector<std::string>;

class HitFormsTest : public ::testing::Test {
 protected:
  HitFormsTest() { Run("GUB.DEBUG CLOCK SET " + std::to_string(kNow)); }

  RespReply Run(const std::string& line) { return client_.RunLine(line); }

  // On an empty store each, the lines answer `first` and then `second`.
  void ExpectAlike(const Lines& lines, const RespReply& first, const RespReply& second) {
    for (const std::string& line : lines) {
      Run("FLUSHALL");
      EXPECT_EQ(Run(line), first) << line;
      EXPECT_EQ(Run(line), second) << line;
    }
  }

  ServerProcess server_{{"--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
};

TEST_F(HitFormsTest, TokenIsTheDefaultAndHasFiveSpellings) {
  ExpectAlike({"GUB.HIT n k 3 10 60000", "gub.hit n k 3 10 60000 token",
               "GUB.HIT n k 3 10 60000 ToKeN", "GUB.HIT n k 3 10 60000 TOKEN_BUCKET",
               "GUB.HIT n k 3 10 60000 token_bucket", "GUB.HIT n k 3 10 60000 0"},
              RespReply::Integers({0, 7, kNow + 60000}), RespReply::Integers({0, 4, kNow + 60000}));
}

TEST_F(HitFormsTest, LeakyHasItsSpellingsToo) {
  ExpectAlike({"GUB.HIT n k 3 10 60000 leaky", "GUB.HIT n k 3 10 60000 LEAKY",
               "GUB.HIT n k 3 10 60000 LEAKY_BUCKET", "GUB.HIT n k 3 10 60000 Leaky_Bucket",
               "GUB.HIT n k 3 10 60000 1"},
              RespReply::Integers({0, 7, kNow + 18000}), RespReply::Integers({0, 4, kNow + 36000}));
}

TEST_F(HitFormsTest, ADurationMayHaveAUnit) {
  const std::vector<std::pair<std::string, int64_t>> durations = {
      {"1", 1},
      {"500ms", 500},
      {"500MS", 500},
      {"10s", 10'000},
      {"10S", 10'000},
      {"5m", 300'000},
      {"5M", 300'000},
      {"1h", 3'600'000},
      {"2H", 7'200'000},
      {"1d", 86'400'000},
      {"1D", 86'400'000},
      {"36525d", 3'155'760'000'000},
      {"3155760000000", 3'155'760'000'000},
      {"876600h", 3'155'760'000'000}};
  for (const auto& [word, ms] : durations) {
    Run("FLUSHALL");
    EXPECT_EQ(Run("GUB.HIT n k 1 10 " + word), RespReply::Integers({0, 9, kNow + ms})) << word;
    // The same as that many ms: no other duration, so no other window.
    EXPECT_EQ(Run("GUB.HIT n k 1 10 " + std::to_string(ms)), RespReply::Integers({0, 8, kNow + ms}))
        << word;
  }
}

TEST_F(HitFormsTest, ADurationMayBeACalendarWordOrItsCode) {
  struct Row {
    std::string word, code;
    int64_t end_ms;
  };
  const Row rows[] = {{"minute", "0", 1'700'000'040'000}, {"HOUR", "1", 1'700'002'800'000},
                      {"Day", "2", 1'700'006'400'000},    {"week", "3", 1'700'438'400'000},
                      {"mOnTh", "4", 1'701'388'800'000},  {"year", "5", 1'704'067'200'000}};
  for (const Row& row : rows) {
    ExpectAlike({"GUB.HIT n k 1 10 " + row.word, "GUB.HIT n k 1 10 " + row.word + " token 4",
                 "GUB.HIT n k 1 10 " + row.code + " token 4",
                 "GUB.HIT n k 1 10 " + row.code + " token DURATION_IS_GREGORIAN",
                 "GUB.HIT n k 1 10 " + row.code + " 0 no_batching|duration_is_gregorian"},
                RespReply::Integers({0, 9, row.end_ms}), RespReply::Integers({0, 8, row.end_ms}));
  }
}

TEST_F(HitFormsTest, DrainOverLimitHasManySpellings) {
  // Denied, drained, and then nothing is left.
  Lines lines;
  for (const std::string behavior :
       {"32", "DRAIN_OVER_LIMIT", "drain_over_limit", "33", "NO_BATCHING|DRAIN_OVER_LIMIT",
        "Drain_Over_Limit,No_Batching", "34", "GLOBAL|DRAIN_OVER_LIMIT", "48",
        "MULTI_REGION,DRAIN_OVER_LIMIT", "BATCHING|DRAIN_OVER_LIMIT",
        "DRAIN_OVER_LIMIT|DRAIN_OVER_LIMIT"}) {
    lines.push_back("GUB.HIT n k 11 10 60000 token " + behavior);
    lines.push_back("GUB.HIT n k 11 10 60000 TOKEN " + behavior + " ONFAIL open BURST 3");
  }
  ExpectAlike(lines, RespReply::Integers({1, 0, kNow + 60000}),
              RespReply::Integers({1, 0, kNow + 60000}));
}

TEST_F(HitFormsTest, OtherBehaviorsDecideAsWithoutThem) {
  Lines lines;
  for (const std::string behavior : {"0", "BATCHING", "1", "NO_BATCHING", "2", "GLOBAL", "16",
                                     "MULTI_REGION", "19", "no_batching,global|multi_region"}) {
    lines.push_back("GUB.HIT n k 11 10 60000 token " + behavior);
  }
  ExpectAlike(lines, RespReply::Integers({1, 10, kNow + 60000}),
              RespReply::Integers({1, 10, kNow + 60000}));
}

TEST_F(HitFormsTest, ResetRemainingForgetsTheBucketInEverySpelling) {
  for (const std::string behavior :
       {"8", "RESET_REMAINING", "reset_remaining", "9", "40", "RESET_REMAINING|DRAIN_OVER_LIMIT"}) {
    for (const std::string hits : {"0", "1", "-1", "100"}) {
      Run("FLUSHALL");
      Run("GUB.HIT n k 10 10 60000");
      EXPECT_EQ(Run("GUB.HIT n k " + hits + " 10 60000 token " + behavior),
                RespReply::Integers({0, 10, kNow + 60000}))
          << hits << " " << behavior;
      EXPECT_EQ(Run("DBSIZE"), RespReply::Integer(0));
    }
  }
}

TEST_F(HitFormsTest, OptionsStandAnywhereBehindTheDuration) {
  const RespReply full = RespReply::Array(
      {RespReply::Bulk("status"), RespReply::Integer(0), RespReply::Bulk("limit"),
       RespReply::Integer(10), RespReply::Bulk("remaining"), RespReply::Integer(17),
       RespReply::Bulk("reset"), RespReply::Integer(kNow + 18000), RespReply::Bulk("retry_after"),
       RespReply::Integer(0), RespReply::Bulk("owner"),
       RespReply::Bulk("127.0.0.1:" + std::to_string(server_.port())), RespReply::Bulk("degraded"),
       RespReply::Integer(0)});
  for (const std::string words :
       {"leaky 0 BURST 20 ONFAIL local FULL", "FULL ONFAIL open BURST 20 leaky 0",
        "BURST 20 leaky FULL 0 ONFAIL closed", "burst 20 full 1 onfail ERROR BATCHING",
        "Full LEAKY Burst 20", "ONFAIL Local leaky BURST 20 NO_BATCHING FULL"}) {
    Run("FLUSHALL");
    EXPECT_EQ(Run("GUB.HIT n k 3 10 60000 " + words), full) << words;
  }
}

TEST_F(HitFormsTest, ABurstOfZeroIsTheLimitAndForTokenItHasNoEffect) {
  ExpectAlike({"GUB.HIT n k 3 10 60000 leaky BURST 0", "GUB.HIT n k 3 10 60000 leaky BURST 10"},
              RespReply::Integers({0, 7, kNow + 18000}), RespReply::Integers({0, 4, kNow + 36000}));
  ExpectAlike({"GUB.HIT n k 3 10 60000 token BURST 20", "GUB.HIT n k 3 10 60000 BURST 1"},
              RespReply::Integers({0, 7, kNow + 60000}), RespReply::Integers({0, 4, kNow + 60000}));
}

TEST_F(HitFormsTest, NameAndKeyAreTwoByteStringsOfAnyBytes) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"a", "b_c"},
      {"a_b", "c"},
      {"a:b", "c"},
      {"a", "b:c"},
      {std::string("a\0", 2), "b"},
      {"a", std::string("\0b", 2)},
      {std::string("\0", 1), std::string("\0", 1)},
      {"\r\n", "\r\n"},
      {"\xff\xfe", "$5\r\n"},
      {" ", "*"},
      {"FULL", "BURST"},
      {std::string(4000, 'n'), std::string(96, 'k')},
      {std::string(96, 'n'), std::string(4000, 'k')}};
  for (const int64_t remaining : {9, 8}) {
    for (const auto& [name, key] : pairs) {
      EXPECT_EQ(client_.Run({"GUB.HIT", name, key, "1", "10", "60000"}),
                RespReply::Integers({0, remaining, kNow + 60000}));
    }
  }
  EXPECT_EQ(Run("DBSIZE"), RespReply::Integer(static_cast<int64_t>(pairs.size())));
  for (const auto& [name, key] : pairs) {
    EXPECT_EQ(client_.Run({"GUB.RESET", name, key}), RespReply::Integer(1));
  }
}

TEST_F(HitFormsTest, NumbersReachTheEndsOfInt64) {
  EXPECT_EQ(Run("GUB.HIT n k 9223372036854775807 9223372036854775807 1h"),
            RespReply::Integers({0, 0, kNow + 3'600'000}));
  EXPECT_EQ(Run("GUB.HIT n l 9223372036854775807 9223372036854775806 1h"),
            RespReply::Integers({1, 9223372036854775806, kNow + 3'600'000}));
  EXPECT_EQ(Run("GUB.HIT n m -9223372036854775808 9223372036854775807 1h").items[1],
            RespReply::Integer(9223372036854775807));
  EXPECT_EQ(Run("GUB.HIT n k -9223372036854775808 9223372036854775807 1h leaky"),
            RespReply::Integers({0, 9223372036854775807, kNow}));
}

TEST_F(HitFormsTest, TheReplyHasTheseBytes) {
  RawClient client(server_.port());
  client.Send("GUB.HIT n k 1 10 60000\r\nHELLO 3\r\n");
  EXPECT_EQ(client.ReadReplies(2).size(), 2u);
  client.Send("GUB.HIT n k 1 10 60000\r\nGUB.HIT n k 99 10 60000 FULL\r\nQUIT\r\n");
  const std::string owner = "127.0.0.1:" + std::to_string(server_.port());
  EXPECT_EQ(client.ReadUntilClosed(),
            "*3\r\n:0\r\n:8\r\n:1700000060000\r\n"
            "%7\r\n$6\r\nstatus\r\n:1\r\n$5\r\nlimit\r\n:10\r\n$9\r\nremaining\r\n:8\r\n"
            "$5\r\nreset\r\n:1700000060000\r\n$11\r\nretry_after\r\n:-1\r\n$5\r\nowner\r\n$" +
                std::to_string(owner.size()) + "\r\n" + owner +
                "\r\n$8\r\ndegraded\r\n:0\r\n+OK\r\n");
}

TEST_F(HitFormsTest, AnInlineLineIsARequestToo) {
  RawClient terminal(server_.port());
  terminal.Send("GUB.HIT 'two words' \"k\\x00\" 1 10 minute\r\nGUB.HIT n k 1 10 hour leaky\n");
  EXPECT_EQ(terminal.ReadReplies(2),
            (std::vector<RespReply>{RespReply::Integers({0, 9, 1'700'000'040'000}),
                                    RespReply::Integers({0, 9, kNow + 360'000})}));
  EXPECT_EQ(client_.Run({"GUB.RESET", "two words", std::string("k\0", 2)}), RespReply::Integer(1));
}

TEST(CalendarTimezoneTest, SaysWhenADayEnds) {
  const ServerProcess server(
      {"--enable-debug-commands", "yes", "--calendar-timezone", "Europe/Berlin"});
  RespClient client(server.port());
  client.RunLine("GUB.DEBUG CLOCK SET " + std::to_string(kNow));  // 23:13:20 in Berlin
  EXPECT_EQ(client.RunLine("GUB.HIT n k 1 10 day"), RespReply::Integers({0, 9, 1'700'002'800'000}));
  EXPECT_EQ(client.RunLine("GUB.HIT n l 1 10 month"),
            RespReply::Integers({0, 9, 1'701'385'200'000}));
}

}  // namespace
}  // namespace gub
