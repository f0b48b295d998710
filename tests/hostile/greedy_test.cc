// Slow and greedy clients: memory stays bounded, and the others are served.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr int64_t kMb = 1 << 20;

// This process needs a descriptor for each client as well.
void RaiseDescriptorLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class GreedyTest : public ::testing::Test {
 protected:
  explicit GreedyTest(std::vector<std::string> options = {}) : server_(std::move(options)) {
    RaiseDescriptorLimit();
  }

  int64_t Count(const std::string& field) { return InfoNumber(&other_, field); }
  void ExpectOthersAreServed() {
    EXPECT_EQ(other_.Run({"PING"}), RespReply::Status("PONG"));
    EXPECT_EQ(other_.RunLine("GUB.HIT n other 0 10 1h").items.size(), 3u);
  }
  void ExpectGrowthBelow(int64_t before_bytes, int64_t bytes) {
    if (!kSanitized) {
      EXPECT_LT(server_.ResidentBytes() - before_bytes, bytes);
    }
  }

  ServerProcess server_;
  RespClient other_{server_.port()};
};

TEST_F(GreedyTest, FiveThousandIdleConnectionsCostLittle) {
  const int64_t before_bytes = server_.ResidentBytes();
  std::vector<RawClient> clients;
  for (int i = 0; i < 5000; ++i) clients.emplace_back(server_.port());
  EXPECT_TRUE(Eventually([this] { return Count("connected_clients") == 5001; }));
  ExpectGrowthBelow(before_bytes, 40 * kMb);
  ExpectOthersAreServed();
  EXPECT_EQ(clients.back().Run({"PING"}), RespReply::Status("PONG"));
  EXPECT_EQ(clients.front().Run({"PING"}), RespReply::Status("PONG"));
}

TEST_F(GreedyTest, AThousandThatSendByteByByteAreServedWhenTheyAreDone) {
  const int64_t before_bytes = server_.ResidentBytes();
  const std::string request = EncodeCommand({"GUB.HIT", "n", "slow", "1", "5000", "1h"});
  std::vector<RawClient> clients;
  for (int i = 0; i < 1000; ++i) clients.emplace_back(server_.port());
  for (const char byte : request) {
    for (RawClient& client : clients) client.Send(std::string(1, byte));
    if (byte == '$') ExpectOthersAreServed();
  }
  ExpectGrowthBelow(before_bytes, 64 * kMb);
  std::vector<int64_t> remaining;
  for (RawClient& client : clients) {
    const std::optional<RespReply> reply = client.ReadReply();
    ASSERT_TRUE(reply.has_value());
    remaining.push_back(reply->items.at(1).integer);
  }
  std::sort(remaining.begin(), remaining.end());
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(remaining[static_cast<size_t>(i)], 4000 + i);
}

TEST_F(GreedyTest, AMillionCommandsThatNobodyReadTheRepliesOfAreBounded) {
  const int64_t before_bytes = server_.ResidentBytes();
  RawClient client(server_.port(), 4096);
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += EncodeCommand({"GUB.HIT", "n", "k", "1", "10", "1h"});
  int sent = 0;
  while (sent < 1000 &&
         client.SendSome(thousand, milliseconds(kSanitized ? 2000 : 300)) == thousand.size()) {
    ++sent;
  }
  EXPECT_LT(sent, 1000) << "the kernel's buffers took all of it, the test shows nothing";
  ExpectOthersAreServed();
  EXPECT_LE(Count("mem_clients_normal"), 10 * kMb);
  ExpectGrowthBelow(before_bytes, 24 * kMb);
}

TEST_F(GreedyTest, AnnouncingHalfAGigabyteAndFallingSilentCostsNothing) {
  other_.Run({"CONFIG", "SET", "proto-max-bulk-len", "512mb", "client-query-buffer-limit", "1gb"});
  const int64_t before_bytes = server_.ResidentBytes();
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server_.port());
    clients.back().Run({"PING"});
    clients.back().Send("*2\r\n$4\r\nECHO\r\n$536870912\r\nx");
  }
  EXPECT_TRUE(Eventually([this] { return Count("mem_clients_normal") > 0; }));
  ExpectOthersAreServed();
  ExpectGrowthBelow(before_bytes, 8 * kMb);
}

