// Everything at once from several threads: every reply is of its kind and in its place, and the
// node's books are right afterwards.

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = kSanitized ? 20 : 100;
constexpr int kHitsPerRound = 6;  // of the pipeline below

// The commands of one round, and what kind of reply each must have.
struct Round {
  std::vector<std::vector<std::string>> commands;
  std::vector<RespReply::Type> kinds;

  void Add(const std::string& line, RespReply::Type kind) {
    commands.push_back(SplitWords(line));
    kinds.push_back(kind);
  }
};

Round MakeRound(int thread, int number) {
  using enum RespReply::Type;
  const std::string key = "k" + std::to_string(number % 7);
  const std::string own = "own:" + std::to_string(thread) + ":" + std::to_string(number);
  Round round;
  round.Add("GUB.HIT n " + key + " 1 1000 1h", kArray);
  round.Add("GUB.HIT n " + key + " 2 1000 1m leaky 0 BURST 50", kArray);
  round.Add("GUB.HIT n " + own + " 1 10 50ms token DRAIN_OVER_LIMIT FULL", kArray);
  round.Add("GUB.TAKE " + key + " 10 0.5", kArray);
  round.Add("CL.THROTTLE " + key + " 5 10 60", kArray);
  round.Add("GUB.HIT n " + key + " 1 1000 day", kArray);
  round.Add("GUB.RESET n " + key, kInteger);
  if (number % 10 == 9) round.Add("FLUSHALL", kStatus);
  round.Add("GUB.DEBUG CLOCK ADVANCE 7", kStatus);
  round.Add("DBSIZE", kInteger);
  round.Add("INFO", kBulk);
  round.Add("CONFIG GET max*", kArray);
  round.Add("COMMAND INFO gub.hit", kArray);
  round.Add("TIME", kArray);
  round.Add("MULTI", kStatus);
  round.Add("ECHO " + own, kStatus);
  round.Add("EXEC", kArray);
  round.Add("ECHO " + own, kBulk);
  return round;
}

void RunRounds(int thread, int port) {
  for (int number = 0; number < kRounds; ++number) {
    RespClient client(port);
    const Round round = MakeRound(thread, number);
    const std::vector<RespReply> replies = client.RunAll(round.commands);
    for (size_t i = 0; i < replies.size(); ++i) {
      EXPECT_EQ(replies[i].type, round.kinds[i])
          << round.commands[i][0] << ": " << ::testing::PrintToString(replies[i]);
    }
    EXPECT_EQ(replies.back().text, round.commands.back()[1]);
  }
}

TEST(MixedLoadTest, EveryReplyIsOfItsKindAndAllIsCounted) {
  const ServerProcess server({"--enable-debug-commands", "yes"});
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(RunRounds, i, server.port());
  for (std::thread& thread : threads) thread.join();

  RespClient client(server.port());
  EXPECT_EQ(InfoNumber(&client, "hits_admitted") + InfoNumber(&client, "hits_denied"),
            kThreads * kRounds * kHitsPerRound);
  EXPECT_EQ(InfoNumber(&client, "total_error_replies"), 0);
  EXPECT_TRUE(Eventually([&] { return InfoNumber(&client, "connected_clients") == 1; }));
  EXPECT_EQ(InfoNumber(&client, "total_connections_received"), kThreads * kRounds + 1);
  EXPECT_EQ(InfoNumber(&client, "live_keys"), client.Run({"DBSIZE"}).integer);
  client.Run({"FLUSHALL"});
  EXPECT_EQ(client.Run({"DBSIZE"}), RespReply::Integer(0));
}

}  // namespace
}  // namespace gub
