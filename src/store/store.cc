#include "store/store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "limit/int128.h"

namespace gub {

namespace {

// As many shards as it takes for max_keys to fill nine tenths of the slots. Many small shards keep
// threads out of each other's way; but chance fills some more than others, by about the root of
// their size, and each has a wheel of its own. So: 64 shards, unless that makes them smaller than
// 2048 slots, where one that is much fuller than the rest is still a long way from the 97 % at
// which a table has trouble to seat one more; and more than 64 before they are larger than 8192.
constexpr size_t kShardsWanted = 64;
constexpr size_t kFewestSlots = 64;  // of a store of a few keys, which is one shard
constexpr size_t kFewSlots = 2048;
constexpr size_t kManySlots = 8192;
constexpr double kFill = 0.9;

size_t SlotsPerShard(int64_t max_keys) {
  const double all = static_cast<double>(max_keys) / kFill + 16;
  size_t slots = kFewestSlots;
  while (slots < kFewSlots && static_cast<double>(slots) < all) slots *= 2;
  while (slots < kManySlots && static_cast<double>(slots * kShardsWanted) < all) slots *= 2;
  return slots;
}

size_t ShardCount(int64_t max_keys) {
  const double wanted = static_cast<double>(max_keys) / kFill;
  return static_cast<size_t>(std::ceil(wanted / static_cast<double>(SlotsPerShard(max_keys))));
}

}  // namespace

Store::Store(Options options)
    : calendar_(std::move(options.calendar)),
      evict_(options.evict),
      slots_per_shard_(SlotsPerShard(options.max_keys)),
      occupancy_(options.max_keys) {
  const Shard::Shared shared = {calendar_, hash_, occupancy_, evict_};
  for (size_t count = ShardCount(options.max_keys); count > 0; --count) {
    shards_.push_back(std::make_unique<Shard>(slots_per_shard_, shared));
  }
}

Store::Outcome Store::Decide(const Request& request, int64_t now_ms, Decision* decision,
                             const WhichBucket& which) noexcept {
  const BucketKey key(request.name, request.key, {request.algorithm, which.role}, hash_);
  return DecideOn(key, {request, now_ms, BucketPool::kNone, which.lends}, decision);
}

Store::Outcome Store::DecideOn(const BucketKey& key, const Asked& asked,
                               Decision* decision) noexcept {
  const size_t shard = ShardOf(key.hash());
  Shard::Hit hit = {.key = key,
                    .request = asked.request,
                    .now_ms = asked.now_ms,
                    .guess = asked.guess,
                    .lends = asked.lends};
  Shard::Outcome outcome = shards_[shard]->Decide(&hit, decision);
  if (outcome == Shard::Outcome::kNoPlace && FindPlace(shard, asked.now_ms)) {
    // Another thread may have opened the bucket in between: it is decided anew.
    hit.has_place = true;
    outcome = shards_[shard]->Decide(&hit, decision);
    if (hit.has_place) occupancy_.GiveBack(1);
  }
  if (outcome == Shard::Outcome::kDecided) return Outcome::kDecided;
  if (outcome == Shard::Outcome::kLeased) return Outcome::kLeased;
  refused_.fetch_add(1, std::memory_order_relaxed);
  return Outcome::kFull;
}

void Store::PrefetchTable(const Request& request, Expected* expected) const noexcept {
  expected->key.Set(request.name, request.key, request.algorithm, hash_);
  const uint64_t hash = expected->key.hash();
  const Shard& shard = *shards_[ShardOf(hash)];
  // A table that is not half full has put nearly every bucket into the first of its two places.
  const bool is_crowded = occupancy_.taken() * 2 > occupancy_.max();
  shard.PrefetchTable(hash, is_crowded ? Table::Places::kBoth : Table::Places::kFirst);
}

void Store::PrefetchBucket(Expected* expected) const noexcept {
  const uint64_t hash = expected->key.hash();
  expected->number = shards_[ShardOf(hash)]->PrefetchBucket(hash);
}

// Takes a place for a new bucket on a node that is full, from a lapsed bucket of any shard or else
// from a live one; the new bucket's own shard first.
bool Store::FindPlace(size_t shard, int64_t now_ms) {
  const size_t count = shards_.size();
  const uint32_t now_epoch = epoch();
  for (size_t i = 0; i < count; ++i) {
    Shard& from = *shards_[(shard + i) % count];
    while (from.MayHaveLapsed(now_ms)) {
      const bool more = from.Sweep(now_ms, now_epoch);
      if (occupancy_.Take()) return true;
      if (!more) break;
    }
  }
  if (!evict_) return occupancy_.Take();
  for (size_t i = 0; i < count; ++i) {
    Shard& from = *shards_[(shard + i) % count];
    Shard::Eviction eviction = from.EvictForPlace(now_ms);
    while (eviction == Shard::Eviction::kMore) eviction = from.EvictForPlace(now_ms);
    if (eviction == Shard::Eviction::kDone) return true;
  }
  return occupancy_.Take();
}

void Store::EndLease(std::string_view name, std::string_view key, Algorithm algorithm) noexcept {
  const BucketKey bucket(name, key, algorithm, hash_);
  shards_[ShardOf(bucket.hash())]->EndLease(bucket);
}

std::optional<int64_t> Store::LapsesAt(std::string_view name, std::string_view key, BucketKind kind,
                                       int64_t now_ms) const noexcept {
  const BucketKey bucket(name, key, kind, hash_);
  return shards_[ShardOf(bucket.hash())]->LapsesAt(bucket, now_ms);
}

int Store::Reset(std::string_view name, std::string_view key) noexcept {
  int removed = 0;
  for (Algorithm algorithm : {Algorithm::kToken, Algorithm::kLeaky}) {
    const BucketKey bucket(name, key, algorithm, hash_);
    removed += shards_[ShardOf(bucket.hash())]->Remove(bucket) ? 1 : 0;
  }
  return removed;
}

void Store::Clear() {
  for (auto& shard : shards_) shard->Clear();
}

void Store::Rewind(int64_t now_ms) {
  const uint32_t epoch = epoch_.fetch_add(1, std::memory_order_acq_rel) + 1;
  for (auto& shard : shards_) shard->Rewind(now_ms, epoch);
}

bool Store::Sweep(int64_t now_ms, uint32_t epoch, int64_t budget_ns) {
  const int64_t end_ns = SaturatingAdd(MonotonicNs(), budget_ns);
  for (size_t left = shards_.size(); left > 0; --left) {
    Shard& shard = *shards_[sweep_at_];
    while (shard.MayHaveLapsed(now_ms)) {
      const bool more = shard.Sweep(now_ms, epoch);
      if (MonotonicNs() >= end_ns) return true;
      if (!more) break;
    }
    sweep_at_ = (sweep_at_ + 1) % shards_.size();
  }
  return false;
}

Store::Counts Store::counts() const {
  Counts sum;
  for (const auto& shard : shards_) {
    const Shard::Counts counts = shard->counts();
    sum.expired_keys += counts.expired;
    sum.evicted_live_keys += counts.evicted;
    sum.longest_sweep_step_ns = std::max(sum.longest_sweep_step_ns, counts.longest_step_ns);
  }
  sum.refused_keys = refused_.load(std::memory_order_relaxed);
  return sum;
}

void Store::ResetCounts() {
  for (const auto& shard : shards_) shard->ResetCounts();
  refused_.store(0, std::memory_order_relaxed);
}

Store::Memory Store::memory() const {
  Memory sum;
  sum.slots = shards_.size() * slots_per_shard_;
  sum.table = shards_.size() * (Table::BytesFor(slots_per_shard_) + sizeof(Shard));
  sum.index = shards_.size() * ExpiryWheel::FixedBytes() + sum.slots * ExpiryWheel::BytesPerEntry();
  for (const auto& shard : shards_) {
    const Shard::Bytes bytes = shard->bytes();
    sum.blocks += bytes.blocks;
    sum.long_keys += bytes.long_keys;
  }
  return sum;
}

int64_t Store::BytesOf(std::string_view name, std::string_view key) {
  const size_t per_slot = Table::BytesFor(kManySlots) / kManySlots + ExpiryWheel::BytesPerEntry();
  return static_cast<int64_t>(per_slot + BucketPool::BytesFor(BucketKey::SizeOf(name, key)));
}

}  // namespace gub
