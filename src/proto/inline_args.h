// NextInlineArg: the arguments of an inline line, quoted as redis-cli quotes them.
//
//   SET k v              three plain arguments, divided by blanks
//   "a b\n\x41\"" 'it\'s'  double quotes know \n \r \t \b \a \xHH and \ before any other byte;
//                        single quotes know \' alone
//
// A quote may begin inside an argument (a"b c" is `ab c`), but an argument ends with its closing
// quote: what follows must be a blank. A NUL is a byte like any other.
//
// Threads:  pure functions.
// Memory:   a plain argument is a view into the line, one with quotes a view into `unquoted`.

#ifndef GUB_PROTO_INLINE_ARGS_H_
#define GUB_PROTO_INLINE_ARGS_H_

#include <string>
#include <string_view>

namespace gub {

enum class InlineStep {
  kArgument,    // one argument was taken from the line
  kEnd,         // none was left
  kUnbalanced,  // a quote is not closed, or is closed in the middle of an argument
};

// Takes the next argument from the front of `line`. An argument with quotes is appended to
// `unquoted`. REQUIRES: unquoted has room for as many bytes as the line has, so that appending
// does not move it.
InlineStep NextInlineArg(std::string_view* line, std::string* unquoted, std::string_view* argument);

}  // namespace gub

#endif  // GUB_PROTO_INLINE_ARGS_H_
