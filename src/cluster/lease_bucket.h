// LeaseBucket: the bucket of a key whose owner lends. It is the ordinary bucket of the store, and
// holds what is known to be spent: by the owner and, as far as they have reported, by the holders.
// What is lent and neither reported nor returned lies beside it, as `held`: so the refill of a
// leaky bucket never fills that hole (G12), whatever the store does meanwhile.
//
// Threads:  one at a time, under the key's lock. Who decides a hit on the key without regard to
//           what is held admits too much: all hits of a key that has leases go through LeaseOwner.
// Time:     now_ms is the caller's, of the limiter.
// Errors:   a full store refuses a new bucket; then nothing is lent.

#ifndef GUB_CLUSTER_LEASE_BUCKET_H_
#define GUB_CLUSTER_LEASE_BUCKET_H_

#include <cstdint>

#include "cluster/lease_frame.h"
#include "cluster/lease_terms.h"
#include "gub/types.h"

namespace gub {

// Where the bucket is: Store::Decide in a server; error is kTableFull where the store is full. The
// bucket must stay while it has leases: a store is told to evict it last (G5).
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual Decision Apply(const Request& request, int64_t now_ms) = 0;
};

class LeaseBucket {
 public:
  LeaseBucket(const LeaseKey& key, LeaseStore* store) : key_(key), store_(*store) {}

  // A request of these numbers.
  Request Of(const LimitNumbers& numbers, int64_t hits) const;
  Decision Apply(const Request& request, int64_t now_ms) { return store_.Apply(request, now_ms); }
  // How the bucket is, seen with these numbers.
  Decision Peek(const LimitNumbers& numbers, int64_t now_ms);

  // Decides a hit as if `held` were used too: for hits that are to be denied, and for how long.
  Decision ApplyBeside(Request request, int64_t held, int64_t now_ms);
  // The same of a hit that changes nothing: when it would pass, -1 never.
  int64_t RetryAfterMs(const LimitNumbers& numbers, int64_t hits, int64_t held, int64_t now_ms);

  // Takes `hits` that were spent elsewhere, whether they fit or not. The mark stays as it is.
  void Charge(const LimitNumbers& numbers, int64_t hits, int64_t now_ms);
  void Refund(const LimitNumbers& numbers, int64_t hits, int64_t now_ms);
  // Denies a hit, if nothing is left, so that peeks say so.
  void Mark(const LimitNumbers& numbers, int64_t now_ms);
  // Opens a token window; whether there was room for it. What is used stays as it is.
  bool Open(const LimitNumbers& numbers, int64_t now_ms);

 private:
  const LeaseKey key_;
  LeaseStore& store_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_BUCKET_H_
