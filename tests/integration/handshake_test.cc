// What clients say when they connect: HELLO, CLIENT, SELECT, PING, ECHO, QUIT.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::Optional;
using ::testing::StartsWith;

const RespReply kOk = RespReply::Status("OK");
const RespReply kBadName =
    RespReply::Error("ERR Client names cannot contain spaces, newlines or special characters.");

class HandshakeTest : public ::testing::Test {
 protected:
  RespReply Run(const std::string& line) { return client_.Run(SplitWords(line)); }
  RespReply RunArgs(const std::vector<std::string>& args) { return client_.Run(args); }

  // HELLO's items, whatever the protocol.
  std::vector<RespReply> Greeting(int64_t protocol, int64_t id) {
    return {RespReply::Bulk("server"),     RespReply::Bulk("redis"), RespReply::Bulk("version"),
            RespReply::Bulk("7.2.0"),      RespReply::Bulk("proto"), RespReply::Integer(protocol),
            RespReply::Bulk("id"),         RespReply::Integer(id),   RespReply::Bulk("mode"),
            RespReply::Bulk("standalone"), RespReply::Bulk("role"),  RespReply::Bulk("master"),
            RespReply::Bulk("modules"),    RespReply::Array({})};
  }
  int64_t Id() { return Run("CLIENT ID").integer; }

  ServerProcess server_;
  RawClient client_{server_.port()};
};

TEST_F(HandshakeTest, HelloThreeSwitchesToResp3AndAnswersInIt) {
  const int64_t id = Id();
  EXPECT_EQ(Run("HELLO 3"), RespReply::Map(Greeting(3, id)));
  EXPECT_EQ(Run("CONFIG GET max-args").type, RespReply::Type::kMap);
  EXPECT_EQ(Run("INFO server").type, RespReply::Type::kVerbatim);
  EXPECT_THAT(Run("INFO server").text, StartsWith("txt:# Server\r\nredis_version:7.2.0\r\n"));
}

TEST_F(HandshakeTest, HelloTwoSwitchesBack) {
  const int64_t id = Id();
  Run("HELLO 3");
  EXPECT_EQ(Run("HELLO 2"), RespReply::Array(Greeting(2, id)));
  EXPECT_EQ(Run("CONFIG GET max-args").type, RespReply::Type::kArray);
  EXPECT_EQ(Run("INFO server").type, RespReply::Type::kBulk);
}

TEST_F(HandshakeTest, HelloAloneReportsAndSwitchesNothing) {
  const int64_t id = Id();
  EXPECT_EQ(Run("HELLO"), RespReply::Array(Greeting(2, id)));
  Run("HELLO 3");
  EXPECT_EQ(Run("HELLO"), RespReply::Map(Greeting(3, id)));
}

TEST_F(HandshakeTest, ABadVersionChangesNothing) {
  const RespReply no_protocol = RespReply::Error("NOPROTO unsupported protocol version");
  const RespReply no_number =
      RespReply::Error("ERR Protocol version is not an integer or out of range");
  Run("HELLO 3 SETNAME before");
  for (const std::string version : {"1", "4", "-3", "0", "33"}) {
    EXPECT_EQ(Run("HELLO " + version + " SETNAME after"), no_protocol) << version;
  }
  for (const std::string version : {"x", "3.0", "03", "+3", "99999999999999999999"}) {
    EXPECT_EQ(Run("HELLO " + version + " SETNAME after"), no_number) << version;
  }
  EXPECT_EQ(Run("INFO server").type, RespReply::Type::kVerbatim);
  EXPECT_EQ(Run("CLIENT GETNAME"), RespReply::Bulk("before"));
}

TEST_F(HandshakeTest, ABadOptionOfHelloChangesNothing) {
  EXPECT_EQ(Run("HELLO 3 COLOR red"), RespReply::Error("ERR Syntax error in HELLO option 'COLOR'"));
  EXPECT_EQ(Run("HELLO 3 SETNAME"), RespReply::Error("ERR Syntax error in HELLO option 'SETNAME'"));
  EXPECT_EQ(RunArgs({"HELLO", "3", "SETNAME", "two words"}), kBadName);
  EXPECT_EQ(Run("INFO server").type, RespReply::Type::kBulk);
  EXPECT_EQ(Run("CLIENT GETNAME"), RespReply::Nil());
}

TEST_F(HandshakeTest, TheLastNameInHelloWins) {
  Run("HELLO 3 SETNAME first setname second");
  EXPECT_EQ(Run("CLIENT GETNAME"), RespReply::Bulk("second"));
}

TEST_F(HandshakeTest, NullIsANullOfTheProtocol) {
  RawClient client(server_.port());
  client.Send("CLIENT GETNAME\r\nCOMMAND INFO nope\r\nHELLO 3\r\n");
  EXPECT_EQ(client.ReadReplies(3).size(), 3u);
  client.Send("CLIENT GETNAME\r\nCOMMAND INFO nope\r\nHELLO 2\r\nQUIT\r\n");
  EXPECT_THAT(client.ReadUntilClosed(), Optional(StartsWith("_\r\n*1\r\n_\r\n*14\r\n")));
  RawClient resp2(server_.port());
  resp2.Send("CLIENT GETNAME\r\nCOMMAND INFO nope\r\nQUIT\r\n");
  EXPECT_THAT(resp2.ReadUntilClosed(), Optional(std::string("$-1\r\n*1\r\n$-1\r\n+OK\r\n")));
}

