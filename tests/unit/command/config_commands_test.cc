#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command_fixture.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConfigCommandsTest : public CommandFixture {
 protected:
  std::string Get(const std::string& name) { return RunLine("CONFIG GET " + name); }
};

// A value of each option that may change, other than its default.
std::string OtherValue(const OptionRow& row) {
  switch (row.type) {
    case OptionType::kInteger:
    case OptionType::kBytes: {
      const int64_t now = Config().*std::get<int64_t Config::*>(row.field);
      return std::to_string(now == row.max ? row.min : now + 1);
    }
    case OptionType::kBoolean:
      return row.default_text == "yes" ? "no" : "yes";
    case OptionType::kWord: {
      const size_t bar = row.words.find('|');
      const std::string_view first = row.words.substr(0, bar);
      return std::string(first == row.default_text
                             ? row.words.substr(bar + 1, row.words.find('|', bar + 1) - bar - 1)
                             : first);
    }
    default:
      return "other";
  }
}

TEST_F(ConfigCommandsTest, EveryReloadableOptionCanBeSetAndNoOther) {
  for (const OptionRow& row : OptionTable()) {
    const std::string value = OtherValue(row);
    const std::string before = FormatOption(row, *node_.config.Get());
    const std::string reply = Run({"CONFIG", "SET", row.name, value});
    const std::string after = FormatOption(row, *node_.config.Get());
    if (row.reloadable) {
      EXPECT_EQ(reply, "+OK\r\n") << row.name;
      EXPECT_NE(after, before) << row.name;
    } else {
      EXPECT_EQ(reply, "-ERR CONFIG SET failed (possibly related to argument '" +
                           std::string(row.name) +
                           "') - can't set immutable config: it needs a restart\r\n");
      EXPECT_EQ(after, before) << row.name;
    }
  }
}

TEST_F(ConfigCommandsTest, OfSeveralOptionsAllAreSetOrNone) {
  EXPECT_EQ(RunLine("CONFIG SET timeout 5 maxclients 6"), "+OK\r\n");
  EXPECT_EQ(Get("timeout"), "*2\r\n$7\r\ntimeout\r\n$1\r\n5\r\n");
  EXPECT_EQ(Get("maxclients"), "*2\r\n$10\r\nmaxclients\r\n$1\r\n6\r\n");

  EXPECT_EQ(RunLine("CONFIG SET timeout 9 maxclients 0"),
            "-ERR CONFIG SET failed (possibly related to argument 'maxclients') - maxclients must "
            "be from 1 to 1000000, got '0'\r\n");
  EXPECT_EQ(RunLine("CONFIG SET timeout 9 port 1"),
            "-ERR CONFIG SET failed (possibly related to argument 'port') - can't set immutable "
            "config: it needs a restart\r\n");
  EXPECT_EQ(RunLine("CONFIG SET timeout 9 TIMEOUT 10"),
            "-ERR CONFIG SET failed (possibly related to argument 'TIMEOUT') - duplicate "
            "parameter\r\n");
  EXPECT_EQ(RunLine("CONFIG SET timeout 9 nope 10"),
            "-ERR Unknown option or number of arguments for CONFIG SET - 'nope'\r\n");
  EXPECT_EQ(RunLine("CONFIG SET timeout 9 maxclients"), "-ERR syntax error\r\n");
  EXPECT_EQ(Get("timeout"), "*2\r\n$7\r\ntimeout\r\n$1\r\n5\r\n");
}

TEST_F(ConfigCommandsTest, WhatCannotBeMadeTrueIsRefused) {
  node_.hooks.prepare_config = [](const Config& before, Config* after) {
    return after->maxclients > before.maxclients ? absl::ResourceExhaustedError("too many")
                                                 : absl::OkStatus();
  };
  EXPECT_EQ(RunLine("CONFIG SET maxclients 20000 timeout 3"), "-ERR too many\r\n");
  EXPECT_EQ(node_.config.Get()->timeout_s, 0);
  EXPECT_EQ(RunLine("CONFIG SET maxclients 20 timeout 3"), "+OK\r\n");
}

