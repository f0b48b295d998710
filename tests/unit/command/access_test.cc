// Who may call what: passwords, what is allowed before them, disabled commands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/command_fixture.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kNoAuthReply[] = "-NOAUTH Authentication required.\r\n";
constexpr char kWrongPassReply[] =
    "-WRONGPASS invalid username-password pair or user is disabled.\r\n";

Config WithPassword(std::string password) {
  Config config;
  config.requirepass = std::move(password);
  return config;
}

class AccessTest : public CommandFixture {
 protected:
  explicit AccessTest(const Config& config = WithPassword("se cret")) : CommandFixture(config) {
    client_.authenticated = false;
  }
};

TEST_F(AccessTest, OnlyWhatRedisAllowsIsAllowedBeforeThePassword) {
  for (const CommandEntry* command : node_.commands.commands()) {
    const bool allowed = (command->spec->flags & kNoAuth) != 0;
    const std::set<std::string_view> redis = {"auth", "hello", "quit", "reset"};
    EXPECT_EQ(allowed, redis.contains(command->spec->name)) << command->full_name;
  }
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10 1s"), kNoAuthReply);
  EXPECT_EQ(RunLine("PING"), kNoAuthReply);
  EXPECT_EQ(RunLine("CLIENT SETNAME x"), kNoAuthReply);
  EXPECT_EQ(node_.store.Size(), 0);
}

TEST_F(AccessTest, ExistenceAndArityAreToldFirstAsInRedis) {
  EXPECT_THAT(RunLine("FOO"), StartsWith("-ERR unknown command 'FOO'"));
  EXPECT_THAT(RunLine("GUB.HIT n"), StartsWith("-ERR wrong number of arguments"));
}

