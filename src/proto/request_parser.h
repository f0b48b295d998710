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
//           The texts are Redis'. Lengths are strict as there: no sign, no leading zero.
//           Unlike Redis, which skips two bytes unseen, a bulk string must end with CRLF.
// Bounds:   RequestLimits; nothing is allocated for what was only announced.

#ifndef GUB_PROTO_REQUEST_PARSER_H_
#define GUB_PROTO_REQUEST_PARSER_H_

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
};

class RequestParser {
 public:
  enum class Outcome {
    kRequest,   // args() holds one request of at least one argument
    kNeedMore,  // call again with the rest and what has arrived since
    kError,     // error() says why
  };

  explicit RequestParser(RequestLimits limits) : limits_(limits) {}

  // Reads the next request from the front of `bytes`, which must start with what the last call did
  // not consume (it may have moved in memory). Empty lines and empty arrays are skipped.
  Outcome Next(std::string_view bytes);

  // How many bytes at the front of the last call's `bytes` are done with. After kNeedMore these are
  // what was skipped before the unfinished request.
  size_t consumed() const { return consumed_; }

  // Valid after kRequest, until the next call or until the bytes move.
  std::span<const std::string_view> args() const { return args_; }

  // After kError: the text after "-ERR ", printable, without CR or LF.
  const std::string& error() const { return error_; }

  // From the next request on.
  void set_limits(RequestLimits limits) { limits_ = limits; }

 private:
  RequestLimits limits_;
  size_t consumed_ = 0;
  std::vector<std::string_view> args_;
  std::string error_;
};

}  // namespace gub

#endif  // GUB_PROTO_REQUEST_PARSER_H_