TEST_F(ConfigCommandsTest, EverybodyIsToldOfAChangeAndOfNothingElse) {
  int changes = 0;
  node_.hooks.config_changed = [&changes] { ++changes; };
  RunLine("CONFIG SET timeout x");
  EXPECT_EQ(changes, 0);
  RunLine("CONFIG SET timeout 1");
  EXPECT_EQ(changes, 1);
}

TEST_F(ConfigCommandsTest, TheNextCommandOfThePipelineSeesIt) {
  EXPECT_THAT(Run({"GUB.HIT", "n", std::string(4096, 'k'), "1", "10", "1s"}),
              HasSubstr("longer than 4096 bytes"));
  RunLine("CONFIG SET slowlog-max-len 0 slowlog-log-slower-than 0");
  RunLine("PING");
  EXPECT_EQ(RunLine("SLOWLOG LEN"), ":0\r\n");
}

TEST_F(ConfigCommandsTest, ResetStatSetsTheCountersBackAndTheyCountOn) {
  RunLine("PING");
  RunLine("SELECT 5");
  EXPECT_THAT(RunLine("INFO stats"), HasSubstr("total_error_replies:1\r\n"));
  EXPECT_EQ(RunLine("CONFIG RESETSTAT"), "+OK\r\n");
  EXPECT_THAT(RunLine("INFO stats"), HasSubstr("total_error_replies:0\r\n"));
  EXPECT_THAT(RunLine("INFO commandstats"), ::testing::Not(HasSubstr("cmdstat_ping")));
  EXPECT_THAT(RunLine("INFO errorstats"), ::testing::Not(HasSubstr("errorstat_ERR")));
  RunLine("PING");
  RunLine("SELECT 5");
  EXPECT_THAT(RunLine("INFO stats"), HasSubstr("total_error_replies:1\r\n"));
  EXPECT_THAT(RunLine("INFO commandstats"), HasSubstr("cmdstat_ping:calls=1,"));
  EXPECT_THAT(RunLine("INFO errorstats"), HasSubstr("errorstat_ERR:count=1\r\n"));
}

TEST_F(ConfigCommandsTest, ResetStatReachesTheStoreToo) {
  RunLine("GUB.HIT n k 1 10 1s");
  node_.clock.Freeze(kNowMs + 2000);
  node_.store.Sweep(kNowMs + 2000, node_.store.epoch(), 1'000'000'000);
  EXPECT_THAT(RunLine("INFO gub"), HasSubstr("expired_keys:1\r\n"));
  RunLine("CONFIG RESETSTAT");
  EXPECT_THAT(RunLine("INFO gub"), HasSubstr("expired_keys:0\r\n"));
}

TEST_F(ConfigCommandsTest, WhatConfigGetShowsOfTheOutputLimitCanBeSetAgain) {
  EXPECT_EQ(Run({"CONFIG", "SET", "client-output-buffer-limit",
                 "normal 65536 0 0 slave 0 0 0 pubsub 0 0 0"}),
            "+OK\r\n");
  EXPECT_THAT(Get("client-output-buffer-limit"), HasSubstr("normal 65536 0 0 slave"));
  EXPECT_THAT(Run({"CONFIG", "SET", "client-output-buffer-limit", "normal 0 0 0"}),
              HasSubstr("client-output-buffer-limit must be from 16kb to 2gb"));
}

TEST_F(ConfigCommandsTest, RewriteNeedsAFile) {
  EXPECT_EQ(RunLine("CONFIG REWRITE"), "-ERR The server is running without a config file\r\n");
  node_.config_file = "/nowhere/gub.conf";
  EXPECT_THAT(RunLine("CONFIG REWRITE"), StartsWith("-ERR Rewriting config file: /nowhere"));
}

}  // namespace
}  // namespace gub