TEST_F(HandshakeTest, AConnectionHasTheNameThatItWasGivenLast) {
  EXPECT_EQ(Run("CLIENT GETNAME"), RespReply::Nil());
  EXPECT_EQ(Run("CLIENT SETNAME worker-1"), kOk);
  EXPECT_EQ(Run("client getname"), RespReply::Bulk("worker-1"));
  for (const std::string name : {"two words", "line\nbreak", "tab\t", "\x7f", "\xc3\xa4"}) {
    EXPECT_EQ(RunArgs({"CLIENT", "SETNAME", name}), kBadName);
  }
  EXPECT_EQ(Run("CLIENT GETNAME"), RespReply::Bulk("worker-1"));
  EXPECT_EQ(RunArgs({"CLIENT", "SETNAME", ""}), kOk);
  EXPECT_EQ(Run("CLIENT GETNAME"), RespReply::Nil());
}

TEST_F(HandshakeTest, ALibraryMayTellItsNameAndVersion) {
  EXPECT_EQ(Run("CLIENT SETINFO LIB-NAME redis-py"), kOk);
  EXPECT_EQ(Run("CLIENT SETINFO lib-ver 5.0.1"), kOk);
  EXPECT_EQ(RunArgs({"CLIENT", "SETINFO", "LIB-NAME", ""}), kOk);
  EXPECT_EQ(Run("CLIENT SETINFO COLOR red"), RespReply::Error("ERR Unrecognized option 'COLOR'"));
  EXPECT_EQ(
      RunArgs({"CLIENT", "SETINFO", "LIB-NAME", "two words"}),
      RespReply::Error("ERR lib-name cannot contain spaces, newlines or special characters."));
  EXPECT_EQ(Run("CLIENT SETINFO LIB-NAME"),
            RespReply::Error("ERR wrong number of arguments for 'client|setinfo' command"));
}

TEST_F(HandshakeTest, EveryConnectionHasAnIdOfItsOwn) {
  RawClient other(server_.port());
  const int64_t id = Id();
  EXPECT_EQ(Id(), id);
  EXPECT_NE(other.Run({"CLIENT", "ID"}).integer, id);
}

TEST_F(HandshakeTest, AnUnknownSubcommandIsAnErrorThatPointsToHelp) {
  const RespReply unknown = RespReply::Error("ERR unknown subcommand 'NOPE'. Try CLIENT HELP.");
  EXPECT_EQ(Run("CLIENT NOPE"), unknown);
  EXPECT_EQ(Run("CLIENT NOPE on"), unknown);
  EXPECT_EQ(Run("CLIENT"), RespReply::Error("ERR wrong number of arguments for 'client' command"));
  const RespReply help = Run("CLIENT HELP");
  ASSERT_EQ(help.type, RespReply::Type::kArray);
  EXPECT_THAT(help.items, ::testing::Contains(RespReply::Status("SETNAME")));
}

TEST_F(HandshakeTest, SelectTakesTheOnlyDatabase) {
  EXPECT_EQ(Run("SELECT 0"), kOk);
  EXPECT_EQ(Run("SELECT 1"), RespReply::Error("ERR DB index is out of range"));
  EXPECT_EQ(Run("SELECT -1"), RespReply::Error("ERR DB index is out of range"));
  EXPECT_TRUE(Run("SELECT x").IsError());
  EXPECT_EQ(Run("SELECT 0"), kOk);
}

TEST_F(HandshakeTest, PingAndEchoAnswerBytesAsTheyAre) {
  const std::string bytes("\0\r\n\xff$5\r\n", 9);
  EXPECT_EQ(Run("PING"), RespReply::Status("PONG"));
  EXPECT_EQ(RunArgs({"ping", bytes}), RespReply::Bulk(bytes));
  EXPECT_EQ(RunArgs({"PING", ""}), RespReply::Bulk(""));
  EXPECT_EQ(RunArgs({"eChO", bytes}), RespReply::Bulk(bytes));
}

TEST_F(HandshakeTest, QuitAnswersAndClosesBeforeWhatFollows) {
  client_.Send("PING\r\nQUIT\r\nPING\r\n");
  EXPECT_THAT(client_.ReadUntilClosed(), Optional(std::string("+PONG\r\n+OK\r\n")));
}

TEST_F(HandshakeTest, UnknownCommandsAreToldWithTheirFirstArguments) {
  EXPECT_EQ(Run("NOPE"),
            RespReply::Error("ERR unknown command 'NOPE', with args beginning with: "));
  EXPECT_EQ(Run("foo bar baz"),
            RespReply::Error("ERR unknown command 'foo', with args beginning with: 'bar' 'baz' "));
  const RespReply cut = RunArgs({std::string(500, 'x'), std::string(500, 'y'), "z"});
  EXPECT_EQ(cut, RespReply::Error("ERR unknown command '" + std::string(128, 'x') +
                                  "', with args beginning with: '" + std::string(128, 'y') + "' "));
  EXPECT_EQ(Run("PING"), RespReply::Status("PONG"));
}

}  // namespace
}  // namespace gub
