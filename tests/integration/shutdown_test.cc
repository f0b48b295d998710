// SIGTERM and SIGINT: what was wholly sent before is answered, then the node is gone, soon and with
// status 0.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr int kRounds = kSanitized ? 3 : 8;
// What a stop may take when nobody holds it up: less than the 5 s that a client could.
constexpr seconds kSoon = seconds(kSanitized ? 60 : 4);

std::string HitsPipeline(const std::string& key, int hits) {
  std::string pipeline;
  for (int i = 0; i < hits; ++i) {
    pipeline += EncodeCommand({"GUB.HIT", "n", key, "1", std::to_string(hits), "1h"});
  }
  return pipeline;
}

// All hits on a key of its own were answered in order, and then the connection ended.
void ExpectAllAnswered(RawClient* client, int hits) {
  const auto replies = client->ReadRepliesUntilClosed();
  ASSERT_TRUE(replies.has_value()) << "the connection did not end";
  ASSERT_EQ(replies->size(), static_cast<size_t>(hits));
  for (int i = 0; i < hits; ++i) {
    ASSERT_EQ(replies->at(i).items.size(), 3u) << ::testing::PrintToString(replies->at(i));
    ASSERT_EQ(replies->at(i).items[1].integer, hits - 1 - i);
  }
}

// GetParam: the signal.
class ShutdownTest : public ::testing::TestWithParam<int> {};

struct Load {
  int connections, hits;
  bool known;   // the server has accepted them before
  bool frozen;  // it finds the hits and the signal at once, when it wakes up
};

// Each connection has a pipeline on its way when the signal comes.
void StopUnder(const Load& load, int signal) {
  ServerProcess server;
  std::vector<RawClient> clients;
  if (load.frozen && !load.known) server.Freeze();
  for (int i = 0; i < load.connections; ++i) clients.emplace_back(server.port());
  for (RawClient& client : clients) {
    if (load.known) client.Run({"PING"});
  }
  if (load.frozen) server.Freeze();
  for (int i = 0; i < load.connections; ++i) {
    ASSERT_TRUE(clients[i].Send(HitsPipeline("k" + std::to_string(i), load.hits)));
  }
  server.Signal(signal);
  if (load.frozen) server.Signal(SIGCONT);
  for (RawClient& client : clients) ExpectAllAnswered(&client, load.hits);
  EXPECT_EQ(server.WaitForExit(), 0);
  EXPECT_THAT(server.Log(), HasSubstr("stopped"));
}

TEST_P(ShutdownTest, EverythingSentBeforeIsAnswered) {
  for (int i = 0; i < kRounds; ++i) {
    StopUnder({.connections = 64, .hits = 100, .known = true, .frozen = i % 2 == 0}, GetParam());
  }
}

TEST_P(ShutdownTest, LongPipelinesSentBeforeAreAnswered) {
  for (int i = 0; i < kRounds; ++i) {
    StopUnder({.connections = 3, .hits = 3000, .known = true, .frozen = i % 2 == 0}, GetParam());
  }
}

// Much of such a pipeline is still with the sender's kernel when the signal comes.
TEST_P(ShutdownTest, PipelinesLongerThanTheReceiveBufferAreAnswered) {
  for (int i = 0; i < kRounds; ++i) {
    StopUnder(
        {.connections = 3, .hits = kSanitized ? 3'000 : 20'000, .known = true, .frozen = true},
        GetParam());
  }
}

TEST_P(ShutdownTest, ClientsThatHaveJustConnectedAreAnsweredToo) {
  for (int i = 0; i < kRounds; ++i) {
    StopUnder({.connections = 64, .hits = 10, .known = false, .frozen = i % 2 == 0}, GetParam());
  }
}

