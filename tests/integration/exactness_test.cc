// Many connections hit one key at once: not one hit too many is admitted, and not one too few.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <latch>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

constexpr int64_t kLimit = 1000;
constexpr int kThreads = 4;
constexpr int kConnectionsEach = kSanitized ? 16 : 64;
constexpr int kHitsEach = 20;
constexpr int kRounds = kSanitized ? 4 : 20;
static_assert(kThreads * kConnectionsEach * kHitsEach > kLimit);

struct Round {
  std::string key;
  std::string algorithm;
  bool pipelined;
};

// The replies to the hits of one thread's connections.
using Replies = std::vector<RespReply>;

std::vector<std::string> HitOf(const Round& round) {
  // The longest duration there is: not a whole hit drains away before the test ends.
  return {"GUB.HIT", "hammer", round.key, "1", std::to_string(kLimit), "36525d", round.algorithm};
}

// All of a connection's hits are on their way before the first reply is read.
Replies HammerPipelined(const Round& round, std::vector<RespClient>* clients) {
  for (RespClient& client : *clients) {
    for (int i = 0; i < kHitsEach; ++i) client.Append(HitOf(round));
    client.Flush();
  }
  Replies replies;
  for (RespClient& client : *clients) {
    for (int i = 0; i < kHitsEach; ++i) replies.push_back(client.ReadReply());
  }
  return replies;
}

// A connection sends its next hit when it has the reply to the last one.
Replies HammerOneByOne(const Round& round, std::vector<RespClient>* clients) {
  Replies replies;
  for (int i = 0; i < kHitsEach; ++i) {
    for (RespClient& client : *clients) {
      client.Append(HitOf(round));
      client.Flush();
    }
    for (RespClient& client : *clients) replies.push_back(client.ReadReply());
  }
  return replies;
}

class ExactnessTest : public ::testing::TestWithParam<const char*> {
 protected:
  ExactnessTest() : clients_(kThreads) {
    for (auto& own : clients_) {
      for (int i = 0; i < kConnectionsEach; ++i) own.emplace_back(server_.port());
    }
  }

  Replies Hammer(const Round& round) {
    std::latch start(kThreads);
    std::vector<Replies> replies(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        replies[i] = round.pipelined ? HammerPipelined(round, &clients_[i])
                                     : HammerOneByOne(round, &clients_[i]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    Replies all;
    for (const Replies& own : replies) all.insert(all.end(), own.begin(), own.end());
    return all;
  }

  ServerProcess server_;
  std::vector<std::vector<RespClient>> clients_;
};

// What the admitted replies say is left, sorted. Every other reply must be a denial at zero.
std::vector<int64_t> RemainingOfAdmitted(const Replies& replies) {
  std::vector<int64_t> remaining;
  for (const RespReply& reply : replies) {
    if (reply.items.size() != 3) {
      ADD_FAILURE() << "no decision: " << ::testing::PrintToString(reply);
    } else if (reply.items[0].integer == 0) {
      remaining.push_back(reply.items[1].integer);
    } else {
      EXPECT_EQ(reply.items[1].integer, 0);
    }
  }
  std::sort(remaining.begin(), remaining.end());
  return remaining;
}

TEST_P(ExactnessTest, AThousandOfAllHitsAreAdmittedEachWithARemainingOfItsOwn) {
  std::vector<int64_t> each_once(kLimit);
  std::iota(each_once.begin(), each_once.end(), 0);
  for (int i = 0; i < kRounds; ++i) {
    const Round round = {"key:" + std::to_string(i), GetParam(), i % 2 == 0};
    const Replies replies = Hammer(round);
    EXPECT_EQ(replies.size(), size_t{kThreads * kConnectionsEach * kHitsEach});
    const std::vector<int64_t> remaining = RemainingOfAdmitted(replies);
    EXPECT_EQ(remaining.size(), size_t{kLimit}) << "admitted in round " << i;
    EXPECT_EQ(remaining, each_once) << "in round " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ExactnessTest, ::testing::Values("token", "leaky"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gub
