// Three real nodes as one limiter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cluster/owner_health.h"
#include "tests/support/raw_client.h"
#include "tests/support/test_cluster.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kDown = "OWNERDOWN ";

TEST(ClusterTest, AllNodesNameTheSameOwnerAndShareTheSlots) {
  TestCluster cluster(3);
  std::vector<int> keys(3);
  for (int i = 0; i < 60; ++i) {
    const std::string key = "account:" + std::to_string(i);
    const size_t owner = cluster.OwnerOf(key, 0);
    EXPECT_EQ(cluster.OwnerOf(key, 1), owner);
    EXPECT_EQ(cluster.OwnerOf(key, 2), owner);
    ++keys[owner];
  }
  for (int count : keys) EXPECT_GT(count, 5);
  const RespReply peers = RespClient(cluster.port(1)).Run({"GUB.PEERS"});
  ASSERT_EQ(peers.items.size(), 3u);
  int64_t slots = 0;
  int64_t selves = 0;
  for (const RespReply& peer : peers.items) {
    slots += peer.Find("slots")->integer;
    selves += peer.Find("self")->integer;
    EXPECT_EQ(peer.Find("state")->text, "up");
    EXPECT_EQ(peer.Find("id")->text.size(), 40u);
  }
  EXPECT_EQ(slots, 16384);
  EXPECT_EQ(selves, 1);
}

TEST(ClusterTest, EveryNodeDecidesForEveryKeyAndTheyCountTogether) {
  TestCluster cluster(3);
  for (int i = 0; i < 20; ++i) {
    const std::string line = "GUB.HIT n account:" + std::to_string(i) + " 1 10 1h leaky";
    for (size_t node = 0; node < 3; ++node) {
      const RespReply reply = RespClient(cluster.port(node)).RunLine(line);
      ASSERT_EQ(reply.items.size(), 3u) << ::testing::PrintToString(reply);
      EXPECT_EQ(reply.items[1].integer, 9 - static_cast<int64_t>(node));
    }
  }
}

