// Every error of the contract: its exact text, nothing changed by it, the connection usable.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using Words = std::vector<std::string>;

// A request and the error that it must have, without "ERR ".
struct Row {
  Words request;
  std::string error;
};

// GUB.HIT on the bucket that each test watches, with other words behind the key.
Words Hit(const std::string& words) { return SplitWords("GUB.HIT n k " + words); }

// Words behind a request that is right without them.
Words Behind(const std::string& words) { return Hit("1 10 1h " + words); }

class ErrorsTest : public ::testing::Test {
 protected:
  ErrorsTest() {
    Run("GUB.DEBUG CLOCK SET 1700000000000");
    Run("GUB.HIT n k 3 10 1h");
    Run("GUB.HIT n k 4 10 1h leaky");
    Run("GUB.TAKE k 10 1 5");
    Run("CL.THROTTLE k 9 1 1 6");
    before_ = Everything();
  }

  RespReply Run(const std::string& line) { return client_.RunLine(line); }

  // What is left in every bucket, and how many there are.
  std::vector<RespReply> Everything() {
    return {Run("GUB.HIT n k 0 10 1h"), Run("GUB.HIT n k 0 10 1h leaky"), Run("GUB.TAKE k 10 1 0"),
            Run("CL.THROTTLE k 9 1 1 0"), Run("DBSIZE")};
  }

