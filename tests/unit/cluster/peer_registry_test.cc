#include "cluster/peer_registry.h"

#include <gtest/gtest.h>

#include <memory>

namespace gub {
namespace {

constexpr char kAddress[] = "10.0.0.1:7379";

TEST(PeerRegistryTest, AnAddressBelongsToOneProcessUntilItsLastConnectionEnds) {
  PeerRegistry peers;
  auto first = peers.Claim(kAddress, "a", 1000);
  auto second = peers.Claim(kAddress, "a", 1000);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(peers.Claim(kAddress, "b", 1001), nullptr);
  EXPECT_NE(peers.Claim("10.0.0.2:7379", "b", 1001), nullptr);
  first.reset();
  EXPECT_EQ(peers.Claim(kAddress, "b", 1002), nullptr);
  second.reset();
  EXPECT_NE(peers.Claim(kAddress, "b", 1003), nullptr);
}

TEST(PeerRegistryTest, ASilentProcessIsReplacedAndRefusedWhenItComesBack) {
  PeerRegistry peers;
  const auto old = peers.Claim(kAddress, "a", 1000);
  EXPECT_TRUE(old->Hear(3000));
  EXPECT_EQ(peers.Claim(kAddress, "b", 3000 + PeerRegistry::kHeardMs - 1), nullptr);
  const auto now = peers.Claim(kAddress, "b", 3000 + PeerRegistry::kHeardMs);
  ASSERT_NE(now, nullptr);
  EXPECT_FALSE(old->Hear(20'000));
  EXPECT_TRUE(now->Hear(20'000));
  EXPECT_EQ(peers.Claim(kAddress, "a", 20'001), nullptr);
}

TEST(PeerRegistryTest, KnowsItsOwnGreetingAndNoOther) {
  PeerRegistry peers;
  peers.StartGreeting("n1");
  peers.StartGreeting("n2");
  for (int i = 0; i < 1000; ++i) peers.HeardGreeting("stranger" + std::to_string(i));
  peers.HeardGreeting("n1");
  EXPECT_TRUE(peers.EndGreeting("n1"));
  EXPECT_FALSE(peers.EndGreeting("n1"));
  EXPECT_FALSE(peers.EndGreeting("n2"));
  peers.HeardGreeting("n2");
  EXPECT_FALSE(peers.EndGreeting("n2"));
}

TEST(PeerRegistryTest, SumsTheLinksToAPeer) {
  PeerRegistry peers;
  EXPECT_EQ(peers.StateOf(kAddress), LinkState::kUnknown);
  const auto first = peers.AddLink(kAddress);
  auto second = peers.AddLink(kAddress);
  first->requests = 3;
  second->requests = 4;
  first->largest_batch = 2;
  second->largest_batch = 9;
  second->health = OwnerHealth::State::kDown;
  EXPECT_EQ(peers.StateOf(kAddress), LinkState::kSilent);
  first->ready = true;
  EXPECT_EQ(peers.StateOf(kAddress), LinkState::kAnswers);
  ASSERT_EQ(peers.Links().size(), 1u);
  const PeerSummary sum = peers.Links().front();
  EXPECT_EQ(sum.links, 2);
  EXPECT_EQ(sum.ready, 1);
  EXPECT_EQ(sum.counts.requests, 7u);
  EXPECT_EQ(sum.counts.largest_batch, 9u);
  EXPECT_EQ(sum.health, OwnerHealth::State::kDown);
  second.reset();
  EXPECT_EQ(peers.Links().front().links, 1);
}

}  // namespace
}  // namespace gub
