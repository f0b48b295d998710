#include "store/table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gub {

namespace {

class TableTest : public ::testing::Test {
 protected:
  static constexpr size_t kSlots = 1024;

  BucketKey Key(const std::string& key) { return {"n", key, Algorithm::kToken, hash_}; }
  // Puts a bucket in; its number, kNone when there is no room.
  uint32_t Insert(const std::string& name) {
    const BucketKey key = Key(name);
    const uint32_t number = pool_.Allocate(key.bytes());
    if (number == BucketPool::kNone || table_.Insert(number, key.hash())) return number;
    pool_.Free(number);
    return Table::kNone;
  }

  KeyHash hash_;
  BucketPool pool_{kSlots};
  Table table_{kSlots, &pool_};
};

TEST_F(TableTest, FindsWhatIsThereAndNothingElse) {
  const uint32_t a = Insert("a");
  const uint32_t b = Insert("b");
  EXPECT_EQ(table_.Find(Key("a")), a);
  EXPECT_EQ(table_.Find(Key("b")), b);
  EXPECT_EQ(table_.Find(Key("c")), Table::kNone);
  table_.Erase(a, Key("a").hash());
  EXPECT_EQ(table_.Find(Key("a")), Table::kNone);
  EXPECT_EQ(table_.Find(Key("b")), b);
  table_.Clear();
  EXPECT_EQ(table_.Find(Key("b")), Table::kNone);
}

TEST_F(TableTest, TakesNinetySevenPercentOfItsSlotsAndNeverGrows) {
  size_t held = 0;
  while (Insert("key:" + std::to_string(held)) != Table::kNone) ++held;
  EXPECT_GE(held, kSlots * 97 / 100);
  EXPECT_LE(held, kSlots);
  for (size_t i = 0; i < held; ++i) {
    ASSERT_NE(table_.Find(Key("key:" + std::to_string(i))), Table::kNone) << i;
  }
}

// What a flood would come to, if a stranger could aim: every bucket has two places of eight slots.
TEST_F(TableTest, KeysThatAllHashAlikeFillTheirTwoPlacesAndAreThenRefused) {
  constexpr uint64_t kHash = 0x1234'5678'9abc'def0;
  std::vector<uint32_t> seated;
  for (int i = 0; i < 100; ++i) {
    const uint32_t number = pool_.Allocate(Key("flood:" + std::to_string(i)).bytes());
    if (table_.Insert(number, kHash)) seated.push_back(number);
  }
  EXPECT_EQ(seated.size(), 16u);
  // The rest of the table is as it was.
  EXPECT_NE(Insert("other"), Table::kNone);
  table_.Erase(seated[3], kHash);
  const uint32_t number = pool_.Allocate(Key("late").bytes());
  EXPECT_TRUE(table_.Insert(number, kHash));
}

}  // namespace
}  // namespace gub
