// LeaseBook: what this node has lent of the keys that it owns, for all its threads: a LeaseOwner
// for each key of which something is lent, and for no other.
//
// The bucket of such a key is flagged in the store: there a hit that does not come from here
// changes nothing and is answered Store::Outcome::kLeased, so that one which races with the first
// lend is not admitted beside it. Keys that nobody leases cost the test of a bit. The flag goes
// with the last lease.
//
// **Two locks.** A LeaseOwner calls the store while the lock of its part of the book is held. It is
// the one place where a thread holds two, always in this order: part of the book, shard of the
// store. The store knows nothing of the book, so the other order cannot come about.
//
// Threads:  thread-safe. A thread that waits for a key's part waits for one operation on one key,
//           or, in Sync and OnGoneAll, on the keys of that part.
// Time:     read under the lock, so that for one key it does not run back.
// Memory:   as its LeaseOwners (lease_owner.h); global-max-leases bounds them.
// Errors:   where the store has no room for a flagged bucket nothing is lent, and a hit that asks
//           is to be forwarded.

#ifndef GUB_CLUSTER_LEASE_BOOK_H_
#define GUB_CLUSTER_LEASE_BOOK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "cluster/lease_key_map.h"
#include "cluster/lease_owner.h"
#include "store/store.h"

namespace gub {

// What the book has to say, its own copy.
struct LeaseNews {
  struct Letter {
    std::string holder;
    std::string name;
    std::string key;
    LeaseAnswer answer;  // its key borrows from this letter once it is asked for by Answer()

    LeaseAnswer Answer() const {
      LeaseAnswer whole = answer;
      whole.key = {name, key, answer.key.algorithm};
      return whole;
    }
  };
  std::vector<Letter> letters;
  std::vector<LeaseSettled> settled;
  std::optional<int64_t> next_tick_us;  // when Tick is to be called, if a hit waits
};

class LeaseBook {
 public:
  LeaseBook(Store* store, const LimiterClock* clock, int64_t max_leases);
  LeaseBook(const LeaseBook&) = delete;
  LeaseBook& operator=(const LeaseBook&) = delete;

  // The options that leases go by, as they are from now on.
  void SetTimes(int64_t sync_ms, int64_t peer_timeout_ms) {
    sync_ms_.store(sync_ms, std::memory_order_relaxed);
    peer_timeout_ms_.store(peer_timeout_ms, std::memory_order_relaxed);
  }

  // A hit, refund or peek that the store has answered kLeased. Nothing: nothing is lent any more,
  // the store decides. With a token it may wait; its outcome is then in some later LeaseNews,
  // perhaps of another thread.
  std::optional<LeaseOwner::Result> Decide(const Request& request, uint64_t token, LeaseNews* news);
  void OnReport(const LeaseOwner::Sender& sender, const LeaseReport& report, LeaseNews* news);
  // The buckets of (name, key) were forgotten, by GUB.RESET or DEL.
  void OnGone(std::string_view name, std::string_view key, LeaseNews* news);
  // All were, or the limiter's clock has stepped.
  void OnGoneAll(LeaseNews* news);
  // Rounds of recalls that are over.
  void Tick(LeaseNews* news);
  // The end of a sync interval, for one of `parts` shares of the keys.
  void Sync(size_t part, size_t parts, LeaseNews* news);

  // How many leases there are, ones that have ended and are still remembered included.
  int64_t leases() const { return room_.taken(); }
  // How many keys are lent of.
  int64_t keys() const { return keys_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kParts = 64;

  // The store, as a LeaseOwner sees it.
  class Buckets : public LeaseStore {
   public:
    explicit Buckets(Store* store) : store_(*store) {}
    Decision Apply(const Request& request, int64_t now_ms) override;

   private:
    Store& store_;
  };
  struct Entry {
    std::unique_ptr<LeaseOwner> owner;
    bool waits = false;  // its key is in Part::waiting
  };
  using Entries = LeaseKeyMap<Entry>;
  struct Part {
    Mutex mu;
    LeaseSettings settings ABSL_GUARDED_BY(mu);
    Entries entries ABSL_GUARDED_BY(mu);
    std::vector<std::string> waiting ABSL_GUARDED_BY(mu);  // keys that have a round
  };

  Part& PartOf(const LeaseMapKey& key) { return parts_[key.hash() % kParts]; }
  LeaseTime Now() const { return {BootNs() / 1000, clock_.NowMs()}; }
  void TakeTimes(Part* part) ABSL_EXCLUSIVE_LOCKS_REQUIRED(part->mu);
  // The entry of a key; a new one if need be, unless the store is full.
  Entry* EntryOf(Part* part, const LeaseMapKey& at, const LeaseReport& report)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(part->mu);
  // Takes down what came of an operation; whether the entry is gone.
  bool Close(Part* part, std::string_view at, LeaseOutbox* outbox, LeaseNews* news)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(part->mu);
  static void Append(LeaseOutbox* outbox, LeaseNews* news);

  Store& store_;
  const LimiterClock& clock_;
  Buckets buckets_;
  LeaseRoom room_;
  LeaseNumbers generations_;
  std::atomic<int64_t> sync_ms_{LeaseSettings{}.sync_ms};
  std::atomic<int64_t> peer_timeout_ms_{LeaseSettings{}.peer_timeout_ms};
  std::atomic<int64_t> keys_{0};
  std::deque<Part> parts_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_BOOK_H_
