#include "proto/inline_args.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace gub {
namespace {

// Redis skips six blanks between arguments, but only four of them (and quotes) end a plain one.
constexpr std::string_view kBlanks = " \t\n\v\f\r";
constexpr std::string_view kEndOfPlain = " \t\n\r\"'";

bool IsQuote(char c) { return c == '"' || c == '\''; }

// The value of a hexadecimal digit, or -1.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char Unescaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return letter;
  }
}

// Appends what the bytes at the front of `text` (not empty) stand for inside `quote`, and returns
// how many bytes these are.
size_t AppendQuoted(std::string_view text, char quote, std::string* out) {
  if (text[0] == '\\' && text.size() >= 2) {
    if (quote == '\'') {
      if (text[1] == '\'') {
        out->push_back('\'');
        return 2;
      }
    } else if (text.size() >= 4 && text[1] == 'x' && HexDigit(text[2]) >= 0 &&
               HexDigit(text[3]) >= 0) {
      out->push_back(static_cast<char>(HexDigit(text[2]) * 16 + HexDigit(text[3])));
      return 4;
    } else {
      out->push_back(Unescaped(text[1]));
      return 2;
    }
  }
  out->push_back(text[0]);
  return 1;
}

// Takes a quoted text, whose opening quote is at the front of `line`. Returns whether it is closed
// and nothing but a blank follows.
bool TakeQuoted(std::string_view* line, std::string* out) {
  const char quote = line->front();
  line->remove_prefix(1);
  while (!line->empty() && line->front() != quote) {
    line->remove_prefix(AppendQuoted(*line, quote, out));
  }
  if (line->empty()) return false;
  line->remove_prefix(1);
  return line->empty() || kBlanks.find(line->front()) != kBlanks.npos;
}

}  // namespace

InlineStep NextInlineArg(std::string_view* line, std::string* unquoted,
                         std::string_view* argument) {
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  if (line->empty()) return InlineStep::kEnd;

  const std::string_view plain = line->substr(0, line->find_first_of(kEndOfPlain));
  line->remove_prefix(plain.size());
  if (line->empty() || !IsQuote(line->front())) {
    *argument = plain;
    return InlineStep::kArgument;
  }

  assert(unquoted->capacity() - unquoted->size() >= plain.size() + line->size());
  const size_t begin = unquoted->size();
  unquoted->append(plain);
  if (!TakeQuoted(line, unquoted)) return InlineStep::kUnbalanced;
  *argument = std::string_view(*unquoted).substr(begin);
  return InlineStep::kArgument;
}

}  // namespace gub
