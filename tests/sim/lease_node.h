// LeaseNode: one process of the lease simulation: its clocks, the keys that it owns, the leases
// that it holds. It does what a server will do around LeaseHolder and LeaseOwner, and nothing else.

#ifndef GUB_TESTS_SIM_LEASE_NODE_H_
#define GUB_TESTS_SIM_LEASE_NODE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/lease_frame.h"
#include "cluster/lease_holder.h"
#include "cluster/lease_owner.h"
#include "limit/leaky.h"
#include "limit/token.h"
#include "tests/sim/lease_ledger.h"
#include "tests/sim/world.h"

namespace gub {

// A bucket in the place of the store's, and its account.
class LeaseSimBucket : public LeaseStore {
 public:
  explicit LeaseSimBucket(int64_t longest_term_ms) : ledger_(longest_term_ms) {}

  Decision Apply(const Request& request, int64_t now_ms) override {
    if (request.Has(kResetRemaining)) ledger_.Reset(now_ms);
    if (request.algorithm == Algorithm::kToken) return ApplyTo(request, now_ms, &token_);
    return ApplyTo(request, now_ms, &leaky_);
  }
  void Forget(int64_t now_ms) {
    token_.reset();
    leaky_.reset();
    ledger_.Reset(now_ms);
  }
  LeaseLedger& ledger() { return ledger_; }

 private:
  static Decision ApplyAny(const Request& request, const Calendar& calendar, int64_t now_ms,
                           std::optional<TokenState>* state) {
    return ApplyToken(request, calendar, now_ms, state);
  }
  static Decision ApplyAny(const Request& request, const Calendar& calendar, int64_t now_ms,
                           std::optional<LeakyState>* state) {
    return ApplyLeaky(request, calendar, now_ms, state);
  }
  template <typename State>
  Decision ApplyTo(const Request& request, int64_t now_ms, std::optional<State>* state) {
    static const Calendar calendar;
    const std::optional<State> before = *state;
    const Decision decision = ApplyAny(request, calendar, now_ms, state);
    if (request.hits == 0 || request.Has(kResetRemaining)) return decision;
    ledger_.Changed(before, *state, now_ms);
    // Clients of the simulation do not say GLOBAL, what the owner itself gives back does.
    const bool is_refund = request.hits < 0 && !request.Has(kGlobal);
    if (is_refund) ledger_.Refund(request.algorithm, -request.hits, now_ms);
    return decision;
  }

