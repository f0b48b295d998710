// SimLink: a PeerLink whose connection is the simulation's. Bytes arrive in order or not at all; a
// connection that breaks tells its sender later than it broke; an owner that is stopped reads when
// it wakes, also what came on connections that their sender has closed meanwhile.

#ifndef GUB_TESTS_SIM_SIM_LINK_H_
#define GUB_TESTS_SIM_SIM_LINK_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/owner_batch.h"
#include "cluster/peer_link.h"
#include "tests/sim/world.h"

namespace gub {

// A node, as links know it: the one that sends and the one at the other end.
class SimPeer {
 public:
  virtual ~SimPeer() = default;
  virtual bool IsAlive() const = 0;
  // Until when it does nothing and reads nothing.
  virtual int64_t stopped_until_us() const = 0;
  virtual int64_t mono_ms() const = 0;
  // `token` names the request in the simulation.
  virtual PeerAnswer Apply(uint64_t token, const PeerRequest& request) = 0;
};

class SimLink : private PeerLink::Host {
 public:
  using Outcome = std::function<void(const PeerAnswer* answer)>;
  // Who answers at the address now; nullptr: nobody.
  using FindOwner = std::function<std::shared_ptr<SimPeer>()>;

  SimLink(World* world, const SimPeer* self, FindOwner find_owner, const PeerLimits& limits)
      : world_(*world), self_(*self), find_owner_(std::move(find_owner)), link_(this, limits) {}
  ~SimLink() override {
    *alive_ = false;
    link_.Close();
  }

  bool Forward(uint64_t token, const PeerRequest& request, Outcome outcome) {
    outcomes_[token] = std::move(outcome);
    queue_.push_back(token);
    const bool taken = link_.Forward(token, request, world_.now_us());
    if (!taken) {
      outcomes_.erase(token);
      std::erase(queue_, token);
    }
    Tick();
    return taken;
  }
  void Flush() {
    link_.Flush(world_.now_us());
    Tick();
  }
  void Ask() {
    link_.Ask(world_.now_us());
    Tick();
  }
  // The kernel of a node that has died tells its peers, soon.
  void PeerDied(const SimPeer* peer) {
    if (owner_.get() == peer) Break();
  }
  const PeerLink& link() const { return link_; }

 private:
  // --- PeerLink::Host
  void Connect() override {
    connection_ = ++last_connection_;
    owner_ = find_owner_();
    sent_us_ = received_us_ = 0;
    const World::Fate fate = world_.NextFate();
    Later(world_.DelayUs(fate), [this, fate] {
      const bool refused = fate == World::Fate::kFails || owner_ == nullptr || !owner_->IsAlive();
      refused ? link_.OnClosed(world_.now_us()) : link_.OnConnected(world_.now_us());
    });
  }
  void Greet() override {
    Send([](SimPeer& owner) { return owner.mono_ms(); },
         [this](int64_t mono_ms) { link_.OnGreeted(mono_ms, world_.now_us()); });
  }
  void Write(const PeerBatch& batch) override {
    std::vector<uint64_t> tokens(queue_.begin(),
                                 queue_.begin() + static_cast<std::ptrdiff_t>(batch.count));
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(batch.count));
    struct Reply {
      int64_t mono_ms;
      OwnerReply reply;
    };
    Send(
        [requests = std::string(batch.requests), expires_ms = batch.expires_mono_ms,
         tokens = std::move(tokens)](SimPeer& owner) {
          size_t next = 0;
          const std::optional<OwnerReply> reply = AnswerBatch(
              requests, expires_ms, [&] { return owner.mono_ms(); },
              [&](const PeerRequest& request) { return owner.Apply(tokens[next++], request); });
          EXPECT_TRUE(reply.has_value()) << "a frame that its owner cannot read";
          return Reply{owner.mono_ms(), reply.value_or(OwnerReply{})};
        },
        [this, number = batch.number](const Reply& answer) {
          link_.OnAnswer({number, answer.mono_ms, answer.reply.answers, answer.reply.late},
                         world_.now_us());
        });
  }
  void Disconnect() override {
    connection_ = 0;
    owner_ = nullptr;
  }
  void OnAnswered(uint64_t token, const PeerAnswer& answer) override { Settle(token, &answer); }
  void OnFailed(uint64_t token) override {
    std::erase(queue_, token);
    Settle(token, nullptr);
  }
  uint64_t Dice() override { return world_.Dice(); }

