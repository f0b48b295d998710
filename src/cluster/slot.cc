#include "cluster/slot.h"

#include <array>

namespace gub {

namespace {

constexpr std::array<uint16_t, 256> MakeTable() {
  std::array<uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021 : 0);
    table[byte] = static_cast<uint16_t>(crc);
  }
  return table;
}
constexpr std::array<uint16_t, 256> kTable = MakeTable();

std::string_view HashedPart(std::string_view key) {
  const size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

uint16_t Crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (char c : bytes) {
    crc = (crc << 8) ^ kTable[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xff];
  }
  return static_cast<uint16_t>(crc);
}

int SlotOf(std::string_view key) { return Crc16(HashedPart(key)) % kSlotCount; }

}  // namespace gub
