// LeaseHolder: a node's side of one GLOBAL key that another node owns, as pure code: what it holds
// of the owner, when it answers by itself, asks, returns and reports. (Words: lease_terms.h.)
//
//   lease   | what it is                               | leaves by
//   --------+------------------------------------------+-----------------------------------------
//   none    | nothing is lent                          | an answer that lends -> live
//   live    | hits are admitted while they fit         | its end -> over; a recall, a newer
//           |                                          |   generation, other numbers, Leave ->
//           |                                          |   closing
//   over    | nothing is spent; the rest is returned   | an answer that prolongs -> live; one
//           |   with the next report                   |   that knows nothing of it -> none
//   closing | nothing is spent, all is returned;       | the owner knows these totals, or nothing
//           |   totals are reported until known        |   of the generation -> forgotten
//
// Of what a hit becomes, in this order:
//   refund, RESET_REMAINING, limit 0, other numbers than the lease's    -> kForward
//   fits the lease                                                      -> admitted here
//   would not fit, with DRAIN_OVER_LIMIT                                -> kForward
//   the owner has said that nothing is left, and that is fresh enough   -> denied here
//   the owner cannot be reached                                         -> kOnFail
//   no lease is to be had (the owner said kForward within a sync)       -> kForward
//   otherwise it waits for the answer of the owner, one ask at a time   -> kWaits
// A peek is answered here from news that is at most one sync old, else it waits for news.
//
// **What the caller does.** Of kForward: Collect first and send that on the same link, then the
// request (at most once), so that the owner's answer contains what was spent here. Of kWaits: keeps
// the token; it comes back in a LeaseSettled, once. Collect after Decide and after OnAnswer, OnTick
// at NextTickUs, Sync each global-sync-ms; what they append is to be sent to the owner, many keys
// in a frame. A LeaseHolder that IsIdle can be forgotten. An answer for a
// key that has none makes one, if it lends: that hands back what nobody asked for.
// - The owner is lost (its link is open-circuit): OnOwnerLost, and Decide with owner_is_up false
//   until it is back. The lease is spent to its end (G10). KnownUsed is what a stand-in starts at.
// - Another node owns the key now, or another node id is behind its address (G11): Leave, and a new
//   LeaseHolder for the new owner; what the old one collects goes to the old owner until it IsIdle.
// - SIGTERM (G9): Leave(true), then Sync each interval until it IsIdle.
//
// Decisions where global.md is silent:
// - Numbers that differ close the lease, and this hit is forwarded: a forward is applied once, so
//   that no late ask ever brings old numbers back. Later hits of the new numbers ask.
// - A hit that fits may pass one that waits and does not fit; those that wait are served in order.
// - A report that is not answered is followed by others, for the owner may have lent for it: only
//   so is a lend that was lost handed back before its window ends.
// - A lend that no one knows of any more (its ask came later than any time-out, its answer was lost
//   and the generation was forgotten here) stays charged until its window ends. Nothing is minted.
// - A process that has sent its last report takes no hits, but answers until its links are closed;
//   the owner takes no frame of a node id that has left.
// - What was recalled is returned also when its lend has not arrived: the recall says how much that
//   is, and the lend finds it spent when it comes.
// - A denial is kept only when nothing at all is left, so it holds for hits of any size. What is
//   kept of a leaky one is how long it takes until a single hit passes.
//
// Threads:  one at a time, under the key's lock.
// Time:     lease_terms.h. Ends count from the mono_us of the report that was answered.
// Memory:   about 500 bytes and the name and key; at most kMaxWaiting hits that wait, kMaxClosing
//           generations and kMaxOpen exchanges. How many holders a node has is the caller's to
//           bound by global-max-leases: a hit that finds no LeaseHolder is forwarded.
// Errors:   none. Totals that cannot be are not taken.

#ifndef GUB_CLUSTER_LEASE_HOLDER_H_
#define GUB_CLUSTER_LEASE_HOLDER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cluster/lease_frame.h"
#include "cluster/lease_terms.h"
#include "gub/types.h"

