// LeaseOwner: the owner's side of one GLOBAL key, as pure code: what is lent to whom, and what is
// left for itself. (Words: lease_terms.h; the bucket: lease_bucket.h.)
//
// held = all that is lent and neither reported spent nor returned, by anyone.
// free = what the bucket has left - held. The owner admits and lends only from that.
//
//   generation | what it is                             | leaves by
//   -----------+----------------------------------------+-----------------------------------------
//   live       | lent from, prolonged by each answer    | its term -> lapsed; the window's end ->
//              |                                        |   forgotten; Replace -> old
//   lapsed     | token: what is held counts as spent,   | a report (which may give some back) ->
//              |   until it is known better; leaky: is  |   live; the window's end -> forgotten
//              |   spent for good (G3, G12), forgotten  |
//   old        | replaced (G5): recalled, lent from no  | all is reported -> forgotten; its term:
//              |   more; held stays held, whatever      |   what is held is spent -> forgotten
//              |   became of the bucket                 |
//
// A hit that does not fit what is free, but would if all came back, waits while all leases are
// recalled (G4): a round, of which there is one at a time. It ends when all have answered or a
// quarter of peer-timeout-ms is over. Hits that come meanwhile wait behind it.
//
// **What the caller does.** Every hit, refund and peek on the key, of its own clients or forwarded,
// goes through Decide as long as there is a LeaseOwner (that is, until IsIdle), whether it says
// GLOBAL or not. Each LeaseReport goes to OnReport. OnTick at NextTickUs and each global-sync-ms.
// What comes into the outbox: letters are for their holder's frames, as an answer or by a link of
// one's own; settled are own hits that waited.
// - GUB.RESET, DEL, FLUSHALL, a step of the limiter's clock: the caller does that, then OnGone.
// - Not the owner by its own table any more: is_owner false; then nothing is lent, reports still
//   count. Holders leave by themselves.
// - A peer is lost or gone: nothing; its leases end by their term (G3). Its new node id is another
//   holder.
// - SIGTERM: nothing but Decide; holders spend their leases to the end (G10).
//
// Decisions where global.md is silent:
// - A generation is one holder's, not the key's: a number is given out for each holder that is lent
//   to, and a lapse, or a settled end, replaces that one alone.
// - A report that has been overtaken, or comes twice, is counted but not lent for.
// - Asks never change numbers: a late one would bring old ones back. One whose numbers are not the
//   bucket's is answered kForward; the forwarded hit changes them, once.
// - A lapsed lease is recalled with each OnTick, ten times: what a holder never heard of comes
// back.
// - A node that asks while it still has some is recalled as the others are.
// - c, the recalls of this window, are for leaky those since ten quiet intervals.
// - retry_after of a hit that is denied while something is held: as if that were all spent.
//
// Threads:  one at a time, under the key's lock.
// Time:     lease_terms.h. A lease is live here until its term after the report was read, which is
//           later than its end at the holder.
// Memory:   about 300 bytes, the name and key, and 120 for each generation. LeaseRoom bounds the
//           generations of all keys by global-max-leases: none is lent without a place (G13). At
//           most kMaxWaiting hits wait, further ones are decided at once.
// Errors:   a report of more than was lent is not taken. Where the store is full, kForward.

#ifndef GUB_CLUSTER_LEASE_OWNER_H_
#define GUB_CLUSTER_LEASE_OWNER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/lease_bucket.h"
#include "cluster/lease_frame.h"
#include "cluster/lease_holder.h"
#include "cluster/lease_terms.h"
#include "gub/types.h"

namespace gub {

// How many generations all keys of a node may have. Thread-safe.
class LeaseRoom {
 public:
  explicit LeaseRoom(int64_t max) : max_(max) {}
  bool Take() {
    if (taken_.fetch_add(1) < max_) return true;
    taken_.fetch_sub(1);
    return false;
  }
  void GiveBack(int64_t places) { taken_.fetch_sub(places); }
  int64_t taken() const { return taken_.load(); }

 private:
  const int64_t max_;
  std::atomic<int64_t> taken_{0};
};

// What the owner has to say.
struct LeaseOutbox {
  struct Letter {
    std::string holder;  // its node id
    LeaseAnswer answer;  // borrows name and key of the LeaseOwner
  };
  std::vector<Letter> letters;
  std::vector<LeaseSettled> settled;
};

class LeaseOwner {
 public:
  static constexpr size_t kMaxWaiting = 1000;
  static constexpr int kMaxRecallsCounted = 4;
  static constexpr int kMaxRecallsWhenLapsed = 10;
  // How long an unused generation is remembered: longer than most frames are late, so that a late
  // ask is known to be one.
  static constexpr int kIdleIntervals = 15;

  struct Result {
    LeaseOutcome outcome;  // kAnswered or kWaits
    Decision decision;
  };

  // What a node's owners share. All is to outlive them.
  struct Shared {
    const LeaseSettings* settings;
    LeaseNumbers* generations;
    LeaseRoom* room;
  };

  LeaseOwner(const LeaseKey& key, LeaseStore* store, const Shared& shared);
  ~LeaseOwner();
  LeaseOwner(const LeaseOwner&) = delete;
  LeaseOwner& operator=(const LeaseOwner&) = delete;

  // One request, of an own client or forwarded. Token 0: it is not to wait.
  Result Decide(const Request& request, uint64_t token, LeaseTime time, LeaseOutbox* outbox);

  // A report; `holder` is the node id that sent it. It is answered in this outbox or, when it asks
  // for a hit that has to wait, in a later one.
  struct Sender {
    std::string_view holder;
    bool is_owner = true;  // whether this node owns the key by its own table
  };
  void OnReport(const Sender& sender, const LeaseReport& report, LeaseTime time,
                LeaseOutbox* outbox);

