#include "limit/calendar.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "limit/int128.h"

namespace gub {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;

int64_t Utc(const char* text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime("%Y-%m-%d %H:%M:%S", text, &time, &error)) << error;
  return absl::ToUnixMillis(time);
}

Calendar In(const char* zone) {
  const std::optional<Calendar> calendar = Calendar::ForZone(zone);
  if (!calendar.has_value()) ADD_FAILURE() << zone << " is unknown here: is tzdata installed?";
  return calendar.value_or(Calendar());
}

TEST(CalendarTest, EveryUnitEndsWithTheFirstMsOfTheNext) {
  const Calendar utc;
  const int64_t now_ms = Utc("2023-11-14 22:13:20") + 5;  // a Tuesday
  EXPECT_EQ(utc.EndMs(CalendarUnit::kMinute, now_ms), Utc("2023-11-14 22:14:00"));
  EXPECT_EQ(utc.EndMs(CalendarUnit::kHour, now_ms), Utc("2023-11-14 23:00:00"));
  EXPECT_EQ(utc.EndMs(CalendarUnit::kDay, now_ms), Utc("2023-11-15 00:00:00"));
  EXPECT_EQ(utc.EndMs(CalendarUnit::kWeek, now_ms), Utc("2023-11-20 00:00:00"));
  EXPECT_EQ(utc.EndMs(CalendarUnit::kMonth, now_ms), Utc("2023-12-01 00:00:00"));
  EXPECT_EQ(utc.EndMs(CalendarUnit::kYear, now_ms), Utc("2024-01-01 00:00:00"));
}

TEST(CalendarTest, TheFirstMsOfAPeriodBelongsToItAndTheLastOneToo) {
  const Calendar utc;
  const int64_t new_year_ms = Utc("2024-01-01 00:00:00");  // a Monday
  for (int unit = 0; unit <= 5; ++unit) {
    if (unit == static_cast<int>(CalendarUnit::kWeek)) continue;
    EXPECT_EQ(utc.EndMs(static_cast<CalendarUnit>(unit), new_year_ms - 1), new_year_ms);
    EXPECT_GT(utc.EndMs(static_cast<CalendarUnit>(unit), new_year_ms), new_year_ms);
  }
}

TEST(CalendarTest, WeeksStartOnMonday) {
  const Calendar utc;
  const int64_t monday_ms = Utc("2024-01-01 00:00:00");
  EXPECT_EQ(utc.EndMs(CalendarUnit::kWeek, monday_ms - 1), monday_ms);
  EXPECT_EQ(utc.EndMs(CalendarUnit::kWeek, monday_ms), monday_ms + 7 * kDayMs);
  EXPECT_EQ(utc.EndMs(CalendarUnit::kWeek, monday_ms + 7 * kDayMs - 1), monday_ms + 7 * kDayMs);
}

TEST(CalendarTest, LengthsAreThoseOfThePeriodThatContainsNow) {
  const Calendar utc;
  const int64_t leap_day_ms = Utc("2024-02-29 12:00:00");
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kMinute, leap_day_ms), kMinuteMs);
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kHour, leap_day_ms), kHourMs);
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kDay, leap_day_ms), kDayMs);
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kWeek, leap_day_ms), 7 * kDayMs);
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kMonth, leap_day_ms), 29 * kDayMs);
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kYear, leap_day_ms), 366 * kDayMs);
  EXPECT_EQ(utc.LengthMs(CalendarUnit::kYear, leap_day_ms + 366 * kDayMs), 365 * kDayMs);
}

TEST(CalendarTest, TimesBefore1970AreFlooredToo) {
  const Calendar utc;
  EXPECT_EQ(utc.EndMs(CalendarUnit::kMinute, -1), 0);
  EXPECT_EQ(utc.EndMs(CalendarUnit::kHour, -kHourMs - 1), -kHourMs);
  EXPECT_EQ(utc.EndMs(CalendarUnit::kYear, -1), 0);
}