TEST(ClusterTest, OneKeyHitOnAllNodesIsAdmittedExactlyToItsLimit) {
  TestCluster cluster(3);
  constexpr int kConnections = kSanitized ? 24 : 192;
  constexpr int kHits = kSanitized ? 200 : 350;  // 67 200 together
  std::vector<std::vector<RespReply>> replies(kConnections);
  std::vector<std::thread> threads;
  for (int i = 0; i < kConnections; ++i) {
    threads.emplace_back([&, i] {
      RespClient client(cluster.port(static_cast<size_t>(i) % 3));
      const std::vector<std::vector<std::string>> pipeline(
          50, {"GUB.HIT", "n", "hot", "1", "1000", "10m"});
      for (int sent = 0; sent < kHits; sent += 50) {
        for (RespReply& reply : client.RunAll(pipeline)) {
          replies[static_cast<size_t>(i)].push_back(std::move(reply));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int64_t> remaining;
  for (const auto& list : replies) {
    for (const RespReply& reply : list) {
      ASSERT_EQ(reply.items.size(), 3u) << ::testing::PrintToString(reply);
      if (reply.items[0].integer == 0) remaining.push_back(reply.items[1].integer);
    }
  }
  std::sort(remaining.begin(), remaining.end());
  ASSERT_EQ(remaining.size(), 1000u);
  for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(remaining[static_cast<size_t>(i)], i);
}

// Each hit's limit is a number of its own, which FULL tells: so a reply shows whose it is.
TEST(ClusterTest, RepliesMatchTheirRequestsInOrderAlsoWhileAnOwnerIsFrozen) {
  TestCluster cluster(3, {"--on-owner-failure", "local"}, 300);
  RawClient client(cluster.port(0));
  std::string pipeline;
  for (int i = 0; i < 1000; ++i) {
    pipeline += EncodeCommand({"GUB.HIT", "n", "k" + std::to_string(i % 300), "1",
                               std::to_string(1'000'000 + i), "1h", "FULL"});
    if (i % 5 == 0) pipeline += EncodeCommand({"ECHO", std::to_string(i)});
    if (i % 7 == 0) pipeline += EncodeCommand({"GUB.HIT", "n"});
  }
  cluster.server(1).Freeze();
  ASSERT_TRUE(client.Send(pipeline));
  for (int i = 0; i < 1000; ++i) {
    const std::optional<RespReply> hit = client.ReadReply();
    ASSERT_TRUE(hit.has_value()) << i;
    ASSERT_NE(hit->Find("limit"), nullptr) << ::testing::PrintToString(*hit);
    ASSERT_EQ(hit->Find("limit")->integer, 1'000'000 + i);
    if (i % 5 == 0) {
      ASSERT_EQ(client.ReadReply(), RespReply::Bulk(std::to_string(i)));
    }
    if (i % 7 == 0) {
      ASSERT_EQ(client.ReadReply(),
                RespReply::Error("ERR wrong number of arguments for 'gub.hit' command"));
    }
  }
  cluster.server(1).Signal(SIGCONT);
}

TEST(ClusterTest, TransactionsAndShapesCrossNodes) {
  TestCluster cluster(3);
  RespClient client(cluster.port(0));
  client.Run({"MULTI"});
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(client.Run({"GUB.HIT", "n", "t" + std::to_string(i), "1", "5", "1h"}),
              RespReply::Status("QUEUED"));
  }
  const RespReply replies = client.Run({"EXEC"});
  ASSERT_EQ(replies.items.size(), 30u);
  for (const RespReply& reply : replies.items) EXPECT_EQ(reply.items.at(1).integer, 4);

  const std::string key = cluster.KeyOf(1);
  EXPECT_EQ(client.Run({"GUB.TAKE", key, "5", "1"}), RespReply::Integers({1, 4, 0}));
  EXPECT_EQ(client.Run({"CL.THROTTLE", key, "3", "1", "60"}),
            RespReply::Integers({0, 4, 3, -1, 60}));
  EXPECT_EQ(client.Run({"GUB.HIT", "n", key, "1", "5", "1h", "FULL"}).Find("owner")->text,
            cluster.AddressOf(1));
  EXPECT_EQ(client.Run({"GUB.RESET", "n", key}), RespReply::Integer(1));
  EXPECT_EQ(client.Run({"DEL", key, "nothing"}), RespReply::Integer(1));
  EXPECT_EQ(client.Run({"GUB.TAKE", key, "5", "1"}), RespReply::Integers({1, 4, 0}));
}

TEST(ClusterTest, ADeadOwnerIsAnsweredForByPolicyAndComesBack) {
  TestCluster cluster(3, {}, 2000);
  RespClient client(cluster.port(0));
  const std::string key = cluster.KeyOf(1);
  EXPECT_EQ(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).items.at(1).integer, 9);
  cluster.Kill(1);
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).text,
                StartsWith(kDown + cluster.AddressOf(1) + " did not answer in 2000 ms"));
  }
  const auto with = [&](const std::string& policy) {
    return client.Run({"GUB.HIT", "n", key, "1", "10", "1h", "ONFAIL", policy, "FULL"});
  };
  const RespReply local = with("local");
  EXPECT_EQ(local.Find("remaining")->integer, 9);
  EXPECT_EQ(local.Find("degraded")->integer, 1);
  EXPECT_EQ(local.Find("owner")->text, cluster.AddressOf(1));
  EXPECT_EQ(with("local").Find("remaining")->integer, 8);
  EXPECT_EQ(with("open").Find("remaining")->integer, 10);
  EXPECT_EQ(with("open").Find("status")->integer, 0);
  EXPECT_EQ(with("closed").Find("status")->integer, 1);
  EXPECT_EQ(with("closed").Find("retry_after")->integer, 2000);
  EXPECT_THAT(client.Run({"GUB.RESET", "n", key}).text, StartsWith(kDown));
  // The others' keys are not touched by it.
  EXPECT_EQ(client.Run({"GUB.HIT", "n", cluster.KeyOf(2), "1", "10", "1h"}).items.size(), 3u);

  cluster.Start(1);
  EXPECT_TRUE(Eventually([&] {
    const RespReply reply = client.Run({"GUB.HIT", "n", key, "1", "10", "1h"});
    // A new process, a new bucket; and not the stand-in's.
    return reply.items.size() == 3 && reply.items[1].integer == 9;
  }));
}

