// Many nodes in one thread: links, owners, fallbacks, members and replies are the server's own
// code; time, network, deaths and what discovery says are the simulation's.
//
// After each run: each client has each of its answers once and in order; no request was applied
// twice, nor after it was given up; no more was admitted for a key than its limit for each life of
// a node that any table named as its owner, and, beside that, what the fallback's policy admits.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/byte_buffer.h"
#include "command/pending_replies.h"
#include "tests/property/seed.h"
#include "tests/sim/sim_node.h"
#include "tests/support/sanitized.h"

namespace gub {
namespace {

constexpr int64_t kLimit = 12;
constexpr int64_t kSecondUs = 1'000'000;

// A connection of a client: a stream of replies in the order of its requests.
struct SimClient {
  SimNode* node;
  PendingReplies pending;
  ByteBuffer out;
  std::string expected;

  ByteBuffer* end() { return pending.empty() ? &out : pending.behind(); }
};

class ClusterSim {
 public:
  struct Options {
    size_t nodes = 3;
    OnFail policy = OnFail::kError;
    int64_t leave_grace_ms = 300;
    World::Plan plan;
  };

  ClusterSim(uint64_t seed, const Options& options)
      : world_(seed, options.plan),
        state_{.world = &world_,
               .policy = options.policy,
               .limits = {.timeout_ms = 100, .batch_wait_us = 500, .batch_limit = 8},
               .leave_grace_ms = options.leave_grace_ms,
               .find = [this](const std::string& address) { return Find(address); }} {
    for (int i = 0; i < 5; ++i) keys_.push_back("account:" + std::to_string(i));
    for (size_t i = 0; i < options.nodes; ++i) {
      members_.push_back({"10.0.0." + std::to_string(i) + ":7379", 1});
    }
    for (const Member& member : members_) Start(member.address);
    // From here on a key has the owner that all of them name.
    for (auto& node : nodes_) node->Listed(members_);
    state_.owners.clear();
    for (auto& node : nodes_) node->NoteOwners();
    for (auto& node : nodes_) clients_.push_back(MakeClient(node.get()));
  }

  ~ClusterSim() {
    // Links know the nodes at their other ends, and these theirs.
    for (auto& node : nodes_) node->CutLinks();
  }
  ClusterSim(const ClusterSim&) = delete;
  ClusterSim& operator=(const ClusterSim&) = delete;

  World& world() { return world_; }
  size_t clients() const { return clients_.size(); }
  size_t answers() const { return answers_; }
  size_t stood_in() const { return stood_in_; }
  int64_t admitted(const std::string& key) { return admitted_[key]; }
  const std::vector<std::string>& keys() const { return keys_; }

  // Hits of one client, read at once by its node.
  void SendPipeline(size_t client, size_t hits) {
    SimClient& to = *clients_[client];
    if (!to.node->IsAlive()) return;
    if (to.node->stopped_until_us() > world_.now_us()) {
      return world_.At(to.node->stopped_until_us(), [=, this] { SendPipeline(client, hits); });
    }
    for (size_t i = 0; i < hits; ++i) Hit(&to, keys_[world_.Below(keys_.size())]);
    to.node->Flush();
    to.pending.Drain(&to.out);
  }

