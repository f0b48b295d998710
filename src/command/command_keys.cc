#include "command/command_keys.h"

#include <optional>

#include "base/text.h"

namespace gub {

std::vector<std::string_view> KeysOf(const CommandEntry& entry, Args request) {
  const KeyRange& range = entry.spec->keys;
  const auto size = static_cast<int64_t>(request.size());
  int64_t first = range.first;
  int64_t last = range.last < 0 ? size + range.last : range.last;
  int64_t step = range.step;
  if (range.count != 0) {
    const std::optional<int64_t> count = ParseInt64(request[static_cast<size_t>(range.count)]);
    if (!count || *count < 0 || *count > size - range.count - 1) return {};
    first = range.count + 1;
    last = range.count + *count;
    step = 1;
  }
  std::vector<std::string_view> keys;
  if (first == 0) return keys;
  for (int64_t at = first; at <= last && at < size; at += step) {
    keys.push_back(request[static_cast<size_t>(at)]);
  }
  return keys;
}

}  // namespace gub
