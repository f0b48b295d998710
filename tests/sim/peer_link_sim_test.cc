// A link and its owner in one thread: fake clocks that differ, a network that delays and breaks, an
// owner that stops for a while and wakes up to what was sent meanwhile. After each run: every
// request had one outcome, none was applied twice, none that was answered had another answer than
// its own, and none was applied after its time-out. (A link that breaks gives requests up earlier,
// while their batch is still on its way: their fate is unknown, but not for longer than that.)

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cluster/owner_batch.h"
#include "cluster/peer_link.h"
#include "tests/property/seed.h"

namespace gub {
namespace {

class LinkSim : public PeerLink::Host {
 public:
  explicit LinkSim(uint64_t seed) : random_(seed) {
    clock_ahead_us_ = static_cast<int64_t>(Below(2'000'000'000)) - 1'000'000'000;
    breaks_ = Below(3) == 0 ? 0 : 20 + Below(400);
    slow_ = Below(3) == 0;
  }

  void Run() {
    for (int step = 0; step < 400; ++step) {
      At(now_us_ + static_cast<int64_t>(Below(slow_ ? 40'000 : 2'000)), [this] { Client(); });
      Advance();
    }
    while (!events_.empty() || link_.in_flight() + link_.waiting() > 0) Advance();
    EXPECT_EQ(outcomes_.size(), taken_.size());
  }

 private:
  static constexpr int64_t kTimeoutMs = 100;

  // --- what the link asks for
  void Connect() override {
    const uint64_t connection = ++connection_;
    Later([this, connection] {
      if (connection != connection_) return;
      if (Breaks()) return link_.OnClosed(now_us_);
      link_.OnConnected(now_us_);
    });
  }
  void Greet() override {
    const uint64_t connection = connection_;
    ToOwner(connection, [this, connection] {
      const int64_t mono_ms = OwnerMs();
      ToSender(connection, [this, mono_ms] { link_.OnGreeted(mono_ms, now_us_); });
    });
  }
  void Write(const PeerBatch& batch) override {
    const uint64_t connection = connection_;
    const std::string requests(batch.requests);
    const uint64_t number = batch.number;
    const int64_t expires_ms = batch.expires_mono_ms;
    // Bytes given to the kernel arrive, also when the sender has closed meanwhile.
    ToOwner(connection, [=, this] { Apply(connection, number, expires_ms, requests); });
  }
  void Disconnect() override { ++connection_; }
  void OnAnswered(uint64_t token, const PeerAnswer& answer) override {
    EXPECT_TRUE(outcomes_.insert(token).second) << "two outcomes";
    EXPECT_EQ(answer.decision.remaining, static_cast<int64_t>(token)) << "another's answer";
    EXPECT_EQ(applied_[token], 1);
  }
  void OnFailed(uint64_t token) override {
    EXPECT_TRUE(outcomes_.insert(token).second) << "two outcomes";
  }
  uint64_t Dice() override { return random_(); }

  // --- the world
  void Client() {
    for (size_t i = 1 + Below(5); i > 0; --i) {
      const uint64_t token = next_token_++;
      const PeerRequest request = {PeerOperation::kDecide,
                                   {.name = "n",
                                    .key = "k",
                                    .hits = static_cast<int64_t>(token),
                                    .behavior = Below(10) == 0 ? kNoBatching : kBatching}};
      due_us_[token] = now_us_ + kTimeoutMs * 1000;
      if (link_.Forward(token, request, now_us_)) taken_.insert(token);
    }
    link_.Flush(now_us_);
  }

  void Apply(uint64_t connection, uint64_t number, int64_t expires_ms,
             const std::string& requests) {
    const auto apply = [this](const PeerRequest& request) {
      const auto token = static_cast<uint64_t>(request.request.hits);
      EXPECT_EQ(++applied_[token], 1) << "applied twice";
      EXPECT_LE(now_us_, due_us_[token] + 1000) << "applied after its time-out";
      PeerAnswer answer;
      answer.decision.remaining = request.request.hits;
      return answer;
    };
    const auto reply = AnswerBatch(
        requests, expires_ms, [this] { return OwnerMs(); }, apply);
    ASSERT_TRUE(reply.has_value());
    const int64_t mono_ms = OwnerMs();
    ToSender(connection, [=, this] {
      link_.OnAnswer({number, mono_ms, reply->answers, reply->late}, now_us_);
    });
  }

  int64_t OwnerMs() const { return (now_us_ + clock_ahead_us_) / 1000; }
  size_t Below(size_t bound) { return random_() % bound; }
  bool Breaks() { return breaks_ != 0 && Below(breaks_) == 0; }
  int64_t Delay() {
    const size_t dice = Below(50);
    if (slow_ && dice == 0) return static_cast<int64_t>(Below(400'000));
    return static_cast<int64_t>(Below(dice == 1 ? 20'000 : 300));
  }

  // In order on one connection, each way; an owner that is stopped reads later.
  void ToOwner(uint64_t connection, const std::function<void()>& arrive) {
    int64_t& last_us = owner_reads_us_[connection];
    last_us = std::max(last_us, now_us_ + Delay());
    if (slow_ && Below(40) == 0) last_us += static_cast<int64_t>(Below(600'000));
    At(last_us, arrive);
  }
  void ToSender(uint64_t connection, const std::function<void()>& arrive) {
    int64_t& last_us = sender_reads_us_[connection];
    last_us = std::max(last_us, now_us_ + Delay());
    At(last_us, [this, connection, arrive] {
      if (connection != connection_) return;
      if (Breaks()) return link_.OnClosed(now_us_);
      arrive();
    });
  }

  void Later(const std::function<void()>& event) { At(now_us_ + Delay(), event); }
  void At(int64_t us, std::function<void()> event) {
    events_.emplace(std::make_pair(us, next_event_++), std::move(event));
  }
  void Advance() {
    const std::optional<int64_t> tick = link_.NextTickUs();
    const bool ticks = tick && (events_.empty() || *tick <= events_.begin()->first.first);
    if (ticks) {
      now_us_ = std::max(now_us_, *tick);
      link_.OnTick(now_us_);
    } else if (!events_.empty()) {
      now_us_ = std::max(now_us_, events_.begin()->first.first);
      const std::function<void()> event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      event();
    }
  }

  std::mt19937_64 random_;
  int64_t now_us_ = 1'000'000;
  int64_t clock_ahead_us_ = 0;
  size_t breaks_ = 0;
  bool slow_ = false;
  uint64_t connection_ = 0;
  uint64_t next_token_ = 1;
  uint64_t next_event_ = 0;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> events_;
  std::map<uint64_t, int64_t> owner_reads_us_, sender_reads_us_;
  std::set<uint64_t> taken_, outcomes_;
  std::map<uint64_t, int> applied_;
  std::map<uint64_t, int64_t> due_us_;
  PeerLink link_{this, {.timeout_ms = kTimeoutMs, .batch_wait_us = 500, .batch_limit = 8}};
};

TEST(PeerLinkSimTest, WhateverTheNetworkDoesARequestIsAppliedOnceAtMostAndNotLate) {
  const uint64_t first = RunSeed();
  for (uint64_t i = 0; i < 1000; ++i) {
    SCOPED_TRACE("seed " + std::to_string(first + i) + " (repeat with GUB_SEED)");
    LinkSim(first + i).Run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gub
