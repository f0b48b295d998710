// Slots: a key falls into one of 16384, as in Redis Cluster, so that clients which know Redis
// Cluster go straight to the owner.
//
// Threads:  pure functions.
// Source:   CRC16 is CRC-16/XMODEM (polynomial 0x1021, from 0), as Redis Cluster's specification
//           has it.

#ifndef GUB_CLUSTER_SLOT_H_
#define GUB_CLUSTER_SLOT_H_

#include <cstdint>
#include <string_view>

namespace gub {

inline constexpr int kSlotCount = 16384;

uint16_t Crc16(std::string_view bytes);

// The slot of a key, by what stands between its first '{' and the next '}' when that is not empty,
// else by all of it.
int SlotOf(std::string_view key);

}  // namespace gub

#endif  // GUB_CLUSTER_SLOT_H_
