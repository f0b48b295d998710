// The second half of Redis' unit/protocol.tcl, made anew with commands that there are here: raw
// bytes of null, arrays, verbatim text, maps and pushes in both protocols, and the odd rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::Optional;
using ::testing::StartsWith;

class TypesTest : public ::testing::Test {
 protected:
  // The bytes that come for these commands and QUIT, without QUIT's +OK.
  std::string BytesFor(const std::vector<std::vector<std::string>>& commands) {
    RawClient client(server_.port());
    std::string pipeline;
    for (const auto& command : commands) pipeline += EncodeCommand(command);
    client.Send(pipeline + EncodeCommand({"QUIT"}));
    std::string bytes = client.ReadUntilClosed().value_or("(open)");
    EXPECT_TRUE(bytes.ends_with("+OK\r\n")) << bytes;
    return bytes.substr(0, bytes.size() - std::min<size_t>(5, bytes.size()));
  }
  // The same in RESP3, without HELLO's reply.
  std::string Resp3BytesFor(std::vector<std::vector<std::string>> commands) {
    commands.insert(commands.begin(), {"HELLO", "3"});
    const std::string bytes = BytesFor(commands);
    const std::string end_of_hello = "$7\r\nmodules\r\n*0\r\n";
    return bytes.substr(bytes.find(end_of_hello) + end_of_hello.size());
  }

  ServerProcess server_;
  RawClient other_{server_.port()};
};

// 14
TEST_F(TypesTest, AnExecThatDidNotRunIsTheNullArray) {
  const std::vector<std::vector<std::string>> commands = {
      {"WATCH", "k"}, {"GUB.HIT", "n", "k", "1", "1", "1h"}, {"MULTI"}, {"EXEC"}};
  EXPECT_TRUE(BytesFor(commands).ends_with("+OK\r\n*-1\r\n"));
  EXPECT_TRUE(Resp3BytesFor(commands).ends_with("+OK\r\n_\r\n"));
}

TEST_F(TypesTest, NilIsANullBulkOrNull) {
  EXPECT_EQ(BytesFor({{"GET", "k"}}), "$-1\r\n");
  EXPECT_EQ(Resp3BytesFor({{"GET", "k"}}), "_\r\n");
}

