#include "proto/request_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "proto/inline_args.h"

namespace gub {
namespace {

constexpr size_t kFirstArgs = 16;
// What a parser keeps while it waits for a request to begin.
constexpr size_t kKeptArgs = 64;
constexpr size_t kKeptUnquotedBytes = 1024;

// A short line is one like "$7\r\n", with a number of up to three digits.
constexpr size_t kMaxShortLineBytes = 6;
constexpr size_t kMaxShortNumber = 999;

bool IsCrlf(const char* p) { return std::memcmp(p, "\r\n", 2) == 0; }

// A number over 9 if it is no digit.
size_t Digit(char c) { return static_cast<size_t>(static_cast<unsigned char>(c)) - '0'; }

struct ShortLine {
  size_t number;
  size_t bytes;  // 0 if it is not a short line
};

// The short line at `p`. REQUIRES: kMaxShortLineBytes bytes at p.
inline ShortLine ReadShortLine(const char* p) {
  const size_t first = Digit(p[1]);
  if (first > 9) return {0, 0};
  if (IsCrlf(p + 2)) return {first, 4};
  const size_t second = Digit(p[2]);
  if (first == 0 || second > 9) return {0, 0};
  if (IsCrlf(p + 3)) return {first * 10 + second, 5};
  const size_t third = Digit(p[3]);
  if (third > 9 || !IsCrlf(p + 4)) return {0, 0};
  return {first * 100 + second * 10 + third, 6};
}

std::string Printable(char c) {
  if (c >= ' ' && c <= '~') return std::string(1, c);
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

RequestParser::Outcome RequestParser::Next(std::string_view bytes) {
  consumed_ = 0;
  arg_count_ = 0;
  if (!error_.empty()) return Outcome::kError;
  if (!begun_) {
    consumed_ = ReadShortArray(bytes, args_, &arg_count_);
    if (consumed_ != 0) return Outcome::kRequest;
  }
  return ReadAny(bytes);
}

// The way of nearly all requests. Reads an array that is wholly there and right, has short lines
// only, and not more arguments than there is room for. Returns how many bytes it has, or 0 if it
// is not so: then nothing is done, and ReadAny reads the request from its first byte, once more.
size_t RequestParser::ReadShortArray(std::string_view bytes, std::span<std::string_view> args,
                                     size_t* arg_count) const {
  if (bytes.size() < kMaxShortLineBytes || bytes[0] != '*') return 0;
  if (next_limits_.max_bulk_bytes < kMaxShortNumber) return 0;
  const auto [count, count_line] = ReadShortLine(bytes.data());
  if (count_line == 0 || count == 0) return 0;
  if (count > std::min(args.size(), next_limits_.max_args)) return 0;

  size_t pos = count_line;
  const size_t last_line = bytes.size() - kMaxShortLineBytes;
  for (size_t i = 0; i < count; ++i) {
    if (pos > last_line || bytes[pos] != '$') return 0;
    const auto [length, line] = ReadShortLine(bytes.data() + pos);
    if (line == 0) return 0;
    const size_t begin = pos + line;
    const size_t end = begin + length;
    if (end + 2 > bytes.size() || !IsCrlf(bytes.data() + end)) return 0;
    args[i] = std::string_view(bytes.data() + begin, length);
    pos = end + 2;
  }
  *arg_count = count;
  return pos;
}

bool RequestParser::ReadShort(std::string_view bytes, ShortRequest* request) const {
  if (begun_ || !error_.empty()) return false;
  request->bytes = ReadShortArray(bytes, request->words, &request->count);
  return request->bytes != 0;
}

RequestParser::Outcome RequestParser::ReadAny(std::string_view bytes) {
  assert(!begun_ || (bytes.size() >= pos_ && bytes.size() >= searched_));
  while (!bytes.empty()) {
    if (!begun_) Begin();
    const Outcome outcome = bytes.front() == '*' ? ReadArray(bytes) : ReadInline(bytes);
    if (outcome != Outcome::kRequest) return outcome;
    begun_ = false;
    consumed_ += pos_;
    if (arg_count_ != 0) return Outcome::kRequest;
    bytes.remove_prefix(pos_);
  }
  GiveBackMemory();
  return Outcome::kNeedMore;
}

void RequestParser::Begin() {
  begun_ = true;
  limits_ = next_limits_;
  pos_ = searched_ = missing_args_ = 0;
  bulk_bytes_ = kUnknown;
  ranges_.clear();
}

RequestParser::Outcome RequestParser::ReadArray(std::string_view bytes) {
  if (missing_args_ == 0) {
    const Outcome outcome = ReadCount(bytes);
    if (outcome != Outcome::kRequest) return outcome;
  }
  while (missing_args_ > 0) {
    if (bulk_bytes_ == kUnknown) {
      const Outcome outcome = ReadBulkLength(bytes);
      if (outcome != Outcome::kRequest) return outcome;
    }
    if (bytes.size() - pos_ < bulk_bytes_ + 2) return Outcome::kNeedMore;
    if (!IsCrlf(bytes.data() + pos_ + bulk_bytes_)) return Fail("expected CRLF after bulk string");
    ranges_.push_back({pos_, bulk_bytes_});
    pos_ += bulk_bytes_ + 2;
    bulk_bytes_ = kUnknown;
    --missing_args_;
  }
  for (const Range& range : ranges_) AddArg(bytes.substr(range.begin, range.size));
  return Outcome::kRequest;
}

// Reads the line *N. A count of none or fewer makes an empty request.
RequestParser::Outcome RequestParser::ReadCount(std::string_view bytes) {
  int64_t count = 0;
  switch (ReadNumber(bytes, &count)) {
    case Line::kPartial:
      return Outcome::kNeedMore;
    case Line::kTooLong:
      return Fail("too big mbulk count string");
    case Line::kInvalid:
      return Fail("invalid multibulk length");
    case Line::kRead:
      break;
  }
  if (count <= 0) return Outcome::kRequest;
  if (static_cast<size_t>(count) > limits_.max_args) {
    return Fail(limits_.unauthenticated ? "unauthenticated multibulk length"
                                        : "invalid multibulk length");
  }
  missing_args_ = static_cast<size_t>(count);
  return Outcome::kRequest;
}

// Reads the line $N of the next argument.
RequestParser::Outcome RequestParser::ReadBulkLength(std::string_view bytes) {
  if (pos_ == bytes.size()) return Outcome::kNeedMore;
  if (bytes[pos_] != '$') {
    return Fail(fmt::format("expected '$', got '{}'", Printable(bytes[pos_])));
  }
  int64_t length = 0;
  switch (ReadNumber(bytes, &length)) {
    case Line::kPartial:
      return Outcome::kNeedMore;
    case Line::kTooLong:
      return Fail("too big bulk count string");
    case Line::kInvalid:
      return Fail("invalid bulk length");
    case Line::kRead:
      break;
  }
  if (length < 0) return Fail("invalid bulk length");
  if (static_cast<size_t>(length) > limits_.max_bulk_bytes) {
    return Fail(limits_.unauthenticated ? "unauthenticated bulk length" : "invalid bulk length");
  }
  bulk_bytes_ = static_cast<size_t>(length);
  return Outcome::kRequest;
}

// Reads the number in the line at pos_, after the byte that tells its type, and moves behind it.
RequestParser::Line RequestParser::ReadNumber(std::string_view bytes, int64_t* number) {
  size_t end = 0;
  if (const Line line = FindLineEnd(bytes, '\r', &end); line != Line::kRead) return line;
  if (end + 1 == bytes.size()) return Line::kPartial;
  const std::optional<int64_t> parsed = ParseInt64(bytes.substr(pos_ + 1, end - pos_ - 1));
  if (!parsed || bytes[end + 1] != '\n') return Line::kInvalid;
  *number = *parsed;
  pos_ = end + 2;
  return Line::kRead;
}

// Finds where the line at pos_ ends, looking only at bytes that no call has looked at before.
RequestParser::Line RequestParser::FindLineEnd(std::string_view bytes, char terminator,
                                               size_t* end) {
  const size_t begin = std::max(pos_, searched_);
  const size_t limit = std::min(bytes.size(), pos_ + RequestLimits::kMaxLineBytes + 1);
  const void* found = std::memchr(bytes.data() + begin, terminator, limit - begin);
  if (found == nullptr) {
    searched_ = limit;
    return limit == bytes.size() && limit - pos_ <= RequestLimits::kMaxLineBytes ? Line::kPartial
                                                                                 : Line::kTooLong;
  }
  searched_ = *end = static_cast<size_t>(static_cast<const char*>(found) - bytes.data());
  return Line::kRead;
}

RequestParser::Outcome RequestParser::ReadInline(std::string_view bytes) {
  size_t end = 0;
  switch (FindLineEnd(bytes, '\n', &end)) {
    case Line::kPartial:
      return Outcome::kNeedMore;
    case Line::kTooLong:
    case Line::kInvalid:
      return Fail("too big inline request");
    case Line::kRead:
      break;
  }
  pos_ = end + 1;
  // A CR before the end is a blank like others.
  return SplitInline(bytes.substr(0, end));
}

RequestParser::Outcome RequestParser::SplitInline(std::string_view line) {
  unquoted_.clear();
  if (line.find_first_of("\"'") != line.npos) unquoted_.reserve(line.size());
  while (true) {
    std::string_view argument;
    switch (NextInlineArg(&line, &unquoted_, &argument)) {
      case InlineStep::kEnd:
        return Outcome::kRequest;
      case InlineStep::kUnbalanced:
        return Fail("unbalanced quotes in request");
      case InlineStep::kArgument:
        break;
    }
    if (arg_count_ == limits_.max_args || argument.size() > limits_.max_bulk_bytes) {
      return Fail("too big inline request");
    }
    AddArg(argument);
  }
}

void RequestParser::AddArg(std::string_view arg) {
  if (arg_count_ == args_.size()) args_.resize(std::max(kFirstArgs, args_.size() * 2));
  args_[arg_count_++] = arg;
}

size_t RequestParser::HeldBytes() const {
  const size_t args = args_.size() > kKeptArgs ? args_.size() * sizeof(std::string_view) : 0;
  const size_t ranges = ranges_.capacity() > kKeptArgs ? ranges_.capacity() * sizeof(Range) : 0;
  return args + ranges + (unquoted_.capacity() > kKeptUnquotedBytes ? unquoted_.capacity() : 0);
}

void RequestParser::GiveBackMemory() {
  if (ranges_.capacity() > kKeptArgs) std::vector<Range>().swap(ranges_);
  if (args_.size() > kKeptArgs) std::vector<std::string_view>().swap(args_);
  if (unquoted_.capacity() > kKeptUnquotedBytes) std::string().swap(unquoted_);
}

RequestParser::Outcome RequestParser::Fail(std::string_view why) {
  arg_count_ = 0;
  error_ = fmt::format("Protocol error: {}", why);
  return Outcome::kError;
}

}  // namespace gub
