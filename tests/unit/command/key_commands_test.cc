// The habits of whoever kept limits as keys of a Redis, and the aliases of GUB.HIT.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command_fixture.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class KeyCommandsTest : public CommandFixture {};

TEST_F(KeyCommandsTest, AKeyIsWhatThrottleAndTakeKeepUnderIt) {
  EXPECT_EQ(RunLine("EXISTS k"), ":0\r\n");
  EXPECT_EQ(RunLine("TYPE k"), "+none\r\n");
  EXPECT_EQ(RunLine("TTL k"), ":-2\r\n");
  EXPECT_EQ(RunLine("PTTL k"), ":-2\r\n");
  EXPECT_EQ(RunLine("MEMORY USAGE k"), "$-1\r\n");
  RunLine("CL.THROTTLE k 9 10 60");  // one of 10 is back after 6 s
  EXPECT_EQ(RunLine("EXISTS k k x"), ":2\r\n");
  EXPECT_EQ(RunLine("TYPE k"), "+string\r\n");
  EXPECT_EQ(RunLine("PTTL k"), ":6000\r\n");
  EXPECT_EQ(RunLine("TTL k"), ":6\r\n");
  EXPECT_EQ(RunLine("GET k"), "$-1\r\n");
  RunLine("GUB.TAKE k 10 0.1");  // and this one after 10 s
  EXPECT_EQ(RunLine("PTTL k"), ":10000\r\n");
}

TEST_F(KeyCommandsTest, TtlIsRoundedAsInRedis) {
  RunLine("GUB.TAKE k 10 0.1");
  node_.clock.Freeze(kNowMs + 8501);
  EXPECT_EQ(RunLine("TTL k"), ":1\r\n");
  node_.clock.Freeze(kNowMs + 9501);
  EXPECT_EQ(RunLine("TTL k"), ":0\r\n");
  EXPECT_EQ(RunLine("PTTL k"), ":499\r\n");
  node_.clock.Freeze(kNowMs + 10000);
  EXPECT_EQ(RunLine("TTL k"), ":-2\r\n");
}

TEST_F(KeyCommandsTest, DeletingGivesTheWholeLimitBack) {
  RunLine("CL.THROTTLE a 1 1 60");
  RunLine("GUB.TAKE a 5 1 5");
  RunLine("GUB.TAKE b 5 1 5");
  EXPECT_EQ(RunLine("DEL a b c"), ":2\r\n");
  EXPECT_EQ(RunLine("GUB.TAKE a 5 1"), "*3\r\n:1\r\n:4\r\n:0\r\n");
  EXPECT_EQ(RunLine("UNLINK a"), ":1\r\n");
  EXPECT_EQ(RunLine("UNLINK a"), ":0\r\n");
  EXPECT_EQ(node_.store.Size(), 0);
}

TEST_F(KeyCommandsTest, WhatGubHitKeepsIsNotTouched) {
  RunLine("GUB.HIT n k 1 10 1h");
  EXPECT_EQ(RunLine("EXISTS k"), ":0\r\n");
  EXPECT_EQ(RunLine("DEL k"), ":0\r\n");
  EXPECT_EQ(node_.store.Size(), 1);
}

