// RequestParser: bytes from a client -> one request after the other.
//
// A request is an array of bulk strings (*N, $len, RESP2 and RESP3 alike) or an inline line with
// redis-cli's quoting. The arguments are views into the caller's bytes (or, for an inline line with
// quotes, into the parser), so nothing is copied. The parser remembers where it was, so a request
// that arrives in many pieces is read once, not from its start at each piece.
//
//   while (true) {
//     auto outcome = parser.Next(bytes);          // bytes: what has arrived and is not consumed
//     if (outcome == kRequest) Run(parser.args());
//     bytes.remove_prefix(parser.consumed());     // after every outcome
//     if (outcome != kRequest) break;
//   }
//
// Threads:  one at a time.
// Errors:   kError latches: the connection must be closed once error() has been sent.
//           The texts are Redis'. Numbers are strict as there: no plus, no leading zero.
//           Unlike Redis, which skips a byte or two unseen, lines with a number and bulk strings
//           must end with CRLF.
// Bounds:   RequestLimits; an inline line with too many or too long arguments is "too big" too.
// Memory:   nothing is allocated for what was only announced. Grows to 32 bytes an argument while
//           it is in a request; while it waits for one to begin, it keeps less than 5 KB.

#ifndef GUB_PROTO_REQUEST_PARSER_H_
#define GUB_PROTO_REQUEST_PARSER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gub {

struct RequestLimits {
  // An inline line, or the line that announces a count or a length.
  static constexpr size_t kMaxLineBytes = 64 * 1024;

  size_t max_args = 1024;
  size_t max_bulk_bytes = 64 * 1024;
  // The bounds are those of a client that has yet to authenticate; if it exceeds them, error()
  // says so.
  bool unauthenticated = false;

  friend bool operator==(const RequestLimits&, const RequestLimits&) = default;
};

// A request whose arguments are few and short, as it lies in the bytes it was read from.
struct ShortRequest {
  static constexpr size_t kMaxArgs = 10;

  std::array<std::string_view, kMaxArgs> words;
  size_t count = 0;
  size_t bytes = 0;  // all of it

  std::span<const std::string_view> args() const { return {words.data(), count}; }
};

class RequestParser {
 public:
  enum class Outcome {
    kRequest,   // args() holds one request of at least one argument
    kNeedMore,  // call again with the rest and what has arrived since
    kError,     // error() says why
  };

  explicit RequestParser(RequestLimits limits) : next_limits_(limits) {}

  // Reads the next request from the front of `bytes`, which must start with what the last call did
  // not consume (it may have moved in memory). Empty lines and empty arrays are skipped.
  Outcome Next(std::string_view bytes);

  // Reads ahead: a short request that is whole, at the front of `bytes`. Changes nothing, so that
  // the same bytes may be read again. False: the next request is not of this kind, or not whole, or
  // the parser is in the middle of one.
  bool ReadShort(std::string_view bytes, ShortRequest* request) const;

  // How many bytes at the front of the last call's `bytes` are done with. After kNeedMore these are
  // what was skipped before the unfinished request.
  size_t consumed() const { return consumed_; }

  // Valid after kRequest, until the next call or until the bytes move.
  std::span<const std::string_view> args() const { return {args_.data(), arg_count_}; }

  // After kError: the text after "-ERR ", printable, without CR or LF.
  const std::string& error() const { return error_; }

  // Memory that it holds beyond what it keeps while it waits.
  size_t HeldBytes() const;

  const RequestLimits& limits() const { return next_limits_; }
  // From the next request on.
  void set_limits(RequestLimits limits) { next_limits_ = limits; }

 private:
  // Where an argument is, counted from the first byte of its request, as the bytes may move.
  struct Range {
    size_t begin;
    size_t size;
  };
  enum class Line { kRead, kPartial, kTooLong, kInvalid };

  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  size_t ReadShortArray(std::string_view bytes, std::span<std::string_view> args,
                        size_t* count) const;

  // The readers of all that is not whole, not short or not right. They read on at pos_, and return
  // kRequest when they have what they are after.
  [[gnu::noinline]] Outcome ReadAny(std::string_view bytes);
  Outcome ReadArray(std::string_view bytes);
  Outcome ReadCount(std::string_view bytes);
  Outcome ReadBulkLength(std::string_view bytes);
  Outcome ReadInline(std::string_view bytes);
  Outcome SplitInline(std::string_view line);
  Line ReadNumber(std::string_view bytes, int64_t* number);
  Line FindLineEnd(std::string_view bytes, char terminator, size_t* end);

  void Begin();
  void AddArg(std::string_view arg);
  void GiveBackMemory();
  Outcome Fail(std::string_view why);

  RequestLimits next_limits_;
  size_t consumed_ = 0;
  std::string error_;

  // The arguments are the first arg_count_ elements; the vector does not shrink with them.
  std::vector<std::string_view> args_;
  size_t arg_count_ = 0;
  std::string unquoted_;

  // The request that ReadAny is in the middle of; offsets count from its first byte.
  bool begun_ = false;
  RequestLimits limits_;
  size_t pos_ = 0;                // what is before is read
  size_t searched_ = 0;           // from pos_ up to here no line ends
  size_t missing_args_ = 0;       // of an array, once its count is read
  size_t bulk_bytes_ = kUnknown;  // of the argument at pos_, once its length is read
  std::vector<Range> ranges_;     // the arguments before pos_
};

}  // namespace gub

#endif  // GUB_PROTO_REQUEST_PARSER_H_
