// redis-cli and redis-benchmark against a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"
#include "tests/support/terminal.h"

namespace gub {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RedisToolsTest : public ::testing::Test {
 protected:
  std::vector<std::string> CommandOf(const std::string& tool, const std::string& words) const {
    std::vector<std::string> command = {tool, "-h", "127.0.0.1", "-p",
                                        std::to_string(server_.port())};
    for (const std::string& word : SplitWords(words)) command.push_back(word);
    return command;
  }

  ProgramResult RunTool(const std::string& tool, const std::string& words) const {
    const ProgramResult result = RunProgram(CommandOf(tool, words));
    EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
    return result;
  }
  std::string Cli(const std::string& words) const { return RunTool("redis-cli", words).out; }

  ServerProcess server_{{"--max-keys", "200000", "--enable-debug-commands", "yes"}};
};

TEST_F(RedisToolsTest, OneCallOfRedisCliGivesThreeIntegers) {
  Cli("GUB.DEBUG CLOCK SET 1700000000000");
  EXPECT_EQ(Cli("GUB.HIT requests_per_sec account:123 1 10 1s"), "0\n9\n1700000001000\n");
  EXPECT_EQ(Cli("--no-raw gub.hit requests_per_sec account:123 1 10 1s"),
            "1) (integer) 0\n2) (integer) 8\n3) (integer) 1700000001000\n");
  EXPECT_THAT(Cli("--no-raw -3 GUB.HIT requests_per_sec account:123 0 10 1s FULL"),
              StartsWith("1# \"status\" => (integer) 0\n2# \"limit\" => (integer) 10\n"
                         "3# \"remaining\" => (integer) 8\n"));
}

TEST_F(RedisToolsTest, RedisCliShowsErrorsAndNil) {
  EXPECT_EQ(Cli("--no-raw GUB.HIT n k 1 -1 1s"), "(error) ERR limit must not be negative\n");
  EXPECT_EQ(Cli("--no-raw CLIENT GETNAME"), "(nil)\n");
  EXPECT_EQ(Cli("--no-raw -3 CLIENT GETNAME"), "(nil)\n");
}

TEST_F(RedisToolsTest, RedisCliReadsInfoAndTheCommandTable) {
  EXPECT_THAT(Cli("INFO"), StartsWith("# Server\r\nredis_version:7.2.0\r\n"));
  EXPECT_THAT(Cli("-3 INFO gub"), StartsWith("# Gub\r\n"));
  for (const std::string protocol : {"-2", "-3"}) {
    EXPECT_THAT(Cli(protocol + " COMMAND"), HasSubstr("gub.hit\n"));
    EXPECT_THAT(Cli(protocol + " COMMAND DOCS"), HasSubstr("Hits a limit"));
    EXPECT_THAT(Cli(protocol + " COMMAND INFO gub.hit nope"), HasSubstr("gub.hit\n"));
  }
}

TEST_F(RedisToolsTest, RedisCliHelpsWithACommandOfOurs) {
  const std::string help = Cli("help GUB.HIT");
  EXPECT_THAT(help, HasSubstr("name key hits limit duration [token|leaky] [behavior] [BURST n] "
                              "[ONFAIL local|open|closed|error] [FULL]"));
  EXPECT_THAT(help, HasSubstr("Hits a limit and answers status, remaining and reset."));
  EXPECT_THAT(Cli("help CLIENT SETNAME"), HasSubstr("connection-name"));
}

// GetParam: the option that chooses the protocol.
class InteractiveRedisCliTest : public RedisToolsTest,
                                public ::testing::WithParamInterface<const char*> {};

TEST_P(InteractiveRedisCliTest, HintsCompletesAndDoesNotAbort) {
  Terminal terminal(CommandOf("redis-cli", GetParam()));
  const std::string prompt = "127.0.0.1:" + std::to_string(server_.port()) + "> ";
  ASSERT_TRUE(terminal.Shows(prompt)) << terminal.Unseen();
  terminal.Type("GUB.HIT ");
  EXPECT_TRUE(terminal.Shows("name key hits limit duration")) << terminal.Unseen();
  terminal.Type("n k 1 10 1h\r");
  EXPECT_TRUE(terminal.Shows("2) (integer) 9")) << terminal.Unseen();
  ASSERT_TRUE(terminal.Shows(prompt)) << terminal.Unseen();
  terminal.Type("gub.ta\t");
  EXPECT_TRUE(terminal.Shows("GUB.TAKE")) << terminal.Unseen();
  terminal.Type(" k 10 1\r");
  EXPECT_TRUE(terminal.Shows("1) (integer) 1")) << terminal.Unseen();
  ASSERT_TRUE(terminal.Shows(prompt)) << terminal.Unseen();
  terminal.Type("COMMAND DOCS\r");
  EXPECT_TRUE(terminal.Shows("Hits a limit")) << terminal.Unseen();
  ASSERT_TRUE(terminal.Shows(prompt)) << terminal.Unseen();
  terminal.Type("exit\r");
  EXPECT_EQ(terminal.WaitForExit(), 0);
}

INSTANTIATE_TEST_SUITE_P(Protocols, InteractiveRedisCliTest, ::testing::Values("-2", "-3"),
                         [](const auto& info) { return std::string("Resp") + info.param[1]; });

TEST_F(RedisToolsTest, RedisBenchmarkOfHitsOnManyKeysHasNoError) {
  const std::string requests = kSanitized ? "20000" : "100000";
  const ProgramResult result =
      RunTool("redis-benchmark",
              "-n " + requests + " -P 16 -r 100000 GUB.HIT a k:__rand_int__ 1 100 60000");
  EXPECT_THAT(result.out, HasSubstr(requests + " requests completed"));
  EXPECT_THAT(result.out + result.err, Not(ContainsRegex("[Ee]rror|ERR|WARNING")));
  RespClient client(server_.port());
  EXPECT_EQ(InfoNumber(&client, "hits_admitted") + InfoNumber(&client, "hits_denied"),
            std::atoll(requests.c_str()));
  EXPECT_EQ(InfoNumber(&client, "total_error_replies"), 0);
}

TEST_F(RedisToolsTest, RedisBenchmarkOfOneKeyAdmitsExactlyTheLimit) {
  RunTool("redis-benchmark", "-q -n 20000 -c 20 GUB.HIT a one 1 1234 1h");
  RespClient client(server_.port());
  EXPECT_EQ(InfoNumber(&client, "hits_admitted"), 1234);
  EXPECT_EQ(InfoNumber(&client, "hits_denied"), 20000 - 1234);
}

}  // namespace
}  // namespace gub