TEST_F(AccessTest, ThePasswordOpensWithOrWithoutTheUser) {
  EXPECT_EQ(Run({"AUTH", "se cret"}), "+OK\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
  client_.authenticated = false;
  EXPECT_EQ(Run({"AUTH", "default", "se cret"}), "+OK\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
}

TEST_F(AccessTest, AnythingElseIsWrong) {
  for (std::string_view wrong : {"", "se cre", "se crett", "SE CRET"}) {
    EXPECT_EQ(Run({"AUTH", wrong}), kWrongPassReply) << wrong;
  }
  EXPECT_EQ(Run({"AUTH", "Default", "se cret"}), kWrongPassReply);
  EXPECT_EQ(Run({"AUTH", "default", "se cret", "x"}), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("PING"), kNoAuthReply);
}

TEST_F(AccessTest, AFailedAuthTakesNothingAway) {
  Run({"AUTH", "se cret"});
  EXPECT_EQ(RunLine("AUTH wrong"), kWrongPassReply);
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
}

TEST_F(AccessTest, HelloCanCarryThePasswordAndTheLastOneCounts) {
  EXPECT_THAT(RunLine("HELLO 3"), StartsWith("-NOAUTH HELLO must be called with the client"));
  EXPECT_THAT(RunLine("HELLO"), StartsWith("-NOAUTH"));
  EXPECT_EQ(RunLine("HELLO 3 AUTH default wrong SETNAME me"), kWrongPassReply);
  EXPECT_EQ(client_.record->names().name, "");
  EXPECT_EQ(client_.version, RespVersion::k2);
  EXPECT_THAT(Run({"HELLO", "3", "AUTH", "x", "y", "SETNAME", "a", "AUTH", "default", "se cret",
                   "SETNAME", "b"}),
              StartsWith("%7\r\n"));
  EXPECT_EQ(RunLine("CLIENT GETNAME"), "$1\r\nb\r\n");
}

TEST_F(AccessTest, AHelloWithoutAValueForItsOptionIsASyntaxError) {
  EXPECT_EQ(RunLine("HELLO 3 AUTH default"), "-ERR Syntax error in HELLO option 'AUTH'\r\n");
}

TEST_F(AccessTest, AHelloThatFailsLetsNobodyIn) {
  EXPECT_EQ(Run({"HELLO", "3", "AUTH", "default", "se cret", "SETNAME", "a b"}),
            "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
  EXPECT_EQ(RunLine("DBSIZE"), kNoAuthReply);
}

TEST_F(AccessTest, AnExecThatIsRefusedSaysWhy) {
  Run({"AUTH", "se cret"});
  RunLine("MULTI");
  client_.authenticated = false;
  EXPECT_EQ(RunLine("EXEC"),
            "-EXECABORT Transaction discarded because of: NOAUTH Authentication required.\r\n");
}

TEST_F(AccessTest, ResetAsksForThePasswordAgain) {
  Run({"AUTH", "se cret"});
  EXPECT_EQ(RunLine("RESET"), "+RESET\r\n");
  EXPECT_EQ(RunLine("PING"), kNoAuthReply);
}

TEST_F(AccessTest, WhoIsInStaysInWhenThePasswordChanges) {
  Run({"AUTH", "se cret"});
  EXPECT_EQ(RunLine("CONFIG SET requirepass other"), "+OK\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
  EXPECT_EQ(Run({"AUTH", "se cret"}), kWrongPassReply);
  EXPECT_EQ(RunLine("AUTH other"), "+OK\r\n");
}

TEST_F(AccessTest, NothingThatIsShownHoldsThePassword) {
  Run({"AUTH", "se cret"});
  RunLine("CONFIG SET slowlog-log-slower-than 0");
  Run({"AUTH", "se cret"});
  Run({"AUTH", "default", "se cret"});
  Run({"HELLO", "2", "AUTH", "default", "se cret"});
  Run({"CONFIG", "SET", "timeout", "5", "requirepass", "hush hush"});
  Run({"HELLO", "AUTH", "default", "se cret"});                      // the version is forgotten
  Run({"CONFIG", "SET", "maxclients", "requirepass", "hush hush"});  // and here a value
  Run({"COMMAND", "GETKEYS", "AUTH", "default", "se cret"});
  const std::string slow = RunLine("SLOWLOG GET -1");
  EXPECT_THAT(slow, HasSubstr("(redacted)"));
  EXPECT_THAT(slow, Not(HasSubstr("cret")));
  EXPECT_THAT(slow, Not(HasSubstr("hush")));
  EXPECT_EQ(RunLine("CONFIG GET requirepass"), "*2\r\n$11\r\nrequirepass\r\n$8\r\n(hidden)\r\n");
  EXPECT_THAT(RunLine("CONFIG GET *"), Not(HasSubstr("hush")));
}

class NoPasswordTest : public AccessTest {
 protected:
  NoPasswordTest() : AccessTest(Config()) {}
};

TEST_F(NoPasswordTest, AuthSaysThatThereIsNone) {
  EXPECT_THAT(RunLine("AUTH x"), HasSubstr("without any password configured for the default user"));
  EXPECT_EQ(RunLine("AUTH default anything"), "+OK\r\n");
  EXPECT_EQ(RunLine("AUTH other anything"), kWrongPassReply);
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
}

class DisabledTest : public AccessTest {
 protected:
  static Config Without() {
    Config config;
    config.disable_commands = {"FLUSHALL", "config|set", "gub.debug"};
    return config;
  }
  DisabledTest() : AccessTest(Without()) {}
};

TEST_F(DisabledTest, WhatIsDisabledIsRefusedByName) {
  EXPECT_EQ(RunLine("flushall"),
            "-ERR command 'flushall' is disabled by the option disable-commands\r\n");
  EXPECT_EQ(RunLine("CONFIG SET timeout 1"),
            "-ERR command 'config|set' is disabled by the option disable-commands\r\n");
  EXPECT_EQ(RunLine("GUB.DEBUG CLOCK SYSTEM"),
            "-ERR command 'gub.debug|clock' is disabled by the option disable-commands\r\n");
  EXPECT_THAT(RunLine("CONFIG GET timeout"), HasSubstr("timeout"));
}

TEST_F(DisabledTest, ItIsNotRunFromATransactionEither) {
  RunLine("GUB.HIT n k 1 10 1h");
  RunLine("MULTI");
  EXPECT_THAT(RunLine("FLUSHALL"), StartsWith("-ERR command 'flushall' is disabled"));
  EXPECT_THAT(RunLine("EXEC"), StartsWith("-EXECABORT"));
  EXPECT_EQ(node_.store.Size(), 1);
}

TEST_F(DisabledTest, NamesOfNothingAreFound) {
  const std::vector<std::string> names = {"ping", "config|sat"};
  EXPECT_EQ(node_.commands.FindUnknown(names), "config|sat");
}

}  // namespace
}  // namespace gub
