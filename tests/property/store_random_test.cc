// Random requests on a whole store, checked step by step against an exact model of each bucket:
// what is packed, what lapses when, what is freed, and who finds a place.
//
// A run prints its seed; GUB_SEED=n repeats it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "store/store.h"
#include "tests/property/seed.h"
#include "tests/support/exact_model.h"
#include "tests/support/printers.h"

namespace gub {
namespace {

constexpr int64_t kT0Ms = 1'700'000'000'000;
constexpr int64_t kNoBudget = int64_t{1} << 60;
constexpr int kSteps = 34'000;  // of each of three sizes

// The buckets as they should be, and how many of them are live.
class ModelStore {
 public:
  using Identity = std::pair<std::string, Algorithm>;

  Decision Hit(const Request& request, int64_t now_ms) {
    Bucket& bucket = buckets_[{std::string(request.key), request.algorithm}];
    if (bucket.lapses_ms) live_.erase({*bucket.lapses_ms, &bucket});
    const Decision decision = Decide(request, now_ms, &bucket);
    if (bucket.lapses_ms) live_.insert({*bucket.lapses_ms, &bucket});
    return decision;
  }

  // Whether the request would leave a bucket where there is none.
  bool Opens(const Request& request, int64_t now_ms) {
    Bucket bucket = buckets_[{std::string(request.key), request.algorithm}];
    if (IsLive(bucket, now_ms)) return false;
    Decide(request, now_ms, &bucket);
    return IsLive(bucket, now_ms);
  }

  std::optional<int64_t> LapsesAt(const Identity& identity, int64_t now_ms) {
    const Bucket& bucket = buckets_[identity];
    return IsLive(bucket, now_ms) ? bucket.lapses_ms : std::nullopt;
  }

  // How many live buckets were removed.
  int Reset(const std::string& key, int64_t now_ms) {
    int live = 0;
    for (Algorithm algorithm : {Algorithm::kToken, Algorithm::kLeaky}) {
      Bucket& bucket = buckets_[{key, algorithm}];
      live += IsLive(bucket, now_ms) ? 1 : 0;
      if (bucket.lapses_ms) live_.erase({*bucket.lapses_ms, &bucket});
      bucket = Bucket();
    }
    return live;
  }

  int64_t CountLive(int64_t now_ms) {
    while (!live_.empty() && live_.begin()->first <= now_ms) live_.erase(live_.begin());
    return static_cast<int64_t>(live_.size());
  }

 private:
  struct Bucket {
    ExactToken token;  // one of the two
    ExactLeaky leaky;
    std::optional<int64_t> lapses_ms;  // nothing: it has no state
  };

  static bool IsLive(const Bucket& bucket, int64_t now_ms) { return bucket.lapses_ms > now_ms; }

  static Decision Decide(const Request& request, int64_t now_ms, Bucket* bucket) {
    const bool is_token = request.algorithm == Algorithm::kToken;
    return is_token ? DecideBy(request, now_ms, &bucket->token, bucket)
                    : DecideBy(request, now_ms, &bucket->leaky, bucket);
  }
  template <typename Model>
  static Decision DecideBy(const Request& request, int64_t now_ms, Model* model, Bucket* bucket) {
    const Decision decision = model->Hit(request, now_ms);
    const auto state = model->Expected();
    bucket->lapses_ms = state ? std::optional(LapsesAtMs(*state)) : std::nullopt;
    return decision;
  }

  std::map<Identity, Bucket> buckets_;                // whose addresses stay
  std::set<std::pair<int64_t, const Bucket*>> live_;  // with some that have lapsed since
};

// A store that refuses, beside its model.
class StoreTwin {
 public:
  StoreTwin(int64_t max_keys, uint64_t seed)
      : store_({.max_keys = max_keys, .evict = false}), random_(seed) {}

  void Step() {
    PassTime();
    key_ = "k" + std::to_string(Below(3 * static_cast<uint64_t>(store_.max_keys())));
    if (OneIn(5)) key_ += std::string(60, 'z');  // lies outside its block
    if (OneIn(1000)) {
      store_.Sweep(now_ms_, store_.epoch(), OneIn(2) ? kNoBudget : 0);
    } else if (OneIn(300)) {
      Reset();
    } else {
      Hit(NewRequest());
    }
    EXPECT_LE(store_.Size(), store_.max_keys());
  }

