#include "cluster/frame_codec.h"

namespace gub {

namespace {

constexpr int kCalendar = 1;  // in front of a period: a unit follows, not ms

uint64_t Fold(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
int64_t Unfold(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace

void FrameWriter::Number(uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
  out_.push_back(static_cast<char>(value));
}

void FrameWriter::Signed(int64_t value) { Number(Fold(value)); }

void FrameWriter::Bytes(std::string_view bytes) {
  Number(bytes.size());
  out_.append(bytes);
}

void FrameWriter::Duration(Period period) {
  const bool calendar = period.IsCalendar();
  Number(calendar ? kCalendar : 0);
  Number(calendar ? static_cast<uint64_t>(period.unit()) : static_cast<uint64_t>(period.ms()));
}

uint64_t FrameReader::Number() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes_.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    const uint64_t bits = byte & 0x7f;
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if (byte < 0x80) {
      // A number has one form: no zeros at its end.
      if (byte == 0 && shift > 0) break;
      return value;
    }
  }
  Fail();
  return 0;
}

uint64_t FrameReader::NumberUpTo(uint64_t most) {
  const uint64_t value = Number();
  if (value > most) Fail();
  return value > most ? 0 : value;
}

int64_t FrameReader::Signed() { return Unfold(Number()); }

int64_t FrameReader::Count() {
  constexpr auto kMost = static_cast<uint64_t>(INT64_MAX);
  return static_cast<int64_t>(NumberUpTo(kMost));
}

std::string_view FrameReader::Bytes(size_t most) {
  const uint64_t size = NumberUpTo(most);
  if (size > bytes_.size()) {
    Fail();
    return {};
  }
  const std::string_view read = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return read;
}

Period FrameReader::Duration() {
  if (NumberUpTo(kCalendar) == kCalendar) {
    constexpr auto kLast = static_cast<uint64_t>(CalendarUnit::kYear);
    return Period::Calendar(static_cast<CalendarUnit>(NumberUpTo(kLast)));
  }
  const uint64_t ms = NumberUpTo(static_cast<uint64_t>(Period::kMaxMs));
  if (ms == 0) Fail();
  return Period::Ms(ms == 0 ? 1 : static_cast<int64_t>(ms));
}

}  // namespace gub