TEST(ClusterTest, NoRequestWaitsForAnOwnerThatIsKnownToBeDown) {
  TestCluster cluster(2, {}, 60'000);
  RespClient client(cluster.port(0));
  const std::string key = cluster.KeyOf(1);
  cluster.Kill(1);
  // A refused connection is a failure at once; with a time-out of a minute none of these waits.
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i) {
    EXPECT_THAT(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).text, StartsWith(kDown));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  EXPECT_EQ(InfoNumber(&client, "fallback_answers"), 2000);
}

// A number of what INFO says of a node's only peer.
int64_t PeerNumber(RespClient* client, const std::string& name) {
  const std::string info = client->Run({"INFO", "cluster"}).text;
  const size_t at = info.find("," + name + "=", info.find("peer0:"));
  return at == std::string::npos ? -1 : std::stoll(info.substr(at + name.size() + 2));
}

// 2000 hits a second, on keys of both nodes, through the one that lives.
TEST(ClusterTest, AnOwnerThatIsKilledUnderLoadCostsNobodyAnAnswer) {
  constexpr int kClients = 8;
  constexpr int kHits = kSanitized ? 300 : 1500;  // of each
  TestCluster cluster(2, {"--on-owner-failure", "local"}, 1000);
  const std::string key = cluster.KeyOf(1);
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  const auto start = TestClock::now();
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      RespClient client(cluster.port(0));
      for (int hit = 0; hit < kHits; ++hit) {
        std::this_thread::sleep_until(start + std::chrono::milliseconds(4 * hit));
        const std::string other = "key:" + std::to_string((i * kHits + hit) % 50);
        const std::string& hit_key = hit % 2 == 0 ? key : other;
        const RespReply reply = client.Run({"GUB.HIT", "n", hit_key, "1", "1000000", "1h"});
        ASSERT_EQ(reply.items.size(), 3u) << reply.text;
        ASSERT_EQ(reply.items[0].integer, 0);
        ++answered;
      }
    });
  }
  ASSERT_TRUE(Eventually([&] { return answered > kClients * kHits / 4; }));
  cluster.Kill(1);
  const auto killed = TestClock::now();
  ASSERT_TRUE(Eventually([&] { return answered > kClients * kHits * 3 / 4; }));
  RespClient client(cluster.port(0));
  // Those on the way when it died, and those that then found out, at most; all others were answered
  // at once.
  const int64_t failed = PeerNumber(&client, "failed");
  const int64_t refused = PeerNumber(&client, "refused");
  EXPECT_LE(failed, 2 * kClients * OwnerHealth::kFailuresToOpen);
  EXPECT_GT(refused, kClients * kHits / 4);
  // One probe at a time of each worker, with pauses of at least half of the first one.
  const auto dead =
      std::chrono::duration_cast<std::chrono::milliseconds>(TestClock::now() - killed);
  EXPECT_LE(PeerNumber(&client, "connects"), 2 * (1 + OwnerHealth::kFailuresToOpen +
                                                  dead.count() / (OwnerHealth::kFirstWaitMs / 2)));
  cluster.Start(1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, kClients * kHits);
  EXPECT_EQ(PeerNumber(&client, "failed") + PeerNumber(&client, "refused"),
            InfoNumber(&client, "fallback_answers"));
  EXPECT_TRUE(Eventually([&] {
    return client.Run({"GUB.HIT", "n", key, "0", "1000000", "1h", "FULL"})
               .Find("degraded")
               ->integer == 0;
  }));
}