TEST_F(KeyCommandsTest, KeysThatNoBucketCanHaveAreNotThere) {
  const std::string key(70'000, 'k');
  EXPECT_EQ(Run({"EXISTS", key, ""}), ":0\r\n");
  EXPECT_EQ(Run({"DEL", key, ""}), ":0\r\n");
  EXPECT_EQ(Run({"TTL", key}), ":-2\r\n");
  EXPECT_EQ(Run({"MEMORY", "USAGE", key}), "$-1\r\n");
}

TEST_F(KeyCommandsTest, MemoryUsageIsWhatABucketTakes) {
  RunLine("GUB.TAKE k 5 1");
  EXPECT_EQ(RunLine("MEMORY USAGE k"),
            ":" + std::to_string(Store::BytesOf("gub.take", "k")) + "\r\n");
  const std::string key(1000, 'k');
  Run({"GUB.TAKE", key, "5", "1"});
  EXPECT_EQ(Store::BytesOf("gub.take", key) - Store::BytesOf("gub.take", "k"), 1011);
}

TEST_F(KeyCommandsTest, FcallAndEvalshaAreGubHitWithTheKeyInFront) {
  const std::string hit = RunLine("GUB.HIT n k 1 10 1h");
  EXPECT_THAT(hit, HasSubstr(":0\r\n:9\r\n"));
  EXPECT_THAT(RunLine("FCALL gub.hit 1 k n 1 10 1h"), HasSubstr(":0\r\n:8\r\n"));
  EXPECT_THAT(RunLine("fcall GUB.HIT 1 k n 1 10 1h token BATCHING"), HasSubstr(":0\r\n:7\r\n"));
  EXPECT_THAT(RunLine("EVALSHA 6e367ccc4a0289f36d50babce3af3880ff7cd0a6 1 k n 1 10 1h"),
              HasSubstr(":0\r\n:6\r\n"));
  EXPECT_THAT(RunLine("FCALL gub.hit 1 k n 1 10 1h FULL"), HasSubstr("remaining\r\n:5\r\n"));
}

TEST_F(KeyCommandsTest, TheAliasesAreRefusedAsRedisWould) {
  EXPECT_EQ(RunLine("FCALL nope 1 k n 1 10 1h"), "-ERR Function not found\r\n");
  EXPECT_EQ(RunLine("EVALSHA 0000 1 k n 1 10 1h"),
            "-NOSCRIPT No matching script. Please use EVAL.\r\n");
  EXPECT_EQ(RunLine("FCALL gub.hit x k n 1 10 1h"),
            "-ERR value is not an integer or out of range\r\n");
  EXPECT_EQ(RunLine("FCALL gub.hit -1 k n 1 10 1h"), "-ERR Number of keys can't be negative\r\n");
  EXPECT_EQ(RunLine("FCALL gub.hit 6 k n 1 10 1h"),
            "-ERR Number of keys can't be greater than number of args\r\n");
  EXPECT_EQ(RunLine("FCALL gub.hit 2 k n 1 10 1h"), "-ERR gub.hit takes one key\r\n");
  EXPECT_EQ(RunLine("FCALL gub.hit 1 k n 1 10"),
            "-ERR gub.hit takes a key, then name, hits, limit and duration\r\n");
  EXPECT_EQ(RunLine("FCALL gub.hit 1 k n 1 -1 1h"), "-ERR limit must not be negative\r\n");
  EXPECT_EQ(node_.store.Size(), 0);
  EXPECT_EQ(node_.counters.Sum(Counter::kRequestErrors), 6u);
}

TEST_F(KeyCommandsTest, MemoryUsageTakesSamplesAsRedisDoes) {
  RunLine("GUB.TAKE k 5 1");
  EXPECT_THAT(RunLine("MEMORY USAGE k SAMPLES 5"), StartsWith(":"));
  EXPECT_EQ(RunLine("MEMORY USAGE k SAMPLES"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("MEMORY USAGE k SAMPLES -1"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("MEMORY USAGE k foo 1"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("MEMORY USAGE k SAMPLES x"),
            "-ERR value is not an integer or out of range\r\n");
}

TEST_F(KeyCommandsTest, GetKeysFindsTheKeysOfEveryCommand) {
  EXPECT_EQ(RunLine("COMMAND GETKEYS GUB.HIT name key 1 10 1s"), "*1\r\n$3\r\nkey\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS GUB.TAKE key 1 1"), "*1\r\n$3\r\nkey\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS DEL a b"), "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS FCALL gub.hit 1 k n 1 1 1s"), "*1\r\n$1\r\nk\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS EVALSHA x 2 a b c"), "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS MEMORY USAGE k"), "*1\r\n$1\r\nk\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYSANDFLAGS GUB.RESET n k"),
            "*1\r\n*2\r\n$1\r\nk\r\n*3\r\n+RW\r\n+access\r\n+update\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYSANDFLAGS DEL k"),
            "*1\r\n*2\r\n$1\r\nk\r\n*2\r\n+RM\r\n+delete\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYSANDFLAGS TTL k"),
            "*1\r\n*2\r\n$1\r\nk\r\n*2\r\n+RO\r\n+access\r\n");
}

TEST_F(KeyCommandsTest, GetKeysHasRedisErrors) {
  EXPECT_EQ(RunLine("COMMAND GETKEYS NOPE a"), "-ERR Invalid command specified\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS MEMORY nope"), "-ERR Invalid command specified\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS PING"), "-ERR The command has no key arguments\r\n");
  EXPECT_EQ(RunLine("COMMAND GETKEYS GUB.HIT n"),
            "-ERR Invalid number of arguments specified for command\r\n");
  for (const std::string count : {"x", "-1", "3", "0"}) {
    EXPECT_EQ(RunLine("COMMAND GETKEYS EVALSHA x " + count + " a b"), "*0\r\n") << count;
  }
}

TEST_F(KeyCommandsTest, ListFiltersCommandsByCategoryAndPattern) {
  EXPECT_EQ(RunLine("COMMAND LIST FILTERBY PATTERN gub.ta*"), "*1\r\n$8\r\ngub.take\r\n");
  EXPECT_EQ(RunLine("COMMAND LIST FILTERBY MODULE x"), "*0\r\n");
  EXPECT_THAT(RunLine("COMMAND LIST FILTERBY ACLCAT scripting"), HasSubstr("evalsha"));
  EXPECT_EQ(RunLine("COMMAND LIST FILTERBY ACLCAT nope"), "*0\r\n");
  EXPECT_THAT(RunLine("COMMAND LIST"),
              StartsWith("*" + std::to_string(node_.commands.commands().size()) + "\r\n"));
  EXPECT_EQ(RunLine("COMMAND LIST FILTERBY nope x"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("COMMAND LIST x"), "-ERR syntax error\r\n");
}

}  // namespace
}  // namespace gub