TEST(CalendarTest, AnUnknownZoneHasNoCalendar) {
  EXPECT_FALSE(Calendar::ForZone("Europe/Atlantis").has_value());
  EXPECT_FALSE(Calendar::ForZone("").has_value());
  EXPECT_TRUE(Calendar::ForZone("UTC").has_value());
}

TEST(CalendarTest, DaysThatAZoneShortensOrLengthensHaveTheirRealLength) {
  const Calendar berlin = In("Europe/Berlin");
  EXPECT_EQ(berlin.LengthMs(CalendarUnit::kDay, Utc("2023-03-26 12:00:00")), 23 * kHourMs);
  EXPECT_EQ(berlin.LengthMs(CalendarUnit::kDay, Utc("2023-10-29 12:00:00")), 25 * kHourMs);
  EXPECT_EQ(berlin.EndMs(CalendarUnit::kDay, Utc("2023-10-29 12:00:00")),
            Utc("2023-10-29 23:00:00"));
  EXPECT_EQ(berlin.LengthMs(CalendarUnit::kMonth, Utc("2023-10-10 00:00:00")),
            31 * kDayMs + kHourMs);
}

TEST(CalendarTest, AnHourThatAZoneRepeatsIsTwoHours) {
  const Calendar berlin = In("Europe/Berlin");
  EXPECT_EQ(berlin.EndMs(CalendarUnit::kHour, Utc("2023-10-29 00:30:00")),
            Utc("2023-10-29 01:00:00"));
  EXPECT_EQ(berlin.EndMs(CalendarUnit::kHour, Utc("2023-10-29 01:30:00")),
            Utc("2023-10-29 02:00:00"));
}

TEST(CalendarTest, HoursOfAZoneThatIsHalfAnHourOffEndAtItsOwnFullHours) {
  const Calendar kolkata = In("Asia/Kolkata");
  EXPECT_EQ(kolkata.EndMs(CalendarUnit::kHour, Utc("2023-06-01 12:29:59")),
            Utc("2023-06-01 12:30:00"));
  EXPECT_EQ(kolkata.EndMs(CalendarUnit::kDay, Utc("2023-06-01 18:29:59")),
            Utc("2023-06-01 18:30:00"));
}

TEST(CalendarTest, AnHourBelongsToTheOffsetAtNowWhereAZoneMovesByHalfAnHour) {
  const Calendar lord_howe = In("Australia/Lord_Howe");  // 02:00 +10:30 became 02:30 +11
  const int64_t jump_ms = Utc("2023-09-30 15:30:00");
  EXPECT_EQ(lord_howe.EndMs(CalendarUnit::kHour, jump_ms - 1), jump_ms);
  EXPECT_EQ(lord_howe.EndMs(CalendarUnit::kHour, jump_ms), jump_ms + kHourMs / 2);
  EXPECT_EQ(lord_howe.LengthMs(CalendarUnit::kHour, jump_ms), kHourMs);
}

TEST(CalendarTest, ADayWhoseMidnightIsSkippedStartsWithTheJump) {
  const Calendar sao_paulo = In("America/Sao_Paulo");  // 2018-11-04 began at 01:00
  const int64_t jump_ms = Utc("2018-11-04 03:00:00");
  EXPECT_EQ(sao_paulo.EndMs(CalendarUnit::kDay, jump_ms - 1), jump_ms);
  EXPECT_EQ(sao_paulo.EndMs(CalendarUnit::kDay, jump_ms), jump_ms + 23 * kHourMs);
  EXPECT_EQ(sao_paulo.LengthMs(CalendarUnit::kDay, jump_ms), 23 * kHourMs);
}

