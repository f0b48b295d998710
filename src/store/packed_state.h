// PackedState: what a bucket remembers, in 36 bytes.
//
// The states of limit/ are written for arithmetic; here they lie as tight as the contract lets
// them, for memory is what a node runs out of first. Nothing is approximated.
//
//   token   open 8, used 8, last - open 42 bits, period 42 bits, unit 3 bits, mark 1 bit      27
//           The end is not kept: it is open + period. For a calendar period, whose end no
//           arithmetic gives, the 42 bits hold end - open instead, and the unit says which it is.
//   leaky   used x duration 14 (105 bits), last 8, limit 8, duration 42 bits, mark 1 bit      36
//   both    two flags, the highest bits of the last byte
//
// 42 bits hold 139 years of ms: a period has at most 100, and a window that was opened under one
// and then changed to a calendar unit at most one more.
//
// Threads:  plain values and pure functions.

#ifndef GUB_STORE_PACKED_STATE_H_
#define GUB_STORE_PACKED_STATE_H_

#include <cstddef>

#include "limit/leaky.h"
#include "limit/token.h"

namespace gub {

class PackedState {
 public:
  // REQUIRES: a state that limit/ has left.
  void Pack(const TokenState& state);
  void Pack(const LeakyState& state);

  // REQUIRES: the same kind of state was packed last.
  TokenState UnpackToken() const;
  LeakyState UnpackLeaky() const;

  // Whether the key's owner lends from the bucket (cluster/lease_book.h), and whether it is there
  // for that alone and remembers nothing. Pack may lose both.
  bool leased() const { return (bytes_[kFlagsAt] & kLeasedBit) != 0; }
  bool vacant() const { return (bytes_[kFlagsAt] & kVacantBit) != 0; }
  void SetFlags(bool leased, bool vacant) {
    const int flags = (leased ? kLeasedBit : 0) | (vacant ? kVacantBit : 0);
    bytes_[kFlagsAt] = static_cast<unsigned char>((bytes_[kFlagsAt] & kOtherBits) | flags);
  }

 private:
  static constexpr size_t kBytes = 36;
  static constexpr size_t kFlagsAt = kBytes - 1;
  static constexpr int kLeasedBit = 0x80;
  static constexpr int kVacantBit = 0x40;
  static constexpr int kOtherBits = 0x3f;
  unsigned char bytes_[kBytes];
};

}  // namespace gub

#endif  // GUB_STORE_PACKED_STATE_H_
