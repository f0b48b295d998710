#include "cluster/slot_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace gub {
namespace {

std::vector<Member> Members(const std::vector<std::string>& addresses) {
  std::vector<Member> members;
  for (const std::string& address : addresses) members.push_back({address, 1});
  return members;
}

std::string OwnerOf(const SlotTable& table, int slot) {
  return table.members()[table.OwnerOf(slot)].address;
}

const std::vector<std::string> kThree = {"10.0.0.1:7379", "10.0.0.2:7379", "10.0.0.3:7379"};
constexpr int kKeys = 100'000;

std::map<std::string, int> KeysByOwner(const SlotTable& table) {
  std::map<std::string, int> counts;
  for (int i = 0; i < kKeys; ++i) ++counts[OwnerOf(table, SlotOf("account:" + std::to_string(i)))];
  return counts;
}

TEST(SlotTableTest, TheOrderOfTheListDoesNotMatter) {
  const SlotTable table(Members(kThree), 1);
  std::vector<std::string> order = kThree;
  while (std::next_permutation(order.begin(), order.end())) {
    const SlotTable other(Members(order), 2);
    for (int slot = 0; slot < kSlotCount; ++slot) {
      ASSERT_EQ(OwnerOf(other, slot), OwnerOf(table, slot));
    }
  }
}

TEST(SlotTableTest, ThreeNodesHaveAThirdOfTheKeysEach) {
  for (const auto& [address, keys] : KeysByOwner(SlotTable(Members(kThree), 1))) {
    EXPECT_NEAR(keys, kKeys / 3.0, kKeys * 0.01) << address;
  }
}

TEST(SlotTableTest, AFourthTakesAQuarterAndNothingElseMoves) {
  const SlotTable before(Members(kThree), 1);
  std::vector<std::string> four = kThree;
  four.emplace_back("10.0.0.4:7379");
  const SlotTable after(Members(four), 2);
  int moved = 0;
  for (int i = 0; i < kKeys; ++i) {
    const int slot = SlotOf("account:" + std::to_string(i));
    if (OwnerOf(before, slot) == OwnerOf(after, slot)) continue;
    ++moved;
    EXPECT_EQ(OwnerOf(after, slot), "10.0.0.4:7379");
  }
  EXPECT_NEAR(moved, kKeys * 0.25, kKeys * 0.01);
}

TEST(SlotTableTest, OneThatLeavesGivesItsSlotsToAllOthers) {
  const SlotTable before(Members(kThree), 1);
  const SlotTable after(Members({kThree[0], kThree[2]}), 2);
  std::map<std::string, int> inherited;
  for (int slot = 0; slot < kSlotCount; ++slot) {
    if (OwnerOf(before, slot) != kThree[1]) {
      ASSERT_EQ(OwnerOf(after, slot), OwnerOf(before, slot));
    } else {
      ++inherited[OwnerOf(after, slot)];
    }
  }
  EXPECT_GT(inherited[kThree[0]], 2000);
  EXPECT_GT(inherited[kThree[2]], 2000);
}

TEST(SlotTableTest, AWeightOfThreeOwnsThreeTimesAsMuch) {
  const SlotTable table({{"a:1", 3}, {"b:1", 1}}, 1);
  const auto ranges = table.Ranges();
  int slots = 0;
  for (const auto& range : ranges) {
    if (table.members()[range.owner].address == "a:1") slots += range.last - range.first + 1;
  }
  EXPECT_NEAR(slots, kSlotCount * 0.75, kSlotCount * 0.01);
}

TEST(SlotTableTest, RangesCoverAllSlotsOnce) {
  const SlotTable table(Members(kThree), 1);
  int next = 0;
  for (const SlotTable::Range& range : table.Ranges()) {
    EXPECT_EQ(range.first, next);
    for (int slot = range.first; slot <= range.last; ++slot) {
      ASSERT_EQ(table.OwnerOf(slot), range.owner);
    }
    next = range.last + 1;
  }
  EXPECT_EQ(next, kSlotCount);
  EXPECT_EQ(SlotTable(Members({"only:1"}), 1).Ranges().size(), 1u);
}

TEST(SlotTableTest, AnAddressIsFoundByItsName) {
  const SlotTable table(Members(kThree), 7);
  EXPECT_EQ(table.Find("10.0.0.2:7379"), 1u);
  EXPECT_EQ(table.Find("10.0.0.9:7379"), 3u);
  EXPECT_EQ(table.epoch(), 7u);
}

TEST(SlotTableTest, ThreeHundredMembersAllOwnSomething) {
  std::vector<Member> members;
  for (int i = 0; i < 300; ++i) members.push_back({"node-" + std::to_string(i) + ":7379", 1});
  const SlotTable table(members, 1);
  std::map<size_t, int> slots;
  for (int slot = 0; slot < kSlotCount; ++slot) ++slots[table.OwnerOf(slot)];
  EXPECT_EQ(slots.size(), 300u);
}

TEST(ViewDigestTest, TellsListsWeightsAndZonesApartButNotOrders) {
  const uint64_t digest = ViewDigest({{"a:1", 1}, {"b:1", 2}}, "UTC");
  EXPECT_EQ(ViewDigest({{"b:1", 2}, {"a:1", 1}}, "UTC"), digest);
  EXPECT_NE(ViewDigest({{"a:1", 1}, {"b:1", 1}}, "UTC"), digest);
  EXPECT_NE(ViewDigest({{"a:1", 1}}, "UTC"), digest);
  EXPECT_NE(ViewDigest({{"a:1", 1}, {"b:1", 2}}, "Europe/Berlin"), digest);
}

}  // namespace
}  // namespace gub
