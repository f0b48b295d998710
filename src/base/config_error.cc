// The words of errors in a configuration.

#include <algorithm>
#include <numeric>

#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "fmt/format.h"

namespace gub {
namespace {

constexpr size_t kMaxSuggestionDistance = 2;

// How many bytes must be put in, left out or replaced to make one of the other (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // from a's first i bytes to b's first j
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

absl::Status ErrorAt(std::string_view place, std::string_view reason) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", place, reason));
}

absl::Status ErrorAt(std::string_view place, const absl::Status& status) {
  return ErrorAt(place, ToStd(status.message()));
}

std::string UnknownOptionReason(std::string_view name) {
  // A name that long resembles none; its distance is not worth the time.
  const std::string lower = ToLower(name.substr(0, 64));
  std::string_view nearest;
  size_t nearest_distance = kMaxSuggestionDistance + 1;
  for (const OptionRow& row : OptionTable()) {
    const size_t distance = EditDistance(lower, row.name);
    if (distance < nearest_distance) {
      nearest = row.name;
      nearest_distance = distance;
    }
  }
  if (nearest.empty()) return fmt::format("unknown option '{}'", Escape(name));
  return fmt::format("unknown option '{}', did you mean '{}'?", Escape(name), nearest);
}

}  // namespace gub
