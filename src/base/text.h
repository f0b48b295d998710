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
std::optional<int64_t> ParseInt64(std::string_view text);

// ASCII case only, whatever the locale.
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// `bytes` for an error reply or a log line: cut at max_bytes of input; control bytes, quotes,
// backslashes and bytes over 126 as \n, \r, \t, \", \\, \xHH. The result is printable ASCII.
std::string Escape(std::string_view bytes, size_t max_bytes = 128);

// Whether the pattern matches the whole text, as Redis' glob: * ? [a-z] [^a] \x.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace gub

#endif  // GUB_BASE_TEXT_H_
