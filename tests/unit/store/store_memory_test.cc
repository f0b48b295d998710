// What the store does when buckets lapse and when there is no room.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"
#include "tests/support/sanitized.h"

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kNoBudget = int64_t{1} << 60;

class StoreMemoryTest : public ::testing::Test {
 protected:
  static Request Hit(std::string_view key, int64_t hits, int64_t limit, int64_t period_ms,
                     Algorithm algorithm = Algorithm::kToken) {
    return {.name = "requests_per_sec",
            .key = key,
            .hits = hits,
            .limit = limit,
            .period = Period::Ms(period_ms),
            .algorithm = algorithm};
  }
  static Decision Decide(Store* store, const Request& request, int64_t now_ms) {
    Decision decision;
    EXPECT_EQ(store->Decide(request, now_ms, &decision), Store::Outcome::kDecided);
    return decision;
  }
  static bool Sweep(Store* store, int64_t now_ms, int64_t budget_ns = kNoBudget) {
    return store->Sweep(now_ms, store->epoch(), budget_ns);
  }
  // Opens a bucket a key, used up to its limit.
  static void Exhaust(Store* store, const std::string& prefix, int64_t count, int64_t period_ms,
                      int64_t now_ms = kNowMs) {
    for (int64_t i = 0; i < count; ++i) {
      Decide(store, Hit(prefix + std::to_string(i), 1, 1, period_ms), now_ms);
    }
  }
};

TEST_F(StoreMemoryTest, LapsedBucketsAreFreedThoughNobodyTouchesThem) {
  for (Algorithm algorithm : {Algorithm::kToken, Algorithm::kLeaky}) {
    Store store({.max_keys = 1000});
    for (int i = 0; i < 500; ++i) {
      Decide(&store, Hit("k" + std::to_string(i), 10, 10, 1000, algorithm), kNowMs);
    }
    Sweep(&store, kNowMs + 999);
    EXPECT_EQ(store.Size(), 500);
    EXPECT_FALSE(Sweep(&store, kNowMs + 1000));
    EXPECT_EQ(store.Size(), 0);
    EXPECT_EQ(store.counts().expired_keys, 500u);
  }
}

TEST_F(StoreMemoryTest, ALeakyBucketThatIsHitAgainLivesUntilItHasDrained) {
  Store store({.max_keys = 10});
  Decide(&store, Hit("k", 1, 10, 1000, Algorithm::kLeaky), kNowMs);
  Decide(&store, Hit("k", 9, 10, 1000, Algorithm::kLeaky), kNowMs + 50);
  Sweep(&store, kNowMs + 999);
  EXPECT_EQ(store.Size(), 1);
  Sweep(&store, kNowMs + 1000);
  EXPECT_EQ(store.Size(), 0);
}

TEST_F(StoreMemoryTest, ABucketThatLapsesEarlierThanItSaidIsFreedThen) {
  Store store({.max_keys = 10});
  Decide(&store, Hit("refunded", 10, 10, kHourMs, Algorithm::kLeaky), kNowMs);
  Decide(&store, Hit("refunded", -9, 10, kHourMs, Algorithm::kLeaky), kNowMs);
  Decide(&store, Hit("faster", 10, 10, kHourMs, Algorithm::kLeaky), kNowMs);
  Decide(&store, Hit("faster", 1, 10, 1000, Algorithm::kLeaky), kNowMs);
  Decide(&store, Hit("shorter", 1, 10, kHourMs), kNowMs);
  Decide(&store, Hit("shorter", 1, 10, 1000), kNowMs);
  EXPECT_EQ(store.Size(), 3);
  Sweep(&store, kNowMs + 1000);
  EXPECT_EQ(store.Size(), 1);
  Sweep(&store, kNowMs + kHourMs / 10 - 1);
  EXPECT_EQ(store.Size(), 1);
  Sweep(&store, kNowMs + kHourMs / 10);
  EXPECT_EQ(store.Size(), 0);
}

