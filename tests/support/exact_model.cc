#include "tests/support/exact_model.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace gub {
namespace {

// "Stays at its end."
BigInt Cut(const BigInt& value) {
  if (value > std::numeric_limits<int64_t>::max()) return std::numeric_limits<int64_t>::max();
  if (value < std::numeric_limits<int64_t>::min()) return std::numeric_limits<int64_t>::min();
  return value;
}

int64_t ToInt64(const BigInt& value) { return static_cast<int64_t>(Cut(value)); }

BigInt Floor(const Fraction& value) {
  const BigInt over = numerator(value);
  const BigInt under = denominator(value);  // always > 0
  const BigInt towards_zero = over / under;
  return towards_zero * under > over ? towards_zero - 1 : towards_zero;
}

BigInt Ceil(const Fraction& value) { return -Floor(-value); }

// Boost compares fractions by Euclid's way, which is slow; a sign is cheap.
int Sign(const Fraction& value) { return numerator(value).sign(); }

BigInt FloorDivide(const BigInt& value, int64_t by) { return Floor(Fraction(value, by)); }

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kDaysIn400Years = 146'097;

bool IsLeap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int DaysIn(int year) { return IsLeap(year) ? 366 : 365; }

int DaysIn(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 1 && IsLeap(year) ? 29 : kDays[month];
}

struct DaySpan {
  BigInt first;
  int days;
};

// The month or the year that contains a day, counted by leafing through the calendar from 1970: it
// repeats every 400 years, so that only the days since the last repetition have to be walked.
DaySpan Leaf(CalendarUnit unit, const BigInt& day) {
  const BigInt repetition = FloorDivide(day, kDaysIn400Years) * kDaysIn400Years;
  int left = static_cast<int>(day - repetition);
  int year = 1970;
  for (; left >= DaysIn(year); ++year) left -= DaysIn(year);
  if (unit == CalendarUnit::kYear) return {day - left, DaysIn(year)};
  int month = 0;
  for (; left >= DaysIn(year, month); ++month) left -= DaysIn(year, month);
  return {day - left, DaysIn(year, month)};
}

ExactSpan Multiple(const BigInt& now_ms, int64_t length_ms, int64_t from_ms) {
  const BigInt start = FloorDivide(now_ms - from_ms, length_ms) * length_ms + from_ms;
  return {start, start + length_ms};
}

BigInt DurationAt(Period period, const BigInt& now_ms) {
  if (!period.IsCalendar()) return period.ms();
  const ExactSpan span = ExactPeriodAt(period.unit(), now_ms);
  return span.end_ms - span.start_ms;
}

BigInt EndOf(Period period, const BigInt& open_ms, const BigInt& now_ms) {
  return Cut(period.IsCalendar() ? ExactPeriodAt(period.unit(), now_ms).end_ms
                                 : open_ms + period.ms());
}

bool Drains(const Request& request) { return request.Has(kDrainOverLimit) && request.limit != 0; }

// In two halves: strict C++ has no streams or limits for 128 bits, so Boost does not convert them.
Int128 ToInt128(const BigInt& value) {
  const BigInt half = BigInt(1) << 64;
  return static_cast<Int128>(static_cast<uint64_t>(value / half)) << 64 |
         static_cast<uint64_t>(value % half);
}

}  // namespace