  // Something happens to a node, or to what discovery says.
  void Disturb() {
    const size_t i = world_.Below(members_.size());
    SimNode* const node = Find(members_[i].address).get();
    switch (world_.Below(7)) {
      case 0:
        return node->Stop(static_cast<int64_t>(world_.Below(600'000)));
      case 1:
        return Kill(node);
      case 2:
        return Restart(members_[i].address);
      case 3:  // it says that it leaves, and does
        for (auto& other : nodes_) {
          if (other->IsAlive() && other.get() != node) other->MemberLeaves(members_[i].address);
        }
        return Drop(i);
      case 4:  // discovery loses it
        return Drop(i);
      case 5:  // discovery loses all
        return Tell({});
      default:
        listed_.clear();
        return Tell(members_);
    }
  }

  // All that is due has come, and is right.
  void Check() {
    world_.RunUntil(world_.now_us() + 3 * kSecondUs);
    for (auto& client : clients_) {
      if (!client->node->IsAlive()) continue;
      client->pending.Drain(&client->out);
      EXPECT_EQ(client->out.view(), client->expected);
    }
    int64_t lives = 0;
    for (const auto& [address, count] : state_.lives) lives += count;
    for (const std::string& key : keys_) {
      EXPECT_LE(admitted_[key], kLimit * static_cast<int64_t>(state_.owners[key].size())) << key;
      if (state_.policy == OnFail::kOpen) continue;
      EXPECT_LE(admitted_in_stead_[key], state_.policy == OnFail::kLocal ? kLimit * lives : 0)
          << key;
    }
  }

 private:
  std::shared_ptr<SimNode> Find(const std::string& address) {
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      if ((*node)->address() == address) return *node;
    }
    return nullptr;
  }
  void Start(const std::string& address) {
    nodes_.push_back(std::make_shared<SimNode>(&state_, address, keys_));
    // The tables that name the address mean another life now.
    for (auto& node : nodes_) node->NoteOwners();
  }
  std::unique_ptr<SimClient> MakeClient(SimNode* node) {
    return std::unique_ptr<SimClient>(new SimClient{node, {}, {}, ""});
  }

  void Kill(SimNode* node) {
    node->Kill();
    for (auto& other : nodes_) other->PeerDied(node);
  }
  void Restart(const std::string& address) {
    Kill(Find(address).get());
    Start(address);
    nodes_.back()->Listed(Listed());
    clients_.push_back(MakeClient(nodes_.back().get()));
  }
  void Drop(size_t member) {
    listed_.insert(members_[member].address);
    Tell(Listed());
  }
  std::vector<Member> Listed() const {
    std::vector<Member> list;
    for (const Member& member : members_) {
      if (!listed_.contains(member.address)) list.push_back(member);
    }
    return list;
  }
  // Each node hears of it in its own time.
  void Tell(const std::vector<Member>& list) {
    for (auto& node : nodes_) {
      world_.After(static_cast<int64_t>(world_.Below(100'000)), [node, list] {
        if (node->IsAlive()) node->Listed(list);
      });
    }
  }

  void Hit(SimClient* client, const std::string& key) {
    const uint64_t token = ++next_token_;
    const std::string reply = std::to_string(token) + ' ';
    client->expected += reply;
    const auto is_open = std::make_shared<bool>(false);
    const auto is_done = std::make_shared<bool>(false);
    const PendingReplies::Ticket ticket = client->pending.next();
    const Request request = {.name = "n",
                             .key = key,
                             .hits = 1,
                             .limit = kLimit,
                             .period = Period::Ms(3'600'000),
                             .behavior = world_.Below(10) == 0 ? kNoBatching : kBatching};
    client->node->Decide(token, request, [=, this](const Decision* decision, bool stood_in) {
      EXPECT_FALSE(*is_done) << "two answers";
      *is_done = true;
      Count(key, decision, stood_in);
      if (*is_open) return client->pending.Fill(ticket, reply);
      client->end()->Append(reply);
    });
    if (*is_done) return;
    *is_open = true;
    EXPECT_EQ(client->pending.Open(), ticket);
  }
  void Count(const std::string& key, const Decision* decision, bool stood_in) {
    ++answers_;
    stood_in_ += stood_in ? 1 : 0;
    if (decision == nullptr || decision->status == LimitStatus::kOver) return;
    ++(stood_in ? admitted_in_stead_ : admitted_)[key];
  }

  World world_;
  SimState state_;
  std::vector<std::string> keys_;
  std::vector<Member> members_;
  std::set<std::string> listed_;  // what discovery has lost
  uint64_t next_token_ = 0;
  size_t answers_ = 0;
  size_t stood_in_ = 0;
  std::map<std::string, int64_t> admitted_, admitted_in_stead_;
  std::vector<std::unique_ptr<SimClient>> clients_;
  std::vector<std::shared_ptr<SimNode>> nodes_;
};

// Chance decides everything.
void RunAtRandom(uint64_t seed) {
  World dice(seed, {});
  const OnFail policies[] = {OnFail::kError, OnFail::kLocal, OnFail::kClosed, OnFail::kOpen};
  const int64_t graces_ms[] = {0, 300, 2000};
  ClusterSim sim(seed, {.nodes = 2 + dice.Below(4),
                        .policy = policies[dice.Below(4)],
                        .leave_grace_ms = graces_ms[dice.Below(3)],
                        .plan = {.one_in = dice.Below(3) == 0 ? 0 : 20 + dice.Below(300)}});
  const size_t disturbances = dice.Below(8);
  World& world = sim.world();
  for (size_t i = 0; i < 60; ++i) {
    world.After(static_cast<int64_t>(world.Below(2 * kSecondUs)),
                [&] { sim.SendPipeline(world.Below(sim.clients()), 1 + world.Below(12)); });
  }
  for (size_t i = 0; i < disturbances; ++i) {
    world.After(static_cast<int64_t>(world.Below(2 * kSecondUs)), [&] { sim.Disturb(); });
  }
  world.RunUntil(3 * kSecondUs);
  sim.Check();
}

TEST(ClusterSimTest, WhateverHappensAnswersComeOnceInOrderAndNobodyAdmitsTooMuch) {
  const uint64_t first = RunSeed();
  const uint64_t runs = kSanitized ? 300 : 3000;
  for (uint64_t seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE("repeat with GUB_SEED=" + std::to_string(seed));
    RunAtRandom(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// One short life of three nodes, in which one operation on the network goes wrong; how many
// operations there were.
size_t RunWithOne(size_t nth, World::Fate fate) {
  ClusterSim sim(1, {.plan = {.nth = nth, .fate = fate}});
  World& world = sim.world();
  for (int64_t i = 0; i < 12; ++i) {
    world.After(i * 20'000, [&, i] { sim.SendPipeline(static_cast<size_t>(i % 3), 8); });
  }
  world.RunUntil(kSecondUs * 2);
  sim.Check();
  EXPECT_EQ(sim.answers(), 12u * 8u);
  const bool is_whole = nth >= world.operations();
  if (is_whole) {
    EXPECT_EQ(sim.stood_in(), 0u);
    for (const std::string& key : sim.keys()) EXPECT_EQ(sim.admitted(key), kLimit) << key;
  }
  return world.operations();
}

TEST(ClusterSimTest, EachOperationInTurnFailsOrIsLate) {
  for (World::Fate fate : {World::Fate::kFails, World::Fate::kIsLate}) {
    size_t nth = 0;
    for (size_t operations = 1; nth < operations; ++nth) {
      SCOPED_TRACE("operation " + std::to_string(nth));
      operations = RunWithOne(nth, fate);
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(nth, 40u);
    RunWithOne(nth, fate);
  }
}

}  // namespace
}  // namespace gub