  // The bucket was forgotten.
  void OnGone(LeaseTime time, LeaseOutbox* outbox);
  void OnTick(LeaseTime time, LeaseOutbox* outbox);
  // When a round is over; nothing: there is none.
  std::optional<int64_t> NextTickUs() const;

  // Whether nothing is lent and nothing waits, so that the bucket alone tells all.
  bool IsIdle() const { return records_.empty() && waiting_.empty(); }
  int64_t Held() const;
  size_t leases() const { return records_.size(); }
  LeaseKey Key() const { return {name_, key_, algorithm_}; }

 private:
  struct Record {
    std::string holder;
    uint64_t generation;
    int64_t lent = 0;
    int64_t spent = 0;
    int64_t returned = 0;
    int64_t written_off = 0;  // of what is outstanding, what the bucket counts as spent
    int64_t live_until_us = 0;
    int64_t told_until_us = 0;  // the holder denies all until then
    bool is_old = false;
    bool is_replaced = false;  // old, and the bucket may be another since: nothing is given back
    bool is_drained = false;   // what returns is drained too
    bool is_recalled = false;
    uint64_t number = 0;  // of its newest report
    int recalls_when_lapsed = 0;
    int64_t wanted = 0;
    int64_t wanted_us = 0;  // when it last wanted something

    int64_t outstanding() const { return lent - spent - returned; }
    int64_t held() const { return outstanding() - written_off; }
  };
  // What an answer says of the generation that was reported.
  struct About {
    bool is_known = false;
    bool is_old = false;
    bool gave_back = false;  // what had counted as spent
    int64_t spent = 0;
    int64_t returned = 0;
    int64_t lent = 0;
  };
  // A hit that waits: an own one, or one that a holder asks for.
  struct Waiting {
    uint64_t token = 0;
    Request request = {};  // of an own one; borrows name and key of the LeaseOwner
    std::string holder;    // empty: an own one
    LeaseReport report = {};
    About about = {};
    bool is_for_owner = true;  // this node owns the key by its own table
    bool is_overtaken = false;
    bool had_round = false;

    int64_t hits() const { return holder.empty() ? request.hits : report.hits; }
  };

  // Up to here totals are added without a care; further on nothing is lent any more.
  static constexpr int64_t kMostLent = INT64_MAX / 4;

  const LeaseSettings& settings() const { return *shared_.settings; }
  const LeaseRules& rules() const { return shared_.settings->rules; }
  bool IsToken() const { return algorithm_ == Algorithm::kToken; }
  Record* CurrentOf(std::string_view holder);
  Record* MakeCurrent(std::string_view holder);
  Record* Reported(std::string_view holder, uint64_t generation);
  bool IsAnyLive(LeaseTime time) const;
  int64_t Free(LeaseTime time);
  bool FitsIfAllReturns(int64_t hits, LeaseTime time);
  template <typename Predicate>
  void Forget(Predicate predicate) {
    shared_.room->GiveBack(static_cast<int64_t>(std::erase_if(records_, predicate)));
  }

  void Advance(LeaseTime time);
  void Lapse(LeaseTime time);
  void RecallLapsed(LeaseTime time, LeaseOutbox* outbox);
  About Settle(Record* record, const LeaseReport& report, LeaseTime time);
  void Replace(bool drained, LeaseTime time, LeaseOutbox* outbox);
  void Reopen(LeaseTime time, LeaseOutbox* outbox);

  Result DecideHit(const Request& request, uint64_t token, LeaseTime time, LeaseOutbox* outbox);
  Decision ApplyOwn(const Request& request, LeaseTime time);
  Decision DenyOwn(const Request& request, LeaseTime time, LeaseOutbox* outbox);
  void TakeNumbers(const Request& request, LeaseTime time, LeaseOutbox* outbox);

  void Ask(const Waiting& asking, LeaseTime time, LeaseOutbox* outbox);
  void NoteUse(Waiting* asking, LeaseTime time);
  void RetireDone(const Waiting& asking);
  bool MayLend(const LeaseReport& report, LeaseTime time);
  LeaseVerdict Lend(const Waiting& asking, LeaseTime time);
  bool OpenWindow(LeaseTime time);
  void Grow(Record* record, int64_t hits, LeaseTime time);
  int64_t TopUp(const Record& record, int64_t free, LeaseTime time) const;
  void DenyAsk(const Waiting& asking, LeaseTime time, LeaseOutbox* outbox);
  int64_t TellDenied(Record* record, LeaseTime time);
  int64_t TermMs(LeaseTime time) const;
  LeaseAnswer Answer(const Waiting& asking, LeaseVerdict verdict, LeaseTime time);

  bool StartRound(LeaseTime time, LeaseOutbox* outbox);
  void Recall(Record* record, LeaseOutbox* outbox);
  bool IsRoundOver(LeaseTime time) const;
  void Enqueue(const Waiting& waiting);
  void Pump(LeaseTime time, bool at_once, LeaseOutbox* outbox);
  bool TryServe(const Waiting& waiting, LeaseTime time, LeaseOutbox* outbox);
  void Deny(const Waiting& waiting, LeaseTime time, LeaseOutbox* outbox);

  const std::string name_;
  const std::string key_;
  const Algorithm algorithm_;
  const Shared shared_;
  LeaseBucket bucket_;

  std::optional<LimitNumbers> numbers_;  // the bucket's
  int64_t window_end_ms_ = 0;            // token: of the open window; 0: not known
  std::vector<Record> records_;
  std::deque<Waiting> waiting_;
  int64_t round_until_us_ = 0;
  int recalls_ = 0;
  int64_t recalled_us_ = 0;  // when the last round began
  int64_t own_hit_us_ = INT64_MIN / 2;
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_OWNER_H_
