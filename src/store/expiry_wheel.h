// ExpiryWheel: which entries of a shard may have reached their deadline, without a look at the
// others.
//
// A hierarchical timing wheel (Varghese and Lauck, 1987). Read the time as digits of six bits. An
// entry lies at the level of the highest digit in which its deadline differs from now, in the slot
// of the deadline's digit there; so everything on a level is later than everything below it, and a
// slot comes up when now's digit reaches it. Then its entries are due, or they are put in anew,
// lower. A bit per slot says whether anything is in it: a clock that jumps a year costs no more
// than one that ticks.
//
// Advance moves whole slots to the list of what came up, in constant time each; Next then deals
// with one entry a call, so that the caller decides how much is done at a time.
//
// An entry's deadline may have become later since it was put in (a leaky bucket that is hit drains
// later), for Next and Nearest ask for the present one. When it becomes earlier, Move the entry.
//
// Threads:  one at a time.
// Memory:   8 bytes an entry, all reserved and none touched at start, and 5.7 KB for the slots.
// Time:     Unix ms >= 0, as the caller says. It never runs back, but by Rewind.

#ifndef GUB_STORE_EXPIRY_WHEEL_H_
#define GUB_STORE_EXPIRY_WHEEL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace gub {

class ExpiryWheel {
 public:
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  // Entries are numbers below `capacity`.
  explicit ExpiryWheel(uint32_t capacity);

  // REQUIRES: the entry is not in the wheel.
  void Insert(uint32_t entry, int64_t deadline_ms) { Append(ListFor(deadline_ms), entry); }
  // REQUIRES: the entry is in the wheel.
  void Remove(uint32_t entry);
  void Move(uint32_t entry, int64_t deadline_ms) {
    Remove(entry);
    Insert(entry, deadline_ms);
  }

  // Tells the time; entries come up. A time before the last one does nothing.
  void Advance(int64_t now_ms) {
    if (now_ms > now_ms_) AdvanceTo(now_ms);
  }
  int64_t now_ms() const { return now_ms_; }

  // Whether there is work for Next.
  bool CameUp() const { return !IsEmpty(kCameUp); }

  // Deals with one entry that came up. If it is due (deadline_ms_of(entry) <= now) takes it out and
  // returns it; otherwise puts it in anew and returns kNone. REQUIRES: CameUp().
  template <typename DeadlineMsOf>
  uint32_t Next(const DeadlineMsOf& deadline_ms_of) {
    const uint32_t entry = links_[ListEnd(kCameUp)].next;
    const int64_t deadline_ms = deadline_ms_of(entry);
    Remove(entry);
    if (deadline_ms <= now_ms_) return entry;
    Insert(entry, deadline_ms);
    return kNone;
  }

  // No entry can be due before this time; kNever when the wheel is empty.
  int64_t EarliestMs() const;

  // How far Nearest looks: at `entries` that lie where they belong, and at `moves` that do not.
  struct Sample {
    int entries;
    int moves;
  };

  // The one with the earliest deadline among the first entries of the wheel. Those whose deadline
  // has become later are put in anew on the way and do not count, or they would be taken for the
  // earliest. kNone when it found no other: the wheel is empty, or all moves were made and the next
  // call goes on from there.
  template <typename DeadlineMsOf>
  uint32_t Nearest(Sample sample, const DeadlineMsOf& deadline_ms_of) {
    Found found;
    size_t list = kCameUp;
    while (Look(list, deadline_ms_of, &sample, &found)) {
      list = FirstFilled(list == kCameUp ? 0 : list + 1);
      if (list == kCameUp) break;
    }
    return found.entry;
  }

  // Sets the time back; every entry comes up.
  void Rewind(int64_t now_ms);

  // Takes all entries out, as if the wheel were new.
  void Clear();

  // What the wheel takes, without its entries' share.
  static constexpr size_t FixedBytes() { return kLists * sizeof(Links) + sizeof(filled_); }
  static constexpr size_t BytesPerEntry() { return sizeof(Links); }

  // Checks every list and bit against the others; how many entries there are, or -1.
  int64_t CountForTest() const;

 private:
  // An entry's neighbours in its list. A list is a ring that is closed by a link of its own.
  struct Links {
    uint32_t next;
    uint32_t previous;
  };

  static constexpr int kDigitBits = 6;
  static constexpr size_t kSlots = size_t{1} << kDigitBits;
  static constexpr size_t kLevels = 11;  // all of int64
  static constexpr size_t kCameUp = kLevels * kSlots;
  static constexpr size_t kLists = kCameUp + 1;

  static constexpr int ShiftOf(size_t level) { return static_cast<int>(level) * kDigitBits; }
  // The digit of `ms` on a level, with all higher digits before it.
  static constexpr uint64_t PrefixOf(int64_t ms, size_t level) {
    const int shift = ShiftOf(level);
    return shift >= 64 ? 0 : static_cast<uint64_t>(ms) >> shift;
  }

  uint32_t ListEnd(size_t list) const { return capacity_ + static_cast<uint32_t>(list); }
  bool IsEmpty(size_t list) const { return links_[ListEnd(list)].next == ListEnd(list); }
  size_t ListFor(int64_t deadline_ms) const;
  void AdvanceTo(int64_t now_ms);
  void Append(size_t list, uint32_t entry);
  void ComeUp(size_t level, uint64_t slots);

  // The first list from `list` on that has entries; kCameUp, which is the last, when there is none.
  size_t FirstFilled(size_t list) const;

  // The nearest so far.
  struct Found {
    uint32_t entry = kNone;
    int64_t deadline_ms = kNever;
  };

  // Takes one list into the sample; whether there is any of it left for the next.
  template <typename DeadlineMsOf>
  bool Look(size_t list, const DeadlineMsOf& deadline_ms_of, Sample* sample, Found* found) {
    uint32_t next = 0;
    for (uint32_t entry = links_[ListEnd(list)].next; entry != ListEnd(list); entry = next) {
      next = links_[entry].next;
      const int64_t deadline_ms = deadline_ms_of(entry);
      if (const size_t belongs_in = ListFor(deadline_ms); belongs_in != list) {
        if (sample->moves == 0) return false;
        --sample->moves;
        Remove(entry);
        Append(belongs_in, entry);
        continue;
      }
      if (sample->entries == 0) return false;
      --sample->entries;
      if (found->entry != kNone && deadline_ms >= found->deadline_ms) continue;
      *found = {.entry = entry, .deadline_ms = deadline_ms};
    }
    return sample->entries > 0;
  }

  const uint32_t capacity_;
  int64_t now_ms_ = 0;
  std::array<uint64_t, kLevels> filled_{};  // a bit per slot
  std::unique_ptr<Links[]> links_;          // of the entries, then of the lists' ends
};

}  // namespace gub

#endif  // GUB_STORE_EXPIRY_WHEEL_H_
