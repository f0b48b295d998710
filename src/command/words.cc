#include "command/words.h"

#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};

template <typename Value, size_t kCount>
std::optional<Value> Find(const Word<Value> (&words)[kCount], std::string_view text) {
  for (const auto& word : words) {
    if (EqualsIgnoreCase(word.text, text)) return word.value;
  }
  return std::nullopt;
}

constexpr Word<CalendarUnit> kCalendarWords[] = {
    {"minute", CalendarUnit::kMinute}, {"hour", CalendarUnit::kHour},
    {"day", CalendarUnit::kDay},       {"week", CalendarUnit::kWeek},
    {"month", CalendarUnit::kMonth},   {"year", CalendarUnit::kYear},
};
constexpr int64_t kCalendarCodes = std::size(kCalendarWords);

constexpr Word<Algorithm> kAlgorithms[] = {
    {"token", Algorithm::kToken},
    {"leaky", Algorithm::kLeaky},
    {"0", Algorithm::kToken},
    {"1", Algorithm::kLeaky},
    {"TOKEN_BUCKET", Algorithm::kToken},
    {"LEAKY_BUCKET", Algorithm::kLeaky},
};

constexpr Word<uint32_t> kBehaviors[] = {
    {"BATCHING", kBatching},
    {"NO_BATCHING", kNoBatching},
    {"GLOBAL", kGlobal},
    {"DURATION_IS_GREGORIAN", kDurationIsGregorian},
    {"RESET_REMAINING", kResetRemaining},
    {"MULTI_REGION", kMultiRegion},
    {"DRAIN_OVER_LIMIT", kDrainOverLimit},
};

constexpr Word<OnFail> kPolicies[] = {
    {"local", OnFail::kLocal},
    {"open", OnFail::kOpen},
    {"closed", OnFail::kClosed},
    {"error", OnFail::kError},
};

// An integer and the unit behind it, if there is one.
struct NumberAndUnit {
  int64_t number;
  bool has_unit;
  int64_t unit_ms;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// How many ms a unit has; 0: it is none.
int64_t UnitMs(std::string_view unit) {
  if (unit.size() != 1) return EqualsIgnoreCase(unit, "ms") ? 1 : 0;
  switch (unit.front()) {
    case 's':
    case 'S':
      return 1'000;
    case 'm':
    case 'M':
      return 60'000;
    case 'h':
    case 'H':
      return 3'600'000;
    case 'd':
    case 'D':
      return 86'400'000;
    default:
      return 0;
  }
}

std::optional<NumberAndUnit> ReadDuration(std::string_view word) {
  if (const std::optional<int64_t> ms = ParseInt64(word)) return NumberAndUnit{*ms, false, 1};
  size_t end = word.starts_with('-') ? 1 : 0;
  while (end < word.size() && IsDigit(word[end])) ++end;
  const std::optional<int64_t> number = ParseInt64(word.substr(0, end));
  const int64_t unit_ms = UnitMs(word.substr(end));
  if (!number || unit_ms == 0) return std::nullopt;
  return NumberAndUnit{*number, true, unit_ms};
}

absl::Status NoDuration() {
  return absl::InvalidArgumentError("duration is not an integer or out of range");
}

}  // namespace

absl::StatusOr<Period> ParsePeriod(std::string_view word, bool gregorian) {
  if (!word.empty() && !IsDigit(word.front())) {
    if (const auto unit = Find(kCalendarWords, word)) return Period::Calendar(*unit);
  }
  const std::optional<NumberAndUnit> duration = ReadDuration(word);
  if (!duration) return NoDuration();
  const auto [number, has_unit, unit_ms] = *duration;
  if (gregorian) {
    if (!has_unit && number >= 0 && number < kCalendarCodes) {
      return Period::Calendar(static_cast<CalendarUnit>(number));
    }
    return absl::InvalidArgumentError("duration must be a calendar code from 0 to 5");
  }
  if (number < 1 || number > Period::kMaxMs / unit_ms) {
    return absl::InvalidArgumentError("duration must be from 1 to 3155760000000 ms");
  }
  return Period::Ms(number * unit_ms);
}

std::optional<Algorithm> ParseAlgorithm(std::string_view word) { return Find(kAlgorithms, word); }

std::optional<OnFail> ParseOnFail(std::string_view word) { return Find(kPolicies, word); }

absl::StatusOr<uint32_t> ParseBehavior(std::string_view word) {
  const auto unknown = [](std::string_view text) {
    return absl::InvalidArgumentError(fmt::format("unknown behavior '{}'", Escape(text)));
  };
  if (const std::optional<int64_t> bits = ParseInt64(word)) {
    if (*bits < 0 || *bits > kAllBehaviors) return unknown(word);
    return static_cast<uint32_t>(*bits);
  }
  uint32_t bits = 0;
  for (std::string_view rest = word;;) {
    const size_t end = rest.find_first_of("|,");
    const std::string_view name = rest.substr(0, end);
    const std::optional<uint32_t> bit = Find(kBehaviors, name);
    if (!bit) return unknown(name);
    bits |= *bit;
    if (end == std::string_view::npos) return bits;
    rest.remove_prefix(end + 1);
  }
}

std::optional<Rate> ParseRatePerSecond(std::string_view word) {
  constexpr int64_t kMaxRate = 9'000'000'000;
  constexpr size_t kMaxDecimals = 9;
  const size_t dot = word.find('.');
  const std::optional<int64_t> whole = ParseInt64(word.substr(0, dot));
  if (!whole || *whole < 0 || *whole > kMaxRate || word.starts_with('-')) return std::nullopt;
  Rate rate{*whole, 1000};
  if (dot != std::string_view::npos) {
    const std::string_view decimals = word.substr(dot + 1);
    if (decimals.empty() || decimals.size() > kMaxDecimals) return std::nullopt;
    for (char c : decimals) {
      if (c < '0' || c > '9') return std::nullopt;
      rate.limit = rate.limit * 10 + (c - '0');  // at most 9 x 10^18 + 10^9, within int64
      rate.duration_ms *= 10;
    }
  }
  const int64_t max_limit = kMaxRate * (rate.duration_ms / 1000);
  if (rate.limit < 1 || rate.limit > max_limit) return std::nullopt;
  return rate;
}

}  // namespace gub
