#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitized.h"

namespace gub {

namespace {

using ::testing::ElementsAreArray;

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;

class StoreTest : public ::testing::Test {
 protected:
  static Request Hit(std::string_view name, std::string_view key, int64_t hits = 1,
                     int64_t limit = 10, Algorithm algorithm = Algorithm::kToken) {
    return {.name = name,
            .key = key,
            .hits = hits,
            .limit = limit,
            .period = Period::Ms(kHourMs),
            .algorithm = algorithm};
  }

  static Decision Decide(Store* store, const Request& request, int64_t now_ms = kNowMs) {
    Decision decision;
    EXPECT_EQ(store->Decide(request, now_ms, &decision), Store::Outcome::kDecided);
    return decision;
  }

  static bool IsFull(Store* store, const Request& request) {
    Decision decision;
    return store->Decide(request, kNowMs, &decision) == Store::Outcome::kFull;
  }

  Store store_{{.max_keys = 1000, .evict = false}};
};

TEST_F(StoreTest, ABucketRemembersWhatWasUsed) {
  EXPECT_EQ(Decide(&store_, Hit("n", "k", 3)).remaining, 7);
  EXPECT_EQ(Decide(&store_, Hit("n", "k", 4)).remaining, 3);
  EXPECT_EQ(Decide(&store_, Hit("n", "k", 4)).status, LimitStatus::kOver);
  EXPECT_EQ(store_.Size(), 1);
}

TEST_F(StoreTest, NameAndKeyAreComparedAsTwoStrings) {
  const std::string zero("\0", 1);
  const std::vector<std::pair<std::string, std::string>> identities = {
      {"a", "b_c"}, {"a_b", "c"}, {"a" + zero, "b"}, {"a", zero + "b"}, {"ab", "c"}, {"a", "bc"}};
  for (const auto& [name, key] : identities) {
    EXPECT_EQ(Decide(&store_, Hit(name, key)).remaining, 9) << name << ' ' << key;
  }
  EXPECT_EQ(store_.Size(), static_cast<int64_t>(identities.size()));
}

TEST_F(StoreTest, TokenAndLeakyHitsOnOneKeyDoNotShareABucket) {
  Decide(&store_, Hit("n", "k", 4));
  EXPECT_EQ(Decide(&store_, Hit("n", "k", 1, 10, Algorithm::kLeaky)).remaining, 9);
  EXPECT_EQ(Decide(&store_, Hit("n", "k", 0)).remaining, 6);
  EXPECT_EQ(store_.Size(), 2);
}

TEST_F(StoreTest, LongKeysThatDifferInTheirLastByteAreTwoBuckets) {
  const std::string prefix(4000, 'x');
  EXPECT_EQ(Decide(&store_, Hit("n", prefix + "a", 4)).remaining, 6);
  EXPECT_EQ(Decide(&store_, Hit("n", prefix + "b", 1)).remaining, 9);
  EXPECT_EQ(Decide(&store_, Hit("n", prefix + "a", 0)).remaining, 6);
  const std::string longest(BucketKey::kMaxBytes - 1, 'y');
  EXPECT_EQ(Decide(&store_, Hit("n", longest, 2)).remaining, 8);
  EXPECT_EQ(Decide(&store_, Hit("n", longest, 2)).remaining, 6);
}

TEST_F(StoreTest, PeeksAndFirstHitsDeniedLeaveNoBucket) {
  Decide(&store_, Hit("n", "peek", 0));
  Decide(&store_, Hit("n", "peek", 0, 10, Algorithm::kLeaky));
  Decide(&store_, Hit("n", "denied", 11));
  Decide(&store_, Hit("n", "denied", 11, 10, Algorithm::kLeaky));
  EXPECT_EQ(store_.Size(), 0);
}

TEST_F(StoreTest, ABucketThatIsEmptyAgainIsForgotten) {
  Decide(&store_, Hit("n", "k", 4, 10, Algorithm::kLeaky));
  Decide(&store_, Hit("n", "k", -4, 10, Algorithm::kLeaky));
  EXPECT_EQ(store_.Size(), 0);
  Request reset = Hit("n", "t");
  Decide(&store_, reset);
  reset.behavior = kResetRemaining;
  Decide(&store_, reset);
  EXPECT_EQ(store_.Size(), 0);
}

TEST_F(StoreTest, ResetRemovesBothAlgorithmsAndSaysHowMany) {
  Decide(&store_, Hit("n", "k"));
  Decide(&store_, Hit("n", "k", 1, 10, Algorithm::kLeaky));
  Decide(&store_, Hit("n", "other"));
  EXPECT_EQ(store_.Reset("n", "k"), 2);
  EXPECT_EQ(store_.Reset("n", "k"), 0);
  EXPECT_EQ(store_.Reset("n", "other"), 1);
  EXPECT_EQ(store_.Size(), 0);
}

TEST_F(StoreTest, ABucketLapsesAtItsResetAndToAskChangesNothing) {
  const auto lapses_at = [this](std::string_view key, Algorithm algorithm, int64_t now_ms) {
    return store_.LapsesAt("n", key, algorithm, now_ms);
  };
  for (Algorithm algorithm : {Algorithm::kToken, Algorithm::kLeaky}) {
    EXPECT_EQ(lapses_at("k", algorithm, kNowMs), std::nullopt);
    const int64_t reset_ms = Decide(&store_, Hit("n", "k", 4, 10, algorithm)).reset_ms;
    EXPECT_EQ(lapses_at("k", algorithm, kNowMs), reset_ms);
    // A bucket that has lapsed but is not freed is none either, and asking does not free it.
    EXPECT_EQ(lapses_at("k", algorithm, reset_ms - 1), reset_ms);
    EXPECT_EQ(lapses_at("k", algorithm, reset_ms), std::nullopt);
    EXPECT_EQ(Decide(&store_, Hit("n", "k", 0, 10, algorithm)).now_ms, kNowMs);
    // A second hit puts a leaky bucket's end off.
    const int64_t later_ms = Decide(&store_, Hit("n", "k", 4, 10, algorithm)).reset_ms;
    EXPECT_EQ(lapses_at("k", algorithm, kNowMs), later_ms);
  }
  EXPECT_EQ(store_.Size(), 2);
  EXPECT_EQ(store_.LapsesAt("other", "k", Algorithm::kToken, kNowMs), std::nullopt);
  EXPECT_EQ(store_.Reset("n", "k"), 2);
  EXPECT_EQ(lapses_at("k", Algorithm::kToken, kNowMs), std::nullopt);
}

TEST_F(StoreTest, ABucketThatDoesNotDrainNeverLapses) {
  Decide(&store_, Hit("n", "k", 1, 10, Algorithm::kLeaky));
  Decide(&store_, Hit("n", "k", 1, 0, Algorithm::kLeaky));
  EXPECT_EQ(store_.LapsesAt("n", "k", Algorithm::kLeaky, kNowMs),
            std::numeric_limits<int64_t>::max());
}

// The shard has come further than the caller's clock: for its hits the bucket has lapsed.
TEST_F(StoreTest, ABucketThatHasLapsedByItsShardsTimeHasLapsed) {
  for (int i = 0; i < 30; ++i) Decide(&store_, Hit("n", std::to_string(i)));
  const int64_t reset_ms = Decide(&store_, Hit("n", "k")).reset_ms;
  Decide(&store_, Hit("n", "other", 0), reset_ms);
  ASSERT_EQ(store_.Size(), 31 - Shard::kStepsPerDecision) << "of which k is the last";
  EXPECT_EQ(store_.LapsesAt("n", "k", Algorithm::kToken, reset_ms - 1), std::nullopt);
}

TEST_F(StoreTest, ClearRemovesEverythingAndTheTableCanBeFilledAgain) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 900; ++i) Decide(&store_, Hit("n", std::to_string(i)));
    EXPECT_EQ(store_.Size(), 900);
    store_.Clear();
    EXPECT_EQ(store_.Size(), 0);
  }
  EXPECT_EQ(Decide(&store_, Hit("n", "0")).remaining, 9);
}

