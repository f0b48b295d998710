#include "base/byte_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>

namespace gub {
namespace {

std::string TextOf(const ByteBuffer& buffer) { return std::string(buffer.view()); }

TEST(ByteBufferTest, IsEmptyAndWithoutMemoryAtFirst) {
  ByteBuffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_EQ(buffer.view(), "");
}

TEST(ByteBufferTest, GivesBytesInTheOrderTheyCame) {
  ByteBuffer buffer;
  buffer.Append("hello ");
  buffer.Append("");
  buffer.Append({});
  buffer.Append("world");
  EXPECT_EQ(buffer.view(), "hello world");
  buffer.Consume(6);
  EXPECT_EQ(buffer.view(), "world");
  buffer.Append("!");
  EXPECT_EQ(buffer.view(), "world!");
  buffer.Consume(6);
  EXPECT_TRUE(buffer.empty());
}

TEST(ByteBufferTest, CommitsWhatWasWrittenOfTheReservedBytes) {
  ByteBuffer buffer;
  std::memcpy(buffer.Reserve(100), "abcdef", 6);
  EXPECT_TRUE(buffer.empty());
  buffer.Commit(3);
  EXPECT_EQ(buffer.view(), "abc");
  std::memcpy(buffer.Reserve(2), "XY", 2);
  buffer.Commit(2);
  EXPECT_EQ(buffer.view(), "abcXY");
}

TEST(ByteBufferTest, HasRoomForAllThatIsReserved) {
  for (const size_t size : {0, 1, 1023, 1024, 1025, 5000}) {
    ByteBuffer buffer;
    buffer.Append("held");
    std::memset(buffer.Reserve(size), 'x', size);
    buffer.Commit(size);
    EXPECT_EQ(buffer.view(), "held" + std::string(size, 'x'));
  }
}

TEST(ByteBufferTest, TruncatesAtTheBack) {
  ByteBuffer buffer;
  buffer.Append("0123456789");
  buffer.Consume(2);
  buffer.Truncate(3);
  EXPECT_EQ(buffer.view(), "234");
  buffer.Append("x");
  EXPECT_EQ(buffer.view(), "234x");
  buffer.Truncate(4);
  EXPECT_EQ(buffer.view(), "234x");
  buffer.Truncate(0);
  EXPECT_TRUE(buffer.empty());
}

TEST(ByteBufferTest, KeepsItsMemoryWhenCleared) {
  ByteBuffer buffer;
  buffer.Append("text");
  const size_t capacity = buffer.capacity();
  buffer.Clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), capacity);
}

TEST(ByteBufferTest, SlidesInsteadOfGrowingWhenHalfIsFree) {
  ByteBuffer buffer;
  buffer.Append(std::string(1024, 'a'));
  const size_t capacity = buffer.capacity();
  ASSERT_EQ(capacity, 1024U);
  buffer.Consume(512);
  buffer.Append(std::string(512, 'b'));
  EXPECT_EQ(buffer.capacity(), capacity);
  EXPECT_EQ(buffer.view(), std::string(512, 'a') + std::string(512, 'b'));
}

TEST(ByteBufferTest, GrowsWhenMoreThanHalfIsInUse) {
  ByteBuffer buffer;
  buffer.Append(std::string(1024, 'a'));
  buffer.Consume(511);
  buffer.Append("b");
  EXPECT_EQ(buffer.capacity(), 2048U);
  EXPECT_EQ(buffer.view(), std::string(513, 'a') + "b");
}

TEST(ByteBufferTest, StaysAsSmallAsWhatItHoldsAtATime) {
  ByteBuffer buffer;
  for (int i = 0; i < 10000; ++i) {
    buffer.Append(std::string(100, 'x'));
    if (i > 0) buffer.Consume(100);
  }
  EXPECT_EQ(buffer.size(), 100U);
  EXPECT_EQ(buffer.capacity(), 1024U);
}

TEST(ByteBufferTest, MovesEachByteFewTimes) {
  ByteBuffer buffer;
  size_t moves = 0;
  const char* data = nullptr;
  for (int i = 0; i < 100000; ++i) {
    buffer.Append("x");
    if (buffer.data() != data) ++moves;
    data = buffer.data();
  }
  EXPECT_LE(moves, 10U);
}

TEST(ByteBufferTest, TrimsOnlyWhatIsEmptyAndLarge) {
  ByteBuffer buffer;
  buffer.Append(std::string(5000, 'x'));
  const size_t capacity = buffer.capacity();
  buffer.Trim(0);
  EXPECT_EQ(buffer.view(), std::string(5000, 'x'));
  buffer.Consume(5000);
  buffer.Trim(capacity);
  EXPECT_EQ(buffer.capacity(), capacity);
  buffer.Trim(capacity - 1);
  EXPECT_EQ(buffer.capacity(), 0U);
  buffer.Append("works on");
  EXPECT_EQ(buffer.view(), "works on");
}

TEST(ByteBufferTest, LeavesAnEmptyBufferBehindWhenMoved) {
  ByteBuffer buffer;
  buffer.Append("text");
  buffer.Consume(1);
  ByteBuffer other(std::move(buffer));
  EXPECT_EQ(TextOf(other), "ext");
  EXPECT_TRUE(buffer.empty());  // NOLINT(bugprone-use-after-move): this is what is tested
  EXPECT_EQ(buffer.capacity(), 0U);
  buffer.Append("new");
  other = std::move(buffer);
  EXPECT_EQ(TextOf(other), "new");
  EXPECT_TRUE(buffer.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(ByteBufferTest, IsAQueueWhateverIsDone) {
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int round = 0; round < 20; ++round) {
    ByteBuffer buffer;
    std::string model;
    for (int step = 0; step < 500; ++step) {
      switch (below(8)) {
        case 0:
          buffer.Truncate(model.size() - model.size() / 8);
          model.resize(model.size() - model.size() / 8);
          break;
        case 1:
          buffer.Trim(below(4000));
          break;
        case 2:
        case 3:
        case 4: {
          const size_t n = below(model.size() + 1);
          buffer.Consume(n);
          model.erase(0, n);
          break;
        }
        default: {
          const std::string bytes(below(1000), static_cast<char>('a' + below(26)));
          buffer.Append(bytes);
          model += bytes;
        }
      }
      ASSERT_EQ(buffer.view(), model);
      ASSERT_LE(buffer.size(), buffer.capacity());
    }
  }
}

}  // namespace
}  // namespace gub
