// PeerLinkTest: a link whose host the test plays.

#ifndef GUB_TESTS_UNIT_CLUSTER_PEER_LINK_FIXTURE_H_
#define GUB_TESTS_UNIT_CLUSTER_PEER_LINK_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cluster/peer_link.h"

namespace gub {

class PeerLinkTest : public ::testing::Test, public PeerLink::Host {
 protected:
  struct Sent {
    uint64_t number;
    int64_t expires_mono_ms;
    size_t count;
  };

  void Connect() override { ++connects_; }
  void Greet() override { ++greets_; }
  void Write(const PeerBatch& batch) override {
    EXPECT_EQ(ReadPeerRequests(batch.requests, 1000, PeerLink::kMaxBatchBytes)->size(),
              batch.count);
    sent_.push_back({batch.number, batch.expires_mono_ms, batch.count});
  }
  bool CanWrite() const override { return can_write_; }
  void Disconnect() override { ++disconnects_; }
  void OnAnswered(uint64_t token, const PeerAnswer&) override { answered_.push_back(token); }
  void OnFailed(uint64_t token) override { failed_.push_back(token); }
  uint64_t Dice() override { return 0; }

  bool Forward(uint64_t token, uint32_t behavior = kBatching) {
    return link_.Forward(
        token, {PeerOperation::kDecide, {.name = "n", .key = "k", .behavior = behavior}}, now_us_);
  }
  void MakeReady() {
    Forward(99);
    link_.OnConnected(now_us_);
    link_.OnGreeted(kOwnerMs, now_us_);
    Answer(1, 1);
    sent_.clear();
    answered_.clear();
  }
  void Answer(uint64_t number, size_t count, bool late = false) {
    std::string answers;
    for (size_t i = 0; i < count; ++i) AppendPeerAnswer({}, &answers);
    link_.OnAnswer({number, kOwnerMs + now_us_ / 1000 - kStartUs / 1000, answers, late}, now_us_);
  }
  std::vector<uint64_t> TakeFailed() { return std::exchange(failed_, {}); }
  std::vector<uint64_t> TakeAnswered() { return std::exchange(answered_, {}); }

  static constexpr int64_t kStartUs = 1'000'000;
  static constexpr int64_t kOwnerMs = 50'000;
  int64_t now_us_ = kStartUs;
  bool can_write_ = true;
  int connects_ = 0, greets_ = 0, disconnects_ = 0;
  std::vector<Sent> sent_;
  std::vector<uint64_t> answered_, failed_;
  PeerLink link_{this,
                 {.timeout_ms = 100, .batch_wait_us = 500, .batch_limit = 3, .max_requests = 10}};
};

}  // namespace gub

#endif  // GUB_TESTS_UNIT_CLUSTER_PEER_LINK_FIXTURE_H_
