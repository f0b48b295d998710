#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace gub {
namespace {

char FoldCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void AppendEscaped(unsigned char byte, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (byte) {
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    case '"':
    case '\\':
      out->push_back('\\');
      out->push_back(static_cast<char>(byte));
      return;
    default:
      break;
  }
  if (byte >= 32 && byte <= 126) {
    out->push_back(static_cast<char>(byte));
  } else {
    out->append("\\x");
    out->push_back(kHex[byte >> 4]);
    out->push_back(kHex[byte & 15]);
  }
}

// One byte of text against the element of the pattern that starts at `at` (which is no star).
struct GlobStep {
  bool matches;
  size_t next;  // where the following element starts
};

// The element is a class; `at` is behind its '['. A class that is not closed ends with the pattern.
GlobStep MatchGlobClass(std::string_view pattern, size_t at, unsigned char byte) {
  const auto element = [&](size_t i) { return static_cast<unsigned char>(pattern[i]); };
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  bool found = false;
  while (at < pattern.size() && pattern[at] != ']') {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) {
      found |= element(at + 1) == byte;
      at += 2;
    } else if (at + 2 < pattern.size() && pattern[at + 1] == '-') {
      const unsigned char low = std::min(element(at), element(at + 2));
      const unsigned char high = std::max(element(at), element(at + 2));
      found |= low <= byte && byte <= high;
      at += 3;
    } else {
      found |= element(at) == byte;
      ++at;
    }
  }
  return {found != negated, std::min(at + 1, pattern.size())};
}

GlobStep MatchGlobElement(std::string_view pattern, size_t at, char c) {
  switch (pattern[at]) {
    case '?':
      return {true, at + 1};
    case '[':
      return MatchGlobClass(pattern, at + 1, static_cast<unsigned char>(c));
    case '\\':
      if (at + 1 < pattern.size()) ++at;
      [[fallthrough]];
    default:
      return {pattern[at] == c, at + 1};
  }
}

}  // namespace

std::optional<int64_t> ParseAnyInt64(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return std::nullopt;
  if (digits.front() == '0' && text.size() > 1) return std::nullopt;
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped_at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped_at != end) return std::nullopt;
  return value;
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = FoldCase(c);
  return lower;
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (FoldCase(a[i]) != FoldCase(b[i])) return false;
  }
  return true;
}

std::string Escape(std::string_view bytes, size_t max_bytes) {
  std::string escaped;
  for (const char c : bytes.substr(0, max_bytes)) {
    AppendEscaped(static_cast<unsigned char>(c), &escaped);
  }
  return escaped;
}

// Without recursion: on a mismatch only the last star is tried again, one byte further, so the
// steps are at most |pattern| x |text| whatever a stranger's pattern looks like.
bool GlobMatch(std::string_view pattern, std::string_view text) {
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0;
  size_t t = 0;
  size_t after_star = kNone;  // the element behind the last star
  size_t star_end = 0;        // how far that star reaches in text
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_end = t;
      continue;
    }
    if (p < pattern.size()) {
      const GlobStep step = MatchGlobElement(pattern, p, text[t]);
      if (step.matches) {
        p = step.next;
        ++t;
        continue;
      }
    }
    if (after_star == kNone) return false;
    p = after_star;
    t = ++star_end;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace gub
