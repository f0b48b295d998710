// The public words: what is asked of a limiter and what it answers.
//
// Threads:  plain values.
// Time:     *_ms is milliseconds; now_ms and reset_ms are Unix time, durations are spans.
// Memory:   Request borrows its strings: they must outlive the call that takes it.

#ifndef GUB_TYPES_H_
#define GUB_TYPES_H_

#include <cstdint>
#include <string_view>

namespace gub {

// Part of a bucket's identity: token and leaky hits on one (name, key) do not share a bucket.
enum class Algorithm : uint8_t {
  kToken = 0,  // a fixed window that the first hit opens
  kLeaky = 1,  // what was used drains away continuously, limit per period
};

// Calendar periods in the limiter's time zone; the values are Gubernator's codes.
enum class CalendarUnit : uint8_t {
  kMinute = 0,
  kHour = 1,
  kDay = 2,
  kWeek = 3,  // starts on Monday
  kMonth = 4,
  kYear = 5,
};

// The duration of a limit: a number of ms or a calendar unit, in eight bytes. A unit and the same
// number of ms are different periods.
class Period {
 public:
  // REQUIRES: 1 <= ms <= kMaxMs.
  static constexpr Period Ms(int64_t ms) { return Period(ms); }
  static constexpr Period Calendar(CalendarUnit unit) {
    return Period(-1 - static_cast<int>(unit));
  }

  static constexpr int64_t kMaxMs = 3'155'760'000'000;  // 100 years of 365.25 days

  constexpr bool IsCalendar() const { return value_ < 0; }
  // REQUIRES: !IsCalendar().
  constexpr int64_t ms() const { return value_; }
  // REQUIRES: IsCalendar().
  constexpr CalendarUnit unit() const { return static_cast<CalendarUnit>(-1 - value_); }

  // Whether it is one of the above, whatever it was made from.
  constexpr bool IsValid() const {
    return IsCalendar() ? value_ >= -1 - static_cast<int>(CalendarUnit::kYear)
                        : value_ >= 1 && value_ <= kMaxMs;
  }

  friend constexpr bool operator==(Period a, Period b) = default;

 private:
  explicit constexpr Period(int64_t value) : value_(value) {}
  int64_t value_;  // > 0: ms; < 0: -1 - unit
};

// Behaviors, a bit set; the values are Gubernator's. kDurationIsGregorian says nothing that
// Request::period does not: where Gubernator reads a code out of the duration, Period::Calendar
// already holds the unit, and Period::Ms is ms with or without the bit.
enum Behavior : uint32_t {
  kBatching = 0,
  kNoBatching = 1,
  kGlobal = 2,
  kDurationIsGregorian = 4,
  kResetRemaining = 8,
  kMultiRegion = 16,
  kDrainOverLimit = 32,
};
inline constexpr uint32_t kAllBehaviors = 63;

// What to answer when the owner of a key cannot be reached.
enum class OnFail : uint8_t { kDefault, kLocal, kOpen, kClosed, kError };

// One hit on one bucket.
struct Request {
  // The burst of a leaky bucket that is as large as its limit.
  static constexpr int64_t kBurstIsLimit = -1;

  std::string_view name;          // names the limit, any bytes
  std::string_view key;           // the subject, any bytes
  int64_t hits = 1;               // cost; 0 peeks, negative refunds
  int64_t limit = 0;              // >= 0; 0 denies every positive hit
  int64_t burst = kBurstIsLimit;  // leaky: the bucket's size, >= 0; token: no effect
  Period period = Period::Ms(1000);
  uint32_t behavior = kBatching;
  Algorithm algorithm = Algorithm::kToken;
  OnFail on_fail = OnFail::kDefault;

  int64_t BucketSize() const { return burst == kBurstIsLimit ? limit : burst; }
  bool Has(Behavior bit) const { return (behavior & bit) != 0; }
};

enum class LimitStatus : uint8_t {
  kUnder = 0,  // admitted
  kOver = 1,   // denied
};

// Why a request was not decided. The server never gets that far: its commands check first.
enum class Error : uint8_t {
  kNone = 0,
  kEmptyName,
  kEmptyKey,
  kKeyTooLong,
  kNegativeLimit,
  kNegativeBurst,
  kPeriodOutOfRange,
  kUnknownBehavior,
  kUnknownAlgorithm,
  kTableFull,
};

// A sentence for a log line.
const char* ErrorText(Error error);

struct Decision {
  // retry_after_ms of a hit that can never pass.
  static constexpr int64_t kNever = -1;

  LimitStatus status = LimitStatus::kUnder;
  int64_t remaining = 0;
  int64_t reset_ms = 0;        // when the bucket is whole again
  int64_t retry_after_ms = 0;  // until this same hit would pass; 0 unless denied; or kNever
  int64_t now_ms = 0;          // the time at which it was decided
  Error error = Error::kNone;  // otherwise nothing was decided and nothing changed

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace gub

#endif  // GUB_TYPES_H_
