// ParseInPieces, ParseWhole: what a RequestParser makes of an input that arrives in pieces, or at
// once.
//
// Every call to the parser gets its bytes in new memory of exactly their size, and those of the
// call before are overwritten and freed, so that a stale view, or one byte too far, does not pass.

#ifndef GUB_TESTS_FUZZ_PARSE_IN_PIECES_H_
#define GUB_TESTS_FUZZ_PARSE_IN_PIECES_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "proto/request_parser.h"

namespace gub {

struct Transcript {
  std::vector<std::vector<std::string>> requests;
  std::string error;    // "" if there was none
  size_t consumed = 0;  // in all
  std::string broken;   // the promise of the parser's header that was broken, "" if none was

  bool operator==(const Transcript&) const = default;
};

inline void PrintTo(const Transcript& transcript, std::ostream* out) {
  for (const auto& request : transcript.requests) {
    *out << "\n ";
    for (const std::string& arg : request) *out << " [" << arg << "]";
  }
  *out << "\n  error: " << transcript.error << "\n  consumed: " << transcript.consumed
       << "\n  broken: " << transcript.broken;
}

// The promise of the header that `outcome`, for `size` bytes, has broken.
inline std::string BrokenPromise(const RequestParser& parser, RequestParser::Outcome outcome,
                                 size_t size) {
  if (parser.consumed() > size) return "consumed more than there was";
  switch (outcome) {
    case RequestParser::Outcome::kRequest:
      if (parser.args().empty()) return "a request without arguments";
      if (parser.consumed() == 0) return "a request of no bytes";
      return "";
    case RequestParser::Outcome::kNeedMore:
      if (!parser.args().empty()) return "arguments without a request";
      return "";
    case RequestParser::Outcome::kError:
      if (!parser.args().empty()) return "arguments without a request";
      if (!parser.error().starts_with("Protocol error: ")) return "an error without a text";
      if (!std::ranges::all_of(parser.error(), [](char c) { return c >= ' ' && c <= '~'; })) {
        return "an error that is not printable";
      }
      return "";
  }
  return "no outcome";
}

// next_piece(): how many of the bytes that are left arrive next.
template <typename NextPiece>
Transcript ParseInPieces(RequestParser* parser, std::string_view input, NextPiece next_piece) {
  Transcript transcript;
  size_t arrived = 0;
  while (arrived < input.size()) {
    arrived = std::min<size_t>(input.size(), arrived + std::max<size_t>(1, next_piece()));
    auto outcome = RequestParser::Outcome::kRequest;
    while (outcome == RequestParser::Outcome::kRequest) {
      const size_t size = arrived - transcript.consumed;
      const std::unique_ptr<char[]> bytes(new char[size]);
      std::copy_n(input.data() + transcript.consumed, size, bytes.get());
      outcome = parser->Next({bytes.get(), size});
      transcript.broken = BrokenPromise(*parser, outcome, size);
      if (!transcript.broken.empty()) return transcript;
      transcript.consumed += parser->consumed();
      if (outcome == RequestParser::Outcome::kRequest) {
        transcript.requests.emplace_back(parser->args().begin(), parser->args().end());
      }
      std::fill_n(bytes.get(), size, '#');
    }
    if (outcome == RequestParser::Outcome::kError) {
      transcript.error = parser->error();
      if (parser->Next("PING\r\n") != outcome || parser->error() != transcript.error) {
        transcript.broken = "an error that does not last";
      }
      return transcript;
    }
  }
  return transcript;
}

// By a new parser.
template <typename NextPiece>
Transcript ParseInPieces(std::string_view input, RequestLimits limits, NextPiece next_piece) {
  RequestParser parser(limits);
  return ParseInPieces(&parser, input, next_piece);
}

// By one that has read a request before, so that it may take a shorter way than a new one can.
inline Transcript ParseWhole(std::string_view input, RequestLimits limits = {}) {
  RequestParser parser(limits);
  parser.Next("*1\r\n$0\r\n\r\n");
  return ParseInPieces(&parser, input, [&] { return input.size(); });
}

}  // namespace gub

#endif  // GUB_TESTS_FUZZ_PARSE_IN_PIECES_H_
