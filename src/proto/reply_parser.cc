#include "proto/reply_parser.h"

#include <optional>

#include "base/text.h"

namespace gub {

namespace {

constexpr int kMaxDepth = 3;
// A line is a number, an error or a status.
constexpr size_t kMaxLineBytes = 4096;

class Reader {
 public:
  Reader(std::string_view bytes, const ReplyLimits& limits) : bytes_(bytes), limits_(limits) {}

  size_t position() const { return position_; }

  ReplyOutcome Read(int depth, ReplyValue* value) {
    if (position_ == bytes_.size()) return ReplyOutcome::kNeedMore;
    const char type = bytes_[position_];
    std::string_view line;
    if (const ReplyOutcome outcome = ReadLine(&line); outcome != ReplyOutcome::kValue) {
      return outcome;
    }
    switch (type) {
      case '+':
      case '-':
        value->type = type == '+' ? ReplyValue::Type::kSimple : ReplyValue::Type::kError;
        value->text = line;
        return ReplyOutcome::kValue;
      case ':':
        value->type = ReplyValue::Type::kInteger;
        return ReadNumber(line, &value->integer);
      case '$':
        return ReadBulk(line, value);
      case '*':
        return ReadArray(line, depth, value);
      default:
        return ReplyOutcome::kBroken;
    }
  }

 private:
  // What stands between the type and the end of the line, which is passed.
  ReplyOutcome ReadLine(std::string_view* line) {
    const size_t end = bytes_.find("\r\n", position_);
    if (end == std::string_view::npos) {
      return bytes_.size() - position_ > kMaxLineBytes ? ReplyOutcome::kBroken
                                                       : ReplyOutcome::kNeedMore;
    }
    *line = bytes_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 2;
    return ReplyOutcome::kValue;
  }

  static ReplyOutcome ReadNumber(std::string_view line, int64_t* number) {
    const std::optional<int64_t> parsed = ParseInt64(line);
    if (!parsed) return ReplyOutcome::kBroken;
    *number = *parsed;
    return ReplyOutcome::kValue;
  }

  ReplyOutcome ReadBulk(std::string_view line, ReplyValue* value) {
    int64_t size = 0;
    if (ReadNumber(line, &size) == ReplyOutcome::kBroken || size < -1) return ReplyOutcome::kBroken;
    if (size == -1) return ReplyOutcome::kValue;
    const auto length = static_cast<size_t>(size);
    if (length > limits_.max_bulk_bytes) return ReplyOutcome::kBroken;
    if (bytes_.size() - position_ < length + 2) return ReplyOutcome::kNeedMore;
    if (bytes_.substr(position_ + length, 2) != "\r\n") return ReplyOutcome::kBroken;
    value->type = ReplyValue::Type::kBulk;
    value->text = bytes_.substr(position_, length);
    position_ += length + 2;
    return ReplyOutcome::kValue;
  }

  ReplyOutcome ReadArray(std::string_view line, int depth, ReplyValue* value) {
    int64_t count = 0;
    if (ReadNumber(line, &count) == ReplyOutcome::kBroken || count < -1) {
      return ReplyOutcome::kBroken;
    }
    if (count == -1) return ReplyOutcome::kValue;
    if (depth == kMaxDepth || static_cast<size_t>(count) > limits_.max_items) {
      return ReplyOutcome::kBroken;
    }
    value->type = ReplyValue::Type::kArray;
    for (; count > 0; --count) {
      const ReplyOutcome outcome = Read(depth + 1, &value->items.emplace_back());
      if (outcome != ReplyOutcome::kValue) return outcome;
    }
    return ReplyOutcome::kValue;
  }

  const std::string_view bytes_;
  const ReplyLimits& limits_;
  size_t position_ = 0;
};

}  // namespace

ReplyOutcome ReadReply(std::string_view bytes, const ReplyLimits& limits, ReplyValue* value,
                       size_t* consumed) {
  *value = ReplyValue();
  Reader reader(bytes, limits);
  const ReplyOutcome outcome = reader.Read(0, value);
  *consumed = outcome == ReplyOutcome::kValue ? reader.position() : 0;
  return outcome;
}

}  // namespace gub