namespace gub {

enum class LeaseOutcome : uint8_t {
  kAnswered,  // `decision` is the answer
  kForward,   // to be decided by the owner as without GLOBAL
  kOnFail,    // the owner cannot be reached: degraded
  kWaits,     // Decide only: the outcome comes later, by the token
};

// What became of a hit that waited.
struct LeaseSettled {
  uint64_t token;
  LeaseOutcome outcome;
  Decision decision;
};

class LeaseHolder {
 public:
  static constexpr size_t kMaxWaiting = 1000;
  static constexpr size_t kMaxClosing = 4;
  static constexpr size_t kMaxOpen = 8;
  static constexpr int kMaxRenewals = 4;  // early ones, per interval

  struct Result {
    LeaseOutcome outcome;
    Decision decision;
  };

  // What has been counted since the start.
  struct Counts {
    uint64_t local = 0;    // admitted or denied here
    uint64_t asks = 0;     // reports that ask for a hit
    uint64_t reports = 0;  // all
    uint64_t recalls = 0;
  };

  // `exchanges` is the process's; both are to outlive it. `newest_generation` is the largest that
  // any LeaseHolder of this owner process had which is no more, of whatever key: what came before
  // is never spent again by another LeaseHolder of the same key.
  LeaseHolder(const LeaseKey& key, const LeaseSettings* settings, LeaseNumbers* exchanges,
              uint64_t newest_generation = 0);

  // One hit, refund or peek on the key. REQUIRES: token is not 0.
  Result Decide(const Request& request, uint64_t token, LeaseTime time, bool owner_is_up);

  // Appends what is to leave at once: an ask, what a recall wants back, an early renewal.
  void Collect(LeaseTime time, std::vector<LeaseReport>* reports);
  // The end of a sync interval: appends what has changed, and what keeps a used lease alive.
  void Sync(LeaseTime time, std::vector<LeaseReport>* reports);

  // An answer of the owner, asked for or not.
  void OnAnswer(const LeaseAnswer& answer, LeaseTime time, std::vector<LeaseSettled>* settled);
  // Gives up what has waited for peer-timeout-ms, and lets a lost ask be sent again.
  void OnTick(LeaseTime time, std::vector<LeaseSettled>* settled);
  // When that is due; nothing: never.
  std::optional<int64_t> NextTickUs() const;
  // All that wait are given up.
  void OnOwnerLost(std::vector<LeaseSettled>* settled);
  // Nothing more is spent or asked. Hits that wait are to be forwarded, to the new owner. When the
  // process ends, what is still lent by an answer on its way is handed back too; otherwise that is
  // for the owner to write off, since another LeaseHolder may follow.
  void Leave(bool process_ends, LeaseTime time, std::vector<LeaseSettled>* settled);

  // Whether there is nothing to tell the owner, nor anything of its worth keeping. A closed
  // generation that the owner does not acknowledge is given up in the end.
  bool IsIdle(LeaseTime time) const;
  // How much of the limit is used, as far as is known here; nothing without news of this window.
  std::optional<int64_t> KnownUsed(LeaseTime time) const;
  uint64_t newest_generation() const { return newest_generation_; }
  // What may still be spent.
  int64_t Left(LeaseTime time) const;
  const Counts& counts() const { return counts_; }
  LeaseKey key() const { return {name_, key_, algorithm_}; }

 private:
  struct Totals {
    uint64_t generation = 0;
    int64_t lent = 0;
    int64_t spent = 0;
    int64_t returned = 0;
    int64_t known_spent = 0;  // to the owner
    int64_t known_returned = 0;
    int64_t told_spent = 0;  // by the last report
    int64_t told_returned = 0;
    int64_t closed_us = 0;

