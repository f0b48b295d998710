#include "cluster/slot.h"

#include <gtest/gtest.h>

#include <string>

namespace gub {
namespace {

TEST(SlotTest, Crc16IsXmodem) {
  EXPECT_EQ(Crc16(""), 0);
  EXPECT_EQ(Crc16("123456789"), 0x31C3);
}

// Values of Redis 7 (CLUSTER KEYSLOT).
TEST(SlotTest, KeysFallWhereRedisClusterHasThem) {
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf("bar"), 5061);
  EXPECT_EQ(SlotOf(""), 0);
  EXPECT_EQ(SlotOf("somekey"), 11058);
  EXPECT_EQ(SlotOf("foo{hash_tag}"), 2515);
  EXPECT_EQ(SlotOf("bar{hash_tag}"), 2515);
}

TEST(SlotTest, OnlyAFirstAndNotEmptyTagCounts) {
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("user1000"));
  EXPECT_EQ(SlotOf("foo{bar}{zap}"), SlotOf("bar"));
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), SlotOf("{bar"));
  EXPECT_NE(SlotOf("foo{}{bar}"), SlotOf("bar"));
  EXPECT_NE(SlotOf("foo{bar"), SlotOf("bar"));
  EXPECT_NE(SlotOf("}foo{"), SlotOf("foo"));
}

TEST(SlotTest, BytesAreTakenAsTheyAre) {
  const std::string binary("\x00\xff\r\n{\x00}", 7);
  EXPECT_EQ(SlotOf(binary), SlotOf(std::string("\x00", 1)));
}

}  // namespace
}  // namespace gub
