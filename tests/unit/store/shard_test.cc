#include "store/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace gub {

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;

class ShardTest : public ::testing::Test {
 protected:
  Shard::Outcome Hit(Shard* shard, const std::string& key, int64_t period_ms, int64_t now_ms) {
    const Request request = {.name = "n", .key = key, .limit = 10, .period = Period::Ms(period_ms)};
    const BucketKey bucket(request.name, request.key, request.algorithm, hash_);
    Shard::Hit hit = {.key = bucket, .request = request, .now_ms = now_ms};
    return shard->Decide(&hit, &decision_);
  }

  const Calendar calendar_;
  const KeyHash hash_;
  Occupancy occupancy_{1'000'000};
  const Shard::Shared shared_ = {calendar_, hash_, occupancy_, /*evict=*/true};
  Decision decision_;
};

// Two threads that set the clock back may come to a shard in the other order.
TEST_F(ShardTest, ARewindOlderThanTheLastOneDoesNothing) {
  Shard shard(64, shared_);
  shard.Rewind(kNowMs - 2000, 2);
  shard.Rewind(kNowMs, 1);
  EXPECT_EQ(Hit(&shard, "k", 1000, kNowMs - 2000), Shard::Outcome::kDecided);
  EXPECT_EQ(decision_.now_ms, kNowMs - 2000);
  shard.Sweep(kNowMs, 2);
  EXPECT_EQ(occupancy_.taken(), 0);
}

}  // namespace
}  // namespace gub