// 15
TEST_F(TypesTest, RepliesWaitForAClientThatReadsLate) {
  RawClient client(server_.port());
  const std::string word(60'000, 'x');
  client.Send(EncodeCommand({"ECHO", word}) + EncodeCommand({"ECHO", word}));
  EXPECT_EQ(other_.Run({"PING"}), RespReply::Status("PONG"));
  EXPECT_EQ(client.ReadReply(), RespReply::Bulk(word));
  EXPECT_EQ(client.ReadReply(), RespReply::Bulk(word));
}

// 16
TEST_F(TypesTest, AnArrayHasALineForEachElement) {
  EXPECT_EQ(BytesFor({{"COMMAND", "GETKEYS", "DEL", "a", "bc"}}), "*2\r\n$1\r\na\r\n$2\r\nbc\r\n");
  EXPECT_EQ(BytesFor({{"ROLE"}}), "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
}

// 17 to 19: there are no attributes, in either protocol.
TEST_F(TypesTest, NoReplyHasAttributes) { EXPECT_EQ(Resp3BytesFor({{"PING"}}), "+PONG\r\n"); }

// 20 to 22
TEST_F(TypesTest, TextIsVerbatimInResp3AndABulkInResp2) {
  EXPECT_THAT(Resp3BytesFor({{"INFO", "gub"}}), ::testing::ContainsRegex("^=[0-9]+\r\ntxt:# Gub"));
  EXPECT_THAT(BytesFor({{"INFO", "gub"}}), ::testing::ContainsRegex("^\\$[0-9]+\r\n# Gub"));
  EXPECT_THAT(Resp3BytesFor({{"CLIENT", "LIST"}}), StartsWith("="));
}

TEST_F(TypesTest, AMapIsAFlatArrayInResp2) {
  const std::vector<std::vector<std::string>> get = {{"CONFIG", "GET", "databases"}};
  EXPECT_EQ(BytesFor(get), "*2\r\n$9\r\ndatabases\r\n$1\r\n1\r\n");
  EXPECT_EQ(Resp3BytesFor(get), "%1\r\n$9\r\ndatabases\r\n$1\r\n1\r\n");
}

TEST_F(TypesTest, ASubscriptionIsAPushInResp3AndAnArrayInResp2) {
  EXPECT_EQ(BytesFor({{"SUBSCRIBE", "c"}}), "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
  EXPECT_EQ(Resp3BytesFor({{"SUBSCRIBE", "c"}}), ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
}

// 23
TEST_F(TypesTest, TwentyThousandArgumentsAreMoreThanMaxArgs) {
  RawClient client(server_.port());
  client.Send(EncodeCommand(std::vector<std::string>(20'001, "EXISTS")));
  EXPECT_THAT(client.ReadUntilClosed(),
              Optional(std::string("-ERR Protocol error: invalid multibulk length\r\n")));
  EXPECT_EQ(other_.Run({"CONFIG", "SET", "max-args", "30000"}), RespReply::Status("OK"));
  RawClient again(server_.port());
  EXPECT_EQ(again.Run(std::vector<std::string>(20'001, "EXISTS")), RespReply::Integer(0));
}

// 24
TEST_F(TypesTest, AnAliasDoesTheSameInsideATransactionAndOutside) {
  const std::vector<std::string> alias = {"FCALL", "gub.hit", "1", "k", "n", "1", "10", "1h"};
  EXPECT_EQ(other_.Run(alias).items.at(1), RespReply::Integer(9));
  other_.Run({"MULTI"});
  EXPECT_EQ(other_.Run(alias), RespReply::Status("QUEUED"));
  EXPECT_EQ(other_.Run({"EXEC"}).items.at(0).items.at(1), RespReply::Integer(8));
  EXPECT_EQ(other_.Run({"GUB.HIT", "n", "k", "1", "10", "1h"}).items.at(1), RespReply::Integer(7));
}

// 25
TEST_F(TypesTest, APipelineWhoseSenderVanishesHarmsNobody) {
  for (int i = 0; i < 50; ++i) {
    RawClient client(server_.port());
    client.Send(EncodeCommand({"COMMAND", "DOCS"}) + EncodeCommand({"COMMAND"}) +
                EncodeCommand({"SUBSCRIBE", "c"}) + EncodeCommand({"MULTI"}));
    client.Abort();
  }
  EXPECT_EQ(other_.Run({"PING"}), RespReply::Status("PONG"));
}

TEST_F(TypesTest, KeysAndNamesAreAnyBytesUpToTheirBound) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  const std::string key = every + std::string(4096 - 2 * 256, '\r');
  const std::vector<std::string> hit = {"GUB.HIT", every, key, "1", "10", "1h"};
  EXPECT_EQ(other_.Run(hit).items.at(1), RespReply::Integer(9));
  EXPECT_EQ(other_.Run(hit).items.at(1), RespReply::Integer(8));
  std::vector<std::string> other_key = hit;
  other_key[2].back() = '\n';
  EXPECT_EQ(other_.Run(other_key).items.at(1), RespReply::Integer(9));
  other_key[2] += 'x';
  EXPECT_EQ(other_.Run(other_key), RespReply::Error("ERR name and key are longer than 4096 bytes"));
}

TEST_F(TypesTest, BytesOfStrangersAreEscapedInTheLog) {
  RawClient client(server_.port());
  client.Send("*1\r\n\x1b[31mred\r\n");
  client.ReadUntilClosed();
  const std::string line = server_.WaitForLog("broke the protocol");
  EXPECT_THAT(line, ::testing::HasSubstr("got '\\x1b'"));
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gub
