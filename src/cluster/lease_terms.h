// What both sides of a lease have in common: the words, the settings, and the clocks.
//
// GLOBAL by leases: the owner of a key lends each node that asks a part of what remains, and the
// node admits from its lease without asking. lease_holder.h is the node's side of one key,
// lease_owner.h the owner's, lease_frame.h what crosses.
//
// lent      how much the owner has lent to one holder, in all. The owner's word.
// spent     how much of that the holder has admitted, returned: how much it has handed back. The
//           holder's words.
// These totals only grow, frames carry nothing else, and who reads one keeps the larger: so a frame
// that is lost, doubled, late or overtaken changes nothing for good. What a holder may still spend
// is lent - spent - returned.
//
// generation: the totals of one holder for one key, from the first lend until they are settled or
// the owner replaces them. A number that the owner's process gives out once. (The owner's node id
// belongs to it; frames carry that once, for all their keys, and are not taken by another process.)
//
// Threads:  plain values.
// Time:     LeaseTime has two clocks. mono_us is this node's CLOCK_BOOTTIME, and ends leases: no
//           time of it crosses, only durations do. now_ms is the limiter's, Unix, and decides.

#ifndef GUB_CLUSTER_LEASE_TERMS_H_
#define GUB_CLUSTER_LEASE_TERMS_H_

#include <atomic>
#include <cstdint>

#include "gub/types.h"

namespace gub {

struct LeaseTime {
  int64_t mono_us = 0;
  int64_t now_ms = 0;
};

// For tests only: each switch that is off breaks a rule, so that a simulation can show what the
// rule is for. A server has them all on.
struct LeaseRules {
  bool totals = true;            // G1: frames never say "your lease is now x"
  bool ends_at_request = true;   // G2: a lease's time counts from when its request left
  bool silence_keeps = true;     // G3: what a silent holder has not returned is not given back
  bool replaced_charged = true;  // G5: a new generation is charged what the old ones hold
  bool generations = true;       // G6: a report counts for its own generation only
  bool asked_is_lent = true;     // G7: a hit that is asked for is lent, not spent
  bool hole_stays = true;        // G12: refill does not fill what is lent of a leaky bucket
};

struct LeaseSettings {
  int64_t sync_ms = 100;          // global-sync-ms
  int64_t peer_timeout_ms = 100;  // peer-timeout-ms
  LeaseRules rules = {};

  int64_t sync_us() const { return sync_ms * 1000; }
  // How long a lease lasts without news, and how long a denial may be repeated.
  int64_t longest_term_ms() const { return 3 * sync_ms; }
  int64_t longest_denial_ms() const { return 10 * sync_ms; }
  // How long a hit waits for others to hand back (G4).
  int64_t recall_us() const { return peer_timeout_ms * 1000 / 4; }
};

// Numbers that a process gives out once each: generations by owners, exchanges by holders.
class LeaseNumbers {
 public:
  uint64_t Next() { return last_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  std::atomic<uint64_t> last_{0};
};

// What a limit's numbers are. Leases are for hits of the same ones.
struct LimitNumbers {
  int64_t limit = 0;
  int64_t burst = Request::kBurstIsLimit;  // token: always that, for it has no effect there
  Period period = Period::Ms(1000);

  static LimitNumbers Of(const Request& request) {
    const bool token = request.algorithm == Algorithm::kToken;
    return {request.limit, token ? Request::kBurstIsLimit : request.BucketSize(), request.period};
  }
  friend bool operator==(const LimitNumbers&, const LimitNumbers&) = default;
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_TERMS_H_