TEST(ClusterTest, AFrozenOwnerAppliesNothingThatWasGivenUp) {
  TestCluster cluster(2, {}, kSanitized ? 2000 : 300);
  RespClient client(cluster.port(0));
  const std::string key = cluster.KeyOf(1);
  EXPECT_EQ(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).items.at(1).integer, 9);
  cluster.server(1).Freeze();
  for (int i = 0; i < 6; ++i) {
    EXPECT_THAT(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).text, StartsWith(kDown));
  }
  cluster.server(1).Signal(SIGCONT);
  RespClient owner(cluster.port(1));
  // Everything that was sent to it has been read when it has said so.
  EXPECT_TRUE(Eventually([&] { return InfoNumber(&owner, "peer_late_batches") >= 1; }));
  EXPECT_EQ(owner.Run({"GUB.HIT", "n", key, "0", "10", "1h"}).items.at(1).integer, 9);
  EXPECT_TRUE(Eventually([&] {
    return client.Run({"GUB.HIT", "n", key, "0", "10", "1h"}).items.size() == 3;
  }));
}

TEST(ClusterTest, ClusterClientsFindTheirWay) {
  TestCluster cluster(3);
  RespClient client(cluster.port(0));
  EXPECT_THAT(client.Run({"CLUSTER", "INFO"}).text, HasSubstr("cluster_state:ok\r\n"));
  EXPECT_EQ(client.Run({"CLUSTER", "KEYSLOT", "foo"}), RespReply::Integer(12182));
  int64_t next = 0;
  for (const RespReply& range : client.Run({"CLUSTER", "SLOTS"}).items) {
    ASSERT_EQ(range.items.at(0).integer, next);
    next = range.items.at(1).integer + 1;
    EXPECT_EQ(range.items.at(2).items.at(0).text, "127.0.0.1");
    EXPECT_EQ(range.items.at(2).items.size(), 4u);
  }
  EXPECT_EQ(next, 16384);
  const std::string nodes = client.Run({"CLUSTER", "NODES"}).text;
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), '\n'), 3);
  EXPECT_THAT(nodes, HasSubstr("myself,master"));
  const RespReply shards = client.Run({"CLUSTER", "SHARDS"});
  EXPECT_EQ(shards.items.size(), 3u);
  EXPECT_EQ(client.Run({"READONLY"}), RespReply::Status("OK"));
  EXPECT_THAT(RawClient(cluster.port(0)).Run({"HELLO", "3"}).Find("mode")->text, "cluster");
}

TEST(ClusterTest, WithRedirectClientsAreSentToTheOwnerOnceItsLinkIsUp) {
  TestCluster cluster(2, {"--cluster-redirect", "yes"});
  const std::string key = cluster.KeyOf(1);
  RespClient client(cluster.port(0));
  const std::string slot = std::to_string(client.Run({"CLUSTER", "KEYSLOT", key}).integer);
  EXPECT_TRUE(Eventually([&] {
    return client.Run({"GUB.HIT", "n", key, "0", "10", "1h"}) ==
           RespReply::Error("MOVED " + slot + " " + cluster.AddressOf(1));
  }));
  EXPECT_EQ(RespClient(cluster.port(1)).Run({"GUB.HIT", "n", key, "1", "10", "1h"}).items.size(),
            3u);
}

TEST(ClusterTest, AStopAnswersWhatWaitsForOthers) {
  TestCluster cluster(2, {"--on-owner-failure", "local"});
  const std::string key = cluster.KeyOf(1);
  RawClient client(cluster.port(0));
  std::string pipeline;
  for (int i = 0; i < 500; ++i) pipeline += EncodeCommand({"GUB.HIT", "n", key, "1", "1000", "1h"});
  client.Send(pipeline);
  cluster.server(0).Signal(SIGTERM);
  const auto replies = client.ReadRepliesUntilClosed();
  ASSERT_TRUE(replies.has_value());
  EXPECT_EQ(replies->size(), 500u);
  EXPECT_EQ(cluster.server(0).WaitForExit(), 0);
}

}  // namespace
}  // namespace gub