ExactSpan ExactPeriodAt(CalendarUnit unit, const BigInt& now_ms) {
  constexpr int64_t kMondayMs = -3 * kDayMs;  // 1970 began on a Thursday
  switch (unit) {
    case CalendarUnit::kMinute:
      return Multiple(now_ms, 60'000, 0);
    case CalendarUnit::kHour:
      return Multiple(now_ms, 3'600'000, 0);
    case CalendarUnit::kDay:
      return Multiple(now_ms, kDayMs, 0);
    case CalendarUnit::kWeek:
      return Multiple(now_ms, 7 * kDayMs, kMondayMs);
    case CalendarUnit::kMonth:
    case CalendarUnit::kYear:
      break;
  }
  const DaySpan leaf = Leaf(unit, FloorDivide(now_ms, kDayMs));
  return {leaf.first * kDayMs, (leaf.first + leaf.days) * kDayMs};
}

ExactToken::Window ExactToken::NewWindow(Period period, const BigInt& now_ms) {
  return {.open_ms = now_ms,
          .end_ms = EndOf(period, now_ms, now_ms),
          .used = 0,
          .last_ms = now_ms,
          .period = period,
          .marked = false};
}

std::optional<ExactToken::Window> ExactToken::Find(const Request& request,
                                                   const BigInt& now_ms) const {
  if (!window_ || now_ms >= window_->end_ms) return std::nullopt;
  if (window_->period == request.period) return window_;
  Window changed = *window_;
  changed.period = request.period;
  changed.end_ms = EndOf(request.period, changed.open_ms, now_ms);
  if (now_ms >= changed.end_ms) return std::nullopt;
  return changed;
}

LimitStatus ExactToken::Take(const Request& request, Window* window) {
  const BigInt after = window->used + request.hits;
  if (request.limit != 0 && after <= request.limit) {
    window->used = after;
    window->marked = false;
    return LimitStatus::kUnder;
  }
  window->marked = window->used >= request.limit;
  if (Drains(request)) window->used = std::max<BigInt>(window->used, request.limit);
  return LimitStatus::kOver;
}

LimitStatus ExactToken::Refund(const Request& request, Window* window) {
  const bool found_some = window->used < request.limit;
  window->used = Cut(window->used + request.hits);
  const bool leaves_some = window->used < request.limit;
  if (found_some || leaves_some) window->marked = false;
  return LimitStatus::kUnder;
}

Decision ExactToken::Hit(const Request& request, int64_t clock_ms) {
  if (request.Has(kResetRemaining)) {
    window_.reset();
    return {LimitStatus::kUnder, request.limit, ToInt64(EndOf(request.period, clock_ms, clock_ms)),
            0, clock_ms};
  }
  const BigInt now = window_ ? std::max<BigInt>(clock_ms, window_->last_ms) : BigInt(clock_ms);
  const bool is_new = !Find(request, now).has_value();
  Window window = is_new ? NewWindow(request.period, now) : *Find(request, now);

  LimitStatus status = LimitStatus::kUnder;
  BigInt retry = 0;
  if (request.hits == 0) {
    if (window.marked && window.used >= request.limit) status = LimitStatus::kOver;
  } else {
    window.last_ms = now;
    status = request.hits > 0 ? Take(request, &window) : Refund(request, &window);
    const bool denied = status == LimitStatus::kOver;
    if (denied) retry = request.hits > request.limit ? BigInt(-1) : window.end_ms - now;
    window_ = is_new && denied && !Drains(request) ? std::nullopt : std::optional(window);
  }
  const BigInt remaining = std::max<BigInt>(0, request.limit - window.used);
  return {status, ToInt64(remaining), ToInt64(window.end_ms), ToInt64(retry), ToInt64(now)};
}

std::optional<TokenState> ExactToken::Expected() const {
  if (!window_) return std::nullopt;
  return TokenState{ToInt64(window_->open_ms), ToInt64(window_->end_ms), ToInt64(window_->used),
                    ToInt64(window_->last_ms), window_->period,          window_->marked};
}

ExactLeaky::Bucket ExactLeaky::Find(const Request& request, const BigInt& now_ms) const {
  Bucket found;
  found.last_ms = now_ms;
  found.limit = request.limit;
  found.duration_ms = DurationAt(request.period, now_ms);
  if (Sign(bucket_.used) == 0) return found;
  const BigInt elapsed_ms = Cut(now_ms - bucket_.last_ms);
  const Fraction left = bucket_.used - Fraction(elapsed_ms * bucket_.limit, bucket_.duration_ms);
  if (Sign(left) <= 0) return found;
  found.marked = bucket_.marked;
  found.used = left;
  if (found.duration_ms != bucket_.duration_ms) {
    found.used = Fraction(Ceil(left * found.duration_ms), found.duration_ms);
  }
  return found;
}

// Below 0 when the bucket is fuller than its size.
BigInt ExactLeaky::Room(const Request& request, const Bucket& bucket) {
  return Floor(request.BucketSize() - bucket.used);
}

// Whole hits fit when they fit into the whole room.
LimitStatus ExactLeaky::Take(const Request& request, Bucket* bucket) {
  const BigInt room = Room(request, *bucket);
  if (request.limit != 0 && request.hits <= room) {
    bucket->used += request.hits;
    bucket->marked = false;
    return LimitStatus::kUnder;
  }
  bucket->marked = room <= 0;
  const bool is_below_size = Sign(request.BucketSize() - bucket->used) > 0;
  if (Drains(request) && is_below_size) bucket->used = request.BucketSize();
  return LimitStatus::kOver;
}

LimitStatus ExactLeaky::Refund(const Request& request, Bucket* bucket) {
  const bool found_some = Room(request, *bucket) > 0;
  bucket->used += request.hits;
  if (Sign(bucket->used) < 0) bucket->used = 0;
  const bool leaves_some = Room(request, *bucket) > 0;
  if (found_some || leaves_some) bucket->marked = false;
  return LimitStatus::kUnder;
}

Decision ExactLeaky::Hit(const Request& request, int64_t clock_ms) {
  if (request.Has(kResetRemaining)) {
    bucket_ = Bucket();
    return {LimitStatus::kUnder, request.BucketSize(), clock_ms, 0, clock_ms};
  }
  const bool is_empty = Sign(bucket_.used) == 0;
  const BigInt now = is_empty ? BigInt(clock_ms) : std::max<BigInt>(clock_ms, bucket_.last_ms);
  Bucket bucket = Find(request, now);
  // How many whole ms until no more than `level` is used.
  const auto ms_until = [&](const BigInt& level) {
    return Ceil((bucket.used - level) * Fraction(bucket.duration_ms, request.limit));
  };

  LimitStatus status = LimitStatus::kUnder;
  BigInt retry = 0;
  if (request.hits == 0) {
    if (bucket.marked && Room(request, bucket) <= 0) status = LimitStatus::kOver;
  } else {
    status = request.hits > 0 ? Take(request, &bucket) : Refund(request, &bucket);
    bucket_ = bucket;
    const bool never = request.limit == 0 || request.hits > request.BucketSize();
    const bool denied = status == LimitStatus::kOver;
    if (denied) retry = never ? BigInt(-1) : ms_until(BigInt(request.BucketSize()) - request.hits);
  }
  BigInt reset = now;
  if (Sign(bucket.used) > 0) reset += request.limit == 0 ? bucket.duration_ms : ms_until(0);
  const BigInt remaining = std::max<BigInt>(0, Room(request, bucket));
  return {status, ToInt64(remaining), ToInt64(reset), ToInt64(retry), ToInt64(now)};
}

std::optional<LeakyState> ExactLeaky::Expected() const {
  if (Sign(bucket_.used) == 0) return std::nullopt;
  const Fraction units = bucket_.used * bucket_.duration_ms;
  if (denominator(units) != 1) std::abort();  // the contract: a multiple of 1/duration
  return LeakyState{ToInt128(numerator(units)), ToInt64(bucket_.last_ms), ToInt64(bucket_.limit),
                    ToInt64(bucket_.duration_ms), bucket_.marked};
}

}  // namespace gub
