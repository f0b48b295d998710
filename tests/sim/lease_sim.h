// LeaseSim: clients, nodes and a bad network around one GLOBAL key, in one thread. What decides is
// the code that a server runs; time, chance, frames, deaths and tables are the simulation's.

#ifndef GUB_TESTS_SIM_LEASE_SIM_H_
#define GUB_TESTS_SIM_LEASE_SIM_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/lease_node.h"
#include "tests/sim/world.h"

namespace gub {

struct LeasePlan {
  int nodes = 3;
  Request request = {.name = "n", .key = "k", .limit = 10, .period = Period::Ms(60'000)};
  // Of the frames one in so many is lost, doubled, late (0: none).
  size_t lost = 0;
  size_t doubled = 0;
  size_t late = 0;
  int64_t latest_us = 1'000'000;
  LeaseRules rules = {};
  int64_t max_leases = 1'000'000;
};

class LeaseSim {
 public:
  LeaseSim(uint64_t seed, const LeasePlan& plan) : world_(seed, {}), plan_(plan) {
    network_.world = &world_;
    network_.settings.rules = plan.rules;
    network_.max_leases = plan.max_leases;
    network_.send = [this](const std::string& from, const std::string& to, std::string frame) {
      Send(from, to, std::move(frame));
    };
    network_.settled = [this](const LeaseSettled& settled) { Settled(settled); };
    keys_.push_back({plan.request.name, plan.request.key, plan.request.algorithm});
    for (int i = 0; i < plan.nodes; ++i) Start(i);
    world_.After(0, [this] { Tick(); });
  }

  World& world() { return world_; }
  const LeasePlan& plan() const { return plan_; }
  LeaseNode& node(int place) { return *at_[static_cast<size_t>(place)]; }
  int owner_place() const { return owner_; }
  void Run(int64_t us) { world_.RunUntil(world_.now_us() + us); }
  // The network is as it should be from now on, and the owner is known to all.
  void Heal() {
    plan_.lost = plan_.doubled = plan_.late = 0;
    cuts_.clear();
  }

  // A client at that node; what came of it is in answers().
  uint64_t Hit(int place, const Request& request) {
    const uint64_t token = ++next_token_;
    Client& client = clients_[token];
    client = {place, request, world_.now_us(), node(place).OwnerOf(0), false};
    Take(token, node(place).Hit(0, request, token, IsUp(place)));
    return token;
  }
  uint64_t Hit(int place, int64_t hits = 1) {
    Request request = plan_.request;
    request.hits = hits;
    return Hit(place, request);
  }
  void Cut(int a, int b, int64_t us) {
    cuts_.insert({std::min(a, b), std::max(a, b)});
    world_.After(us, [this, a, b] { cuts_.erase({std::min(a, b), std::max(a, b)}); });
  }
  void ResetByCommand() { node(owner_).ResetBucket(0); }
  // The process of that place dies, and another takes its place.
  void Restart(int place) {
    node(place).Kill();
    down_until_us_[place] = world_.now_us() + 50'000;
    for (auto& [token, client] : clients_) {
      if (client.place == place) dead_.insert(token);
    }
    for (uint64_t token : dead_) clients_.erase(token);
    dead_.clear();
    Start(place);
  }
  // SIGTERM, and another process in its place once all is acknowledged.
  void Terminate(int place) {
    node(place).LeaveAll();
    terminated_us_[node(place).id()] = world_.now_us();
    terminated_.push_back(at_[static_cast<size_t>(place)]);
    Start(place);
  }
  // The table gives the key to another place; each node hears of it in its own time.
  void MoveTo(int place) {
    owner_ = place;
    TellOwner();
  }

  struct Answer {
    bool degraded = false;
    Decision decision;
    int64_t took_us = 0;
  };
  const std::map<uint64_t, Answer>& answers() const { return answers_; }
  size_t waiting() const { return clients_.size(); }
  int64_t frames() const { return frames_; }
  int64_t frame_bytes() const { return frame_bytes_; }
  LeaseLedger& ledger() { return node(owner_).Bucket(0).ledger(); }
  // Over all lives of all owners.
  int violations() {
    int sum = 0;
    for (auto& [id, process] : processes_) sum += process->Bucket(0).ledger().violations();
    return sum;
  }
  int64_t longest_wait_us() const {
    int64_t longest = 0;
    for (const auto& [token, answer] : answers_) longest = std::max(longest, answer.took_us);
    return longest;
  }
  int bad_frames() const {
    int sum = 0;
    for (const auto& [id, process] : processes_) sum += process->bad_frames();
    return sum;
  }

 private:
  struct Client {
    int place;
    Request request;
    int64_t since_us;
    std::string owner;  // the process that it was decided by
    bool is_at_owner;   // waits there
  };

  void Start(int place) {
    const std::string id = "node" + std::to_string(place) + '#' + std::to_string(++lives_);
    auto process = std::make_shared<LeaseNode>(&network_, id, keys_);
    processes_[id] = process;
    places_[id] = place;
    const auto at = static_cast<size_t>(place);
    if (at_.size() <= at) at_.resize(at + 1);
    at_[at] = process;
    if (at_.front() == nullptr) return;
    const std::string owner = node(std::min(owner_, static_cast<int>(at_.size()) - 1)).id();
    process->SetOwner(0, owner);
    if (place == owner_ && lives_ > plan_.nodes) TellOwner();
  }
  void TellOwner() {
    const std::string owner = node(owner_).id();
    for (const auto& process : at_) {
      const int64_t us = process->id() == owner ? 0 : static_cast<int64_t>(world_.Below(100'000));
      world_.After(us, [process, owner] { process->SetOwner(0, owner); });
    }
  }
  bool IsUp(int place) {
    const auto owner = processes_.find(node(place).OwnerOf(0));
    const auto down = down_until_us_.find(places_[owner->first]);
    return owner->second->is_alive() ||
           (down != down_until_us_.end() && world_.now_us() < down->second);
  }
  void Tick() {
    for (const auto& process : at_) process->Tick();
    for (const auto& process : terminated_) {
      process->Tick();
      // Its connections end when what is on its way has arrived.
      if (!process->HasLeft()) terminated_us_[process->id()] = world_.now_us();
      if (world_.now_us() > terminated_us_[process->id()] + 2'100'000) process->Kill();
    }
    std::erase_if(terminated_, [](const auto& process) { return !process->is_alive(); });
    world_.After(5000, [this] { Tick(); });
  }

  // --- the network
  bool OneIn(size_t bound) { return bound != 0 && world_.Below(bound) == 0; }
  bool IsCut(int a, int b) const { return cuts_.contains({std::min(a, b), std::max(a, b)}); }
  int64_t DelayUs() {
    const auto us = static_cast<int64_t>(20 + world_.Below(400));
    if (!OneIn(plan_.late)) return us;
    return us + static_cast<int64_t>(world_.Below(static_cast<size_t>(plan_.latest_us)));
  }
  void Send(const std::string& from, const std::string& to, std::string frame) {
    ++frames_;
    frame_bytes_ += static_cast<int64_t>(frame.size());
    const auto receiver = processes_.find(to);
    if (receiver == processes_.end() || IsCut(places_[from], places_[to]) || OneIn(plan_.lost))
      return;
    for (int copies = OneIn(plan_.doubled) ? 2 : 1; copies > 0; --copies) {
      world_.After(DelayUs(), [sender = processes_[from], process = receiver->second, frame] {
        // Who has left says nothing afterwards; who was killed may seem to.
        if (!sender->is_alive() && sender->HasLeft()) return;
        process->Receive(frame);
      });
    }
  }

  // --- clients
  void Take(uint64_t token, const LeaseHolder::Result& result) {
    if (result.outcome == LeaseOutcome::kWaits) return;
    Settled({token, result.outcome, result.decision});
  }
  void Settled(const LeaseSettled& settled) {
    const auto found = clients_.find(settled.token);
    if (found == clients_.end()) return OnStray(settled);
    Client& client = found->second;
    if (settled.outcome == LeaseOutcome::kForward) return Forward(settled.token, &client);
    if (settled.outcome == LeaseOutcome::kOnFail) return Finish(settled.token, true, {});
    Account(client, settled.decision);
    if (!client.is_at_owner) return Finish(settled.token, false, settled.decision);
    ReturnAnswer(settled.token, settled.decision);
  }
  // Its client has died, or was told OWNERDOWN: what the owner decides counts all the same.
  void OnStray(const LeaseSettled& settled) {
    const auto found = given_up_.find(settled.token);
    if (found == given_up_.end()) return;
    Account(found->second, settled.decision);
    given_up_.erase(found);
  }
  void Account(const Client& client, const Decision& decision) {
    const int64_t hits = client.request.hits;
    const bool is_reset = client.request.Has(kResetRemaining);
    if (is_reset || hits <= 0 || decision.status == LimitStatus::kOver) return;
    LeaseNode& owner = *processes_[client.owner];
    LeaseLedger& ledger = owner.Bucket(0).ledger();
    ledger.Admit(plan_.request.algorithm, hits, owner.Now().now_ms);
  }
  // As a plain request: at most once, not after its time-out.
  void Forward(uint64_t token, Client* client) {
    client->owner = node(client->place).OwnerOf(0);
    client->is_at_owner = true;
    if (client->owner == node(client->place).id()) return Arrive(token);
    world_.After(100'000, [this, token] { GiveUp(token); });
    const int64_t us = DelayUs();
    if (us > 90'000 || IsCut(client->place, places_[client->owner]) || OneIn(plan_.lost)) return;
    world_.After(us, [this, token] { Arrive(token); });
  }
  void Arrive(uint64_t token) {
    const auto found = clients_.find(token);
    if (found == clients_.end()) return;
    const Client client = found->second;
    LeaseNode& owner = *processes_[client.owner];
    if (!owner.is_alive()) return;
    const LeaseHolder::Result result = owner.DecideOwn(0, client.request, token);
    if (result.outcome == LeaseOutcome::kWaits) return;
    Account(client, result.decision);
    ReturnAnswer(token, result.decision);
  }
  void ReturnAnswer(uint64_t token, const Decision& decision) {
    const Client& client = clients_[token];
    if (client.owner == node(client.place).id()) return Finish(token, false, decision);
    if (IsCut(client.place, places_[client.owner]) || OneIn(plan_.lost)) return;
    world_.After(DelayUs(), [this, token, decision] {
      if (clients_.contains(token)) Finish(token, false, decision);
    });
  }
  void GiveUp(uint64_t token) {
    const auto found = clients_.find(token);
    if (found == clients_.end()) return;
    given_up_[token] = found->second;
    Finish(token, true, {});
  }
  void Finish(uint64_t token, bool degraded, const Decision& decision) {
    answers_[token] = {degraded, decision, world_.now_us() - clients_[token].since_us};
    clients_.erase(token);
  }

  World world_;
  LeasePlan plan_;
  LeaseNetwork network_;
  std::vector<LeaseKey> keys_;
  int owner_ = 0;
  int lives_ = 0;
  std::vector<std::shared_ptr<LeaseNode>> at_;
  std::vector<std::shared_ptr<LeaseNode>> terminated_;
  std::map<std::string, std::shared_ptr<LeaseNode>> processes_;
  std::map<std::string, int> places_;
  std::map<int, int64_t> down_until_us_;
  std::map<std::string, int64_t> terminated_us_;  // when it last had something to tell
  std::set<std::pair<int, int>> cuts_;
  uint64_t next_token_ = 0;
  std::map<uint64_t, Client> clients_;
  std::map<uint64_t, Client> given_up_;
  std::set<uint64_t> dead_;
  std::map<uint64_t, Answer> answers_;
  int64_t frames_ = 0;
  int64_t frame_bytes_ = 0;
};

}  // namespace gub

#endif  // GUB_TESTS_SIM_LEASE_SIM_H_
