// The bounds on what clients may hold, and clients that go away in the middle of something.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using std::chrono::milliseconds;
using ::testing::Optional;

class LimitsTest : public ::testing::Test {
 protected:
  explicit LimitsTest(std::vector<std::string> options = {}) : server_(std::move(options)) {}

  void ExpectOthersAreServed() {
    EXPECT_EQ(other_.Run({"PING"}), RespReply::Status("PONG"));
    EXPECT_EQ(RespClient(server_.port()).Run({"PING"}), RespReply::Status("PONG"));
  }
  int64_t Count(const std::string& field) { return InfoNumber(&other_, field); }
  bool OthersAreGone() {
    return Eventually([this] { return Count("connected_clients") == 1; });
  }

  ServerProcess server_;
  RespClient other_{server_.port()};
};

TEST_F(LimitsTest, ARequestLongerThanTheQueryBufferClosesWithoutAWord) {
  RawClient client(server_.port());
  std::string request = "*1000\r\n";
  for (int i = 0; i < 20; ++i) request += "$60000\r\n" + std::string(60'000, 'x') + "\r\n";
  client.Send(request);
  EXPECT_THAT(client.ReadUntilClosed(), Optional(std::string()));
  EXPECT_EQ(Count("client_query_buffer_limit_disconnections"), 1);
  ExpectOthersAreServed();
}

TEST_F(LimitsTest, ARequestWithinTheQueryBufferIsAnswered) {
  RawClient client(server_.port());
  std::vector<std::string> request = {"PING"};
  for (int i = 0; i < 17; ++i) request.emplace_back(61'000, 'x');
  EXPECT_EQ(client.Run(request),
            RespReply::Error("ERR wrong number of arguments for 'ping' command"));
  EXPECT_EQ(client.Run({"PING"}), RespReply::Status("PONG"));
}

TEST_F(LimitsTest, AnnouncingMuchCostsNothing) {
  const int64_t before_bytes = server_.ResidentBytes();
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back(server_.port());
    clients.back().Send("*1024\r\n$65536\r\nx");
  }
  EXPECT_TRUE(Eventually([this] { return Count("connected_clients") == 201; }));
  ExpectOthersAreServed();
  if (!kSanitized) {
    EXPECT_LT(server_.ResidentBytes() - before_bytes, int64_t{16} << 20);
  }
}

TEST_F(LimitsTest, ATransactionWhoseReplyIsTooLongIsRunWholeAndItsClientClosed) {
  RawClient client(server_.port());
  std::string pipeline = EncodeCommand({"MULTI"});
  for (int i = 0; i < 5000; ++i) pipeline += EncodeCommand({"COMMAND"});
  pipeline += EncodeCommand({"GUB.HIT", "n", "k", "1", "10", "1h"}) + EncodeCommand({"EXEC"});
  ASSERT_TRUE(client.Send(pipeline));
  EXPECT_TRUE(client.ReadUntilClosed().has_value());
  EXPECT_EQ(other_.RunLine("GUB.HIT n k 0 10 1h").items.at(1), RespReply::Integer(9));
  EXPECT_EQ(Count("client_output_buffer_limit_disconnections"), 1);
  ExpectOthersAreServed();
}

TEST_F(LimitsTest, OnceItsReplyIsTooLongATransactionRunsOnlyWhatChangesSomething) {
  RawClient client(server_.port());
  std::string pipeline = EncodeCommand({"MULTI"});
  for (int i = 0; i < 5000; ++i) pipeline += EncodeCommand({"COMMAND", "DOCS"});
  pipeline += EncodeCommand({"GUB.HIT", "n", "k", "1", "10", "1h"}) + EncodeCommand({"EXEC"});
  ASSERT_TRUE(client.Send(pipeline));
  EXPECT_TRUE(client.ReadUntilClosed().has_value());
  EXPECT_EQ(other_.RunLine("GUB.HIT n k 0 10 1h").items.at(1), RespReply::Integer(9));
  const std::string stats = other_.RunLine("INFO commandstats").text;
  const size_t calls = stats.find("cmdstat_command|docs:calls=");
  ASSERT_NE(calls, std::string::npos);
  EXPECT_NE(stats.compare(calls, 32, "cmdstat_command|docs:calls=5000,"), 0);
}

class MaxClientsTest : public LimitsTest {
 protected:
  MaxClientsTest() : LimitsTest({"--maxclients", "5"}) {}
};

TEST_F(MaxClientsTest, OneMoreIsToldSoAndClosed) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(server_.port());
    EXPECT_EQ(clients.back().Run({"PING"}), RespReply::Status("PONG"));
  }
  for (int i = 0; i < 3; ++i) {
    RawClient refused(server_.port());
    EXPECT_THAT(refused.ReadUntilClosed(),
                Optional(std::string("-ERR max number of clients reached\r\n")));
  }
  EXPECT_EQ(Count("rejected_connections"), 3);
  EXPECT_TRUE(Eventually([this] { return Count("connected_clients") == 5; }));
  for (RawClient& client : clients) EXPECT_EQ(client.Run({"PING"}), RespReply::Status("PONG"));
}

