#include "gub/limiter.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

class LimiterTest : public ::testing::Test {
 protected:
  std::unique_ptr<Limiter> Make(Limiter::Options options = {.max_keys = 1000}) {
    options.clock = [this] { return now_ms_.load(); };
    std::string error;
    auto limiter = Limiter::Create(std::move(options), &error);
    EXPECT_NE(limiter, nullptr) << error;
    return limiter;
  }
  static Request Hit(std::string_view key, int64_t hits = 1) {
    return {.name = "n", .key = key, .hits = hits, .limit = 10, .period = Period::Ms(1000)};
  }

  std::atomic<int64_t> now_ms_ = kNowMs;
};

TEST_F(LimiterTest, DecidesByItsClock) {
  const auto limiter = Make();
  EXPECT_EQ(limiter->Decide(Hit("k", 10)), (Decision{.status = LimitStatus::kUnder,
                                                     .remaining = 0,
                                                     .reset_ms = kNowMs + 1000,
                                                     .now_ms = kNowMs}));
  now_ms_ += 400;
  EXPECT_EQ(limiter->Decide(Hit("k")), (Decision{.status = LimitStatus::kOver,
                                                 .remaining = 0,
                                                 .reset_ms = kNowMs + 1000,
                                                 .retry_after_ms = 600,
                                                 .now_ms = kNowMs + 400}));
  now_ms_ += 600;
  EXPECT_EQ(limiter->Decide(Hit("k")).remaining, 9);
}

TEST_F(LimiterTest, ABatchIsDecidedInOrder) {
  const auto limiter = Make();
  const std::array<Request, 3> requests = {Hit("a", 6), Hit("", 1), Hit("a", 6)};
  std::array<Decision, 3> decisions;
  limiter->Decide(requests, decisions);
  EXPECT_EQ(decisions[0].remaining, 4);
  EXPECT_EQ(decisions[1].error, Error::kEmptyKey);
  EXPECT_EQ(decisions[2].status, LimitStatus::kOver);
}

TEST_F(LimiterTest, AnInvalidRequestIsNamedAndChangesNothing) {
  const auto limiter = Make({.max_keys = 10, .max_key_bytes = 8});
  const auto with = [](auto change) {
    Request request = Hit("k");
    change(request);
    return request;
  };
  const std::pair<Request, Error> rows[] = {
      {with([](Request& r) { r.name = ""; }), Error::kEmptyName},
      {with([](Request& r) { r.key = ""; }), Error::kEmptyKey},
      {with([](Request& r) { r.key = "12345678"; }), Error::kKeyTooLong},
      {with([](Request& r) { r.limit = -1; }), Error::kNegativeLimit},
      {with([](Request& r) { r.burst = -2; }), Error::kNegativeBurst},
      {with([](Request& r) { r.period = Period::Ms(0); }), Error::kPeriodOutOfRange},
      {with([](Request& r) { r.period = Period::Ms(Period::kMaxMs + 1); }),
       Error::kPeriodOutOfRange},
      {with([](Request& r) { r.period = Period::Ms(-7); }), Error::kPeriodOutOfRange},
      {with([](Request& r) { r.behavior = 64; }), Error::kUnknownBehavior},
      {with([](Request& r) { r.algorithm = static_cast<Algorithm>(2); }),
       Error::kUnknownAlgorithm}};
  for (const auto& [request, error] : rows) {
    EXPECT_EQ(limiter->Decide(request).error, error) << ErrorText(error);
  }
  EXPECT_EQ(limiter->Size(), 0);
  EXPECT_EQ(limiter->Decide(Hit("1234567")).error, Error::kNone);
}

