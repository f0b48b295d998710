#include "store/packed_state.h"

#include <cstdint>
#include <cstring>

namespace gub {

namespace {

constexpr int kPeriodBits = 42;
constexpr uint64_t kPeriodMask = (uint64_t{1} << kPeriodBits) - 1;
constexpr uint64_t kMillisecondsUnit = 7;  // beside the calendar's 0 to 5
constexpr int kMarkBit = kPeriodBits + 3;

// Where the fields of a packed token state lie.
struct TokenLayout {
  int64_t open_ms;
  int64_t used;
  uint64_t period;  // 42 bits period or end - open, then 3 bits unit, then the mark
  // 42 bits of last - open follow, in six bytes.
};
constexpr size_t kLastBytes = 6;

// Where the fields of a packed leaky state lie, behind 14 bytes of used_units.
constexpr size_t kUsedBytes = 14;
struct LeakyLayout {
  int64_t last_ms;
  int64_t limit;
  // 42 bits duration and the mark follow, in six bytes.
};
constexpr size_t kDurationBytes = 6;

}  // namespace

void PackedState::Pack(const TokenState& state) {
  const bool calendar = state.period.IsCalendar();
  const auto span =
      static_cast<uint64_t>(calendar ? state.end_ms - state.open_ms : state.period.ms());
  const uint64_t unit = calendar ? static_cast<uint64_t>(state.period.unit()) : kMillisecondsUnit;
  const TokenLayout layout = {
      .open_ms = state.open_ms,
      .used = state.used,
      .period = span | unit << kPeriodBits | uint64_t{state.marked} << kMarkBit};
  const auto last = static_cast<uint64_t>(state.last_ms - state.open_ms);
  static_assert(sizeof(layout) + kLastBytes <= kBytes);
  std::memcpy(bytes_, &layout, sizeof(layout));
  std::memcpy(bytes_ + sizeof(layout), &last, kLastBytes);
}

TokenState PackedState::UnpackToken() const {
  TokenLayout layout;
  uint64_t last = 0;
  std::memcpy(&layout, bytes_, sizeof(layout));
  std::memcpy(&last, bytes_ + sizeof(layout), kLastBytes);
  const auto span = static_cast<int64_t>(layout.period & kPeriodMask);
  const uint64_t unit = layout.period >> kPeriodBits & 7;
  return {.open_ms = layout.open_ms,
          .end_ms = SaturatingAdd(layout.open_ms, span),
          .used = layout.used,
          .last_ms = layout.open_ms + static_cast<int64_t>(last),
          .period = unit == kMillisecondsUnit ? Period::Ms(span)
                                              : Period::Calendar(static_cast<CalendarUnit>(unit)),
          .marked = (layout.period >> kMarkBit & 1) != 0};
}

void PackedState::Pack(const LeakyState& state) {
  const LeakyLayout layout = {.last_ms = state.last_ms, .limit = state.limit};
  const uint64_t duration = static_cast<uint64_t>(state.duration_ms) | uint64_t{state.marked}
                                                                           << kPeriodBits;
  static_assert(kUsedBytes + sizeof(layout) + kDurationBytes == kBytes);
  std::memcpy(bytes_, &state.used_units, kUsedBytes);
  std::memcpy(bytes_ + kUsedBytes, &layout, sizeof(layout));
  std::memcpy(bytes_ + kUsedBytes + sizeof(layout), &duration, kDurationBytes);
}

LeakyState PackedState::UnpackLeaky() const {
  LeakyLayout layout;
  Int128 used_units = 0;
  uint64_t duration = 0;
  std::memcpy(&used_units, bytes_, kUsedBytes);
  std::memcpy(&layout, bytes_ + kUsedBytes, sizeof(layout));
  std::memcpy(&duration, bytes_ + kUsedBytes + sizeof(layout), kDurationBytes);
  return {.used_units = used_units,
          .last_ms = layout.last_ms,
          .limit = layout.limit,
          .duration_ms = static_cast<int64_t>(duration & kPeriodMask),
          .marked = (duration >> kPeriodBits & 1) != 0};
}

}  // namespace gub
