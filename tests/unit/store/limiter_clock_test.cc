// The limiter and a clock that its user brought.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "gub/limiter.h"

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

class LimiterClockTest : public ::testing::Test {
 protected:
  static std::unique_ptr<Limiter> Make(std::function<int64_t()> clock) {
    std::string error;
    auto limiter = Limiter::Create({.max_keys = 20'000, .clock = std::move(clock)}, &error);
    EXPECT_NE(limiter, nullptr) << error;
    return limiter;
  }
  std::unique_ptr<Limiter> Make() {
    return Make([this] { return now_ms_.load(); });
  }
  static Request Hit(std::string_view key) {
    return {.name = "n", .key = key, .limit = 10, .period = Period::Ms(1000)};
  }
  // Opens buckets that lapse a second from now.
  static void Open(Limiter* limiter, int count) {
    for (int i = 0; i < count; ++i) limiter->Decide(Hit(std::to_string(i)));
  }

  std::atomic<int64_t> now_ms_ = kNowMs;
};

TEST_F(LimiterClockTest, AClockThatRunsBackStandsStillForEveryKey) {
  const auto limiter = Make();
  now_ms_ = kNowMs + 60'000;
  limiter->Decide(Hit("first"));
  now_ms_ = kNowMs;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(limiter->Decide(Hit(std::to_string(i))).now_ms, kNowMs + 60'000);
  }
  now_ms_ = kNowMs + 60'001;
  EXPECT_EQ(limiter->Decide(Hit("later")).now_ms, kNowMs + 60'001);
}

TEST_F(LimiterClockTest, ASweepByAClockThatRanBackFreesWhatHadLapsed) {
  const auto limiter = Make();
  Open(limiter.get(), 20'000);
  now_ms_ = kNowMs + 1000;
  limiter->Decide(Hit("later"));
  now_ms_ = kNowMs + 999;
  EXPECT_FALSE(limiter->Sweep(10'000'000));
  EXPECT_EQ(limiter->Size(), 1);
}

TEST_F(LimiterClockTest, ASweepTakesAnyBudget) {
  for (int64_t max_us : {std::numeric_limits<int64_t>::max(),
                         std::numeric_limits<int64_t>::max() / 1000, int64_t{60'000'000}}) {
    const auto limiter = Make();
    Open(limiter.get(), 1000);
    now_ms_ += 1000;
    EXPECT_FALSE(limiter->Sweep(max_us)) << max_us;
    EXPECT_EQ(limiter->Size(), 0) << max_us;
  }
}

TEST_F(LimiterClockTest, ASweepWithoutBudgetTakesOneStep) {
  for (int64_t max_us : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    const auto limiter = Make();
    Open(limiter.get(), 1000);
    now_ms_ += 1000;
    EXPECT_TRUE(limiter->Sweep(max_us)) << max_us;
    EXPECT_EQ(limiter->counters().expired_keys, 64u) << max_us;
  }
}

// Where the lock of the sweepers were held, the other one would be told that there may be more.
TEST_F(LimiterClockTest, ASweepHoldsNothingWhileItReadsTheClock) {
  std::atomic<Limiter*> swept = nullptr;
  const auto limiter = Make([&]() -> int64_t {
    Limiter* const other = swept.exchange(nullptr);
    if (other != nullptr) std::thread([&] { EXPECT_FALSE(other->Sweep(10'000'000)); }).join();
    return now_ms_;
  });
  Open(limiter.get(), 1000);
  now_ms_ += 1000;
  swept = limiter.get();
  EXPECT_FALSE(limiter->Sweep(10'000'000));
  EXPECT_EQ(limiter->Size(), 0);
}

}  // namespace
}  // namespace gub
