// Store: every bucket that this node holds, (name, key, algorithm) -> state.
//
// The table is cut into shards. A shard is one lock and what it guards: a libcuckoo table that is
// sized once and never grows, of pointers to buckets. A bucket is one heap block, its state and
// then its key, so that the key comparison of a hit brings the state into the cache. A decision is
// one critical section: find, apply (limit/), write back. libcuckoo's own locks are taken once, at
// start, and held: they could guard the table alone, not the memory that belongs to a bucket.
//
// Threads:  thread-safe; no call holds two locks.
// Time:     the caller passes now_ms (Unix); the store asks no clock.
// Memory:   at most max_keys buckets. The table itself takes about 30 bytes a key from the start.
// Errors:   Outcome::kFull; nothing has changed then. libcuckoo's exceptions end in store.cc.

#ifndef GUB_STORE_STORE_H_
#define GUB_STORE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "gub/types.h"
#include "limit/calendar.h"
#include "store/bucket_key.h"

namespace gub {

class Store {
 public:
  enum class Outcome {
    kDecided,  // *decision is the answer
    kFull,     // the hit would leave a new bucket and there is no room for it
  };

  // REQUIRES: max_keys >= 1.
  Store(int64_t max_keys, Calendar calendar);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Decides one hit. Of two hits on one bucket, one is decided wholly before the other.
  // REQUIRES: the request is within the contract; name and key together at most
  // BucketKey::kMaxBytes.
  Outcome Decide(const Request& request, int64_t now_ms, Decision* decision);

  // Forgets the buckets of (name, key), whatever their algorithm, and returns how many there were.
  int Reset(std::string_view name, std::string_view key);

  // Forgets all buckets, shard by shard.
  void Clear();

  // How many buckets there are, lapsed ones included.
  int64_t Size() const { return size_.load(std::memory_order_relaxed); }
  int64_t max_keys() const { return max_keys_; }

 private:
  struct Shard;

  Shard& ShardOf(uint64_t hash);
  bool TakePlace();
  void GiveBackPlaces(int64_t count);

  template <typename State>
  Outcome DecideWith(const Request& request, int64_t now_ms, Decision* decision);
  int Remove(const BucketKey& key);

  const int64_t max_keys_;
  const Calendar calendar_;
  const KeyHash hash_;
  const size_t shard_count_;
  const std::unique_ptr<Shard[]> shards_;
  std::atomic<int64_t> size_{0};
};

}  // namespace gub

#endif  // GUB_STORE_STORE_H_