TEST_F(StoreMemoryTest, TrafficOnOtherKeysFreesLapsedBucketsWithoutASweeper) {
  Store store({.max_keys = 50'000});
  Exhaust(&store, "old", 20'000, 1000);
  // Each decision frees a few of its shard.
  Exhaust(&store, "new", 20'000, kHourMs, kNowMs + 1000);
  EXPECT_LE(store.Size(), 20'200);
}

TEST_F(StoreMemoryTest, ASweepStopsWhenItsBudgetIsSpentAndGoesOnWhereItWas) {
  Store store({.max_keys = 50'000});
  Exhaust(&store, "k", 20'000, 1000);
  int sweeps = 0;
  int64_t before = store.Size();
  while (Sweep(&store, kNowMs + 1000, 0)) {
    // No budget at all still frees one lock's worth.
    EXPECT_LE(before - store.Size(), Shard::kStepsPerLock);
    before = store.Size();
    ++sweeps;
  }
  EXPECT_EQ(store.Size(), 0);
  EXPECT_GE(sweeps, 20'000 / Shard::kStepsPerLock - 10);
}

TEST_F(StoreMemoryTest, ARequestWhoseClockReadingIsOlderThanASweepOpensNoSecondWindow) {
  Store store({.max_keys = 10});
  Decide(&store, Hit("k", 1, 1, 1000), kNowMs);
  Sweep(&store, kNowMs + 1000);
  // The worker read kNowMs + 999; by then the bucket was full, and it is gone.
  const Decision decision = Decide(&store, Hit("k", 1, 1, 1000), kNowMs + 999);
  EXPECT_EQ(decision.now_ms, kNowMs + 1000);
  EXPECT_EQ(decision.reset_ms, kNowMs + 2000);
}

TEST_F(StoreMemoryTest, ARewoundClockHoldsAndBucketsLapseByIt) {
  Store store({.max_keys = 10});
  Decide(&store, Hit("late", 1, 1, kHourMs), kNowMs);
  Sweep(&store, kNowMs + 10);
  store.Rewind(kNowMs - kHourMs);
  EXPECT_EQ(Decide(&store, Hit("early", 1, 1, 1000), kNowMs - kHourMs).reset_ms,
            kNowMs - kHourMs + 1000);
  Sweep(&store, kNowMs - kHourMs + 1000);
  EXPECT_EQ(store.Size(), 1);
  Sweep(&store, kNowMs + kHourMs);
  EXPECT_EQ(store.Size(), 0);
}

TEST_F(StoreMemoryTest, ASweepThatReadTheClockBeforeARewindDoesNothing) {
  Store store({.max_keys = 10});
  const uint32_t epoch = store.epoch();
  Decide(&store, Hit("k", 1, 1, 1000), kNowMs);
  store.Rewind(kNowMs);
  EXPECT_FALSE(store.Sweep(kNowMs + kHourMs, epoch, kNoBudget));
  EXPECT_EQ(store.Size(), 1);
  EXPECT_EQ(Decide(&store, Hit("k", 0, 1, 1000), kNowMs).now_ms, kNowMs);
  EXPECT_FALSE(Sweep(&store, kNowMs + kHourMs));
  EXPECT_EQ(store.Size(), 0);
}

TEST_F(StoreMemoryTest, AMillionBucketsThatLapseAreGoneAndTheNextMillionReusesTheirMemory) {
  const int64_t count = kSanitized ? 50'000 : 1'000'000;
  Store store({.max_keys = count});
  size_t blocks = 0;
  for (int round = 0; round < 3; ++round) {
    const int64_t now_ms = kNowMs + round * kHourMs;
    for (int64_t i = 0; i < count; ++i) {
      Decide(&store, Hit("account:" + std::to_string(i), 1, 10, 1000), now_ms);
    }
    EXPECT_EQ(store.Size(), count);
    if (round == 0) blocks = store.memory().blocks;
    EXPECT_EQ(store.memory().blocks, blocks);
    Sweep(&store, now_ms + 1000);
    EXPECT_LE(store.Size(), count / 100);
  }
  EXPECT_EQ(store.counts().evicted_live_keys, 0u);
}

// At most 130 bytes a limit with name and key of 33 bytes, by the store's own count.
TEST_F(StoreMemoryTest, ALimitTakesAtMost130Bytes) {
  const int64_t count = kSanitized ? 50'000 : 1'000'000;
  Store store({.max_keys = count});
  for (int64_t i = 0; i < count; ++i) {
    Decide(&store, Hit("account:" + std::to_string(100'000'000 + i), 1, 10, kHourMs), kNowMs);
  }
  const Store::Memory memory = store.memory();
  const auto bytes = static_cast<double>(memory.table + memory.index + memory.blocks);
  EXPECT_LE(bytes / static_cast<double>(count), 130.0);
  EXPECT_EQ(memory.long_keys, 0u);
}

class FullStorePolicyTest : public StoreMemoryTest {
 protected:
  static constexpr int64_t kKeys = 20'000;
};

TEST_F(FullStorePolicyTest, NearestResetEvictsABucketForEachNewOneAndCountsIt) {
  Store store({.max_keys = kKeys});
  Exhaust(&store, "live", kKeys, kHourMs);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(Decide(&store, Hit("new" + std::to_string(i), 1, 1, kHourMs), kNowMs + i).status,
              LimitStatus::kUnder);
  }
  EXPECT_EQ(store.Size(), kKeys);
  EXPECT_EQ(store.counts().evicted_live_keys, 1000u);
  EXPECT_EQ(store.counts().expired_keys, 0u);
  EXPECT_EQ(store.counts().refused_keys, 0u);
}

TEST_F(FullStorePolicyTest, TheBucketEvictedIsOneNearItsReset) {
  Store store({.max_keys = kKeys});
  Exhaust(&store, "far", kKeys / 2, 24 * kHourMs);
  Exhaust(&store, "near", kKeys / 2, kHourMs);
  Exhaust(&store, "new", kKeys / 4, 24 * kHourMs);
  EXPECT_EQ(store.counts().evicted_live_keys, static_cast<uint64_t>(kKeys / 4));
  for (int64_t i = 0; i < kKeys / 2; ++i) {
    ASSERT_EQ(Decide(&store, Hit("far" + std::to_string(i), 0, 1, 24 * kHourMs), kNowMs).remaining,
              0);
  }
}

TEST_F(FullStorePolicyTest, RefuseLeavesEveryLiveBucketAndCountsTheRefusals) {
  Store store({.max_keys = kKeys, .evict = false});
  Exhaust(&store, "live", kKeys, kHourMs);
  Decision decision;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(store.Decide(Hit("new" + std::to_string(i), 1, 1, kHourMs), kNowMs, &decision),
              Store::Outcome::kFull);
  }
  EXPECT_EQ(store.counts().refused_keys, 1000u);
  EXPECT_EQ(store.counts().evicted_live_keys, 0u);
  for (int64_t i = 0; i < kKeys; ++i) {
    ASSERT_EQ(Decide(&store, Hit("live" + std::to_string(i), 1, 1, kHourMs), kNowMs).status,
              LimitStatus::kOver);
  }
}

// A handful of lapsed buckets lie in a handful of the shards; new keys fall into all of them.
TEST_F(FullStorePolicyTest, LapsedBucketsGoBeforeLiveOnesWhereverTheyLie) {
  for (bool evict : {true, false}) {
    Store store({.max_keys = kKeys, .evict = evict});
    constexpr int kLapsed = 7;
    Exhaust(&store, "lapsed", kLapsed, 1000);
    Exhaust(&store, "live", kKeys - kLapsed, kHourMs);
    for (int i = 0; i < kLapsed; ++i) {
      Decide(&store, Hit("new" + std::to_string(i), 1, 1, kHourMs), kNowMs + 1000);
    }
    EXPECT_EQ(store.counts().expired_keys, static_cast<uint64_t>(kLapsed));
    EXPECT_EQ(store.counts().evicted_live_keys, 0u);
    EXPECT_EQ(store.counts().refused_keys, 0u);
  }
}

TEST_F(FullStorePolicyTest, KeysOfEveryKindFillTheTableTo97PercentBeforeAnyIsEvictedOrRefused) {
  std::mt19937_64 random(1);  // any numbers will do
  const std::string prefix(200, 'p');
  const std::pair<const char*, std::function<std::string(int64_t)>> kinds[] = {
      {"int-like",
       [](int64_t i) { return std::string(reinterpret_cast<const char*>(&i), sizeof(i)); }},
      {"sequential", [](int64_t i) { return std::to_string(i); }},
      {"long prefix", [&](int64_t i) { return prefix + std::to_string(i); }},
      {"random", [&](int64_t) { return std::to_string(random()) + std::to_string(random()); }}};
  constexpr int64_t kMany = 100'000;
  for (const auto& [kind, key] : kinds) {
    for (bool evict : {true, false}) {
      SCOPED_TRACE(kind);
      Store store({.max_keys = kMany, .evict = evict});
      for (int64_t i = 0; i < kMany * 97 / 100; ++i) {
        Decide(&store, Hit(key(i), 1, 1, kHourMs), kNowMs);
      }
      EXPECT_EQ(store.counts().evicted_live_keys, 0u);
      EXPECT_EQ(store.counts().refused_keys, 0u);
      EXPECT_EQ(store.Size(), kMany * 97 / 100);
    }
  }
}

// Four threads do everything at once: one hit in eight is the first of a key that comes once, to
// keep the store full; the others share a few keys, so that nearly all of them have to be denied.
class SoakTest : public StoreMemoryTest {
 protected:
  static constexpr int kThreads = 4;
  static constexpr uint64_t kHotKeys = 50;
  static constexpr uint64_t kLimit = 2;

  void Run(int thread) {
    std::mt19937_64 random(static_cast<uint64_t>(thread) + 1);
    for (int i = 0; i < steps_; ++i) {
      const std::string hot = "hot" + std::to_string(random() % kHotKeys);
      if (thread == 0 && i % (steps_ / 2) == steps_ / 4) {
        store_.Clear();
        ++clears_;
      } else if (i % 1009 == 0) {
        reset_ += static_cast<uint64_t>(store_.Reset("requests_per_sec", hot));
      } else if (i % 50 == 0) {
        now_ms_ += 1;
        if (thread == 0) Sweep(&store_, now_ms_, 1000);
      } else if (i % 8 == 0) {
        const std::string cold = std::to_string(thread) + ":" + std::to_string(i);
        Hit(cold, Algorithm::kToken, random() % 2 == 0 ? 300 : 3000);
      } else {
        Hit(hot, random() % 2 == 0 ? Algorithm::kToken : Algorithm::kLeaky, kHourMs);
      }
    }
  }

  void Hit(const std::string& key, Algorithm algorithm, int64_t period_ms) {
    const Request request = StoreMemoryTest::Hit(key, 1, kLimit, period_ms, algorithm);
    ++hits_;
    admitted_ += Decide(&store_, request, now_ms_).status == LimitStatus::kUnder ? 1 : 0;
  }

  const int steps_ = kSanitized ? 15'000 : 150'000;
  Store store_{{.max_keys = 2000}};
  std::atomic<int64_t> now_ms_ = kNowMs;
  std::atomic<uint64_t> hits_ = 0;
  std::atomic<uint64_t> admitted_ = 0;
  std::atomic<uint64_t> reset_ = 0;
  std::atomic<uint64_t> clears_ = 0;
};

// A bucket admits its limit. How many there were is known: those that lapsed, gave way, were reset
// or cleared, and those that are there.
TEST_F(SoakTest, HitsExpiryEvictionResetsAndClearsAdmitNoMoreThanTheyMay) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([this, t] { Run(t); });
  for (std::thread& thread : threads) thread.join();

  const Store::Counts counts = store_.counts();
  const auto max_keys = static_cast<uint64_t>(store_.max_keys());
  const uint64_t forgotten =
      counts.expired_keys + counts.evicted_live_keys + reset_ + clears_ * max_keys;
  const uint64_t buckets = forgotten + static_cast<uint64_t>(store_.Size());
  // A leaky bucket also refills while it is there.
  const auto elapsed_ms = static_cast<uint64_t>(now_ms_ - kNowMs);
  const uint64_t refilled = kHotKeys * (elapsed_ms * kLimit / kHourMs + 1);
  const uint64_t allowed = buckets * kLimit + refilled;
  EXPECT_LE(admitted_, allowed);
  EXPECT_LT(allowed, hits_ / 2) << "so many that the bound says nothing";
  EXPECT_GT(counts.evicted_live_keys, 0u);
  EXPECT_GT(counts.expired_keys, 0u);
  EXPECT_LE(store_.Size(), store_.max_keys());
  store_.Clear();
  EXPECT_EQ(store_.Size(), 0);
}

}  // namespace
}  // namespace gub
