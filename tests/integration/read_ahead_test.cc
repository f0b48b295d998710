// A pipeline is read ahead, and what its requests will ask of memory is fetched before they run.
// That must never show: the same requests one by one have the same replies.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/property/seed.h"
#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using Command = std::vector<std::string>;

// Few keys, so that requests of one pipeline make, free and make again each other's buckets.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  Command Next() {
    const std::string name = Pick({"n", "m"});
    const std::string key = Pick({"a", "b", "c", std::string(300, 'k')});
    switch (Below(22)) {
      case 0:
        return {"GUB.RESET", name, key};
      case 1:
        return {"FLUSHALL"};
      case 2:
        return {"GUB.TAKE", key, "5", "1"};
      case 3:
        return {"CL.THROTTLE", key, "3", "10", "60"};
      case 4:
        return {"DEL", key};
      case 5:
        return {"PING"};
      case 6:
        return {"GUB.HIT", name};
      case 7:
        return {"GUB.HIT", name, key, "x", "5", "1m"};
      case 8:
        return {"GUB.DEBUG", "CLOCK", "SET", "1700000000000"};
      case 9:
        return {"gub.hit", name, key, "1", "5", "1m", "token", "RESET_REMAINING"};
      case 10:
        return {"MULTI"};
      case 11:
        return {Pick({"EXEC", "DISCARD", "UNWATCH"})};
      case 12:
        return {"WATCH", key};
      case 13:
        return {"CONFIG", "SET", "max-key-bytes", Pick({"256", "4096"})};
      case 14:
        return {"CONFIG", "SET", "slowlog-log-slower-than", Pick({"-1", "0", "10000"})};
      default:
        return {Pick({"GUB.HIT", "gub.hit"}),
                name,
                key,
                Pick({"1", "2", "0", "-1"}),
                Pick({"5", "20"}),
                Pick({"1000", "1m"}),
                Pick({"token", "leaky", "LEAKY", "1"})};
    }
  }

 private:
  size_t Below(size_t bound) { return random_() % bound; }
  std::string Pick(const std::vector<std::string>& words) { return words[Below(words.size())]; }

  std::mt19937_64 random_;
};

TEST(ReadAheadTest, APipelineAnswersAsItsRequestsDoOneByOne) {
  const std::vector<std::string> options = {"--enable-debug-commands", "yes"};
  ServerProcess together(options);
  ServerProcess apart(options);
  RawClient pipeline(together.port());
  RespClient single(apart.port());
  const Command freeze = {"GUB.DEBUG", "CLOCK", "SET", "1700000000000"};
  pipeline.Run(freeze);
  single.Run(freeze);
  Dice dice(RunSeed());
  for (int round = 0; round < 60; ++round) {
    std::vector<Command> commands(100);
    std::string bytes;
    for (Command& command : commands) {
      command = dice.Next();
      bytes += EncodeCommand(command);
    }
    ASSERT_TRUE(pipeline.Send(bytes));
    const std::vector<RespReply> replies = pipeline.ReadReplies(commands.size());
    ASSERT_EQ(replies.size(), commands.size());
    for (size_t i = 0; i < commands.size(); ++i) {
      ASSERT_EQ(replies[i], single.Run(commands[i]))
          << "round " << round << ": " << ::testing::PrintToString(commands[i]);
    }
  }
}

TEST(ReadAheadTest, RepliesThatAreNotWantedAreNotWritten) {
  ServerProcess server;
  RawClient client(server.port());
  const Command hit = {"GUB.HIT", "n", "k", "1", "10", "1h"};
  std::string bytes;
  for (const Command& command :
       {Command{"CLIENT", "REPLY", "SKIP"}, hit, hit, Command{"CLIENT", "REPLY", "OFF"}, hit, hit,
        Command{"CLIENT", "REPLY", "ON"}, hit}) {
    bytes += EncodeCommand(command);
  }
  ASSERT_TRUE(client.Send(bytes));
  const std::vector<RespReply> replies = client.ReadReplies(3);
  ASSERT_EQ(replies.size(), 3u);
  EXPECT_EQ(replies[0].items.at(1).integer, 8);  // of the second hit
  EXPECT_EQ(replies[1].text, "OK");
  EXPECT_EQ(replies[2].items.at(1).integer, 5);  // of the fifth
}

}  // namespace
}  // namespace gub
