// 128-bit integers and the saturating steps back to 64 bits.

#ifndef GUB_LIMIT_INT128_H_
#define GUB_LIMIT_INT128_H_

#include <cstdint>
#include <limits>

namespace gub {

__extension__ typedef __int128 Int128;

inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();

constexpr int64_t ClampToInt64(Int128 value) {
  if (value > kInt64Max) return kInt64Max;
  if (value < kInt64Min) return kInt64Min;
  return static_cast<int64_t>(value);
}

// a + b, at int64's end where it would leave it.
constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  return ClampToInt64(static_cast<Int128>(a) + b);
}

}  // namespace gub

#endif  // GUB_LIMIT_INT128_H_
