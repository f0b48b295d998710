#include "proto/reply_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace gub {
namespace {

// "-9223372036854775808", and "-1.7976931348623157e+308".
constexpr size_t kMaxIntegerBytes = 20;
constexpr size_t kMaxDoubleBytes = 24;
// The type's byte, an integer and CRLF.
constexpr size_t kMaxLineBytes = 1 + kMaxIntegerBytes + 2;

// These write at `p` and return where they ended.

char* PutCrlf(char* p) {
  std::memcpy(p, "\r\n", 2);
  return p + 2;
}

char* PutBytes(char* p, std::string_view bytes) {
  if (!bytes.empty()) std::memcpy(p, bytes.data(), bytes.size());
  return p + bytes.size();
}

// "00" to "99".
constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

// Exactly four digits. REQUIRES: value < 10'000.
char* PutFour(char* p, uint32_t value) {
  std::memcpy(p, &kPairs[2 * (value / 100)], 2);
  std::memcpy(p + 2, &kPairs[2 * (value % 100)], 2);
  return p + 4;
}

// Exactly eight digits. REQUIRES: value < 100'000'000.
char* PutEight(char* p, uint32_t value) {
  return PutFour(PutFour(p, value / 10'000), value % 10'000);
}

// REQUIRES: value < 100'000'000.
char* PutUpToEight(char* p, uint32_t value) {
  char digits[8];
  PutEight(digits, value);
  size_t zeros = 0;
  while (zeros < 7 && digits[zeros] == '0') ++zeros;
  std::memcpy(p, digits + zeros, 8 - zeros);
  return p + 8 - zeros;
}

// Faster than std::to_chars by half, and numbers are most of what is written.
char* PutUnsigned(char* p, uint64_t value) {
  constexpr uint64_t kEightDigits = 100'000'000;
  if (value < 10) {
    *p = static_cast<char>('0' + value);
    return p + 1;
  }
  if (value < kEightDigits) return PutUpToEight(p, static_cast<uint32_t>(value));
  return PutEight(PutUnsigned(p, value / kEightDigits),
                  static_cast<uint32_t>(value % kEightDigits));
}

template <typename Integer>
char* PutLine(char* p, char type, Integer value) {
  *p++ = type;
  auto magnitude = static_cast<uint64_t>(value);
  if (value < 0) {
    *p++ = '-';
    magnitude = -magnitude;
  }
  return PutCrlf(PutUnsigned(p, magnitude));
}

// The fewest digits that read back as the same value, in the notation that %.17g would choose.
char* PutDouble(char* p, double value) {
  if (std::isnan(value)) return PutBytes(p, "nan");
  if (std::isinf(value)) return PutBytes(p, value < 0 ? "-inf" : "inf");
  const double magnitude = std::abs(value);
  const bool fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e17);
  return std::to_chars(p, p + kMaxDoubleBytes, value,
                       fixed ? std::chars_format::fixed : std::chars_format::scientific)
      .ptr;
}

void AppendOneLine(ByteBuffer* out, char type, std::string_view text) {
  char* const begin = out->Reserve(text.size() + 3);
  char* p = begin;
  *p++ = type;
  for (const char c : text) *p++ = c == '\r' || c == '\n' ? ' ' : c;
  out->Commit(static_cast<size_t>(PutCrlf(p) - begin));
}

}  // namespace

void ReplyWriter::SimpleString(std::string_view text) { AppendOneLine(out_, '+', text); }

void ReplyWriter::Error(std::string_view text) { AppendOneLine(out_, '-', text); }

void ReplyWriter::Integer(int64_t value) {
  char* const begin = out_->Reserve(kMaxLineBytes);
  out_->Commit(static_cast<size_t>(PutLine(begin, ':', value) - begin));
}

void ReplyWriter::Bulk(std::string_view bytes) {
  char* const begin = out_->Reserve(kMaxLineBytes + bytes.size() + 2);
  char* const end = PutCrlf(PutBytes(PutLine(begin, '$', bytes.size()), bytes));
  out_->Commit(static_cast<size_t>(end - begin));
}

void ReplyWriter::Double(double value) {
  char text[kMaxDoubleBytes];
  const std::string_view digits(text, static_cast<size_t>(PutDouble(text, value) - text));
  if (version_ == RespVersion::k2) return Bulk(digits);
  AppendOneLine(out_, ',', digits);
}

void ReplyWriter::Boolean(bool value) {
  if (version_ == RespVersion::k2) return Integer(value ? 1 : 0);
  out_->Append(value ? "#t\r\n" : "#f\r\n");
}

void ReplyWriter::Null() { out_->Append(version_ == RespVersion::k2 ? "$-1\r\n" : "_\r\n"); }

void ReplyWriter::NullArray() { out_->Append(version_ == RespVersion::k2 ? "*-1\r\n" : "_\r\n"); }

void ReplyWriter::VerbatimText(std::string_view text) {
  if (version_ == RespVersion::k2) return Bulk(text);
  constexpr std::string_view kFormat = "txt:";
  char* const begin = out_->Reserve(kMaxLineBytes + kFormat.size() + text.size() + 2);
  char* p = PutLine(begin, '=', kFormat.size() + text.size());
  p = PutCrlf(PutBytes(PutBytes(p, kFormat), text));
  out_->Commit(static_cast<size_t>(p - begin));
}

void ReplyWriter::Map(size_t count) {
  if (version_ == RespVersion::k2) return Header('*', count * 2);
  Header('%', count);
}

void ReplyWriter::Set(size_t count) { Header(version_ == RespVersion::k2 ? '*' : '~', count); }

void ReplyWriter::Push(size_t count) { Header(version_ == RespVersion::k2 ? '*' : '>', count); }

void ReplyWriter::IntegerTriple(int64_t a, int64_t b, int64_t c) {
  constexpr std::string_view kArrayOfThree = "*3\r\n";
  char* const begin = out_->Reserve(kArrayOfThree.size() + 3 * kMaxLineBytes);
  char* p = PutBytes(begin, kArrayOfThree);
  p = PutLine(p, ':', a);
  p = PutLine(p, ':', b);
  p = PutLine(p, ':', c);
  out_->Commit(static_cast<size_t>(p - begin));
}

void ReplyWriter::Header(char type, size_t count) {
  char* const begin = out_->Reserve(kMaxLineBytes);
  out_->Commit(static_cast<size_t>(PutLine(begin, type, count) - begin));
}

}  // namespace gub
