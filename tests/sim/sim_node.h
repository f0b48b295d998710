// SimNode: a node of the simulation: the members as it sees them, the table that comes of them, a
// store of its own and a link to each peer that it has asked.

#ifndef GUB_TESTS_SIM_SIM_NODE_H_
#define GUB_TESTS_SIM_SIM_NODE_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/fallback.h"
#include "cluster/membership.h"
#include "cluster/slot_table.h"
#include "store/store.h"
#include "tests/sim/sim_link.h"
#include "tests/sim/world.h"

namespace gub {

// What all nodes of a run have in common, and what is asserted of them.
struct SimState {
  World* world;
  OnFail policy;
  PeerLimits limits;
  int64_t leave_grace_ms;
  std::function<std::shared_ptr<SimPeer>(const std::string& address)> find;

  std::map<uint64_t, int> applied{};                      // by request, by owners for others
  std::map<uint64_t, Decision> decided{};                 // by request: what its owner decided
  std::map<uint64_t, int64_t> due_us{};                   // by request: when its sender gives it up
  std::map<std::string, std::set<std::string>> owners{};  // by key: the lives that any table named
  std::map<std::string, int> lives{};                     // by address: how often it has started
};

// Tables are the same for the same members, and dear.
inline std::shared_ptr<const SlotTable> TableOf(const std::vector<Member>& members) {
  static std::map<std::string, std::shared_ptr<const SlotTable>> tables;
  std::string name;
  for (const Member& member : members) name += member.address + ' ';
  auto& table = tables[name];
  if (table == nullptr) table = std::make_shared<const SlotTable>(members, 1);
  return table;
}

class SimNode : public SimPeer {
 public:
  // What came of a request; nullptr: ONFAIL error. `stood_in`: it is not its owner's.
  using Answer = std::function<void(const Decision* decision, bool stood_in)>;

  SimNode(SimState* state, std::string address, const std::vector<std::string>& keys)
      : state_(*state),
        address_(std::move(address)),
        keys_(keys),
        clock_ahead_ms_(static_cast<int64_t>(state->world->Below(1'000'000'000))),
        store_({.max_keys = 1000}),
        membership_({address_, 1}, state->leave_grace_ms,
                    {.is_self = {},
                     .link = [this](const std::string& peer) { return StateOf(peer); },
                     .try_link = [this](const std::string& peer) { LinkTo(peer).Ask(); }}),
        table_(TableOf({{address_, 1}})) {
    ++state_.lives[address_];
    NoteOwners();
  }

  // --- SimPeer
  bool IsAlive() const override { return alive_; }
  int64_t stopped_until_us() const override { return stopped_until_us_; }
  int64_t mono_ms() const override { return state_.world->now_ms() + clock_ahead_ms_; }
  PeerAnswer Apply(uint64_t token, const PeerRequest& request) override {
    EXPECT_EQ(++state_.applied[token], 1) << "applied twice";
    EXPECT_LE(state_.world->now_us(), state_.due_us[token] + 1000)
        << "applied after it was given up";
    PeerAnswer answer;
    store_.Decide(request.request, NowMs(), &answer.decision);
    state_.decided[token] = answer.decision;
    return answer;
  }

  const std::string& address() const { return address_; }
  void Kill() { alive_ = false; }
  void Stop(int64_t us) { stopped_until_us_ = state_.world->now_us() + us; }
  void PeerDied(const SimPeer* peer) {
    for (auto& [address, link] : links_) link->PeerDied(peer);
  }

  void CutLinks() { links_.clear(); }

  void Listed(const std::vector<Member>& list) {
    Take(membership_.Listed(list, state_.world->now_ms()));
  }
  void MemberLeaves(const std::string& address) {
    Take(membership_.MemberLeaves(address, state_.world->now_ms()));
  }
  const std::vector<Member>& members() const { return membership_.members(); }

  // As DecideAnywhere of command/forwarding.h.
  void Decide(uint64_t token, const Request& request, const Answer& answer) {
    const std::string owner = table_->members()[table_->OwnerOf(SlotOf(request.key))].address;
    state_.due_us[token] = state_.world->now_us() + state_.limits.timeout_ms * 1000;
    if (owner == address_) {
      Decision decision;
      store_.Decide(request, NowMs(), &decision);
      return answer(&decision, false);
    }
    const bool taken = LinkTo(owner).Forward(
        token, {PeerOperation::kDecide, request},
        [this, token, request, answer](const PeerAnswer* from_owner) {
          if (from_owner == nullptr) return InStead(request, answer);
          EXPECT_EQ(from_owner->decision, state_.decided[token]) << "another's answer";
          answer(&from_owner->decision, false);
        });
    if (!taken) InStead(request, answer);
  }
  // The end of what was read at once.
  void Flush() {
    for (auto& [address, link] : links_) link->Flush();
  }

  // The lives that its table gives the keys to.
  void NoteOwners() {
    for (const std::string& key : keys_) {
      const std::string& owner = table_->members()[table_->OwnerOf(SlotOf(key))].address;
      state_.owners[key].insert(owner + '#' + std::to_string(state_.lives[owner]));
    }
  }

 private:
  int64_t NowMs() const { return 1'700'000'000'000 + state_.world->now_ms(); }

  // As PeerRegistry does.
  LinkState StateOf(const std::string& peer) const {
    const auto found = links_.find(peer);
    if (found == links_.end()) return LinkState::kUnknown;
    const PeerLink& link = found->second->link();
    if (link.IsReady()) return LinkState::kAnswers;
    const bool is_open =
        link.health() == OwnerHealth::State::kDown || link.health() == OwnerHealth::State::kProbing;
    return is_open ? LinkState::kSilent : LinkState::kUnknown;
  }

  SimLink& LinkTo(const std::string& address) {
    std::unique_ptr<SimLink>& link = links_[address];
    if (link == nullptr) {
      link = std::make_unique<SimLink>(
          state_.world, this, [this, address] { return state_.find(address); }, state_.limits);
    }
    return *link;
  }

  void InStead(const Request& request, const Answer& answer) {
    if (state_.policy == OnFail::kError) return answer(nullptr, true);
    Decision decision;
    DecideInStead({state_.policy, NowMs(), state_.limits.timeout_ms}, request, &store_, &decision);
    answer(&decision, true);
  }

  // As MembershipKeeper and Router.
  void Take(const Membership::Verdict& verdict) {
    if (verdict.changed) {
      table_ = TableOf(membership_.members());
      NoteOwners();
      std::erase_if(links_, [this](const auto& entry) {
        return table_->Find(entry.first) == table_->members().size();
      });
    }
    if (!verdict.look_again_mono_ms) return;
    const int64_t look = ++look_;
    state_.world->At(*verdict.look_again_mono_ms * 1000, [this, alive = life_, look] {
      if (*alive && alive_ && look == look_) Take(membership_.Look(state_.world->now_ms()));
    });
  }

  SimState& state_;
  const std::string address_;
  const std::vector<std::string>& keys_;
  const int64_t clock_ahead_ms_;
  bool alive_ = true;
  int64_t stopped_until_us_ = 0;
  int64_t look_ = 0;
  std::shared_ptr<bool> life_ = std::make_shared<bool>(true);
  Store store_;
  std::map<std::string, std::unique_ptr<SimLink>> links_;
  Membership membership_;
  std::shared_ptr<const SlotTable> table_;
};

}  // namespace gub

#endif  // GUB_TESTS_SIM_SIM_NODE_H_
