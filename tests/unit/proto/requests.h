// Requests of any size, for tests.

#ifndef GUB_TESTS_UNIT_PROTO_REQUESTS_H_
#define GUB_TESTS_UNIT_PROTO_REQUESTS_H_

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace gub {

inline std::string Bulk(const std::string& text) {
  return fmt::format("${}\r\n{}\r\n", text.size(), text);
}

// $N and so many x.
inline std::string BulkOf(size_t length) { return Bulk(std::string(length, 'x')); }

// *N and so many arguments "a".
inline std::string ArrayOf(size_t count) {
  constexpr std::string_view kArgument = "$1\r\na\r\n";
  std::string request = fmt::format("*{}\r\n", count);
  for (size_t i = 0; i < count; ++i) request += kArgument;
  return request;
}

}  // namespace gub

#endif  // GUB_TESTS_UNIT_PROTO_REQUESTS_H_
