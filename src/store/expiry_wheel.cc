#include "store/expiry_wheel.h"

namespace gub {

ExpiryWheel::ExpiryWheel(uint32_t capacity)
    : capacity_(capacity), links_(new Links[capacity + kLists]) {
  Clear();
}

void ExpiryWheel::Clear() {
  now_ms_ = 0;
  filled_.fill(0);
  for (size_t list = 0; list < kLists; ++list) {
    links_[ListEnd(list)] = {ListEnd(list), ListEnd(list)};
  }
}

size_t ExpiryWheel::ListFor(int64_t deadline_ms) const {
  if (deadline_ms <= now_ms_) return kCameUp;
  const auto difference = static_cast<uint64_t>(deadline_ms ^ now_ms_);
  const auto level = static_cast<size_t>((63 - __builtin_clzll(difference)) / kDigitBits);
  return level * kSlots + PrefixOf(deadline_ms, level) % kSlots;
}

void ExpiryWheel::Append(size_t list, uint32_t entry) {
  const uint32_t end = ListEnd(list);
  const uint32_t last = links_[end].previous;
  links_[entry] = {end, last};
  links_[last].next = entry;
  links_[end].previous = entry;
  if (list != kCameUp) filled_[list / kSlots] |= uint64_t{1} << list % kSlots;
}

void ExpiryWheel::Remove(uint32_t entry) {
  const Links links = links_[entry];
  links_[links.previous].next = links.next;
  links_[links.next].previous = links.previous;
  // The ring's own end is all that is left: clear its bit.
  if (links.next == links.previous && links.next >= capacity_) {
    const size_t list = links.next - capacity_;
    if (list != kCameUp) filled_[list / kSlots] &= ~(uint64_t{1} << list % kSlots);
  }
}

void ExpiryWheel::AdvanceTo(int64_t now_ms) {
  const int64_t before_ms = now_ms_;
  now_ms_ = now_ms;
  for (size_t level = 0; level < kLevels; ++level) {
    const uint64_t before = PrefixOf(before_ms, level);
    const uint64_t after = PrefixOf(now_ms, level);
    if (before == after) return;
    const bool same_round = before / kSlots == after / kSlots;
    // In the same round everything up to now's digit comes up; a round that is over, whole.
    const uint64_t slots = same_round ? (uint64_t{2} << after % kSlots) - 1 : ~uint64_t{0};
    ComeUp(level, filled_[level] & slots);
  }
}

void ExpiryWheel::ComeUp(size_t level, uint64_t slots) {
  filled_[level] &= ~slots;
  for (; slots != 0; slots &= slots - 1) {
    const uint32_t from = ListEnd(level * kSlots + static_cast<size_t>(__builtin_ctzll(slots)));
    const uint32_t to = ListEnd(kCameUp);
    const Links moved = links_[from];
    const uint32_t last = links_[to].previous;
    links_[last].next = moved.next;
    links_[moved.next].previous = last;
    links_[moved.previous].next = to;
    links_[to].previous = moved.previous;
    links_[from] = {from, from};
  }
}

size_t ExpiryWheel::FirstFilled(size_t list) const {
  for (; list < kCameUp; list = (list / kSlots + 1) * kSlots) {
    const uint64_t slots = filled_[list / kSlots] >> list % kSlots;
    if (slots != 0) return list + static_cast<size_t>(__builtin_ctzll(slots));
  }
  return kCameUp;
}

int64_t ExpiryWheel::EarliestMs() const {
  if (CameUp()) return now_ms_;
  for (size_t level = 0; level < kLevels; ++level) {
    if (filled_[level] == 0) continue;
    const uint64_t round = PrefixOf(now_ms_, level) / kSlots;
    const auto slot = static_cast<uint64_t>(__builtin_ctzll(filled_[level]));
    return static_cast<int64_t>((round * kSlots + slot) << ShiftOf(level));
  }
  return kNever;
}

void ExpiryWheel::Rewind(int64_t now_ms) {
  for (size_t level = 0; level < kLevels; ++level) ComeUp(level, filled_[level]);
  now_ms_ = now_ms;
}

int64_t ExpiryWheel::CountForTest() const {
  int64_t count = 0;
  for (size_t list = 0; list < kLists; ++list) {
    const bool filled = list != kCameUp && (filled_[list / kSlots] >> list % kSlots & 1) != 0;
    if (list != kCameUp && filled == IsEmpty(list)) return -1;
    for (uint32_t e = ListEnd(list);;) {
      const uint32_t next = links_[e].next;
      if (links_[next].previous != e) return -1;
      if (next == ListEnd(list)) break;
      ++count;
      e = next;
    }
  }
  return count;
}

}  // namespace gub
