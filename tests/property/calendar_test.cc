// Statements that hold for every unit at any time: in UTC against the exact model's own calendar,
// in other zones against what their clocks show.

#include "limit/calendar.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "limit/int128.h"
#include "tests/property/seed.h"
#include "tests/support/exact_model.h"

namespace gub {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr CalendarUnit kUnits[] = {CalendarUnit::kMinute, CalendarUnit::kHour,
                                   CalendarUnit::kDay,    CalendarUnit::kWeek,
                                   CalendarUnit::kMonth,  CalendarUnit::kYear};

// Where midnights or whole days were skipped or repeated, offsets are odd, or rules changed often.
constexpr const char* kZones[] = {"Europe/Berlin",     "America/St_Johns",    "America/Havana",
                                  "America/Sao_Paulo", "America/Juneau",      "America/Toronto",
                                  "Pacific/Apia",      "Pacific/Kwajalein",   "Asia/Manila",
                                  "Asia/Kathmandu",    "Australia/Lord_Howe", "Africa/Monrovia",
                                  "Antarctica/Troll"};

TEST(CalendarPropertyTest, UtcIsTheCalendarOfTheExactModel) {
  const Calendar utc;
  std::mt19937_64 random(RunSeed());
  for (int i = 0; i < 20'000; ++i) {
    // Any time that int64 holds, each number of bits as likely as another.
    const int64_t now_ms = static_cast<int64_t>(random()) >> (random() % 64);
    for (const CalendarUnit unit : kUnits) {
      const ExactSpan wanted = ExactPeriodAt(unit, now_ms);
      const int64_t end_ms = wanted.end_ms > kInt64Max ? kInt64Max : int64_t{wanted.end_ms};
      ASSERT_EQ(utc.EndMs(unit, now_ms), end_ms) << now_ms;
      ASSERT_EQ(BigInt(utc.LengthMs(unit, now_ms)), wanted.end_ms - wanted.start_ms) << now_ms;
    }
  }
}

class Zone {
 public:
  explicit Zone(const char* name) : calendar_(Calendar::ForZone(name)) {
    absl::LoadTimeZone(name, &zone_);
  }

  const std::optional<Calendar>& calendar() const { return calendar_; }

  // Times around every change of the zone's clock, to the ms and up to a year away.
  std::vector<int64_t> InterestingTimesMs() const {
    std::vector<int64_t> times;
    absl::TimeZone::CivilTransition change;
    absl::Time at = absl::FromCivil(absl::CivilYear(1850), zone_);
    while (at < absl::FromCivil(absl::CivilYear(2050), zone_) &&
           zone_.NextTransition(at, &change)) {
      at = InstantOf(change);
      for (const int64_t hours : {-8760, -24, -2, -1, 0, 1, 2, 23, 24, 25, 8760}) {
        for (const int64_t ms : {-kMinuteMs, int64_t{-1}, int64_t{0}, kMinuteMs / 2}) {
          times.push_back(absl::ToUnixMillis(at) + hours * kHourMs + ms);
        }
      }
    }
    return times;
  }

  // The number of the period that the clock shows; comparable within one unit.
  absl::CivilDay Shows(CalendarUnit unit, int64_t ms) const {
    const absl::CivilDay day(zone_.At(absl::FromUnixMillis(ms)).cs);
    if (unit == CalendarUnit::kWeek) return day - static_cast<int>(absl::GetWeekday(day));
    if (unit == CalendarUnit::kMonth) return absl::CivilDay(absl::CivilMonth(day));
    if (unit == CalendarUnit::kYear) return absl::CivilDay(absl::CivilYear(day));
    return day;
  }

 private:
  // One of the two civil times beside a change was skipped or is shown twice.
  absl::Time InstantOf(const absl::TimeZone::CivilTransition& change) const {
    const absl::TimeZone::TimeInfo from = zone_.At(change.from);
    return from.kind == absl::TimeZone::TimeInfo::UNIQUE ? zone_.At(change.to).trans : from.trans;
  }

  absl::TimeZone zone_;
  std::optional<Calendar> calendar_;
};

class CalendarZoneTest : public ::testing::TestWithParam<const char*> {
 protected:
  // Calls check(unit, now_ms, end_ms, length_ms) for all that is interesting.
  template <typename Check>
  void ForAll(const Check& check) {
    ASSERT_TRUE(zone_.calendar().has_value()) << "is tzdata installed?";
    const std::vector<int64_t> times = zone_.InterestingTimesMs();
    ASSERT_GT(times.size(), 0u);
    for (const int64_t now_ms : times) {
      for (const CalendarUnit unit : kUnits) {
        check(unit, now_ms, zone_.calendar()->EndMs(unit, now_ms),
              zone_.calendar()->LengthMs(unit, now_ms));
        if (HasFailure()) FAIL() << "unit " << static_cast<int>(unit) << " at " << now_ms;
      }
    }
  }

  const Zone zone_{GetParam()};
};

TEST_P(CalendarZoneTest, NowLiesInThePeriodThatItsEndAndLengthTell) {
  ForAll([](CalendarUnit, int64_t now_ms, int64_t end_ms, int64_t length_ms) {
    EXPECT_GT(end_ms, now_ms);
    EXPECT_LE(end_ms - length_ms, now_ms);
  });
}

// Minutes and hours go by the offset at now, which may have changed at their end.
TEST_P(CalendarZoneTest, TheLastMsOfADayOrLongerHasTheSameEnd) {
  ForAll([&](CalendarUnit unit, int64_t, int64_t end_ms, int64_t) {
    if (unit < CalendarUnit::kDay) return;
    EXPECT_EQ(zone_.calendar()->EndMs(unit, end_ms - 1), end_ms);
  });
}

TEST_P(CalendarZoneTest, MinutesAndHoursHaveTheirLength) {
  ForAll([](CalendarUnit unit, int64_t, int64_t, int64_t length_ms) {
    if (unit == CalendarUnit::kMinute) {
      EXPECT_EQ(length_ms, kMinuteMs);
    }
    if (unit == CalendarUnit::kHour) {
      EXPECT_EQ(length_ms, kHourMs);
    }
  });
}

TEST_P(CalendarZoneTest, TheClockShowsAnotherPeriodFromTheEndOnAndNotBefore) {
  ForAll([&](CalendarUnit unit, int64_t now_ms, int64_t end_ms, int64_t) {
    if (unit < CalendarUnit::kDay) return;
    EXPECT_EQ(zone_.Shows(unit, end_ms - 1), zone_.Shows(unit, now_ms));
    EXPECT_GT(zone_.Shows(unit, end_ms), zone_.Shows(unit, now_ms));
  });
}

INSTANTIATE_TEST_SUITE_P(Zones, CalendarZoneTest, ::testing::ValuesIn(kZones),
                         [](const auto& zone) {
                           std::string name = zone.param;
                           for (char& letter : name) letter = letter == '/' ? '_' : letter;
                           return name;
                         });

}  // namespace
}  // namespace gub