TEST(CalendarTest, ADayWhoseMidnightIsInTheMiddleOfAJumpStartsWithTheJumpToo) {
  const Calendar toronto = In("America/Toronto");  // 1919-03-30 23:30 became 00:30 of the 31st
  const int64_t jump_ms = Utc("1919-03-31 04:30:00");
  EXPECT_EQ(toronto.EndMs(CalendarUnit::kDay, jump_ms - 1), jump_ms);
  EXPECT_EQ(toronto.LengthMs(CalendarUnit::kDay, jump_ms), 23 * kHourMs + 30 * kMinuteMs);
}

TEST(CalendarTest, ADayThatAZoneSkipsIsNoPeriod) {
  const Calendar apia = In("Pacific/Apia");  // the 29th of December 2011 was followed by the 31st
  const int64_t jump_ms = Utc("2011-12-30 10:00:00");
  EXPECT_EQ(apia.EndMs(CalendarUnit::kDay, jump_ms - 1), jump_ms);
  EXPECT_EQ(apia.LengthMs(CalendarUnit::kDay, jump_ms - 1), kDayMs);
  EXPECT_EQ(apia.EndMs(CalendarUnit::kDay, jump_ms), jump_ms + kDayMs);
  EXPECT_EQ(apia.LengthMs(CalendarUnit::kDay, jump_ms), kDayMs);
  EXPECT_EQ(apia.LengthMs(CalendarUnit::kMonth, jump_ms), 30 * kDayMs);
}

TEST(CalendarTest, ADayWithTwoMidnightsStartsAtTheFirst) {
  const Calendar havana = In("America/Havana");  // 2023-11-05 01:00 became 00:00
  const int64_t first_ms = Utc("2023-11-05 04:00:00");
  EXPECT_EQ(havana.EndMs(CalendarUnit::kDay, first_ms - 1), first_ms);
  for (const int64_t now_ms : {first_ms, first_ms + kHourMs, first_ms + 2 * kHourMs}) {
    EXPECT_EQ(havana.EndMs(CalendarUnit::kDay, now_ms), first_ms + 25 * kHourMs);
    EXPECT_EQ(havana.LengthMs(CalendarUnit::kDay, now_ms), 25 * kHourMs);
  }
}

TEST(CalendarTest, ADayThatComesBackAfterMidnightEndsAtTheSecondMidnight) {
  const Calendar st_johns = In("America/St_Johns");  // 2010-11-07 00:01 became 23:01 of the 6th
  const int64_t first_ms = Utc("2010-11-07 02:30:00");
  const int64_t back_ms = first_ms + kMinuteMs;
  const int64_t second_ms = first_ms + kHourMs;
  EXPECT_EQ(st_johns.EndMs(CalendarUnit::kDay, first_ms - 1), first_ms);
  EXPECT_EQ(st_johns.EndMs(CalendarUnit::kDay, first_ms), second_ms + kDayMs);
  EXPECT_EQ(st_johns.EndMs(CalendarUnit::kDay, back_ms), second_ms);
  EXPECT_EQ(st_johns.EndMs(CalendarUnit::kDay, second_ms - 1), second_ms);
  EXPECT_EQ(st_johns.EndMs(CalendarUnit::kDay, second_ms), second_ms + kDayMs);
}

TEST(CalendarTest, EndsThatLeaveInt64StayAtItsEndAndLengthsStayExact) {
  for (const Calendar& calendar : {Calendar(), In("America/St_Johns")}) {
    for (int unit = 0; unit <= 5; ++unit) {
      EXPECT_EQ(calendar.EndMs(static_cast<CalendarUnit>(unit), kInt64Max), kInt64Max);
      EXPECT_GT(calendar.EndMs(static_cast<CalendarUnit>(unit), kInt64Min), kInt64Min);
    }
    EXPECT_EQ(calendar.LengthMs(CalendarUnit::kYear, kInt64Max), 365 * kDayMs);
    EXPECT_EQ(calendar.LengthMs(CalendarUnit::kDay, kInt64Min), kDayMs);
  }
}

}  // namespace
}  // namespace gub
