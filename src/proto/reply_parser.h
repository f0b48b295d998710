// ReplyParser: bytes from a peer -> one RESP2 value.
//
// Threads:  pure functions.
// Memory:   texts borrow from the bytes.
// Errors:   kBroken for what is no RESP2, is nested more than kMaxDepth deep, or announces more
//           than ReplyLimits allow; the connection must be closed then.

#ifndef GUB_PROTO_REPLY_PARSER_H_
#define GUB_PROTO_REPLY_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gub {

struct ReplyValue {
  enum class Type : uint8_t { kNull, kSimple, kError, kInteger, kBulk, kArray };
  Type type = Type::kNull;
  int64_t integer = 0;
  std::string_view text;
  std::vector<ReplyValue> items;
};

struct ReplyLimits {
  size_t max_bulk_bytes;
  size_t max_items;  // of one array
};

enum class ReplyOutcome { kValue, kNeedMore, kBroken };

// Reads the value at the front of `bytes`; *consumed is how many bytes it has.
ReplyOutcome ReadReply(std::string_view bytes, const ReplyLimits& limits, ReplyValue* value,
                       size_t* consumed);

}  // namespace gub

#endif  // GUB_PROTO_REPLY_PARSER_H_
