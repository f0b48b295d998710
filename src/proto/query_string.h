// Parameters of a URL: `a=1&b=x%20y` and the like.
//
// They are read as the URL Standard reads application/x-www-form-urlencoded: '+' is a space, %XX a
// byte, any bytes. (uriparser would cut a value at a %00.)
//
// Threads:  pure functions.
// Errors:   nothing for a '%' without two hex digits behind it.

#ifndef GUB_PROTO_QUERY_STRING_H_
#define GUB_PROTO_QUERY_STRING_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gub {

struct QueryParameter {
  std::string name;
  std::string value;
};

std::optional<std::string> DecodePercent(std::string_view text);

// In their order; empty ones between two '&' are passed over.
std::optional<std::vector<QueryParameter>> ReadQuery(std::string_view query);

}  // namespace gub

#endif  // GUB_PROTO_QUERY_STRING_H_
