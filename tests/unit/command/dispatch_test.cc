#include "command/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command_fixture.h"

namespace gub {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DispatchTest : public CommandFixture {
 protected:
  CommandStats::Totals StatsOf(std::string_view full_name) {
    return node_.command_stats.Sum(node_.commands.FindFullName(full_name)->number);
  }
};

TEST_F(DispatchTest, AnUnknownCommandIsNamedWithItsFirstArguments) {
  EXPECT_EQ(RunLine("FOO a b"),
            "-ERR unknown command 'FOO', with args beginning with: 'a' 'b' \r\n");
  EXPECT_EQ(Run({std::string(200, 'X')}),
            "-ERR unknown command '" + std::string(128, 'X') + "', with args beginning with: \r\n");
  EXPECT_EQ(Run({"BAD\r\n", "a\x01"}),
            "-ERR unknown command 'BAD\\r\\n', with args beginning with: 'a\\x01' \r\n");
}

TEST_F(DispatchTest, AWrongNumberOfArgumentsNamesTheCommand) {
  EXPECT_EQ(RunLine("GUB.HIT n k 1 10"),
            "-ERR wrong number of arguments for 'gub.hit' command\r\n");
  EXPECT_EQ(RunLine("ping a b"), "-ERR wrong number of arguments for 'ping' command\r\n");
  EXPECT_EQ(RunLine("CLIENT SETNAME"),
            "-ERR wrong number of arguments for 'client|setname' command\r\n");
  EXPECT_EQ(RunLine("CLIENT"), "-ERR wrong number of arguments for 'client' command\r\n");
  EXPECT_EQ(RunLine("CLIENT nope"), "-ERR unknown subcommand 'nope'. Try CLIENT HELP.\r\n");
}

TEST_F(DispatchTest, CommandsAreFoundInAnyCaseAndOneAfterTheOther) {
  EXPECT_EQ(RunLine("ping"), "+PONG\r\n");
  EXPECT_EQ(RunLine("PiNg"), "+PONG\r\n");
  EXPECT_EQ(RunLine("ECHO hi"), "$2\r\nhi\r\n");
  EXPECT_EQ(RunLine("ping"), "+PONG\r\n");
}

TEST_F(DispatchTest, CallsRejectionsAndFailuresAreCountedPerCommand) {
  RunLine("PING");
  RunLine("PING");
  RunLine("PING a b c");
  RunLine("CLIENT SETNAME x");
  RunLine("CLIENT SETNAME");
  RunLine("SELECT 1");
  EXPECT_EQ(StatsOf("ping").calls, 3u);  // its maximum is checked by its handler
  EXPECT_EQ(StatsOf("ping").failed, 1u);
  EXPECT_EQ(StatsOf("client|setname").calls, 1u);
  EXPECT_EQ(StatsOf("client|setname").rejected, 1u);
  EXPECT_EQ(StatsOf("select").failed, 1u);
  EXPECT_EQ(node_.counters.Sum(Counter::kErrorReplies), 3u);
}

TEST_F(DispatchTest, ATransactionQueuesAndThenRunsInOrder) {
  EXPECT_EQ(RunLine("MULTI"), "+OK\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 2 1h"), "+QUEUED\r\n");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 x 1h"), "+QUEUED\r\n");
  EXPECT_EQ(RunLine("PING"), "+QUEUED\r\n");
  EXPECT_EQ(RunLine("DBSIZE"), "+QUEUED\r\n");
  EXPECT_EQ(RunLine("EXEC"),
            "*4\r\n*3\r\n:0\r\n:1\r\n:1700003600000\r\n"
            "-ERR limit is not an integer or out of range\r\n+PONG\r\n:1\r\n");
  EXPECT_EQ(RunLine("EXEC"), "-ERR EXEC without MULTI\r\n");
}