// Its requests have arrived, but most cannot be run before it has read: the replies are far longer
// than all buffers between here and there.
TEST_P(ShutdownTest, AClientThatReadsItsRepliesOnlyThenGetsAllOfThem) {
  constexpr size_t kRequests = kSanitized ? 2'000 : 10'000;
  constexpr std::string_view kRequest = "COMMAND\r\n";
  ServerProcess server;
  RespClient watch(server.port());
  RawClient once(server.port());
  once.Send(std::string(kRequest) + "QUIT\r\n");
  const size_t reply_bytes = once.ReadUntilClosed().value_or("").size() - 5;  // without +OK

  RawClient late(server.port(), 65'536);
  std::string pipeline;
  for (size_t i = 0; i < kRequests; ++i) pipeline += kRequest;
  ASSERT_TRUE(late.Send(pipeline));
  EXPECT_TRUE(Eventually([&] { return InfoNumber(&watch, "total_net_output_bytes") > 300'000; }));
  server.Signal(GetParam());
  EXPECT_FALSE(server.WaitForLog("stopping ").empty());
  const std::optional<std::string> replies = late.ReadUntilClosed();
  ASSERT_TRUE(replies.has_value());
  EXPECT_EQ(replies->size(), kRequests * reply_bytes);
  EXPECT_EQ(server.WaitForExit(), 0);
}

TEST_P(ShutdownTest, IdleConnectionsAndHalfRequestsDoNotHoldItUp) {
  ServerProcess server;
  std::vector<RawClient> idle;
  for (int i = 0; i < 16; ++i) idle.emplace_back(server.port());
  for (RawClient& client : idle) client.Run({"PING"});
  idle[0].Send("*2\r\n$4\r\nECHO\r\n$100\r\nhalf");
  idle[1].Send("PING");
  idle[2].Run({"MULTI"});
  idle[3].FinishSending();
  server.Signal(GetParam());
  EXPECT_EQ(server.WaitForExit(kSoon), 0);
  for (RawClient& client : idle) EXPECT_THAT(client.ReadUntilClosed(), Optional(std::string()));
}

TEST_P(ShutdownTest, FurtherSignalsDoNotCutItShort) {
  ServerProcess server;
  RawClient half(server.port());
  half.Send("*2\r\n$4\r\nECHO\r\n$4\r\nhal");
  RawClient client(server.port());
  EXPECT_EQ(client.Run({"PING"}), RespReply::Status("PONG"));
  server.Signal(GetParam());
  EXPECT_NE(server.WaitForLog("stopping"), "");
  for (const int again : {SIGTERM, SIGHUP, SIGINT}) server.Signal(again);
  half.Send("f\r\n");
  EXPECT_THAT(half.ReadUntilClosed(), Optional(std::string("$4\r\nhalf\r\n")));
  EXPECT_EQ(server.WaitForExit(seconds(kSanitized ? 60 : 20)), 0);
}

INSTANTIATE_TEST_SUITE_P(Signals, ShutdownTest, ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& info) {
                           return std::string(info.param == SIGTERM ? "SIGTERM" : "SIGINT");
                         });

TEST(StopTest, ASignalRightAfterTheReadyLineIsHeard) {
  for (int i = 0; i < (kSanitized ? 5 : 30); ++i) {
    ServerProcess server;
    server.Signal(i % 2 == 0 ? SIGTERM : SIGINT);
    ASSERT_EQ(server.WaitForExit(), 0) << "in round " << i << "\n" << server.Log();
  }
}

TEST(StopTest, AServerWithoutClientsStopsAtOnce) {
  ServerProcess server;
  RespClient(server.port()).Run({"PING"});
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(kSoon), 0);
}

// More than all buffers between here and there can hold of its replies.
TEST(StopTest, AClientThatNeverReadsHoldsItUpForSecondsOnly) {
  ServerProcess server;
  RawClient deaf(server.port(), 4096);
  const std::string echo = EncodeCommand({"ECHO", std::string(60'000, 'x')});
  while (deaf.SendSome(echo, std::chrono::milliseconds(500)) > 0) {
  }
  RawClient hearing(server.port());
  EXPECT_EQ(hearing.Run({"PING"}), RespReply::Status("PONG"));
  server.Signal(SIGTERM);
  EXPECT_THAT(hearing.ReadUntilClosed(), Optional(std::string()));
  EXPECT_EQ(server.WaitForExit(seconds(kSanitized ? 60 : 20)), 0);
  EXPECT_THAT(server.Log(), HasSubstr("clients=1"));
}

TEST(StopTest, ClientsThatGoOnSendingAreCutOffInTime) {
  ServerProcess server;
  std::atomic<bool> done{false};
  std::vector<std::thread> senders;
  for (int i = 0; i < 4; ++i) {
    senders.emplace_back([&server, &done] {
      RawClient client(server.port());
      while (!done && client.Run({"GUB.HIT", "n", "k", "1", "10", "1h"}).items.size() == 3) {
      }
    });
  }
  RespClient watch(server.port());
  EXPECT_TRUE(Eventually([&] { return InfoNumber(&watch, "total_commands_processed") > 1000; }));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(seconds(kSanitized ? 60 : 20)), 0);
  done = true;
  for (std::thread& sender : senders) sender.join();
}

}  // namespace
}  // namespace gub