class ClientMemoryTest : public GreedyTest {
 protected:
  ClientMemoryTest() : GreedyTest({"--maxmemory-clients", "4mb"}) {}
};

TEST_F(ClientMemoryTest, WhoHoldsTheMostIsClosedWhenAllHoldTooMuch) {
  std::vector<RawClient> clients;
  // 100 KB each, and one of 800 KB.
  for (int i = 0; i < 60; ++i) {
    clients.emplace_back(server_.port());
    const int arguments = i == 7 ? 13 : 2;
    std::string request = "*1000\r\n";
    for (int k = 0; k < arguments; ++k) request += "$60000\r\n" + std::string(60'000, 'x') + "\r\n";
    ASSERT_TRUE(clients.back().Send(request));
    ASSERT_LE(Count("mem_clients_normal"), 4 * kMb + kMb / 2);
  }
  EXPECT_TRUE(Eventually([this] { return Count("evicted_clients") > 0; }));
  EXPECT_THAT(clients[7].ReadUntilClosed(), Optional(std::string()));
  EXPECT_LE(Count("mem_clients_normal"), 4 * kMb);
  EXPECT_GT(Count("connected_clients"), 20);
  ExpectOthersAreServed();
  EXPECT_THAT(server_.Log(), HasSubstr("past maxmemory-clients"));
}

TEST_F(ClientMemoryTest, ALowerLimitHoldsForWhatIsHeldAlready) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server_.port());
    clients.back().Run({"MULTI"});
    clients.back().Run({"PING", std::string(60'000, 'x')});
  }
  EXPECT_TRUE(Eventually([this] { return Count("mem_clients_normal") > 20 * 60'000; }));
  EXPECT_EQ(other_.RunLine("CONFIG SET maxmemory-clients 500kb"), RespReply::Status("OK"));
  EXPECT_TRUE(Eventually([this] { return Count("mem_clients_normal") <= 500 * 1024; }));
  EXPECT_GT(Count("evicted_clients"), 10);
  ExpectOthersAreServed();
}

TEST_F(ClientMemoryTest, WhatTheParserKeepsOfManyArgumentsCounts) {
  other_.RunLine("CONFIG SET max-args 1000000");
  RawClient client(server_.port());
  client.Run({"PING"});
  std::string request = "*200000\r\n";
  for (int i = 0; i < 100'000; ++i) request += "$0\r\n\r\n";
  client.Send(request);
  EXPECT_TRUE(Eventually([this] { return Count("mem_clients_normal") > 16 * 100'000; }));
}

class DescriptorTest : public GreedyTest {};

TEST_F(DescriptorTest, WithoutADescriptorLeftOthersAreServedAndLaterTheNewOnesToo) {
  ExpectOthersAreServed();
  // As many as are open already, and none more.
  rlimit before{};
  ASSERT_EQ(prlimit(server_.pid(), RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit none_left = {16, before.rlim_max};
  ASSERT_EQ(prlimit(server_.pid(), RLIMIT_NOFILE, &none_left, nullptr), 0);
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) clients.emplace_back(server_.port());
  for (int i = 0; i < 100; ++i) ExpectOthersAreServed();
  ASSERT_EQ(prlimit(server_.pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(Eventually(
      [this] { return RawClient(server_.port()).Run({"PING"}) == RespReply::Status("PONG"); }));
  ExpectOthersAreServed();
}

class HttpTest : public GreedyTest {};

TEST_F(HttpTest, AnHttpRequestIsClosedAtOnceWithOneLineOfLog) {
  for (const std::string request :
       {"GET / HTTP/1.1\r\nHost: gub\r\n\r\n", "POST /v1 HTTP/1.1\r\nContent-Length: 4\r\n\r\nPING",
        "OPTIONS * HTTP/1.1\r\n\r\n", "Host: gub\r\nPING\r\n"}) {
    RawClient client(server_.port());
    client.Send(request);
    EXPECT_THAT(client.ReadUntilClosed(), Optional(std::string())) << request;
  }
  // The line may come later than the end of the connection.
  const std::string words = "speaks HTTP to the Redis port";
  server_.WaitForLog(words);
  const std::string log = server_.Log();
  const size_t first = log.find(words);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(log.find(words, first + 1), std::string::npos);
  ExpectOthersAreServed();
}

}  // namespace
}  // namespace gub