TEST_F(LimiterTest, ThePeriodIsWhatItSaysWithAndWithoutTheGregorianBit) {
  const auto limiter = Make();
  Request request = Hit("ms");
  for (uint32_t behavior : {kBatching, kDurationIsGregorian}) {
    request.behavior = behavior;
    request.key = "ms";
    request.period = Period::Ms(1000);
    EXPECT_EQ(limiter->Decide(request).reset_ms, kNowMs + 1000);
    request.key = "minute";
    request.period = Period::Calendar(CalendarUnit::kMinute);
    EXPECT_EQ(limiter->Decide(request).reset_ms, (kNowMs / 60'000 + 1) * 60'000);
  }
}

TEST_F(LimiterTest, AFullTableEvictsOrRefusesAsItWasTold) {
  const auto refusing = Make({.max_keys = 2, .eviction = Limiter::Eviction::kRefuse});
  const auto evicting = Make({.max_keys = 2, .eviction = Limiter::Eviction::kNearestReset});
  for (const char* key : {"a", "b", "c"}) {
    const Error error = refusing->Decide(Hit(key)).error;
    EXPECT_EQ(error, key[0] == 'c' ? Error::kTableFull : Error::kNone);
    EXPECT_EQ(evicting->Decide(Hit(key)).error, Error::kNone);
  }
  EXPECT_EQ(refusing->counters().refused_keys, 1u);
  EXPECT_EQ(evicting->counters().evicted_live_keys, 1u);
  EXPECT_EQ(evicting->Size(), 2);
}

TEST_F(LimiterTest, ResetClearAndSweepForget) {
  const auto limiter = Make();
  limiter->Decide(Hit("a"));
  limiter->Decide(Hit("b"));
  EXPECT_EQ(limiter->Reset("n", "a"), 1);
  EXPECT_EQ(limiter->Reset("n", std::string(100'000, 'x')), 0);
  now_ms_ += 1000;
  EXPECT_FALSE(limiter->Sweep(1'000'000));
  EXPECT_EQ(limiter->Size(), 0);
  EXPECT_EQ(limiter->counters().expired_keys, 1u);
  limiter->Decide(Hit("c"));
  limiter->Clear();
  EXPECT_EQ(limiter->Size(), 0);
}

TEST_F(LimiterTest, AnOptionOutOfRangeIsNamed) {
  std::string error;
  EXPECT_EQ(Limiter::Create({.max_keys = 0}, &error), nullptr);
  EXPECT_EQ(error, "max_keys must be from 1 to 2000000000, got 0");
  EXPECT_EQ(Limiter::Create({.max_key_bytes = 65'001}, &error), nullptr);
  EXPECT_EQ(error, "max_key_bytes must be from 2 to 65000, got 65001");
  EXPECT_EQ(Limiter::Create({.calendar_timezone = "Mars/Olympus"}, &error), nullptr);
  EXPECT_EQ(error, "calendar_timezone: this machine knows no zone 'Mars/Olympus'");
}

TEST_F(LimiterTest, ItsOwnClockIsTheWallClock) {
  std::string error;
  const auto limiter = Limiter::Create({.max_keys = 10}, &error);
  ASSERT_NE(limiter, nullptr) << error;
  const auto wall_ms = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const int64_t before_ms = wall_ms();
  const int64_t now_ms = limiter->Decide(Hit("k")).now_ms;
  EXPECT_GE(now_ms, before_ms - 1);
  EXPECT_LE(now_ms, wall_ms() + 1);
}

// Where memory runs out, or the clock throws, in the middle of one of these, it is the end.
TEST_F(LimiterTest, NothingThrows) {
  Limiter::Options options;
  std::string error;
  std::unique_ptr<Limiter> limiter = Make();
  Request request = Hit("k");
  Decision decision;
  static_assert(noexcept(Limiter::Create(std::move(options), &error)));
  static_assert(noexcept(limiter->Decide(request)));
  static_assert(noexcept(limiter->Decide({&request, 1}, {&decision, 1})));
  static_assert(noexcept(limiter->Reset("n", "k")));
  static_assert(noexcept(limiter->Clear()));
  static_assert(noexcept(limiter->Size()));
  static_assert(noexcept(limiter->counters()));
  static_assert(noexcept(limiter->Sweep(0)));
}

TEST_F(LimiterTest, ManyThreadsShareOne) {
  const auto limiter = Make();
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        admitted += limiter->Decide(Hit("k")).status == LimitStatus::kUnder ? 1 : 0;
        if (i % 100 == 0) limiter->Sweep(10);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 10);
}

}  // namespace
}  // namespace gub
