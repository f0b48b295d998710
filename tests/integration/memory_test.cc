// Buckets that lapse, and a table that lets go of live ones, as a client sees them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/deadline.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

class MemoryTest : public ::testing::Test {
 protected:
  static std::vector<std::vector<std::string>> Hits(int count, const std::string& duration) {
    std::vector<std::vector<std::string>> hits;
    for (int i = 0; i < count; ++i) {
      hits.push_back({"GUB.HIT", "n", "key:" + std::to_string(i), "1", "10", duration});
    }
    return hits;
  }
  int64_t Buckets() { return client_.Run({"DBSIZE"}).integer; }

  ServerProcess server_{{"--max-keys", "1000", "--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
};

TEST_F(MemoryTest, LapsedBucketsGoThoughNobodyHitsAnything) {
  client_.RunAll(Hits(500, "300ms"));
  EXPECT_TRUE(Eventually([&] { return Buckets() == 0; }));
  EXPECT_EQ(InfoNumber(&client_, "expired_keys"), 500);
  EXPECT_EQ(InfoNumber(&client_, "evicted_live_keys"), 0);
}

TEST_F(MemoryTest, TheSweeperFollowsTheDebugClock) {
  client_.RunLine("GUB.DEBUG CLOCK SET 1700000000000");
  client_.RunAll(Hits(500, "1h"));
  EXPECT_EQ(Buckets(), 500);
  client_.RunLine("GUB.DEBUG CLOCK ADVANCE 3600000");
  EXPECT_TRUE(Eventually([&] { return Buckets() == 0; }));
}

TEST_F(MemoryTest, AClockThatIsSetBackDecidesAtItsOwnTime) {
  for (const char* now_ms : {"1700003600000", "1700000000000", "1600000000000", "0"}) {
    client_.Run({"GUB.DEBUG", "CLOCK", "SET", now_ms});
    EXPECT_EQ(client_.Run({"GUB.HIT", "n", now_ms, "1", "10", "1s"}),
              RespReply::Integers({0, 9, std::stoll(now_ms) + 1000}));
  }
}

TEST_F(MemoryTest, AFullTableLetsGoOfLiveBucketsAndCountsThem) {
  for (const RespReply& reply : client_.RunAll(Hits(1500, "1h"))) EXPECT_FALSE(reply.IsError());
  EXPECT_EQ(Buckets(), 1000);
  EXPECT_EQ(InfoNumber(&client_, "evicted_live_keys"), 500);
  EXPECT_EQ(InfoNumber(&client_, "refused_keys"), 0);
}

TEST_F(MemoryTest, InfoTellsWhereTheBytesAre) {
  const int64_t blocks = InfoNumber(&client_, "bucket_bytes");
  EXPECT_EQ(blocks, 0);
  client_.RunAll(Hits(1000, "1h"));
  client_.Run({"GUB.HIT", "n", std::string(1000, 'k'), "1", "10", "1h"});
  EXPECT_GE(InfoNumber(&client_, "bucket_bytes"), 80 * 1000);
  EXPECT_GE(InfoNumber(&client_, "table_bytes"), 19 * 1000);
  EXPECT_GE(InfoNumber(&client_, "index_bytes"), 8 * 1000);
  EXPECT_EQ(InfoNumber(&client_, "long_key_bytes"), 3 + 1 + 1000);
  EXPECT_GE(InfoNumber(&client_, "table_slots"), 1000);
  EXPECT_GT(InfoNumber(&client_, "used_memory_rss"), InfoNumber(&client_, "used_memory"));
}

}  // namespace
}  // namespace gub