TEST_F(MaxClientsTest, APlaceThatIsLeftIsTaken) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(server_.port());
  EXPECT_TRUE(Eventually([this] { return Count("connected_clients") == 5; }));
  clients.pop_back();
  EXPECT_TRUE(Eventually([this] { return Count("connected_clients") == 4; }));
  RawClient next(server_.port());
  EXPECT_EQ(next.Run({"PING"}), RespReply::Status("PONG"));
}

TEST_F(LimitsTest, AClientThatFinishesSendingGetsAllRepliesAndTheEnd) {
  RawClient client(server_.port());
  std::string pipeline;
  for (int i = 0; i < 1000; ++i) pipeline += EncodeCommand({"ECHO", std::to_string(i)});
  client.Send(pipeline + "*1\r\n$4\r\nhalf");
  client.FinishSending();
  const auto replies = client.ReadRepliesUntilClosed();
  ASSERT_TRUE(replies.has_value());
  ASSERT_EQ(replies->size(), 1000u);
  EXPECT_EQ(replies->back(), RespReply::Bulk("999"));
}

TEST_F(LimitsTest, AClientThatFinishesSendingAndReadsLateGetsAllRepliesAndTheEnd) {
  RawClient client(server_.port(), 4096);
  const std::string message(10'000, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.Send(EncodeCommand({"ECHO", message})));
  client.FinishSending();
  ExpectOthersAreServed();
  const auto replies = client.ReadRepliesUntilClosed();
  ASSERT_TRUE(replies.has_value());
  EXPECT_EQ(*replies, std::vector<RespReply>(100, RespReply::Bulk(message)));
}

TEST_F(LimitsTest, ClientsThatVanishLeaveNothingBehind) {
  const std::string echo = EncodeCommand({"ECHO", std::string(60'000, 'x')});
  for (int i = 0; i < 20; ++i) {
    RawClient closes(server_.port());
    closes.Send(echo + "*2\r\n$4\r\nECHO\r\n$9\r\nha");
    RawClient resets(server_.port(), 4096);
    for (int sent = 0; sent < 40; ++sent) resets.SendSome(echo, milliseconds(0));
    RawClient leaves_transaction(server_.port());
    leaves_transaction.Run({"MULTI"});
    leaves_transaction.Send(EncodeCommand({"GUB.HIT", "n", "k", "1", "10", "1h"}));
    resets.Abort();
    leaves_transaction.Abort();
  }
  EXPECT_TRUE(OthersAreGone());
  EXPECT_EQ(other_.Run({"DBSIZE"}), RespReply::Integer(0));
  ExpectOthersAreServed();
}

TEST_F(LimitsTest, ManyConnectionsOneAfterTheOtherAreAllServed) {
  constexpr int kConnections = kSanitized ? 200 : 1000;
  for (int i = 0; i < kConnections; ++i) {
    RawClient client(server_.port());
    ASSERT_EQ(client.Run({"PING"}), RespReply::Status("PONG")) << i;
  }
  EXPECT_TRUE(OthersAreGone());
  EXPECT_EQ(Count("total_connections_received"), 1 + kConnections);
}

TEST_F(LimitsTest, ASlowRequestIsAnsweredWhenItIsWhole) {
  RawClient slow(server_.port());
  for (const char byte : EncodeCommand({"ECHO", "slow"})) {
    EXPECT_FALSE(slow.HasReplyWithin(milliseconds(0)));
    slow.Send({&byte, 1});
    EXPECT_EQ(other_.Run({"PING"}), RespReply::Status("PONG"));
  }
  EXPECT_EQ(slow.ReadReply(), RespReply::Bulk("slow"));
}

}  // namespace
}  // namespace gub
