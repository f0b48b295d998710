#include "store/expiry_wheel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>

namespace gub {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kYearMs = 31'557'600'000;

class ExpiryWheelTest : public ::testing::Test {
 protected:
  ExpiryWheelTest() { wheel_.Advance(kNowMs); }

  void Insert(uint32_t entry, int64_t deadline_ms) {
    deadlines_[entry] = deadline_ms;
    wheel_.Insert(entry, deadline_ms);
  }

  // What is due at now_ms.
  std::set<uint32_t> DueAt(int64_t now_ms) {
    wheel_.Advance(now_ms);
    return Due();
  }
  std::set<uint32_t> Due() {
    std::set<uint32_t> due;
    while (wheel_.CameUp()) {
      const uint32_t entry = wheel_.Next([this](uint32_t e) { return deadlines_.at(e); });
      if (entry == ExpiryWheel::kNone) continue;
      EXPECT_TRUE(due.insert(entry).second) << entry << " came twice";
      deadlines_.erase(entry);
    }
    EXPECT_EQ(wheel_.CountForTest(), static_cast<int64_t>(deadlines_.size()));
    return due;
  }

  ExpiryWheel wheel_{1000};
  std::map<uint32_t, int64_t> deadlines_;
};

TEST_F(ExpiryWheelTest, AnEntryIsDueAtItsDeadlineAndNotAMillisecondBefore) {
  const int64_t spans[] = {
      1, 63, 64, 65, 4095, 4096, 4097, 86'400'000, kYearMs, 100 * kYearMs, int64_t{1} << 48};
  for (int64_t span : spans) {
    SCOPED_TRACE(span);
    const int64_t start = wheel_.now_ms();
    Insert(1, start + span);
    EXPECT_THAT(DueAt(start + span - 1), IsEmpty());
    EXPECT_THAT(DueAt(start + span), ElementsAre(1));
  }
}

TEST_F(ExpiryWheelTest, ADeadlineThatHasPassedIsDueAtOnce) {
  Insert(1, kNowMs);
  Insert(2, kNowMs - kYearMs);
  Insert(3, 0);
  EXPECT_EQ(wheel_.EarliestMs(), kNowMs);
  EXPECT_THAT(Due(), ElementsAre(1, 2, 3));
}

TEST_F(ExpiryWheelTest, TheEndOfTimeNeverComesEarly) {
  Insert(1, ExpiryWheel::kNever);
  EXPECT_THAT(DueAt(kNowMs + 1000 * kYearMs), IsEmpty());
  EXPECT_THAT(DueAt(ExpiryWheel::kNever - 1), IsEmpty());
  EXPECT_THAT(DueAt(ExpiryWheel::kNever), ElementsAre(1));
}

TEST_F(ExpiryWheelTest, AnEntryWhoseDeadlineBecameLaterIsPutInAnew) {
  Insert(1, kNowMs + 10);
  deadlines_[1] = kNowMs + 5000;
  EXPECT_THAT(DueAt(kNowMs + 10), IsEmpty());
  EXPECT_THAT(DueAt(kNowMs + 4999), IsEmpty());
  EXPECT_THAT(DueAt(kNowMs + 5000), ElementsAre(1));
}

TEST_F(ExpiryWheelTest, AMovedEntryIsDueAtItsNewDeadline) {
  Insert(1, kNowMs + kYearMs);
  deadlines_[1] = kNowMs + 7;
  wheel_.Move(1, kNowMs + 7);
  EXPECT_THAT(DueAt(kNowMs + 6), IsEmpty());
  EXPECT_THAT(DueAt(kNowMs + 7), ElementsAre(1));
}

TEST_F(ExpiryWheelTest, ARemovedEntryIsNeverSeenAgainWhereverItLay) {
  for (int64_t span : {int64_t{0}, int64_t{1}, int64_t{1000}, kYearMs}) {
    wheel_.Insert(1, kNowMs + span);
    wheel_.Remove(1);
    EXPECT_EQ(wheel_.CountForTest(), 0);
    EXPECT_EQ(wheel_.EarliestMs(), ExpiryWheel::kNever);
  }
}

TEST_F(ExpiryWheelTest, TimeDoesNotRunBackUnlessItIsRewound) {
  Insert(1, kNowMs + 10);
  EXPECT_THAT(DueAt(kNowMs + 5), IsEmpty());
  wheel_.Advance(kNowMs - 1000);
  EXPECT_EQ(wheel_.now_ms(), kNowMs + 5);
  wheel_.Rewind(kNowMs - 1000);
  EXPECT_THAT(Due(), IsEmpty());
  EXPECT_THAT(DueAt(kNowMs + 9), IsEmpty());
  EXPECT_THAT(DueAt(kNowMs + 10), ElementsAre(1));
}

TEST_F(ExpiryWheelTest, TheNearestOfASampleIsTheEarliestOfThoseThatComeFirst) {
  const auto deadline = [this](uint32_t e) { return deadlines_.at(e); };
  EXPECT_EQ(wheel_.Nearest({4, 0}, deadline), ExpiryWheel::kNone);
  Insert(1, kNowMs + kYearMs);
  EXPECT_EQ(wheel_.Nearest({4, 0}, deadline), 1u);
  Insert(2, kNowMs + 100'000);
  Insert(3, kNowMs + 99'000);
  Insert(4, kNowMs + 100'500);
  EXPECT_EQ(wheel_.Nearest({16, 0}, deadline), 3u);
  EXPECT_EQ(wheel_.Nearest({1, 0}, deadline), 2u);  // the first of their slot
}

TEST_F(ExpiryWheelTest, AnEntryThatLiesTooEarlyIsMovedAndNotTakenForTheNearest) {
  const auto deadline = [this](uint32_t e) { return deadlines_.at(e); };
  for (uint32_t entry = 0; entry < 10; ++entry) Insert(entry, kNowMs + 100);
  for (uint32_t entry = 0; entry < 10; ++entry) deadlines_[entry] = kNowMs + kYearMs;
  Insert(10, kNowMs + 100'000);
  // Four moves are not enough to come to any that lies where it belongs, and eight in all are not.
  EXPECT_EQ(wheel_.Nearest({1, 4}, deadline), ExpiryWheel::kNone);
  EXPECT_EQ(wheel_.Nearest({1, 4}, deadline), ExpiryWheel::kNone);
  EXPECT_EQ(wheel_.Nearest({1, 4}, deadline), 10u);
  EXPECT_EQ(wheel_.Nearest({1, 0}, deadline), 10u);
  EXPECT_EQ(wheel_.CountForTest(), 11);
  EXPECT_THAT(DueAt(kNowMs + 100'000), ElementsAre(10));
  EXPECT_THAT(DueAt(kNowMs + kYearMs - 1), IsEmpty());
  EXPECT_EQ(DueAt(kNowMs + kYearMs).size(), 10u);
}

TEST_F(ExpiryWheelTest, TheNearestMayHaveComeUp) {
  const auto deadline = [this](uint32_t e) { return deadlines_.at(e); };
  Insert(1, kNowMs + 1);
  Insert(2, kNowMs + 2);
  wheel_.Advance(kNowMs + 2);
  deadlines_[1] = kNowMs + kYearMs;
  EXPECT_EQ(wheel_.Nearest({1, 1}, deadline), 2u);
  EXPECT_THAT(Due(), ElementsAre(2));
}

TEST_F(ExpiryWheelTest, ClearForgetsEntriesAndTime) {
  Insert(1, kNowMs + 1);
  Insert(2, kNowMs - 1);
  wheel_.Clear();
  EXPECT_EQ(wheel_.CountForTest(), 0);
  EXPECT_EQ(wheel_.now_ms(), 0);
}

// Random inserts, moves, removals and jumps of the clock against a plain map.
TEST(ExpiryWheelPropertyTest, AgreesWithAMapOfDeadlines) {
  const char* given = std::getenv("GUB_SEED");
  const uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("GUB_SEED=" + std::to_string(seed));
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr uint32_t kEntries = 200;
  ExpiryWheel wheel(kEntries);
  std::map<uint32_t, int64_t> deadlines;
  int64_t now_ms = kNowMs;
  wheel.Advance(now_ms);
  const auto span = [&random] {
    return static_cast<int64_t>(random() >> (1 + random() % 62)) % (100 * kYearMs);
  };
  for (int step = 0; step < 200'000; ++step) {
    const auto entry = static_cast<uint32_t>(random() % kEntries);
    const bool present = deadlines.contains(entry);
    switch (random() % 8) {
      case 0:
        now_ms += span() % (step % 100 == 0 ? 100 * kYearMs : 10'000);
        wheel.Advance(now_ms);
        break;
      case 1:
        if (present) wheel.Remove(entry);
        deadlines.erase(entry);
        break;
      case 2:
        if (present) {
          deadlines[entry] = now_ms + span();
          wheel.Move(entry, deadlines[entry]);
        }
        break;
      case 3:
        if (present) deadlines[entry] += span();  // later, and the wheel is not told
        break;
      case 4:
        if (step % 1000 == 4) {
          now_ms -= span() % 100'000;
          wheel.Rewind(now_ms);
        }
        break;
      default:
        if (!present) {
          deadlines[entry] = now_ms + span() - 10;
          wheel.Insert(entry, deadlines[entry]);
        }
    }
    int64_t earliest_ms = ExpiryWheel::kNever;
    for (const auto& [e, deadline_ms] : deadlines) earliest_ms = std::min(earliest_ms, deadline_ms);
    ASSERT_LE(wheel.EarliestMs(), std::max(earliest_ms, now_ms));
    if (random() % 16 == 0) {
      const auto deadline = [&](uint32_t e) { return deadlines.at(e); };
      const uint32_t nearest = wheel.Nearest({kEntries, kEntries}, deadline);
      ASSERT_EQ(nearest == ExpiryWheel::kNone, deadlines.empty());
      ASSERT_EQ(deadlines.empty() ? ExpiryWheel::kNever : deadlines.at(nearest), earliest_ms);
    }
    if (random() % 4 != 0) continue;
    while (wheel.CameUp()) {
      const uint32_t due = wheel.Next([&](uint32_t e) { return deadlines.at(e); });
      if (due == ExpiryWheel::kNone) continue;
      ASSERT_LE(deadlines.at(due), now_ms);
      deadlines.erase(due);
    }
    for (const auto& [e, deadline_ms] : deadlines) ASSERT_GT(deadline_ms, now_ms) << e;
    ASSERT_EQ(wheel.CountForTest(), static_cast<int64_t>(deadlines.size()));
  }
}

}  // namespace
}  // namespace gub