  void ExpectErrors(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      SCOPED_TRACE(::testing::PrintToString(row.request));
      EXPECT_EQ(client_.Run(row.request), RespReply::Error("ERR " + row.error));
      EXPECT_EQ(Everything(), before_);
    }
  }

  ServerProcess server_{{"--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
  std::vector<RespReply> before_;
};

std::string Arity(const std::string& command) {
  return "wrong number of arguments for '" + command + "' command";
}

TEST_F(ErrorsTest, TheNumberOfArguments) {
  ExpectErrors({{{"GUB.HIT"}, Arity("gub.hit")},
                {{"Gub.Hit", "n", "k", "1", "10"}, Arity("gub.hit")},
                {{"GUB.TAKE", "k", "10"}, Arity("gub.take")},
                {{"CL.THROTTLE", "k", "9", "1"}, Arity("cl.throttle")},
                {{"GUB.RESET", "n"}, Arity("gub.reset")},
                {{"GUB.RESET", "n", "k", "k"}, Arity("gub.reset")},
                {{"GUB.DEBUG"}, Arity("gub.debug")},
                {{"GUB.DEBUG", "CLOCK"}, Arity("gub.debug|clock")},
                {{"DBSIZE", "n"}, Arity("dbsize")},
                {{"PING", "a", "b"}, Arity("ping")},
                {{"ECHO"}, Arity("echo")},
                {{"TIME", "now"}, Arity("time")}});
}

TEST_F(ErrorsTest, EmptyAndTooLongNamesAndKeys) {
  const std::string long_text = "name and key are longer than 4096 bytes";
  const std::string k4096(4096, 'k');
  ExpectErrors({{{"GUB.HIT", "", "k", "1", "10", "1h"}, "name must not be empty"},
                {{"GUB.HIT", "n", "", "1", "10", "1h"}, "key must not be empty"},
                {{"GUB.HIT", "", "", "1", "10", "1h"}, "name must not be empty"},
                {{"GUB.HIT", "n", k4096, "1", "10", "1h"}, long_text},
                {{"GUB.HIT", k4096, "k", "0", "10", "1h"}, long_text},
                {{"GUB.RESET", "", "k"}, "name must not be empty"},
                {{"GUB.RESET", "n", ""}, "key must not be empty"},
                {{"GUB.RESET", "n", k4096}, long_text},
                {{"GUB.TAKE", "", "10", "1"}, "key must not be empty"},
                {{"GUB.TAKE", k4096, "10", "1"}, long_text},
                {{"CL.THROTTLE", "", "9", "1", "1"}, "key must not be empty"},
                {{"CL.THROTTLE", k4096, "9", "1", "1"}, long_text}});
}

TEST_F(ErrorsTest, NumbersThatAreNone) {
  std::vector<Row> rows;
  for (const std::string number :
       {"", "one", "1.5", "+1", "01", "-0", " 1", "1 ", "1e3", "0x10", "9223372036854775808",
        "-9223372036854775809", "99999999999999999999999"}) {
    const std::string none = " is not an integer or out of range";
    rows.push_back({{"GUB.HIT", "n", "k", number, "10", "1h"}, "hits" + none});
    rows.push_back({{"GUB.HIT", "n", "k", "1", number, "1h"}, "limit" + none});
    rows.push_back({{"GUB.HIT", "n", "k", "1", "10", number}, "duration" + none});
    rows.push_back({{"GUB.HIT", "n", "k", "1", "10", "1h", "BURST", number}, "burst" + none});
    rows.push_back({{"GUB.TAKE", "k", number, "1"}, "capacity" + none});
    rows.push_back({{"GUB.TAKE", "k", "10", "1", number}, "cost" + none});
    rows.push_back({{"CL.THROTTLE", "k", number, "1", "1"}, "max_burst" + none});
    rows.push_back({{"CL.THROTTLE", "k", "9", number, "1"}, "count" + none});
    rows.push_back({{"CL.THROTTLE", "k", "9", "1", number}, "period" + none});
    rows.push_back({{"CL.THROTTLE", "k", "9", "1", "1", number}, "quantity" + none});
  }
  ExpectErrors(rows);
}

TEST_F(ErrorsTest, NumbersOutOfTheirRange) {
  ExpectErrors(
      {{Hit("1 -1 1h"), "limit must not be negative"},
       {Hit("1 -9223372036854775808 1h"), "limit must not be negative"},
       {Behind("leaky BURST -1"), "burst must not be negative"},
       {Behind("BURST -1"), "burst must not be negative"},
       {{"GUB.TAKE", "k", "-1", "1"}, "capacity must not be negative"},
       {{"CL.THROTTLE", "k", "-1", "1", "1"}, "max_burst must not be negative"},
       {{"CL.THROTTLE", "k", "9223372036854775807", "1", "1"},
        "max_burst is not an integer or out of range"},
       {{"CL.THROTTLE", "k", "9", "0", "1"}, "count must be at least 1"},
       {{"CL.THROTTLE", "k", "9", "-5", "1"}, "count must be at least 1"},
       {{"CL.THROTTLE", "k", "9", "1", "0"}, "period must be at least 1"},
       {{"CL.THROTTLE", "k", "9", "1", "-1"}, "period must be at least 1"},
       {{"CL.THROTTLE", "k", "9", "1", "3155760001"}, "period must be at most 3155760000"}});
}

TEST_F(ErrorsTest, DurationsOutOfTheirRange) {
  std::vector<Row> rows;
  for (const std::string word : {"0", "-1", "3155760000001", "9223372036854775807", "0s", "-5m",
                                 "36526d", "876601h", "3155760001s", "9223372036854775807d"}) {
    rows.push_back({Hit("1 10 " + word), "duration must be from 1 to 3155760000000 ms"});
  }
  for (const std::string word : {"10x", "s", "1.5h", "h1", "1hour", "minutes", "decade", "10ss",
                                 "1h30m", "-", "01h", "10\xc2\xb5s"}) {
    rows.push_back({Hit("1 10 " + word), "duration is not an integer or out of range"});
  }
  ExpectErrors(rows);
}

TEST_F(ErrorsTest, CalendarCodesThatAreNone) {
  std::vector<Row> rows;
  for (const std::string code : {"6", "-1", "60000", "9223372036854775807"}) {
    for (const std::string behavior : {"4", "DURATION_IS_GREGORIAN", "36"}) {
      rows.push_back({Hit("1 10 " + code + " token " + behavior),
                      "duration must be a calendar code from 0 to 5"});
    }
  }
  rows.push_back({Hit("1 10 fortnight token 4"), "duration is not an integer or out of range"});
  ExpectErrors(rows);
}

TEST_F(ErrorsTest, WordsThatAreUnknown) {
  ExpectErrors({{Behind("sieve"), "unknown algorithm 'sieve'"},
                {Behind("2"), "unknown algorithm '2'"},
                {Behind("-1"), "unknown algorithm '-1'"},
                {{"GUB.HIT", "n", "k", "1", "10", "1h", ""}, "unknown algorithm ''"},
                {Behind("token eager"), "unknown behavior 'eager'"},
                {Behind("token 64"), "unknown behavior '64'"},
                {Behind("token 128"), "unknown behavior '128'"},
                {Behind("token -1"), "unknown behavior '-1'"},
                {Behind("token 4294967296"), "unknown behavior '4294967296'"},
                {Behind("token 9223372036854775808"), "unknown behavior '9223372036854775808'"},
                {Behind("token GLOBAL|eager"), "unknown behavior 'eager'"},
                {Behind("token GLOBAL,,BATCHING"), "unknown behavior ''"},
                {Behind("token GLOBAL|"), "unknown behavior ''"},
                {Behind("token GLOBAL+BATCHING"), "unknown behavior 'GLOBAL+BATCHING'"},
                {{"GUB.HIT", "n", "k", "1", "10", "1h", "token", ""}, "unknown behavior ''"},
                {Behind("token 0 more"), "unknown option 'more'"},
                {Behind("token 0 BURST 5 more"), "unknown option 'more'"},
                {Behind("FULL token BURST 5 0 more"), "unknown option 'more'"},
                {Behind("ONFAIL retry"), "unknown onfail 'retry'"},
                {Behind("ONFAIL FULL"), "unknown onfail 'FULL'"},
                {{"FLUSHALL", "NOW"}, "syntax error"}});
}

TEST_F(ErrorsTest, OptionsTwiceOrWithoutTheirValue) {
  std::vector<Row> rows;
  for (const std::string words :
       {"BURST", "ONFAIL", "token BURST", "leaky 0 ONFAIL", "FULL BURST", "FULL FULL", "full FULL",
        "FULL token 0 FULL", "BURST 1 BURST 1", "BURST 0 burst 0", "ONFAIL local ONFAIL local",
        "onfail open FULL ONFAIL open", "BURST 1 ONFAIL open BURST"}) {
    rows.push_back({Behind(words), "syntax error"});
  }
  rows.push_back({Behind("BURST FULL"), "burst is not an integer or out of range"});
  rows.push_back({{"GUB.TAKE", "k", "10", "1", "1", "1"}, "syntax error"});
  rows.push_back({{"CL.THROTTLE", "k", "9", "1", "1", "1", "1"}, "syntax error"});
  ExpectErrors(rows);
}

TEST_F(ErrorsTest, StrangeWordsAreCutAndEscaped) {
  const std::string cut(128, 'x');
  const Words base = {"GUB.HIT", "n", "k", "1", "10", "1h"};
  const auto with = [&base](const Words& more) {
    Words words = base;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ExpectErrors({{with({std::string(5000, 'x')}), "unknown algorithm '" + cut + "'"},
                {with({"token", cut + "y"}), "unknown behavior '" + cut + "'"},
                {with({"token", "0", cut + "yz"}), "unknown option '" + cut + "'"},
                {with({"a\r\nb"}), "unknown algorithm 'a\\r\\nb'"},
                {with({"token", std::string("\0\x01\x7f\xff", 4)}),
                 "unknown behavior '\\x00\\x01\\x7f\\xff'"},
                {with({"token", "0", "\t\"q\"\\"}), "unknown option '\\t\\\"q\\\"\\\\'"}});
}

TEST_F(ErrorsTest, RatesThatAreNone) {
  std::vector<Row> rows;
  for (const std::string rate : {"0",
                                 "-1",
                                 "0.0",
                                 "-0.5",
                                 "",
                                 ".",
                                 "1.",
                                 ".5",
                                 "1.0000000000",
                                 "9000000000.1",
                                 "9000000001",
                                 "1e3",
                                 "1,5",
                                 "abc",
                                 "+1",
                                 "01",
                                 "nan",
                                 "inf",
                                 "99999999999999999999",
                                 "1.5.5",
                                 "0.000000000",
                                 " 1",
                                 "1 "}) {
    rows.push_back({{"GUB.TAKE", "k", "10", rate},
                    "refill_per_second must be a decimal number above 0, at most 9000000000, "
                    "with up to 9 decimals"});
  }
  ExpectErrors(rows);
}

TEST_F(ErrorsTest, DebugCommandsWithWrongWords) {
  ExpectErrors({{{"GUB.DEBUG", "CLOCK", "SET"}, "syntax error"},
                {{"GUB.DEBUG", "CLOCK", "SET", "1", "2"}, "syntax error"},
                {{"GUB.DEBUG", "CLOCK", "SYSTEM", "1"}, "syntax error"},
                {{"GUB.DEBUG", "CLOCK", "STOP"}, "syntax error"},
                {{"GUB.DEBUG", "CLOCK", "SET", "x"}, "ms is not an integer or out of range"},
                {{"GUB.DEBUG", "CLOCK", "ADVANCE", "1.5"}, "ms is not an integer or out of range"},
                {{"GUB.DEBUG", "CLOCK", "ADVANCE", "9223372036854775807"},
                 "ms is not an integer or out of range"},
                {{"GUB.DEBUG", "NOPE"}, "unknown subcommand 'NOPE'. Try GUB.DEBUG HELP."}});
}

TEST(DebugCommandsTest, AreRefusedUnlessTheOptionAllowsThem) {
  const ServerProcess server;
  RespClient client(server.port());
  const RespReply off =
      RespReply::Error("ERR GUB.DEBUG is off; it needs the option enable-debug-commands yes");
  EXPECT_EQ(client.RunLine("GUB.DEBUG CLOCK SET 1000"), off);
  EXPECT_EQ(client.RunLine("GUB.DEBUG CLOCK ADVANCE 1000"), off);
  EXPECT_EQ(client.RunLine("GUB.DEBUG CLOCK SYSTEM"), off);
  EXPECT_GT(client.RunLine("GUB.HIT n k 1 10 1h").items.at(2).integer, 1'700'000'000'000);
}

TEST(MaxKeyBytesTest, IsTheBoundOfNameAndKeyTogether) {
  const ServerProcess server({"--max-key-bytes", "10"});
  RespClient client(server.port());
  const RespReply too_long = RespReply::Error("ERR name and key are longer than 10 bytes");
  EXPECT_EQ(client.RunLine("GUB.HIT 12345 67890 1 10 1h").items.size(), 3u);
  EXPECT_EQ(client.RunLine("GUB.HIT 12345 678901 1 10 1h"), too_long);
  EXPECT_EQ(client.RunLine("GUB.TAKE 12 10 1").items.size(), 3u);  // gub.take has 8 bytes
  EXPECT_EQ(client.RunLine("GUB.TAKE 123 10 1"), too_long);
  EXPECT_EQ(client.Run({"DBSIZE"}), RespReply::Integer(2));
}

}  // namespace
}  // namespace gub
