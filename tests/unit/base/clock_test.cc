#include "base/clock.h"

#include <time.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace gub {
namespace {

constexpr int64_t kMs = 1'000'000;  // in ns
constexpr int64_t kSecond = 1000 * kMs;
constexpr int64_t kHour = 3600 * kSecond;

// A machine whose wall clock somebody sets and whose time passes when a test says so.
class FakeTimeSource final : public TimeSource {
 public:
  int64_t WallNs() const override { return wall_ns_; }
  int64_t BootNs() const override { return boot_ns_; }

  void Pass(int64_t ns) {
    wall_ns_ += ns;
    boot_ns_ += ns;
  }
  void StepWall(int64_t ns) { wall_ns_ += ns; }

 private:
  int64_t wall_ns_ = 1'700'000'000 * kSecond;
  int64_t boot_ns_ = 12'345 * kSecond;
};

class ClockTest : public testing::Test {
 protected:
  int64_t WallMs() const { return source_.WallNs() / kMs; }
  int64_t NowMs() const { return clock_.NowMs(); }

  // Time passes with a Pull after every interval, the last one at the end.
  void PassPulling(int64_t ns, int64_t interval_ns = LimiterClock::kPullIntervalMs * kMs) {
    for (int64_t passed = 0; passed < ns; passed += interval_ns) {
      source_.Pass(interval_ns);
      clock_.Pull();
    }
  }