    int64_t left() const { return lent - spent - returned; }
    bool IsTold() const { return told_spent == spent && told_returned == returned; }
    bool IsKnown() const { return known_spent == spent && known_returned == returned; }
  };
  struct News {
    uint64_t number = 0;  // of its exchange; 0: there are none
    uint64_t generation = 0;
    int64_t sent_us = 0;
    int64_t remaining = 0;
    int64_t contained = 0;
    int64_t reset_ms = 0;
    int64_t reset_us = 0;  // when that is, on this node
    bool marked = false;
  };
  struct Waiting {
    uint64_t token;
    int64_t hits;
    int64_t since_us;
  };
  struct Exchange {
    uint64_t number;
    int64_t sent_us;
    uint64_t token;  // of the hit that it asks for; 0: none
  };

  Result DecideHit(const Request& request, uint64_t token, LeaseTime time, bool owner_is_up);
  Result DecidePeek(uint64_t token, LeaseTime time, bool owner_is_up);
  bool TakeNumbers(const Request& request, LeaseTime time);
  bool TrySpend(int64_t hits, LeaseTime time);
  Decision Admitted(LeaseTime time) const;
  Decision Denied(int64_t hits, LeaseTime time) const;
  Decision Peeked(LeaseTime time) const;
  int64_t ShownRemaining() const;
  bool IsDenialKnown(LeaseTime time) const { return time.mono_us < denied_until_us_; }
  bool HasFreshNews(int64_t asked_us) const;
  int64_t Wanted(LeaseTime time) const;
  Result Wait(const Waiting& waiting);

  void CloseLease(int64_t now_us);
  void HandBackIfOver(LeaseTime time);
  LeaseReport Report(Totals* totals, LeaseTime time, uint64_t asks_for);
  LeaseReport ReportCurrent(LeaseTime time);
  void ReportClosing(LeaseTime time, std::vector<LeaseReport>* reports);
  bool IsSyncDue() const;
  bool IsUnsure(int64_t now_us) const;
  bool IsAnswerNear(LeaseTime time) const;

  void Acknowledge(const LeaseAnswer& answer);
  void OnUnasked(const LeaseAnswer& answer, LeaseTime time);
  void HandBack(const LeaseAnswer& answer, LeaseTime time);
  void HandBackMore(const LeaseAnswer& answer, LeaseTime time);
  std::optional<Exchange> TakeExchange(uint64_t number);
  void TakeLease(const LeaseAnswer& answer, const Exchange& exchange, LeaseTime time);
  void TakeNews(const LeaseAnswer& answer, const Exchange& exchange);
  void Serve(LeaseTime time, std::vector<LeaseSettled>* settled);
  void SettleAsked(const LeaseAnswer& answer, uint64_t token, LeaseTime time,
                   std::vector<LeaseSettled>* settled);
  void SettleAll(LeaseOutcome outcome, std::vector<LeaseSettled>* settled);

  const std::string name_;
  const std::string key_;
  const Algorithm algorithm_;
  const LeaseSettings& settings_;
  LeaseNumbers& exchanges_;

  std::optional<LimitNumbers> numbers_;
  Totals current_;
  uint64_t newest_generation_ = 0;
  int64_t end_us_ = 0;  // of the lease
  std::vector<Totals> closing_;
  bool left_ = false;
  bool process_ends_ = false;

  News news_;
  int64_t denied_until_us_ = 0;
  int64_t denied_at_us_ = 0;
  int64_t denied_retry_ms_ = 0;  // from denied_at_us_ on
  int64_t forward_until_us_ = 0;

  std::deque<Waiting> waiting_;
  std::vector<Exchange> open_;
  std::optional<Exchange> asked_;           // the ask that is on its way
  std::optional<int64_t> unsure_since_us_;  // no report has been answered since this one left
  bool is_due_ = false;                     // a report is to leave with the next Collect
  bool denied_here_ = false;                // since the last report
  int renewals_ = 0;
  int64_t interval_us_ = 0;  // when it began
  int64_t wanted_ = 0;       // in this interval
  int64_t wanted_before_ = 0;
  Counts counts_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_HOLDER_H_
