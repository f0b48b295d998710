#include "command/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gub {

namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(PeriodTest, ANumberIsMillisecondsWithOrWithoutItsUnit) {
  const std::pair<const char*, int64_t> words[] = {{"1", 1},
                                                   {"500", 500},
                                                   {"500ms", 500},
                                                   {"500MS", 500},
                                                   {"10s", 10'000},
                                                   {"10S", 10'000},
                                                   {"5m", 300'000},
                                                   {"1h", 3'600'000},
                                                   {"1d", 86'400'000},
                                                   {"36525D", Period::kMaxMs},
                                                   {"3155760000000", Period::kMaxMs}};
  for (const auto& [word, ms] : words) {
    const auto period = ParsePeriod(word, false);
    ASSERT_TRUE(period.ok()) << word << ": " << period.status();
    EXPECT_EQ(*period, Period::Ms(ms)) << word;
  }
}

TEST(PeriodTest, ACalendarWordIsItsUnitWithAndWithoutTheGregorianBit) {
  const std::pair<const char*, CalendarUnit> words[] = {
      {"minute", CalendarUnit::kMinute}, {"Hour", CalendarUnit::kHour},
      {"DAY", CalendarUnit::kDay},       {"week", CalendarUnit::kWeek},
      {"month", CalendarUnit::kMonth},   {"yEAr", CalendarUnit::kYear}};
  for (const auto& [word, unit] : words) {
    for (bool gregorian : {false, true}) {
      const auto period = ParsePeriod(word, gregorian);
      ASSERT_TRUE(period.ok()) << word;
      EXPECT_EQ(*period, Period::Calendar(unit)) << word;
    }
  }
}

TEST(PeriodTest, WithTheGregorianBitTheNumbersFromZeroToFiveAreCodes) {
  for (int code = 0; code <= 5; ++code) {
    const auto period = ParsePeriod(std::to_string(code), true);
    ASSERT_TRUE(period.ok());
    EXPECT_EQ(*period, Period::Calendar(static_cast<CalendarUnit>(code)));
  }
  for (const char* word : {"6", "-1", "10s", "60000", "1ms"}) {
    EXPECT_EQ(Message(ParsePeriod(word, true).status()),
              "duration must be a calendar code from 0 to 5")
        << word;
  }
}

TEST(PeriodTest, WhatIsNoNumberUnitOrWordIsNoInteger) {
  for (const char* word :
       {"", "x", "1x", "s", "ms", "1.5s", " 1", "1 ", "+1", "01", "0x1", "-", "--1", "minutes",
        "9223372036854775808", "99999999999999999999d", "1s1"}) {
    for (bool gregorian : {false, true}) {
      EXPECT_EQ(Message(ParsePeriod(word, gregorian).status()),
                "duration is not an integer or out of range")
          << word;
    }
  }
}

TEST(PeriodTest, ANumberOutOfRangeIsToldTheRange) {
  for (const char* word : {"0", "-1", "0s", "-5m", "3155760000001", "36526d", "9223372036854775807",
                           "9223372036854775807d"}) {
    EXPECT_EQ(Message(ParsePeriod(word, false).status()),
              "duration must be from 1 to 3155760000000 ms")
        << word;
  }
}

TEST(AlgorithmTest, HasThreeSpellingsInAnyCase) {
  for (const char* word : {"token", "TOKEN", "Token_Bucket", "0"}) {
    EXPECT_EQ(ParseAlgorithm(word), Algorithm::kToken) << word;
  }
  for (const char* word : {"leaky", "Leaky", "LEAKY_BUCKET", "1"}) {
    EXPECT_EQ(ParseAlgorithm(word), Algorithm::kLeaky) << word;
  }
  for (const char* word : {"", "2", "tok", "token ", "00"}) {
    EXPECT_EQ(ParseAlgorithm(word), std::nullopt) << word;
  }
}

TEST(BehaviorTest, IsANumberOrNames) {
  const std::pair<const char*, uint32_t> words[] = {
      {"0", 0},
      {"63", 63},
      {"BATCHING", 0},
      {"no_batching", kNoBatching},
      {"RESET_REMAINING|DRAIN_OVER_LIMIT", kResetRemaining | kDrainOverLimit},
      {"global,duration_is_gregorian", kGlobal | kDurationIsGregorian},
      {"MULTI_REGION,BATCHING|GLOBAL", kMultiRegion | kGlobal}};
  for (const auto& [word, bits] : words) {
    const auto behavior = ParseBehavior(word);
    ASSERT_TRUE(behavior.ok()) << word;
    EXPECT_EQ(*behavior, bits) << word;
  }
}

TEST(BehaviorTest, AnUnknownBitOrNameIsNamed) {
  const std::pair<const char*, const char*> words[] = {
      {"64", "64"},    {"-1", "-1"},  {"", ""},         {"GLOBL", "GLOBL"}, {"GLOBAL|nope", "nope"},
      {"GLOBAL|", ""}, {"8|32", "8"}, {"a\nb", "a\\nb"}};
  for (const auto& [word, named] : words) {
    EXPECT_EQ(Message(ParseBehavior(word).status()),
              std::string("unknown behavior '") + named + "'");
  }
}

TEST(OnFailTest, KnowsItsFourWords) {
  EXPECT_EQ(ParseOnFail("LOCAL"), OnFail::kLocal);
  EXPECT_EQ(ParseOnFail("open"), OnFail::kOpen);
  EXPECT_EQ(ParseOnFail("Closed"), OnFail::kClosed);
  EXPECT_EQ(ParseOnFail("error"), OnFail::kError);
  EXPECT_EQ(ParseOnFail("default"), std::nullopt);
}

TEST(RateTest, IsKeptExactly) {
  struct Row {
    const char* word;
    int64_t limit;
    int64_t duration_ms;
  };
  const Row rows[] = {{"1", 1, 1'000},
                      {"10", 10, 1'000},
                      {"0.5", 5, 10'000},
                      {"5.5", 55, 10'000},
                      {"0.000000001", 1, 1'000'000'000'000},
                      {"9000000000", 9'000'000'000, 1'000},
                      {"9000000000.000000000", 9'000'000'000'000'000'000, 1'000'000'000'000},
                      {"8999999999.999999999", 8'999'999'999'999'999'999, 1'000'000'000'000}};
  for (const Row& row : rows) {
    const std::optional<Rate> rate = ParseRatePerSecond(row.word);
    ASSERT_TRUE(rate) << row.word;
    EXPECT_EQ(rate->limit, row.limit) << row.word;
    EXPECT_EQ(rate->duration_ms, row.duration_ms) << row.word;
  }
}

TEST(RateTest, RefusesWhatIsNotPositiveOrNotADecimalNumber) {
  for (const char* word : {"",
                           "0",
                           "0.0",
                           "-1",
                           "-0.5",
                           "+1",
                           ".5",
                           "5.",
                           "1e3",
                           "inf",
                           "nan",
                           "1,5",
                           " 1",
                           "1 ",
                           "01",
                           "9000000001",
                           "9000000000.1",
                           "0.0000000001",
                           "1.1234567891",
                           "1.-5",
                           "1.2.3",
                           "99999999999999999999"}) {
    EXPECT_EQ(ParseRatePerSecond(word), std::nullopt) << word;
  }
}

}  // namespace
}  // namespace gub