TEST_F(DispatchTest, ARequestThatCannotBeQueuedAbortsTheTransactionAndNothingIsConsumed) {
  for (const char* bad : {"GUB.HIT n k", "NOPE", "CLIENT nope"}) {
    RunLine("MULTI");
    RunLine("GUB.HIT n k 1 2 1h");
    EXPECT_THAT(RunLine(bad), HasSubstr("-ERR "));
    EXPECT_EQ(RunLine("GUB.HIT n k 1 2 1h"), "+QUEUED\r\n");
    EXPECT_EQ(RunLine("EXEC"), "-EXECABORT Transaction discarded because of previous errors.\r\n");
    EXPECT_EQ(RunLine("DBSIZE"), ":0\r\n");
  }
}

TEST_F(DispatchTest, ANestedMultiIsAnErrorThatAbortsNothing) {
  RunLine("MULTI");
  EXPECT_EQ(RunLine("MULTI"), "-ERR MULTI calls can not be nested\r\n");
  RunLine("PING");
  EXPECT_EQ(RunLine("EXEC"), "*1\r\n+PONG\r\n");
}

TEST_F(DispatchTest, AnExecThatIsRefusedItselfEndsTheTransaction) {
  RunLine("MULTI");
  RunLine("GUB.HIT n k 1 2 1h");
  EXPECT_EQ(RunLine("EXEC now"),
            "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' "
            "command\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
  EXPECT_EQ(RunLine("DBSIZE"), ":0\r\n");
}

TEST_F(DispatchTest, DiscardDropsTheQueueAndTheAbort) {
  EXPECT_EQ(RunLine("DISCARD"), "-ERR DISCARD without MULTI\r\n");
  RunLine("MULTI");
  RunLine("GUB.HIT n k 1 2 1h");
  RunLine("NOPE");
  EXPECT_EQ(RunLine("DISCARD"), "+OK\r\n");
  EXPECT_EQ(RunLine("DBSIZE"), ":0\r\n");
  RunLine("MULTI");
  EXPECT_EQ(RunLine("EXEC"), "*0\r\n");
}

TEST_F(DispatchTest, AQueueLargerThanTheQueryBufferAbortsTheTransaction) {
  const std::string large(60'000, 'x');
  RunLine("MULTI");
  std::string reply = "+QUEUED\r\n";
  int queued = 0;
  while (reply == "+QUEUED\r\n" && queued < 100) {
    reply = Run({"ECHO", large});
    ++queued;
  }
  EXPECT_EQ(reply, "-ERR the transaction is larger than client-query-buffer-limit\r\n");
  EXPECT_EQ(queued, 18);  // 17 of 60 000 bytes fit into 1 MiB
  EXPECT_THAT(RunLine("EXEC"), HasSubstr("EXECABORT"));
}

TEST_F(DispatchTest, ATransactionWhoseReplyIsPastAllBoundsIsRunToItsEndUnheard) {
  RunLine("MULTI");
  for (int i = 0; i < 2'000; ++i) RunLine("COMMAND DOCS");
  RunLine("GUB.HIT n k 1 2 1h");
  const std::string reply = RunLine("EXEC");
  EXPECT_EQ(reply.size(),
            static_cast<size_t>(node_.config.Get()->client_output_buffer_limit_bytes) + 1);
  EXPECT_EQ(RunLine("DBSIZE"), ":1\r\n");
}

TEST_F(DispatchTest, QuitInsideATransactionIsAnsweredAtOnce) {
  RunLine("MULTI");
  RunLine("GUB.HIT n k 1 2 1h");
  EXPECT_EQ(RunLine("QUIT"), "+OK\r\n");
  EXPECT_TRUE(client_.close);
  EXPECT_EQ(node_.store.Size(), 0);
}

TEST_F(DispatchTest, HelloSwitchesTheProtocolOfItsOwnReply) {
  EXPECT_THAT(RunLine("HELLO 3 SETNAME me"), HasSubstr("%7\r\n$6\r\nserver\r\n"));
  EXPECT_EQ(RunLine("CLIENT GETNAME"), "$2\r\nme\r\n");
  EXPECT_THAT(RunLine("HELLO"), HasSubstr("$5\r\nproto\r\n:3\r\n"));
  EXPECT_THAT(RunLine("HELLO 2"), HasSubstr("*14\r\n$6\r\nserver\r\n"));
}

TEST_F(DispatchTest, AHelloThatFailsChangesNothing) {
  EXPECT_EQ(RunLine("HELLO 4"), "-NOPROTO unsupported protocol version\r\n");
  EXPECT_EQ(RunLine("HELLO x"), "-ERR Protocol version is not an integer or out of range\r\n");
  EXPECT_EQ(RunLine("HELLO 3 SETNAME me FOO x"), "-ERR Syntax error in HELLO option 'FOO'\r\n");
  EXPECT_EQ(RunLine("HELLO 3 SETNAME"), "-ERR Syntax error in HELLO option 'SETNAME'\r\n");
  EXPECT_EQ(RunLine("CLIENT GETNAME"), "$-1\r\n");
  EXPECT_THAT(RunLine("HELLO"), HasSubstr("$5\r\nproto\r\n:2\r\n"));
}

TEST_F(DispatchTest, ClientNamesAndLibrariesAreOneWord) {
  EXPECT_EQ(RunLine("CLIENT SETINFO LIB-NAME redis-py"), "+OK\r\n");
  EXPECT_EQ(RunLine("CLIENT SETINFO lib-ver 4.3"), "+OK\r\n");
  EXPECT_EQ(client_.record->names().lib_name, "redis-py");
  EXPECT_EQ(client_.record->names().lib_version, "4.3");
  EXPECT_EQ(RunLine("CLIENT SETINFO LIB-X y"), "-ERR Unrecognized option 'LIB-X'\r\n");
  EXPECT_EQ(Run({"CLIENT", "SETINFO", "LIB-NAME", "a b"}),
            "-ERR lib-name cannot contain spaces, newlines or special characters.\r\n");
  EXPECT_EQ(Run({"CLIENT", "SETNAME", "a b"}),
            "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
}

TEST_F(DispatchTest, ConfigGetMatchesPatternsOnce) {
  EXPECT_EQ(RunLine("CONFIG GET port"), "*2\r\n$4\r\nport\r\n$4\r\n7379\r\n");
  EXPECT_EQ(RunLine("CONFIG GET PORT p[o]rt"), "*2\r\n$4\r\nport\r\n$4\r\n7379\r\n");
  EXPECT_EQ(RunLine("CONFIG GET save"), "*2\r\n$4\r\nsave\r\n$0\r\n\r\n");
  EXPECT_EQ(RunLine("CONFIG GET nope"), "*0\r\n");
  EXPECT_EQ(Run({"CONFIG", "GET", "port" + std::string(253, '*')}), "*0\r\n");
}

TEST_F(DispatchTest, ConfigGetAnswersInRedisForm) {
  EXPECT_EQ(RunLine("CONFIG GET proto-max-bulk-len"),
            "*2\r\n$18\r\nproto-max-bulk-len\r\n$5\r\n65536\r\n");
  EXPECT_EQ(RunLine("CONFIG GET client-output-buffer-limit"),
            "*2\r\n$26\r\nclient-output-buffer-limit\r\n$43\r\n"
            "normal 8388608 0 0 slave 0 0 0 pubsub 0 0 0\r\n");
  EXPECT_EQ(RunLine("CONFIG GET bind"), "*2\r\n$4\r\nbind\r\n$14\r\n127.0.0.1 -::1\r\n");
}

TEST_F(DispatchTest, InfoHasTheSectionsThatAreAskedFor) {
  EXPECT_THAT(RunLine("INFO"), HasSubstr("# Server\r\nredis_version:7."));
  EXPECT_THAT(RunLine("INFO"), HasSubstr("# Gub\r\n"));
  EXPECT_THAT(RunLine("INFO gub"), Not(HasSubstr("# Server")));
  EXPECT_THAT(RunLine("INFO GUB clients"), HasSubstr("# Clients\r\n"));
  RunLine("PING");
  EXPECT_THAT(RunLine("INFO commandstats"), HasSubstr("cmdstat_ping:calls=1,usec="));
  EXPECT_EQ(RunLine("INFO nope"), "$0\r\n\r\n");
}

}  // namespace
}  // namespace gub
