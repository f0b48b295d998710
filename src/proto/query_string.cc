#include "proto/query_string.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gub {

std::optional<std::string> DecodePercent(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    unsigned byte = 0;
    const char* const end = text.data() + i + 3;
    const auto read = std::from_chars(end - 2, end, byte, 16);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

std::optional<std::vector<QueryParameter>> ReadQuery(std::string_view query) {
  std::vector<QueryParameter> parameters;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    std::optional<std::string> name = DecodePercent(pair.substr(0, equals));
    std::optional<std::string> value =
        DecodePercent(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    parameters.push_back({*std::move(name), *std::move(value)});
  }
  return parameters;
}

}  // namespace gub