TEST_F(StoreTest, CalendarLimitsGoByTheStoresOwnZone) {
  Store berlin({.max_keys = 10, .calendar = *Calendar::ForZone("Europe/Berlin")});
  Request request = Hit("n", "k");
  request.period = Period::Calendar(CalendarUnit::kDay);
  // 2023-11-14 22:13:20 UTC is 23:13:20 in Berlin.
  EXPECT_EQ(Decide(&berlin, request).reset_ms, kNowMs + (46 * 60 + 40) * 1000);
  EXPECT_EQ(Decide(&store_, request).reset_ms, kNowMs + (106 * 60 + 40) * 1000);
}

class FullStoreTest : public StoreTest, public ::testing::WithParamInterface<int64_t> {};

TEST_P(FullStoreTest, HoldsAtLeast97PercentOfMaxKeysThenRefusesAndChangesNothing) {
  const int64_t max_keys = GetParam();
  Store store({.max_keys = max_keys, .evict = false});
  int64_t held = 0;
  while (!IsFull(&store, Hit("n", "key:" + std::to_string(held)))) ++held;
  EXPECT_GE(held * 100, max_keys * 97);
  EXPECT_LE(held, max_keys);
  EXPECT_EQ(store.Size(), held);

  // What is there is still decided, a peek at what is not there too.
  EXPECT_EQ(Decide(&store, Hit("n", "key:0")).remaining, 8);
  const std::string next = "key:" + std::to_string(held);
  EXPECT_EQ(Decide(&store, Hit("n", next, 0)).remaining, 10);
  EXPECT_EQ(Decide(&store, Hit("n", next, 11)).status, LimitStatus::kOver);

  EXPECT_EQ(store.Reset("n", next), 0);
  EXPECT_EQ(store.Reset("n", "key:0"), 1);
  EXPECT_FALSE(IsFull(&store, Hit("n", "key:0")));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FullStoreTest,
                         ::testing::Values(1, 2, 10, 57, 58, 100, 1000, 8192, 50'000, 200'000));

