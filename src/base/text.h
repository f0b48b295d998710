// Small steps on text: strict numbers, folded case, and bytes made fit for a line of text.
//
// Threads:  pure functions.

#ifndef GUB_BASE_TEXT_H_
#define GUB_BASE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace gub {

// The same bytes as a std::string_view: Debian's abseil has a string_view of its own, which does
// not convert. For Status::message(), names of time zones and the like.
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

// A decimal int64 as Redis reads one: an optional '-', no '+', no space, no leading zero, no "-0";
// nothing when it is anything else or out of range.
inline std::optional<int64_t> ParseInt64(std::string_view text);

// ASCII case only, whatever the locale.
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// `bytes` for an error reply or a log line: cut at max_bytes of input; control bytes, quotes,
// backslashes and bytes over 126 as \n, \r, \t, \", \\, \xHH. The result is printable ASCII.
std::string Escape(std::string_view bytes, size_t max_bytes = 128);

// Whether the pattern matches the whole text, as Redis' glob: * ? [a-z] [^a] \x.
bool GlobMatch(std::string_view pattern, std::string_view text);

// Of ParseInt64, what is not as simple as most numbers are.
std::optional<int64_t> ParseAnyInt64(std::string_view text);

std::optional<int64_t> ParseInt64(std::string_view text) {
  constexpr size_t kSafeDigits = 18;  // that many fit, whatever they are
  if (text.empty() || text.size() > kSafeDigits) return ParseAnyInt64(text);
  const auto digit = [](char c) {
    return static_cast<uint64_t>(static_cast<unsigned char>(c)) - '0';
  };
  uint64_t value = digit(text.front());
  if (value - 1 > 8) return ParseAnyInt64(text);  // not 1 to 9
  for (const char c : text.substr(1)) {
    const uint64_t next = digit(c);
    if (next > 9) return std::nullopt;
    value = value * 10 + next;
  }
  return static_cast<int64_t>(value);
}

}  // namespace gub

#endif  // GUB_BASE_TEXT_H_
