// Shard: one lock and what it guards: a table, its buckets, and the wheel that says which of them
// have lapsed. A decision is one critical section: find, apply (limit/), write back.
//
// Freeing costs a request next to nothing: every decision deals with at most kStepsPerDecision
// entries of the wheel that came up; the sweeper takes shards that nobody hits, kStepsPerLock
// entries each time it has the lock.
//
// Time within a shard never runs back. A worker reads the clock once for a batch of requests, and a
// bucket that lapsed since then may be gone already; so a request is decided at the time that the
// shard has reached, or its hit would open a window in the past, beside the one that was full.
//
// A bucket whose key's owner lends from it is flagged: only `lends` hits change it, and it is
// neither freed nor evicted, nor when its state is that of no bucket (it is vacant then), until
// EndLease.
//
// Threads:  thread-safe; no call takes another lock.
// Time:     now_ms is the caller's, Unix.
// Errors:   Outcome; unless it is kDecided the hit has changed nothing. For a kNoSlot, buckets have
//           been freed or evicted in vain, kSeatTries - 1 at most.

#ifndef GUB_STORE_SHARD_H_
#define GUB_STORE_SHARD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "gub/types.h"
#include "limit/calendar.h"
#include "limit/int128.h"
#include "store/bucket_key.h"
#include "store/bucket_pool.h"
#include "store/expiry_wheel.h"
#include "store/occupancy.h"
#include "store/table.h"

namespace gub {

class alignas(64) Shard {
 public:
  static constexpr int kStepsPerDecision = 2;
  static constexpr int kStepsPerLock = 64;
  // How often a new bucket tries to get a slot in the table; another goes between two tries.
  static constexpr int kSeatTries = 4;
  // Of how many buckets, the earliest by the wheel, the one to evict is picked; and how many may be
  // moved on the way, since the wheel took them for earlier than they are.
  static constexpr ExpiryWheel::Sample kEvictionSample = {.entries = 16, .moves = kStepsPerLock};

  enum class Outcome {
    kDecided,
    kNoPlace,  // a new bucket is needed and the node is full: come again with a place
    kNoSlot,   // a new bucket is needed and the table finds no way to seat it
    kLeased,   // the bucket is flagged, and the hit comes from somebody who may not change it then
  };

  struct Counts {
    uint64_t expired = 0;
    uint64_t evicted = 0;
    int64_t longest_step_ns = 0;  // of Sweep, with the lock held
  };

  struct Bytes {
    size_t blocks = 0;
    size_t long_keys = 0;
  };

  // What all shards of a store share.
  struct Shared {
    const Calendar& calendar;
    const KeyHash& hash;
    Occupancy& occupancy;
    bool evict;  // live buckets, when there is no room
  };

  Shard(size_t slots, const Shared& shared);

  // A request on its way: its key, its time, and whether the caller holds a place for a new bucket.
  struct Hit {
    const BucketKey& key;
    const Request& request;
    int64_t now_ms;
    uint32_t guess = BucketPool::kNone;  // the number of the key's bucket, perhaps
    bool has_place = false;
    bool lends = false;  // it comes from whoever lends from the bucket, which is flagged for that
  };

  // Decides one hit. hit->has_place is false once its place was used.
  Outcome Decide(Hit* hit, Decision* decision);

  // Brings into the processor's cache what a hit of a key with this hash will read: first of the
  // table, and, once that is there, of the bucket, whose number it guesses then (kNone: it does
  // not). The second takes the lock, if it is free.
  void PrefetchTable(uint64_t hash, Table::Places places) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    table_.Prefetch(hash, places);
  }
  uint32_t PrefetchBucket(uint64_t hash) const;

  // Removes the key's bucket, or empties it if it is flagged; whether there was one.
  bool Remove(const BucketKey& key);

  // Takes the flag from the key's bucket: it is one like others from now on.
  void EndLease(const BucketKey& key);

  // When the key's bucket lapses by itself; nothing when there is none or it has lapsed. Changes
  // nothing.
  std::optional<int64_t> LapsesAt(const BucketKey& key, int64_t now_ms) const;

  // Frees lapsed buckets, kStepsPerLock entries of the wheel at most. Whether there may be more.
  // Does nothing when the shard was rewound since `epoch`: now_ms is from before that.
  bool Sweep(int64_t now_ms, uint32_t epoch);

  enum class Eviction {
    kDone,
    kMore,   // the lock has been held long enough, but there may be a bucket to evict: come again
    kEmpty,  // there is no bucket
  };

  // Evicts the bucket nearest to its reset, of a few, leaving its place taken for the caller. One
  // that has lapsed by the shard's time is the nearest, and is counted as what it is.
  Eviction EvictForPlace(int64_t now_ms);

  // Removes all buckets, as if the shard were new; but those that are flagged stay, and are empty.
  void Clear();

  // The clock was set back: what follows is decided at earlier times. Epochs count from 1; one that
  // is not later than the last does nothing, since another thread has set the clock back again.
  void Rewind(int64_t now_ms, uint32_t epoch);

  // Whether a bucket may have lapsed at now_ms, or at the time that the shard has reached: that may
  // be a later one, for every caller's now_ms is of a moment ago.
  bool MayHaveLapsed(int64_t now_ms) const {
    return earliest_ms_.load(std::memory_order_relaxed) <= now_ms;
  }

  Counts counts() const;
  void ResetCounts();
  Bytes bytes() const;

 private:
  template <typename State>
  Outcome DecideWith(Hit* hit, Decision* decision) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  template <typename State>
  Outcome DecideLeased(Hit* hit, uint32_t number, Decision* decision)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Outcome Insert(Hit* hit, int64_t lapses_ms, uint32_t* number) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  uint32_t Seat(const BucketKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // When its state lapses; and when it may be freed, which a flagged one may never be.
  int64_t StateLapsesAt(uint32_t number) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  int64_t LapsesAt(uint32_t number) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return pool_.StateOf(number).leased() ? ExpiryWheel::kNever : StateLapsesAt(number);
  }
  void ClearUnleased() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  int Step(int steps) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Eviction Evict() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Erase(uint32_t number, uint64_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Earlier(int64_t deadline_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void LookAtWheel() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Shared shared_;

  mutable Mutex mu_;
  ExpiryWheel wheel_ ABSL_GUARDED_BY(mu_);
  BucketPool pool_ ABSL_GUARDED_BY(mu_);
  Table table_ ABSL_GUARDED_BY(mu_);
  Counts counts_ ABSL_GUARDED_BY(mu_);
  uint32_t epoch_ ABSL_GUARDED_BY(mu_) = 0;
  size_t leased_ ABSL_GUARDED_BY(mu_) = 0;  // how many buckets are flagged

  // No bucket has lapsed before this time, by the last look at the wheel; kInt64Min when some came
  // up and have not been dealt with.
  std::atomic<int64_t> earliest_ms_{ExpiryWheel::kNever};
};

}  // namespace gub

#endif  // GUB_STORE_SHARD_H_
