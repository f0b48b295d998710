#include "store/packed_state.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/printers.h"

namespace gub {

namespace {

constexpr int64_t kValues[] = {0,        1, -1, 42, 1'700'000'000'000, kInt64Max, kInt64Max - 1,
                               kInt64Min};
constexpr int64_t kPeriodsMs[] = {1, 1000, 86'400'000, Period::kMaxMs};

TEST(PackedStateTest, ATokenStateComesBackAsItWas) {
  for (int64_t open_ms : {int64_t{0}, int64_t{1'700'000'000'000}, kInt64Max - Period::kMaxMs}) {
    for (int64_t used : kValues) {
      for (int64_t period_ms : kPeriodsMs) {
        for (int64_t last_ms : {open_ms, open_ms + period_ms - 1}) {
          for (bool marked : {false, true}) {
            const TokenState state = {.open_ms = open_ms,
                                      .end_ms = open_ms + period_ms,
                                      .used = used,
                                      .last_ms = last_ms,
                                      .period = Period::Ms(period_ms),
                                      .marked = marked};
            PackedState packed;
            packed.Pack(state);
            ASSERT_EQ(packed.UnpackToken(), state);
          }
        }
      }
    }
  }
}

TEST(PackedStateTest, ACalendarWindowKeepsItsEnd) {
  for (CalendarUnit unit : {CalendarUnit::kMinute, CalendarUnit::kYear}) {
    // Opened under a period of 100 years and changed to a year in its last ms.
    for (int64_t span_ms : {int64_t{1}, Period::kMaxMs + int64_t{366} * 86'400'000}) {
      const TokenState state = {.open_ms = 1'700'000'000'123,
                                .end_ms = 1'700'000'000'123 + span_ms,
                                .used = 7,
                                .last_ms = 1'700'000'000'123 + span_ms - 1,
                                .period = Period::Calendar(unit),
                                .marked = true};
      PackedState packed;
      packed.Pack(state);
      ASSERT_EQ(packed.UnpackToken(), state);
    }
  }
}

TEST(PackedStateTest, AWindowThatEndsBeyondTimeStillDoes) {
  const TokenState state = {.open_ms = kInt64Max - 5,
                            .end_ms = kInt64Max,
                            .used = 1,
                            .last_ms = kInt64Max - 5,
                            .period = Period::Ms(1000),
                            .marked = false};
  PackedState packed;
  packed.Pack(state);
  EXPECT_EQ(packed.UnpackToken(), state);
}

TEST(PackedStateTest, ALeakyStateComesBackAsItWas) {
  const Int128 largest = static_cast<Int128>(kInt64Max) * Period::kMaxMs;
  for (Int128 used_units : {Int128{1}, Int128{123'456'789}, largest - 1, largest}) {
    for (int64_t last_ms : {int64_t{0}, int64_t{1'700'000'000'000}, kInt64Max}) {
      for (int64_t limit : {int64_t{0}, int64_t{100}, kInt64Max}) {
        for (int64_t duration_ms : kPeriodsMs) {
          for (bool marked : {false, true}) {
            const LeakyState state = {.used_units = used_units,
                                      .last_ms = last_ms,
                                      .limit = limit,
                                      .duration_ms = duration_ms,
                                      .marked = marked};
            PackedState packed;
            packed.Pack(state);
            ASSERT_EQ(packed.UnpackLeaky(), state);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gub