  std::optional<TokenState> token_;
  std::optional<LeakyState> leaky_;
  LeaseLedger ledger_;
};

// What the nodes of a run share.
struct LeaseNetwork {
  World* world;
  LeaseSettings settings;
  int64_t max_leases = 1'000'000;
  // Sends a frame from one process to another, by their ids.
  std::function<void(const std::string& from, const std::string& to, std::string frame)> send;
  // A hit that waited has its outcome.
  std::function<void(const LeaseSettled& settled)> settled;
};

class LeaseNode {
 public:
  LeaseNode(LeaseNetwork* network, std::string id, const std::vector<LeaseKey>& keys)
      : network_(*network), id_(std::move(id)), keys_(keys), room_(network->max_leases) {
    World& world = *network_.world;
    offset_us_ = static_cast<int64_t>(world.Below(1'000'000'000));
    skew_ms_ = static_cast<int64_t>(world.Below(20'000)) - 10'000;
    drift_ppm_ = static_cast<int64_t>(world.Below(201)) - 100;
    next_sync_us_ =
        world.now_us() +
        static_cast<int64_t>(world.Below(static_cast<size_t>(network_.settings.sync_us())));
  }

  const std::string& id() const { return id_; }
  bool is_alive() const { return alive_; }
  void Kill() { alive_ = false; }

  LeaseTime Now() const {
    const int64_t us = network_.world->now_us();
    const int64_t mono_us = offset_us_ + us + us * drift_ppm_ / 1'000'000;
    return {mono_us, 1'700'000'000'000 + skew_ms_ + mono_us / 1000};
  }

  // Who owns a key as this node sees it: a process, by its id.
  void SetOwner(size_t key, const std::string& owner) {
    const std::string before = std::exchange(owners_[key], owner);
    if (before != owner && holders_.contains(key)) LeaveOne(key, before, false);
  }
  const std::string& OwnerOf(size_t key) { return owners_[key]; }
  bool Owns(size_t key) { return owners_[key] == id_; }

  // A hit of an own client.
  LeaseHolder::Result Hit(size_t key, const Request& request, uint64_t token, bool owner_is_up) {
    if (Owns(key)) return DecideOwn(key, request, token);
    const LeaseHolder::Result result = HolderOf(key).Decide(request, token, Now(), owner_is_up);
    Collect(key);
    return result;
  }
  // A hit on a key that it owns, or that a peer has forwarded.
  LeaseHolder::Result DecideOwn(size_t key, const Request& request, uint64_t token) {
    LeaseOutbox outbox;
    if (request.hits > 0) Bucket(key).ledger().Seen(SizeOf(request), Now().now_ms);
    const LeaseOwner::Result result = OwnerSide(key).Decide(request, token, Now(), &outbox);
    Post(outbox);
    return {result.outcome, result.decision};
  }
  void ResetBucket(size_t key) {
    LeaseOutbox outbox;
    Bucket(key).Forget(Now().now_ms);
    OwnerSide(key).OnGone(Now(), &outbox);
    Post(outbox);
  }

  void Receive(const std::string& bytes) {
    const std::optional<LeaseFrame> frame = ReadLeaseFrame(bytes, {});
    if (!frame) {
      ++bad_frames_;
      return;
    }
    if (!alive_ || frame->to != id_) return;
    for (const LeaseReport& report : frame->reports) OnReport(frame->from, report);
    for (const LeaseAnswer& answer : frame->answers) OnAnswer(std::string(frame->from), answer);
  }

  // To be called every ms or so.
  void Tick() {
    if (!alive_) return;
    const bool is_sync = network_.world->now_us() >= next_sync_us_;
    if (is_sync) next_sync_us_ += network_.settings.sync_us();
    for (auto& [key, holder] : holders_) {
      std::vector<LeaseSettled> settled;
      if (holder->NextTickUs().value_or(INT64_MAX) <= Now().mono_us)
        holder->OnTick(Now(), &settled);
      Settle(settled);
    }
    if (is_sync) Sync();
    for (auto& [key, holder] : holders_) Collect(key);
    for (auto& [key, owner] : own_) {
      const bool is_due = owner->NextTickUs().value_or(INT64_MAX) <= Now().mono_us;
      if (!is_due && !is_sync) continue;
      LeaseOutbox outbox;
      owner->OnTick(Now(), &outbox);
      Post(outbox);
    }
  }

  // SIGTERM: from now on it takes no hits; whether all it has is acknowledged.
  void LeaveAll() {
    is_leaving_ = true;
    for (size_t key = 0; key < keys_.size(); ++key) {
      if (holders_.contains(key)) LeaveOne(key, owners_[key], true);
    }
  }
  bool HasLeft() const { return is_leaving_ && leaving_.empty(); }

  LeaseSimBucket& Bucket(size_t key) {
    auto& bucket = buckets_[key];
    if (!bucket) {
      bucket = std::make_unique<LeaseSimBucket>(network_.settings.longest_term_ms() + 5);
    }
    return *bucket;
  }
  LeaseOwner& OwnerSide(size_t key) {
    auto& owner = own_[key];
    if (!owner) {
      owner = std::make_unique<LeaseOwner>(
          keys_[key], &Bucket(key), LeaseOwner::Shared{&network_.settings, &generations_, &room_});
    }
    return *owner;
  }
  const LeaseHolder* FindHolder(size_t key) const {
    const auto found = holders_.find(key);
    return found == holders_.end() ? nullptr : found->second.get();
  }
  int64_t OwnHeld(size_t key) { return OwnerSide(key).Held(); }
  size_t holders() const { return holders_.size(); }
  int64_t leases() const { return room_.taken(); }
  int bad_frames() const { return bad_frames_; }

 private:
  struct Leaving {
    size_t key;
    std::string owner;
    std::unique_ptr<LeaseHolder> holder;
  };

  LeaseHolder& HolderOf(size_t key) {
    auto& holder = holders_[key];
    if (!holder) {
      holder = std::make_unique<LeaseHolder>(keys_[key], &network_.settings, &exchanges_,
                                             newest_[owners_[key]]);
    }
    return *holder;
  }
  void LeaveOne(size_t key, const std::string& owner, bool process_ends) {
    std::vector<LeaseSettled> settled;
    Leaving leaving = {key, owner, std::move(holders_.at(key))};
    holders_.erase(key);
    leaving.holder->Leave(process_ends, Now(), &settled);
    Remember(owner, *leaving.holder);
    std::vector<LeaseReport> reports;
    leaving.holder->Collect(Now(), &reports);
    SendReports(leaving.owner, std::move(reports));
    leaving_.push_back(std::move(leaving));
    Settle(settled);
  }
  void Remember(const std::string& owner, const LeaseHolder& holder) {
    newest_[owner] = std::max(newest_[owner], holder.newest_generation());
  }
  void Sync() {
    std::map<std::string, std::vector<LeaseReport>> by_owner;
    for (auto& [key, holder] : holders_) holder->Sync(Now(), &by_owner[owners_[key]]);
    for (Leaving& leaving : leaving_) leaving.holder->Sync(Now(), &by_owner[leaving.owner]);
    for (auto& [owner, reports] : by_owner) SendReports(owner, std::move(reports));
    std::erase_if(holders_, [this](const auto& entry) {
      if (!entry.second->IsIdle(Now())) return false;
      Remember(owners_[entry.first], *entry.second);
      return true;
    });
    std::erase_if(leaving_,
                  [this](const Leaving& leaving) { return leaving.holder->IsIdle(Now()); });
  }
  void Collect(size_t key) {
    const auto found = holders_.find(key);
    if (found == holders_.end()) return;
    std::vector<LeaseReport> reports;
    found->second->Collect(Now(), &reports);
    SendReports(owners_[key], std::move(reports));
  }
  void SendReports(const std::string& to, std::vector<LeaseReport> reports) {
    if (reports.empty()) return;
    std::string bytes;
    AppendLeaseFrame({.from = id_, .to = to, .reports = std::move(reports), .answers = {}}, &bytes);
    network_.send(id_, to, std::move(bytes));
  }
  static int64_t SizeOf(const Request& request) {
    return request.algorithm == Algorithm::kLeaky ? request.BucketSize() : request.limit;
  }
  void Post(const LeaseOutbox& outbox) {
    for (const LeaseOutbox::Letter& letter : outbox.letters) {
      std::string bytes;
      AppendLeaseFrame(
          {.from = id_, .to = letter.holder, .reports = {}, .answers = {letter.answer}}, &bytes);
      network_.send(id_, letter.holder, std::move(bytes));
    }
    Settle(outbox.settled);
  }
  void Settle(const std::vector<LeaseSettled>& settled) {
    for (const LeaseSettled& one : settled) network_.settled(one);
  }

  size_t Index(const LeaseKey& key) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] == key) return i;
    }
    return SIZE_MAX;
  }
  void OnReport(std::string_view from, const LeaseReport& report) {
    const size_t key = Index(report.key);
    LeaseOutbox outbox;
    const int64_t size =
        report.key.algorithm == Algorithm::kLeaky ? report.numbers.burst : report.numbers.limit;
    if (report.hits > 0) Bucket(key).ledger().Seen(size, Now().now_ms);
    OwnerSide(key).OnReport({from, Owns(key)}, report, Now(), &outbox);
    Post(outbox);
  }
  void OnAnswer(const std::string& from, const LeaseAnswer& answer) {
    const size_t key = Index(answer.key);
    std::vector<LeaseSettled> settled;
    bool is_taken = false;
    for (Leaving& leaving : leaving_) {
      if (leaving.key != key || leaving.owner != from) continue;
      leaving.holder->OnAnswer(answer, Now(), &settled);
      is_taken = is_leaving_;
    }
    // What nobody asks for any more is handed back by a new holder.
    const bool is_wanted = holders_.contains(key) || answer.lent > 0;
    if (!is_taken && is_wanted && owners_[key] == from) {
      HolderOf(key).OnAnswer(answer, Now(), &settled);
      Settle(settled);
      Collect(key);
      if (is_leaving_) LeaveOne(key, from, true);
    }
  }

  LeaseNetwork& network_;
  const std::string id_;
  const std::vector<LeaseKey>& keys_;
  LeaseRoom room_;
  LeaseNumbers generations_;
  LeaseNumbers exchanges_;
  bool alive_ = true;
  bool is_leaving_ = false;
  int64_t offset_us_;
  int64_t skew_ms_;
  int64_t drift_ppm_;
  int64_t next_sync_us_;
  int bad_frames_ = 0;
  std::map<size_t, std::string> owners_;
  std::map<std::string, uint64_t> newest_;  // generation of holders that are no more, by owner
  std::map<size_t, std::unique_ptr<LeaseSimBucket>> buckets_;
  std::map<size_t, std::unique_ptr<LeaseOwner>> own_;
  std::map<size_t, std::unique_ptr<LeaseHolder>> holders_;
  std::vector<Leaving> leaving_;
};

}  // namespace gub

#endif  // GUB_TESTS_SIM_LEASE_NODE_H_
