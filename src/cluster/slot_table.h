// SlotTable: which member owns which slot.
//
// The owner of a slot is the member with the highest score for it (rendezvous hashing: Thaler and
// Ravishankar, 1996). Scores depend on the member's address and the slot alone, so all nodes that
// have the same list have the same table, whatever its order; and a member that comes takes its
// share of slots from all others, and none changes hands between those. A member of weight w has w
// scores for a slot, the best of which counts: it owns w times as much as one of weight 1.
//
// Threads:  immutable.
// Time:     making one takes about 10 ns for each slot and unit of weight: 50 ms for 300 members.
// Stability: scores are pinned by golden vectors (tests): nodes of different builds must agree.

#ifndef GUB_CLUSTER_SLOT_TABLE_H_
#define GUB_CLUSTER_SLOT_TABLE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/member.h"
#include "cluster/slot.h"

namespace gub {

class SlotTable {
 public:
  // A run of slots with one owner, both ends included.
  struct Range {
    int first;
    int last;
    size_t owner;  // as in members()
  };

  // REQUIRES: 1 to 65535 members, each address once. `epoch` numbers the tables of this process.
  SlotTable(std::vector<Member> members, uint64_t epoch);

  // By address.
  const std::vector<Member>& members() const { return members_; }
  uint64_t epoch() const { return epoch_; }

  // The owner of a slot, by its place in members().
  size_t OwnerOf(int slot) const { return owners_[static_cast<size_t>(slot)]; }
  // The place of an address; members().size() when it is not there.
  size_t Find(std::string_view address) const;

  // All slots, in order.
  std::vector<Range> Ranges() const;

 private:
  std::vector<Member> members_;
  const uint64_t epoch_;
  std::array<uint16_t, kSlotCount> owners_;
};

// The best score of a member for a slot.
uint64_t ScoreOf(const Member& member, int slot);

// What nodes compare to find out whether they see the same cluster: addresses, weights, and the
// time zone of calendar periods.
uint64_t ViewDigest(const std::vector<Member>& members, std::string_view calendar_timezone);

}  // namespace gub

#endif  // GUB_CLUSTER_SLOT_TABLE_H_