  // Opens buckets that live long until there is no place for one more.
  void FillUp() {
    for (int64_t i = 0; i <= store_.max_keys(); ++i) {
      key_ = "full" + std::to_string(i);
      Hit({.name = "n", .key = key_, .limit = 1, .period = Period::Ms(3'600'000)});
    }
    EXPECT_GT(store_.counts().refused_keys, 0u);
  }

  void Finish() {
    EXPECT_FALSE(store_.Sweep(now_ms_, store_.epoch(), kNoBudget));
    EXPECT_EQ(store_.Size(), model_.CountLive(now_ms_));
    EXPECT_GT(store_.counts().expired_keys, 0u);
    EXPECT_EQ(store_.counts().evicted_live_keys, 0u);
  }

 private:
  uint64_t Below(uint64_t sides) { return random_() % sides; }
  bool OneIn(uint64_t sides) { return Below(sides) == 0; }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }

  void PassTime() {
    if (OneIn(4)) now_ms_ += Between(0, 2);
    if (OneIn(3000)) now_ms_ += Between(0, 100'000);
    if (OneIn(20'000)) now_ms_ += Between(0, int64_t{1} << 40);
  }

  Period NewPeriod() {
    constexpr std::array<int64_t, 8> kMs = {1,    5,      100,       1000,
                                            5000, 60'000, 3'600'000, Period::kMaxMs};
    if (OneIn(8)) return Period::Calendar(static_cast<CalendarUnit>(Between(0, 5)));
    return Period::Ms(kMs[Below(kMs.size())]);
  }

  Request NewRequest() {
    Request request = {.name = "n",
                       .key = key_,
                       .hits = OneIn(10) ? 0 : Between(-1, 4),
                       .limit = OneIn(50) ? 0 : Between(1, 8),
                       .burst = OneIn(3) ? Between(0, 10) : Request::kBurstIsLimit,
                       .period = NewPeriod(),
                       .algorithm = OneIn(2) ? Algorithm::kToken : Algorithm::kLeaky};
    if (OneIn(4)) request.behavior |= kDrainOverLimit;
    if (OneIn(100)) request.behavior |= kResetRemaining;
    if (OneIn(200)) {
      request.limit = kInt64Max;
      request.hits = kInt64Max - Between(0, 3);
    }
    return request;
  }

  void Hit(const Request& request) {
    SCOPED_TRACE(::testing::PrintToString(request));
    Decision decision;
    if (store_.Decide(request, now_ms_, &decision) == Store::Outcome::kFull) {
      EXPECT_GE(model_.CountLive(now_ms_), store_.max_keys());
      EXPECT_TRUE(model_.Opens(request, now_ms_));
      now_ms_ += Between(0, 50);
    } else {
      EXPECT_EQ(decision, model_.Hit(request, now_ms_));
    }
    EXPECT_EQ(store_.LapsesAt("n", key_, request.algorithm, now_ms_),
              model_.LapsesAt({key_, request.algorithm}, now_ms_));
  }

  // Of what has lapsed, some is freed and some is not.
  void Reset() {
    const int removed = store_.Reset("n", key_);
    EXPECT_GE(removed, model_.Reset(key_, now_ms_));
    EXPECT_LE(removed, 2);
  }

  Store store_;
  ModelStore model_;
  std::mt19937_64 random_;
  int64_t now_ms_ = kT0Ms;
  std::string key_;
};

class StoreRandomTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(StoreRandomTest, DecidesAsExactBucketsDoAndHasAPlaceWhenOneIsFree) {
  StoreTwin twin(GetParam(), RunSeed());
  for (int step = 0; step < kSteps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    if (step == kSteps * 3 / 4) twin.FillUp();
    twin.Step();
    ASSERT_FALSE(HasFailure());
  }
  twin.Finish();
}

INSTANTIATE_TEST_SUITE_P(MaxKeys, StoreRandomTest, ::testing::Values(3, 60, 5000));

}  // namespace
}  // namespace gub
