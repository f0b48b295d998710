#include "cluster/slot_table.h"

#include <algorithm>
#include <utility>

#include "xxhash.h"

namespace gub {

namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio, odd

// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): every bit depends on all others.
uint64_t Mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

uint64_t HashOf(const Member& member) {
  return XXH64(member.address.data(), member.address.size(), 0);
}

// The score of the address with this hash for a slot, under its n-th unit of weight.
uint64_t Score(uint64_t address_hash, int slot, int unit) {
  const auto n = static_cast<uint64_t>(unit) * kSlotCount + static_cast<uint64_t>(slot) + 1;
  return Mix(address_hash ^ Mix(n * kGolden));
}

uint64_t BestScore(uint64_t address_hash, int weight, int slot) {
  uint64_t best = 0;
  for (int unit = 0; unit < weight; ++unit) {
    best = std::max(best, Score(address_hash, slot, unit));
  }
  return best;
}

}  // namespace

SlotTable::SlotTable(std::vector<Member> members, uint64_t epoch)
    : members_(std::move(members)), epoch_(epoch), owners_{} {
  std::sort(members_.begin(), members_.end(),
            [](const Member& a, const Member& b) { return a.address < b.address; });
  std::array<uint64_t, kSlotCount> best{};
  for (size_t i = 0; i < members_.size(); ++i) {
    const uint64_t hash = HashOf(members_[i]);
    for (int slot = 0; slot < kSlotCount; ++slot) {
      const uint64_t score = BestScore(hash, members_[i].weight, slot);
      auto& best_score = best[static_cast<size_t>(slot)];
      // Of two equal scores that of the lower address counts, which came first.
      if (i != 0 && score <= best_score) continue;
      best_score = score;
      owners_[static_cast<size_t>(slot)] = static_cast<uint16_t>(i);
    }
  }
}

size_t SlotTable::Find(std::string_view address) const {
  const auto found = std::lower_bound(
      members_.begin(), members_.end(), address,
      [](const Member& member, std::string_view wanted) { return member.address < wanted; });
  const bool is_there = found != members_.end() && found->address == address;
  return is_there ? static_cast<size_t>(found - members_.begin()) : members_.size();
}

std::vector<SlotTable::Range> SlotTable::Ranges() const {
  std::vector<Range> ranges;
  for (int slot = 0; slot < kSlotCount; ++slot) {
    if (ranges.empty() || ranges.back().owner != OwnerOf(slot)) {
      ranges.push_back({slot, slot, OwnerOf(slot)});
    }
    ranges.back().last = slot;
  }
  return ranges;
}

uint64_t ScoreOf(const Member& member, int slot) {
  return BestScore(HashOf(member), member.weight, slot);
}

uint64_t ViewDigest(const std::vector<Member>& members, std::string_view calendar_timezone) {
  std::vector<std::string> lines;
  for (const Member& member : members) {
    lines.push_back(member.address + '*' + std::to_string(member.weight) + '\n');
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  text += calendar_timezone;
  return XXH64(text.data(), text.size(), 0);
}

}  // namespace gub
