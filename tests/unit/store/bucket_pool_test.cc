#include "store/bucket_pool.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gub {

namespace {

TEST(BucketPoolTest, GivesOutEveryNumberOnceAndThenNone) {
  BucketPool pool(300);
  std::set<uint32_t> numbers;
  for (int i = 0; i < 300; ++i) {
    const uint32_t number = pool.Allocate("key" + std::to_string(i));
    EXPECT_LT(number, 300u);
    EXPECT_TRUE(numbers.insert(number).second);
  }
  EXPECT_EQ(pool.Allocate("one more"), BucketPool::kNone);
  EXPECT_EQ(pool.size(), 300u);
  pool.Free(17);
  EXPECT_EQ(pool.Allocate("again"), 17u);
  EXPECT_EQ(pool.KeyOf(17), "again");
}

TEST(BucketPoolTest, KeepsKeysOfEveryLength) {
  BucketPool pool(200);
  std::vector<std::string> keys;
  for (size_t length : {0, 1, 41, 42, 43, 44, 255, 256, 4099, 65'535}) {
    keys.emplace_back(length, static_cast<char>('a' + keys.size()));
  }
  std::vector<uint32_t> numbers;
  size_t long_bytes = 0;
  for (const std::string& key : keys) {
    numbers.push_back(pool.Allocate(key));
    if (key.size() > 42) long_bytes += key.size();
  }
  EXPECT_EQ(pool.LongKeyBytes(), long_bytes);
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(pool.KeyOf(numbers[i]), keys[i]);
  for (uint32_t number : numbers) pool.Free(number);
  EXPECT_EQ(pool.LongKeyBytes(), 0u);
  EXPECT_EQ(pool.size(), 0u);
}

TEST(BucketPoolTest, AKeyOfAnyLengthTakesOverABlockOfAnother) {
  BucketPool pool(1);
  for (int round = 0; round < 3; ++round) {
    for (size_t length : {10, 100, 42, 43}) {
      const std::string key(length, 'x');
      const uint32_t number = pool.Allocate(key);
      ASSERT_EQ(number, 0u);
      EXPECT_EQ(pool.KeyOf(number), key);
      pool.Free(number);
    }
  }
  EXPECT_EQ(pool.LongKeyBytes(), 0u);
}

TEST(BucketPoolTest, ClearGivesTheMemoryBack) {
  BucketPool pool(1000);
  for (int i = 0; i < 1000; ++i) pool.Allocate(std::string(100, 'x'));
  EXPECT_GE(pool.BlockBytes(), 80'000u);
  pool.Clear();
  EXPECT_EQ(pool.BlockBytes(), 0u);
  EXPECT_EQ(pool.LongKeyBytes(), 0u);
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_EQ(pool.KeyOf(pool.Allocate("k")), "k");
}

}  // namespace
}  // namespace gub