  FakeTimeSource source_;
  LimiterClock clock_{source_};
};

TEST_F(ClockTest, StartsAtTheWallClock) { EXPECT_EQ(NowMs(), 1'700'000'000'000); }

TEST_F(ClockTest, RunsWithBootTimeBetweenPulls) {
  const int64_t start_ms = NowMs();
  source_.Pass(999'999);
  EXPECT_EQ(NowMs(), start_ms);
  source_.Pass(1);
  EXPECT_EQ(NowMs(), start_ms + 1);
  source_.Pass(kHour);
  EXPECT_EQ(NowMs(), start_ms + 1 + kHour / kMs);
}

TEST_F(ClockTest, StaysOnAWallClockThatIsNotSet) {
  for (int i = 0; i < 1000; ++i) {
    PassPulling(700 * kMs);
    ASSERT_EQ(NowMs(), WallMs());
  }
}

TEST_F(ClockTest, DoesNotSeeAStepOfTheWallClockAtOnce) {
  const int64_t before_ms = NowMs();
  source_.StepWall(kHour);
  EXPECT_EQ(NowMs(), before_ms);
  clock_.Pull();
  EXPECT_EQ(NowMs(), before_ms);
  source_.StepWall(-2 * kHour);
  clock_.Pull();
  EXPECT_EQ(NowMs(), before_ms);
}

TEST_F(ClockTest, FollowsAForwardStepAtFiftyMsASecond) {
  const int64_t start_ms = NowMs();
  source_.StepWall(kHour);
  clock_.Pull();
  for (int second = 1; second <= 60; ++second) {
    PassPulling(kSecond);
    ASSERT_EQ(NowMs(), start_ms + second * 1050);
  }
}

TEST_F(ClockTest, FollowsABackwardStepAtFiftyMsASecond) {
  const int64_t start_ms = NowMs();
  source_.StepWall(-kHour);
  clock_.Pull();
  for (int second = 1; second <= 60; ++second) {
    PassPulling(kSecond);
    ASSERT_EQ(NowMs(), start_ms + second * 950);
  }
}

TEST_F(ClockTest, SpreadsTheCorrectionEvenlyOverASegment) {
  source_.StepWall(kHour);
  clock_.Pull();
  const int64_t start_ms = NowMs();
  for (int step = 1; step <= 5; ++step) {
    source_.Pass(20 * kMs);
    EXPECT_EQ(NowMs(), start_ms + step * 21);
  }
}

// Steps of 1 s and of less than a segment's correction, both ways.
TEST_F(ClockTest, ArrivesAtTheWallClockAndStaysThere) {
  for (const int64_t step_ns : {kSecond, -kSecond, 7 * kMs, -7 * kMs, kMs, -kMs}) {
    source_.StepWall(step_ns);
    clock_.Pull();
    PassPulling(std::abs(step_ns) * 20 + 200 * kMs);
    ASSERT_EQ(NowMs(), WallMs()) << step_ns;
    PassPulling(10 * kSecond);
    ASSERT_EQ(NowMs(), WallMs()) << step_ns;
  }
}

TEST_F(ClockTest, KeepsUpWithAWallClockThatDrifts) {
  for (int i = 0; i < 10'000; ++i) {
    PassPulling(100 * kMs);
    source_.StepWall(50'000);  // 500 ppm: as far as NTP slews
    ASSERT_NEAR(static_cast<double>(NowMs()), static_cast<double>(WallMs()), 1.0);
  }
}

// The pace is bounded over time, not over calls.
TEST_F(ClockTest, KeepsThePaceWhenPullComesTooOften) {
  for (const int64_t sign : {1, -1}) {
    source_.StepWall(sign * kHour);
    clock_.Pull();
    const int64_t start_ms = NowMs();
    PassPulling(10 * kSecond, kMs);
    EXPECT_EQ(NowMs(), start_ms + 10'000 + sign * 500);
    source_.StepWall(-sign * kHour);
  }
}

TEST_F(ClockTest, LosesOnlyTheCorrectionWhenPullIsMissing) {
  const int64_t start_ms = NowMs();
  source_.StepWall(kHour);
  clock_.Pull();
  source_.Pass(600 * kSecond);
  EXPECT_EQ(NowMs(), start_ms + 600'000 + 5);
  clock_.Pull();
  EXPECT_EQ(NowMs(), start_ms + 600'000 + 5);
  PassPulling(kSecond);
  EXPECT_EQ(NowMs(), start_ms + 600'000 + 5 + 1050);
}

// CLOCK_BOOTTIME and the wall clock both count a suspended machine's sleep.
TEST_F(ClockTest, CountsTheSleepOfASuspendedMachineAtOnce) {
  PassPulling(kSecond);
  source_.Pass(8 * kHour);
  EXPECT_EQ(NowMs(), WallMs());
  clock_.Pull();
  EXPECT_EQ(NowMs(), WallMs());
}

// Pulls at any distance, steps of any size: a Pull does not move the reading, readings never run
// back, and between two of them the pace is within 5 % (and the ms that rounding may take).
TEST_F(ClockTest, IsContinuousAndNeverRunsBackWhateverHappens) {
  std::mt19937_64 random(1);
  const auto upto = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  const int64_t spans_ns[] = {1000, kMs, 99 * kMs, 250 * kMs};
  for (int i = 0; i < 100'000; ++i) {
    const int64_t before_ms = NowMs();
    if (upto(9) == 0) source_.StepWall(upto(2 * kHour) - kHour);
    if (upto(2) == 0) clock_.Pull();
    ASSERT_EQ(NowMs(), before_ms);

    const int64_t span_ns = upto(spans_ns[upto(3)]);
    source_.Pass(span_ns);
    const int64_t passed_ms = NowMs() - before_ms;
    ASSERT_GE(passed_ms, 0);
    ASSERT_GE((passed_ms + 1) * kMs, span_ns * 95 / 100);
    ASSERT_LE((passed_ms - 1) * kMs, span_ns * 105 / 100);
  }
}

TEST_F(ClockTest, StaysWhereItIsFrozen) {
  clock_.Freeze(1000);
  EXPECT_EQ(NowMs(), 1000);
  PassPulling(kHour, kSecond);
  EXPECT_EQ(NowMs(), 1000);
  clock_.Freeze(500);  // earlier too
  EXPECT_EQ(NowMs(), 500);
  clock_.Freeze(0);
  EXPECT_EQ(NowMs(), 0);
}

TEST_F(ClockTest, RunsOnAtTheTimeItWouldHaveHadWithoutTheFreeze) {
  LimiterClock never_frozen(source_);
  clock_.Freeze(NowMs() + kHour / kMs);
  source_.StepWall(kSecond);
  for (int i = 0; i < 50; ++i) {
    source_.Pass(100 * kMs);
    clock_.Pull();
    never_frozen.Pull();
  }
  clock_.Unfreeze();
  EXPECT_EQ(NowMs(), never_frozen.NowMs());
  clock_.Unfreeze();  // again: no change
  EXPECT_EQ(NowMs(), never_frozen.NowMs());
}

// A machine on which something happens at the very moment when the clock looks at boot time.
class InterruptedTimeSource final : public TimeSource {
 public:
  int64_t WallNs() const override { return machine.WallNs(); }
  int64_t BootNs() const override {
    if (const auto interrupt = std::exchange(before_next_look, nullptr)) interrupt();
    const int64_t boot_ns = machine.BootNs();
    if (const auto interrupt = std::exchange(after_next_look, nullptr)) interrupt();
    return boot_ns;
  }

  FakeTimeSource machine;
  mutable std::function<void()> before_next_look;
  mutable std::function<void()> after_next_look;
};

// The reader has the segment in hand, sleeps over its end, and looks at the time then.
TEST(ClockInterruptionTest, DoesNotReadASegmentBehindItsEnd) {
  InterruptedTimeSource source;
  LimiterClock clock(source);
  source.machine.StepWall(kHour);
  clock.Pull();  // this segment runs faster than boot time
  source.before_next_look = [&] {
    source.machine.StepWall(-2 * kHour);
    clock.Pull();  // and this one slower
    source.machine.Pass(100 * kMs);
  };
  EXPECT_EQ(clock.NowMs(), 1'700'000'000'095);
  EXPECT_EQ(clock.NowMs(), 1'700'000'000'095);
}

// Pull has looked at the time and sleeps before it has written the new segment. Whoever read the
// old one meanwhile would be ahead of those who read the new one later.
TEST(ClockInterruptionTest, MakesReadersWaitFromTheMomentAtWhichPullEndsASegment) {
  InterruptedTimeSource source;
  LimiterClock clock(source);
  source.machine.StepWall(kHour);
  clock.Pull();
  source.machine.StepWall(-2 * kHour);

  std::atomic<bool> has_started{false};
  std::atomic<bool> has_read{false};
  std::thread reader;
  source.after_next_look = [&] {
    source.machine.Pass(100 * kMs);
    reader = std::thread([&] {
      has_started.store(true, std::memory_order_relaxed);
      EXPECT_EQ(clock.NowMs(), 1'700'000'000'095);
      has_read.store(true, std::memory_order_relaxed);
    });
    while (!has_started.load(std::memory_order_relaxed)) std::this_thread::yield();
    // Enough for a reader that does not wait; one that does is right however long it takes.
    for (int i = 0; i < 500; ++i) std::this_thread::yield();
    EXPECT_FALSE(has_read.load(std::memory_order_relaxed));
  };
  clock.Pull();
  reader.join();
  EXPECT_EQ(clock.NowMs(), 1'700'000'000'095);
}

// Every look at it takes 40 ms, so that the slightest disorder shows. The look is an atomic step,
// so looks of all threads have one order, and what was written before an earlier look is seen after
// a later one.
class TickingTimeSource final : public TimeSource {
 public:
  static constexpr int64_t kLookNs = 40 * kMs;

  int64_t BootNs() const override {
    return ticks_.fetch_add(1, std::memory_order_acq_rel) * kLookNs;
  }
  int64_t WallNs() const override {
    return 1'700'000'000 * kSecond + ticks_.load(std::memory_order_relaxed) * kLookNs +
           offset_ns_.load(std::memory_order_relaxed);
  }
  void SetOffset(int64_t ns) { offset_ns_.store(ns, std::memory_order_relaxed); }

 private:
  mutable std::atomic<int64_t> ticks_{0};
  std::atomic<int64_t> offset_ns_{0};
};

// What holds exactly: when the source's own looks are ordered, a reading that starts after another
// has ended, in whatever thread, is not less than it. (Real processors' clocks are ordered to some
// ns, so this is the allowance that remains there.) The wall clock swings an hour to and fro, so
// neighbouring segments differ in slope by as much as they can.
TEST(ClockThreadsTest, NeverRunsBackFromOneThreadsReadingToAnothers) {
  constexpr int kPulls = 30'000;
  TickingTimeSource source;
  LimiterClock clock(source);
  std::atomic<bool> ended{false};
  std::atomic<int64_t> latest_ms{0};  // of all readings that have ended
  std::atomic<int64_t> readings{0};
  std::atomic<int64_t> went_back_ms{0};

  const auto read = [&] {
    while (!ended.load(std::memory_order_relaxed)) {
      int64_t latest = latest_ms.load(std::memory_order_acquire);
      const int64_t now_ms = clock.NowMs();
      if (now_ms < latest) went_back_ms.store(latest - now_ms, std::memory_order_relaxed);
      while (now_ms > latest &&
             !latest_ms.compare_exchange_weak(latest, now_ms, std::memory_order_acq_rel)) {
      }
      if (readings.fetch_add(1, std::memory_order_relaxed) % 8 == 0) std::this_thread::yield();
    }
  };
  std::thread first_reader(read);
  std::thread second_reader(read);
  for (int pull = 0; pull < kPulls; ++pull) {
    source.SetOffset(pull % 2 == 0 ? kHour : -kHour);
    clock.Pull();
    if (pull % 8 == 0) std::this_thread::yield();  // for a machine with one processor
  }
  while (readings.load(std::memory_order_relaxed) < kPulls) std::this_thread::yield();
  ended.store(true, std::memory_order_relaxed);
  first_reader.join();
  second_reader.join();
  EXPECT_EQ(went_back_ms.load(), 0);
  EXPECT_GE(readings.load(), kPulls);
}

TEST(SystemTimeSourceTest, ReadsTheClocksThatItsNamesSay) {
  const auto read_ns = [](clockid_t id) {
    timespec now{};
    EXPECT_EQ(clock_gettime(id, &now), 0);
    return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
  };
  const int64_t boot_before_ns = read_ns(CLOCK_BOOTTIME);
  const int64_t boot_ns = SystemTimeSource().BootNs();
  EXPECT_LE(boot_before_ns, boot_ns);
  EXPECT_LE(boot_ns, read_ns(CLOCK_BOOTTIME));
  const int64_t monotonic_before_ns = read_ns(CLOCK_MONOTONIC);
  const int64_t monotonic_ns = MonotonicNs();
  EXPECT_LE(monotonic_before_ns, monotonic_ns);
  EXPECT_LE(monotonic_ns, read_ns(CLOCK_MONOTONIC));
  // Somebody may set the wall clock between the two, but hardly by an hour.
  EXPECT_LT(std::abs(SystemTimeSource().WallNs() - read_ns(CLOCK_REALTIME)), kHour);
}

TEST(SystemTimeSourceTest, IsTheDefaultOfAClock) {
  const int64_t wall_ms = SystemTimeSource().WallNs() / kMs;
  EXPECT_LT(std::abs(LimiterClock().NowMs() - wall_ms), kHour / kMs);
}

TEST(LimiterClockTest, AdvancesOfManyThreadsAllCount) {
  LimiterClock clock;
  clock.Freeze(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&clock] {
      for (int i = 0; i < 10'000; ++i) clock.Advance(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clock.NowMs(), 41'000);
}

TEST(LimiterClockTest, AnAdvanceOutOfRangeChangesNothing) {
  LimiterClock clock;
  clock.Freeze(1000);
  EXPECT_EQ(clock.Advance(-1001), std::nullopt);
  EXPECT_EQ(clock.Advance(std::numeric_limits<int64_t>::max()), std::nullopt);
  EXPECT_EQ(clock.NowMs(), 1000);
  EXPECT_EQ(clock.Advance(-1000), 0);
}

}  // namespace
}  // namespace gub