// Many threads on one bucket that is not there yet: as if they had come one after the other.
class ContentionTest : public StoreTest, public ::testing::WithParamInterface<Algorithm> {};

TEST_P(ContentionTest, ExactlyTheLimitIsAdmittedAndEachRemainingIsAnsweredOnce) {
  constexpr int kThreads = 4;
  constexpr int64_t kLimit = 1000;
  const int rounds = kSanitized ? 3 : 20;
  for (int round = 0; round < rounds; ++round) {
    const std::string key = "round:" + std::to_string(round);
    std::vector<std::vector<int64_t>> remaining(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int64_t i = 0; i < kLimit; ++i) {
          const Decision decision = Decide(&store_, Hit("n", key, 1, kLimit, GetParam()));
          if (decision.status == LimitStatus::kUnder) remaining[t].push_back(decision.remaining);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();

    std::vector<int64_t> all;
    for (const auto& part : remaining) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end());
    std::vector<int64_t> wanted(kLimit);
    std::iota(wanted.begin(), wanted.end(), 0);
    ASSERT_THAT(all, ElementsAreArray(wanted)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ContentionTest,
                         ::testing::Values(Algorithm::kToken, Algorithm::kLeaky));

TEST_F(StoreTest, InsertsResetsAndClearsFromFourThreadsKeepTheCount) {
  constexpr int kThreads = 4;
  const int steps = kSanitized ? 5'000 : 100'000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Decision decision;
      uint64_t random = static_cast<uint64_t>(t) + 1;
      for (int i = 0; i < steps; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const std::string key = std::to_string((random >> 33) % 2000);
        if (i % 1000 == 999) {
          store_.Clear();
        } else if (i % 7 == 0) {
          store_.Reset("n", key);
        } else {
          store_.Decide(Hit("n", key), kNowMs, &decision);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(store_.Size(), 1000);
  int64_t found = 0;
  for (int key = 0; key < 2000; ++key) found += store_.Reset("n", std::to_string(key));
  EXPECT_EQ(store_.Size(), 0) << "counted buckets that were not there, found " << found;
}

TEST(BucketKeyTest, TwoProcessesWouldHashDifferently) {
  const KeyHash one;
  const KeyHash other;
  EXPECT_EQ(one("account:42"), one("account:42"));
  EXPECT_NE(one("account:42"), other("account:42"));
  EXPECT_NE(one(""), other(""));
}

}  // namespace
}  // namespace gub
