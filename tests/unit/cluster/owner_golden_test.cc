// Golden vectors: which of certain members owns which slot, for good. Nodes of different builds
// share one cluster, so a change of any value here is another protocol (kPeerProtocol).

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cluster/slot_table.h"
#include "xxhash.h"

namespace gub {
namespace {

const std::vector<Member> kMembers = {{"10.0.0.1:7379", 1},
                                      {"gub-b.example.org:7379", 3},
                                      {"[2001:db8::1]:7380", 1},
                                      {"10.0.0.4:7379", 2}};

struct ScoreRow {
  size_t member;
  int slot;
  uint64_t score;
};

TEST(OwnerGoldenTest, ScoresAreThese) {
  const ScoreRow rows[] = {
      {0, 0, 0x5a913e7a3d69ddb9},    {0, 1, 0xae95fabd60d38a0f},
      {0, 8191, 0xac9442349fa2f0b1}, {0, 16383, 0xd47b953dccfa6656},
      {1, 0, 0xbebd46233d99caf2},    {1, 1, 0xbe8b23ee5bd0be41},
      {1, 8191, 0xe60dc5094bce3b8f}, {1, 16383, 0xecb331dcad571926},
      {2, 0, 0x02cbbefb89f2096e},    {2, 1, 0xc51f75d9252d5ccc},
      {2, 8191, 0xb6c7899abe523564}, {2, 16383, 0xdebccd72c763d8a9},
      {3, 0, 0xf84a64fd12f84658},    {3, 1, 0x72d2b29029c76e01},
      {3, 8191, 0xc72dbf9ed7c3773c}, {3, 16383, 0xc7c61f3a8cc080f0},
  };
  for (const ScoreRow& row : rows) {
    EXPECT_EQ(ScoreOf(kMembers[row.member], row.slot), row.score)
        << kMembers[row.member].address << " " << row.slot;
  }
}

TEST(OwnerGoldenTest, KeysHaveTheseSlotsAndOwners) {
  struct Row {
    std::string key;
    int slot;
    std::string owner;
  };
  const Row rows[] = {
      {"account:42", 2116, "10.0.0.4:7379"},
      {"a", 15495, "10.0.0.4:7379"},
      {"", 0, "10.0.0.4:7379"},
      {"{user}:1", 5474, "gub-b.example.org:7379"},
      {"123456789", 12739, "gub-b.example.org:7379"},
      {"\xff", 7920, "gub-b.example.org:7379"},
  };
  const SlotTable table(kMembers, 1);
  for (const Row& row : rows) {
    EXPECT_EQ(SlotOf(row.key), row.slot) << row.key;
    EXPECT_EQ(table.members()[table.OwnerOf(row.slot)].address, row.owner) << row.key;
  }
}

TEST(OwnerGoldenTest, AllSlotsHaveTheseOwners) {
  const SlotTable table(kMembers, 1);
  std::map<std::string, int> slots;
  std::string owners;  // one a line, slot by slot
  for (int slot = 0; slot < kSlotCount; ++slot) {
    const std::string& owner = table.members()[table.OwnerOf(slot)].address;
    ++slots[owner];
    owners += owner + '\n';
  }
  EXPECT_EQ(slots["10.0.0.1:7379"], 2371);
  EXPECT_EQ(slots["gub-b.example.org:7379"], 6998);
  EXPECT_EQ(slots["[2001:db8::1]:7380"], 2315);
  EXPECT_EQ(slots["10.0.0.4:7379"], 4700);
  EXPECT_EQ(XXH64(owners.data(), owners.size(), 0), 0xbfa85ae0bfc9b9a0u);
}

TEST(OwnerGoldenTest, TheDigestOfTheViewIsThis) {
  EXPECT_EQ(ViewDigest(kMembers, "UTC"), 0x3bbd2f718db232c9u);
}

}  // namespace
}  // namespace gub
