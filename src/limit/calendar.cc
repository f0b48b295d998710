#include "limit/calendar.h"

#include "absl/time/civil_time.h"

namespace gub {
namespace {

// A period as instants: from its first to the first of the next one.
struct Span {
  absl::Time start;
  absl::Time end;
};

// A period as dates: its first day and the first day of the next one.
struct CivilSpan {
  absl::CivilDay start;
  absl::CivilDay end;
};

// Minutes and hours are counted on the clock face as it stands at `now`: a zone that is half an
// hour off has its hours at half past UTC's, and each lasts an hour also where the zone turns back.
Span ClockSpan(const absl::TimeZone& zone, absl::Duration length, absl::Time now) {
  const absl::Duration offset = absl::Seconds(zone.At(now).offset);
  const absl::Duration local = now - absl::UnixEpoch() + offset;
  const absl::Time start = absl::UnixEpoch() + absl::Floor(local, length) - offset;
  return {start, start + length};
}

CivilSpan DayOf(absl::CivilDay day) { return {day, day + 1}; }

CivilSpan WeekOf(absl::CivilDay day) {
  const absl::CivilDay monday = absl::PrevWeekday(day + 1, absl::Weekday::monday);
  return {monday, monday + 7};
}

CivilSpan MonthOf(absl::CivilDay day) {
  const absl::CivilMonth month(day);
  return {absl::CivilDay(month), absl::CivilDay(month + 1)};
}

CivilSpan YearOf(absl::CivilDay day) {
  const absl::CivilYear year(day);
  return {absl::CivilDay(year), absl::CivilDay(year + 1)};
}

// The first instant of `day`. Where the zone skips its midnight, or the whole day, that is the
// instant of the jump; where it repeats midnight, the first of the two.
absl::Time StartOf(const absl::TimeZone::TimeInfo& midnight) {
  return midnight.kind == absl::TimeZone::TimeInfo::SKIPPED ? midnight.trans : midnight.pre;
}

// An end has to be later than now. It is not when a zone falls back across midnight (St. John's
// did, at 00:01): then now belongs to the old day once more, whose end was already passed once, and
// the day ends at the second midnight.
absl::Time EndOf(const absl::TimeZone::TimeInfo& midnight, absl::Time now) {
  const absl::Time first = StartOf(midnight);
  return first > now ? first : midnight.post;
}

Span CivilSpanAt(const absl::TimeZone& zone, CivilSpan (*period_of)(absl::CivilDay),
                 absl::Time now) {
  const CivilSpan civil = period_of(absl::CivilDay(zone.At(now).cs));
  return {StartOf(zone.At(absl::CivilSecond(civil.start))),
          EndOf(zone.At(absl::CivilSecond(civil.end)), now)};
}

// The period that contains `now`.
Span SpanAt(const absl::TimeZone& zone, CalendarUnit unit, absl::Time now) {
  switch (unit) {
    case CalendarUnit::kMinute:
      return ClockSpan(zone, absl::Minutes(1), now);
    case CalendarUnit::kHour:
      return ClockSpan(zone, absl::Hours(1), now);
    case CalendarUnit::kDay:
      return CivilSpanAt(zone, DayOf, now);
    case CalendarUnit::kWeek:
      return CivilSpanAt(zone, WeekOf, now);
    case CalendarUnit::kMonth:
      return CivilSpanAt(zone, MonthOf, now);
    case CalendarUnit::kYear:
      break;
  }
  return CivilSpanAt(zone, YearOf, now);
}

}  // namespace

Calendar::Calendar() : Calendar(absl::UTCTimeZone()) {}

std::optional<Calendar> Calendar::ForZone(const std::string& iana_name) {
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(iana_name, &zone)) return std::nullopt;
  return Calendar(zone);
}

// absl::Time reaches far beyond int64 ms, so that only the last step can leave them: it stays at
// their end, and a length is exact all the same.
int64_t Calendar::EndMs(CalendarUnit unit, int64_t now_ms) const {
  return absl::ToUnixMillis(SpanAt(zone_, unit, absl::FromUnixMillis(now_ms)).end);
}

int64_t Calendar::LengthMs(CalendarUnit unit, int64_t now_ms) const {
  const Span span = SpanAt(zone_, unit, absl::FromUnixMillis(now_ms));
  return absl::ToInt64Milliseconds(span.end - span.start);
}

}  // namespace gub
