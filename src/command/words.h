// The words of GUB.HIT: durations, algorithms, behaviors, policies, decimal rates.
//
// Threads:  pure functions.
// Errors:   as in command/hit_arguments.h.

#ifndef GUB_COMMAND_WORDS_H_
#define GUB_COMMAND_WORDS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gub/types.h"

namespace gub {

// `500`, `500ms`, `10s`, `5m`, `1h`, `1d`, or minute … year; with `gregorian` a code from 0 to 5 or
// minute … year.
absl::StatusOr<Period> ParsePeriod(std::string_view word, bool gregorian);

// token, leaky, TOKEN_BUCKET, LEAKY_BUCKET, 0, 1 in any case.
std::optional<Algorithm> ParseAlgorithm(std::string_view word);

// A number (bit set), or names joined by '|' or ','.
absl::StatusOr<uint32_t> ParseBehavior(std::string_view word);

// local, open, closed, error in any case.
std::optional<OnFail> ParseOnFail(std::string_view word);

// A rate per second, kept exactly: rate = limit / (duration_ms / 1000).
struct Rate {
  int64_t limit;
  int64_t duration_ms;
};
// A decimal number > 0 and <= 9000000000 with up to 9 decimals; nothing when it is not one.
std::optional<Rate> ParseRatePerSecond(std::string_view word);

}  // namespace gub

#endif  // GUB_COMMAND_WORDS_H_