  void Settle(uint64_t token, const PeerAnswer* answer) {
    const auto found = outcomes_.find(token);
    ASSERT_NE(found, outcomes_.end()) << "a second outcome of one request";
    const Outcome outcome = std::move(found->second);
    outcomes_.erase(found);
    outcome(answer);
  }

  // To the owner and back. Each way may fail: then what was sent is lost and the connection broken.
  template <typename AtOwner, typename Back>
  void Send(AtOwner at_owner, Back back) {
    const World::Fate fate = world_.NextFate();
    sent_us_ = std::max(sent_us_, world_.now_us() + world_.DelayUs(fate));
    if (fate == World::Fate::kFails) return Break();
    // It arrives, also when the link is gone by then.
    const auto read = [this, alive = alive_, connection = connection_, owner = owner_, at_owner,
                       back] {
      if (!owner->IsAlive()) return;
      const auto answer = at_owner(*owner);
      if (*alive) Return(connection, [answer, back] { back(answer); });
    };
    world_.At(sent_us_, [world = &world_, owner = owner_, read] {
      const bool stopped = owner->stopped_until_us() > world->now_us();
      stopped ? world->At(owner->stopped_until_us(), read) : read();
    });
  }
  void Return(uint64_t connection, const std::function<void()>& back) {
    if (connection != connection_) return;
    const World::Fate fate = world_.NextFate();
    received_us_ = std::max(received_us_, world_.now_us() + world_.DelayUs(fate));
    if (fate == World::Fate::kFails) return Break();
    Later(received_us_ - world_.now_us(), back);
  }
  void Break() {
    Later(world_.DelayUs(World::Fate::kFine), [this] { link_.OnClosed(world_.now_us()); });
  }

  // On this connection, or never.
  void Later(int64_t us, std::function<void()> event) {
    world_.After(us, Awake([this, connection = connection_, event = std::move(event)] {
                   if (connection != connection_) return;
                   event();
                   Tick();
                 }));
  }
  // Sees to it that the link is called when something is due.
  void Tick() {
    const std::optional<int64_t> next_us = link_.NextTickUs();
    if (!next_us || (tick_us_ && *tick_us_ <= *next_us)) return;
    tick_us_ = *next_us;
    world_.At(*next_us, Awake([this, us = *next_us] {
      if (tick_us_ != us) return;
      tick_us_.reset();
      link_.OnTick(world_.now_us());
      Tick();
    }));
  }
  // The same while the link is there, and not before its node is awake.
  std::function<void()> Awake(std::function<void()> event) {
    return [this, alive = alive_, event = std::move(event)] {
      if (!*alive || !self_.IsAlive()) return;
      if (self_.stopped_until_us() <= world_.now_us()) return event();
      world_.At(self_.stopped_until_us(), Awake(event));
    };
  }

  World& world_;
  const SimPeer& self_;
  const FindOwner find_owner_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::shared_ptr<SimPeer> owner_;
  uint64_t connection_ = 0;  // 0: none
  uint64_t last_connection_ = 0;
  int64_t sent_us_ = 0;
  int64_t received_us_ = 0;
  std::optional<int64_t> tick_us_;
  std::deque<uint64_t> queue_;  // requests that the link has not written yet
  std::map<uint64_t, Outcome> outcomes_;
  PeerLink link_;
};

}  // namespace gub

#endif  // GUB_TESTS_SIM_SIM_LINK_H_
