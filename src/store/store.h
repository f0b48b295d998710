// Store: every bucket that this node holds, (name, key, algorithm) -> state.
//
// The buckets are spread over shards (shard.h), whose tables are sized once and never grow. The cap
// is the node's: as long as it holds fewer than max_keys there is a place for a new bucket,
// whichever shard it falls to. When it is full, lapsed buckets go first, at once and wherever they
// lie; if there is none, a live one of the new bucket's shard is evicted, the nearest to its reset
// of a few, or the hit is refused.
//
// What a hit costs: a lookup, and two entries of its shard's wheel at most. Only one that needs a
// place in a full store looks further: it works through whatever has come up in any shard until it
// finds a lapsed bucket, and evicts when there is none. An entry that came up too early, for its
// bucket was hit since, is put where it belongs: each is paid for by the hits that put its end off,
// so all hits together cost what they should, but a single one may pay for many. (When a million
// leaky buckets were hit since and nobody has swept, it takes 40 ms.) A limit to that would let a
// live bucket go where a lapsed one could have gone. So it holds no lock for more than
// kStepsPerLock entries, and Sweep, called again and again, leaves it nothing to pay for. (One
// whose own shard has no slot left, which is rare below 97 %, does the same in that shard and under
// its lock.)
//
// A bucket that is lent from (WhichBucket::lends) is changed by nobody else, and stays, also when
// the store is full of such: they are bounded by whoever lends.
//
// Threads:  thread-safe; no call holds two locks.
// Time:     the caller passes now_ms (Unix); the store asks no clock.
// Memory:   at most max_keys buckets. 30 bytes a key from the start, 9 of them reserved and not
//           touched, and 80 more for each bucket that there is or was (keys of more than 39 bytes,
//           name included, take their length on top).
// Errors:   Outcome::kFull; the hit has changed nothing then. Where the process is out of memory it
//           ends, for a bucket half made would be counted for good.

#ifndef GUB_STORE_STORE_H_
#define GUB_STORE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gub/types.h"
#include "limit/calendar.h"
#include "store/bucket_key.h"
#include "store/bucket_pool.h"
#include "store/occupancy.h"
#include "store/shard.h"

namespace gub {

// Which bucket decides.
struct WhichBucket {
  BucketRole role = BucketRole::kOwned;
  // The caller lends from the bucket: it is flagged, and made if there is none, until EndLease.
  bool lends = false;
};

class Store {
 public:
  struct Options {
    int64_t max_keys = 1'000'000;  // >= 1
    bool evict = true;             // live buckets when full; false: refuse new ones
    Calendar calendar = {};
  };

  enum class Outcome {
    kDecided,  // *decision is the answer
    kFull,     // the hit would leave a new bucket and there is no room for it
    kLeased,   // somebody lends from the bucket, who is to decide; nothing has changed
  };

  // What has been counted since the start.
  struct Counts {
    uint64_t expired_keys = 0;          // lapsed and freed
    uint64_t evicted_live_keys = 0;     // to make room
    uint64_t refused_keys = 0;          // hits answered kFull
    int64_t longest_sweep_step_ns = 0;  // with a shard's lock held
  };

  // What the store takes, in bytes.
  struct Memory {
    size_t table = 0;
    size_t index = 0;   // which buckets lapse when
    size_t blocks = 0;  // states and keys
    size_t long_keys = 0;
    size_t slots = 0;  // of the table, not bytes
  };

  explicit Store(Options options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Decides one hit. Of two hits on one bucket, one is decided wholly before the other.
  // REQUIRES: the request is within the contract; name and key together at most
  // BucketKey::kMaxBytes.
  Outcome Decide(const Request& request, int64_t now_ms, Decision* decision,
                 const WhichBucket& which = {}) noexcept;

  // The bucket of a hit that will be decided later.
  struct Expected {
    BucketKey key;
    uint32_t number = BucketPool::kNone;  // of the bucket, perhaps
  };
  // For the hits that come next, so that their waits for memory pass at the same time: first
  // PrefetchTable for each, then PrefetchBucket for each, then Decide. The first two change nothing
  // but `expected`, and what they found out may have become wrong until the third.
  // REQUIRES: as Decide; the request is the same one in PrefetchTable and Decide.
  void PrefetchTable(const Request& request, Expected* expected) const noexcept;
  void PrefetchBucket(Expected* expected) const noexcept;
  Outcome Decide(const Expected& expected, const Request& request, int64_t now_ms,
                 Decision* decision) noexcept {
    return DecideOn(expected.key, {request, now_ms, expected.number, false}, decision);
  }

  // The bucket is lent from no more: it may be freed and evicted again.
  void EndLease(std::string_view name, std::string_view key, Algorithm algorithm) noexcept;

  // When the bucket lapses by itself, which is its reset; INT64_MAX when it never does (a leaky one
  // whose limit is 0 does not drain). Nothing when there is none or it has lapsed. Changes nothing.
  // REQUIRES: name and key together at most BucketKey::kMaxBytes.
  std::optional<int64_t> LapsesAt(std::string_view name, std::string_view key, BucketKind kind,
                                  int64_t now_ms) const noexcept;

  // Forgets the buckets of (name, key), whatever their algorithm, and returns how many there were.
  // One that is lent from stays, empty; whoever lends is to be told.
  int Reset(std::string_view name, std::string_view key) noexcept;

  // Forgets all buckets, shard by shard; those that are lent from as Reset does.
  void Clear();

  // Frees lapsed buckets until there are none or `budget_ns` have passed (one step when that is not
  // above 0); whether there may be more. To be called by one thread, again and again; decisions
  // free some as well. `epoch` is epoch() as it was before the caller read now_ms from its clock.
  bool Sweep(int64_t now_ms, uint32_t epoch, int64_t budget_ns);

  // Tells that the clock was set back, after it was. (A now_ms before the last one is otherwise
  // taken for the last one.) It does not reach a hit on its way whose now_ms was read before the
  // clock was set: that one takes its shard, or in a full store every shard, forward to the old
  // time again, where they stay until the clock is there or is set back anew. So whoever sets it
  // back (GUB.DEBUG CLOCK, in tests) keeps hits of other threads away meanwhile.
  void Rewind(int64_t now_ms);
  // How often that was.
  uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  // How many buckets there are, lapsed ones that are not freed yet included.
  int64_t Size() const { return occupancy_.taken(); }
  int64_t max_keys() const { return occupancy_.max(); }
  const Calendar& calendar() const { return calendar_; }

  Counts counts() const;
  // Counts from 0 again.
  void ResetCounts();
  Memory memory() const;
  // What one bucket takes, with its share of table and index.
  static int64_t BytesOf(std::string_view name, std::string_view key);

 private:
  size_t ShardOf(uint64_t hash) const { return ((hash >> 32) * shards_.size()) >> 32; }
  // A request at its time, and what may be the number of its bucket.
  struct Asked {
    const Request& request;
    int64_t now_ms;
    uint32_t guess;
    bool lends;
  };
  Outcome DecideOn(const BucketKey& key, const Asked& asked, Decision* decision) noexcept;
  bool FindPlace(size_t shard, int64_t now_ms);

  const Calendar calendar_;
  const KeyHash hash_;
  const bool evict_;
  const size_t slots_per_shard_;
  Occupancy occupancy_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint32_t> epoch_{0};
  size_t sweep_at_ = 0;  // the sweeper's alone: the shard to begin with
};

}  // namespace gub

#endif  // GUB_STORE_STORE_H_
