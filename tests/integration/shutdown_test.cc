// SIGTERM and SIGINT: what was wholly sent before is answered, then the node is gone, soon and with
// status 0.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
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

// Connections that the server knows, each with a pipeline on its way when the signal comes.
void StopUnderLoad(int signal, int connections, int hits) {
  ServerProcess server;
  std::vector<RawClient> clients;
  for (int i = 0; i < connections; ++i) clients.emplace_back(server.port());
  for (RawClient& client : clients) client.Run({"PING"});
  for (int i = 0; i < connections; ++i) {
    ASSERT_TRUE(clients[i].Send(HitsPipeline("k" + std::to_string(i), hits)));
  }
  server.Signal(signal);
  for (RawClient& client : clients) ExpectAllAnswered(&client, hits);
  EXPECT_EQ(server.WaitForExit(), 0);
  EXPECT_THAT(server.Log(), HasSubstr("stopped"));
}

TEST_P(ShutdownTest, EverythingSentBeforeIsAnswered) {
  for (int i = 0; i < kRounds; ++i) StopUnderLoad(GetParam(), 64, 100);
}

TEST_P(ShutdownTest, LongPipelinesSentBeforeAreAnswered) {
  for (int i = 0; i < kRounds; ++i) StopUnderLoad(GetParam(), 3, 3000);
}

TEST_P(ShutdownTest, ClientsThatHaveJustConnectedAreAnsweredToo) {
  for (int i = 0; i < kRounds; ++i) {
    ServerProcess server;
    std::vector<RawClient> clients;
    for (int c = 0; c < 64; ++c) {
      clients.emplace_back(server.port());
      ASSERT_TRUE(clients[c].Send(HitsPipeline("k" + std::to_string(c), 10)));
    }
    server.Signal(GetParam());
    for (RawClient& client : clients) ExpectAllAnswered(&client, 10);
    EXPECT_EQ(server.WaitForExit(), 0);
  }
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
