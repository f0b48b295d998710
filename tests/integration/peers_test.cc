// What nodes make of each other: secrets, names, addresses, views, and peers among clients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/deadline.h"
#include "tests/support/raw_client.h"
#include "tests/support/test_cluster.h"

namespace gub {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kHost = "127.0.0.1:";

std::string At(int port) { return kHost + std::to_string(port); }

// A field of INFO cluster; "" when it is not there.
std::string FieldOf(int port, const std::string& name) {
  const std::string info = "\r\n" + RespClient(port).Run({"INFO", "cluster"}).text;
  const size_t at = info.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 3;
  return info.substr(begin, info.find("\r\n", begin) - begin);
}

// Hits of many keys, so that some belong to each other node.
void HitAll(int port, size_t keys = 40) {
  RespClient client(port);
  for (size_t i = 0; i < keys; ++i) {
    client.Run({"GUB.HIT", "n", "key:" + std::to_string(i), "1", "1000", "1h"});
  }
}

// Whether the node at `port` has an answer of `owner`, whose keys it asks it about.
bool IsAnsweredBy(int port, const std::string& owner) {
  RespClient client(port);
  std::string key = "key";
  while (client.Run({"GUB.OWNER", key}).text != owner) key += '+';
  return client.Run({"GUB.HIT", "n", key, "1", "1000", "1h"}).items.size() == 3;
}

// One node with these members and more options.
class Node {
 public:
  Node(int port, const std::string& peers, std::vector<std::string> more)
      : server_(Options(port, peers, std::move(more))) {}
  ServerProcess* operator->() { return &server_; }

 private:
  static std::vector<std::string> Options(int port, const std::string& peers,
                                          std::vector<std::string> more) {
    std::vector<std::string> options = {"--port",
                                        std::to_string(port),
                                        "--cluster-enabled",
                                        "yes",
                                        "--threads",
                                        "2",
                                        "--peers",
                                        peers,
                                        "--on-owner-failure",
                                        "error"};
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  ServerProcess server_;
};

TEST(PeersTest, ProveThatTheyKnowTheSecret) {
  TestCluster cluster(2, {"--cluster-secret", "s3cret"});
  RespClient client(cluster.port(0));
  EXPECT_EQ(client.Run({"GUB.HIT", "n", cluster.KeyOf(1), "1", "10", "1h"}).items.size(), 3u);
  const std::string log = cluster.server(0).Log() + cluster.server(1).Log();
  EXPECT_EQ(log.find("s3cret"), std::string::npos);

  // A client that plays a peer gets no further than the greeting, and learns nothing by which it
  // could try secrets.
  RawClient stranger(cluster.port(1));
  EXPECT_EQ(stranger.Run({"GUB.PEER", "HELLO", "2", "id", "10.0.0.1:1", "0", "nonce", "a:1"})
                .items.size(),
            5u);
  EXPECT_THAT(stranger.Run({"GUB.PEER", "PROVE", "wrong"}).text,
              StartsWith("PEERDENIED the cluster-secret is another"));
  RawClient another(cluster.port(1));
  EXPECT_THAT(another.Run({"GUB.PEER", "BATCH", "1", "99999999999", ""}).text,
              StartsWith("PEERDENIED a batch from no peer"));
  EXPECT_NE(cluster.server(1).WaitForLog("a peer was refused"), "");
}

TEST(PeersTest, AnotherSecretIsRefusedAndLoggedOnBothSides) {
  const int first = FreePort();
  const int second = FreePort();
  const std::string peers = At(first) + " " + At(second);
  Node a(first, peers, {"--cluster-secret", "one"});
  Node b(second, peers, {"--cluster-secret", "two"});
  HitAll(first);  // only this one asks
  EXPECT_THAT(a->WaitForLog("do not agree"), HasSubstr("cluster-secret is another"));
  EXPECT_THAT(b->WaitForLog("was refused"), HasSubstr("cluster-secret is another"));
}

TEST(PeersTest, AnotherProtocolIsRefused) {
  TestCluster cluster(2);
  RawClient peer(cluster.port(0));
  EXPECT_EQ(peer.Run({"GUB.PEER", "HELLO", "3", "id", "10.0.0.1:1", "0", "nonce", "a:1"}),
            RespReply::Error("PEERDENIED its peer protocol is 3 and here it is 2"));
  EXPECT_THAT(cluster.server(0).WaitForLog("was refused"), HasSubstr("peer protocol is 3"));
}

// Two nodes advertise one address. The second one is refused where the first is known, also when
// that has been silent for longer than a process is remembered: nodes look after each other.
TEST(PeersTest, TwoNodesThatClaimOneAddressAreToldApart) {
  const int first = FreePort();
  const int second = FreePort();
  const int third = FreePort();
  const std::string peers = At(first) + " " + At(second) + " " + At(third);
  Node owner(second, peers, {});
  Node asker(first, peers, {});
  ASSERT_TRUE(Eventually([&] { return IsAnsweredBy(first, At(second)); }));
  // It listens elsewhere and says that it is the second.
  Node rival(third, peers, {"--advertise", At(second)});
  EXPECT_TRUE(Eventually([&] {
    HitAll(third);
    return asker->Log().find("was refused") != std::string::npos;
  }));
  EXPECT_THAT(asker->WaitForLog("was refused"),
              HasSubstr("another node claims the address " + At(second)));
  EXPECT_THAT(rival->WaitForLog("do not agree"), HasSubstr("another node claims the address"));
}

TEST(PeersTest, ANodeKnowsItselfHoweverTheListWritesIt) {
  const int first = FreePort();
  const int second = FreePort();
  const std::string peers =
      "LOCALHOST.:" + std::to_string(first) + " localhost:" + std::to_string(second);
  // One is bound to all addresses and says nothing, the other advertises an address.
  Node a(first, peers, {"--bind", "0.0.0.0"});
  Node b(second, peers, {"--advertise", At(second)});
  EXPECT_THAT(a->WaitForLog("the members have changed"), HasSubstr("count=2"));
  EXPECT_THAT(b->WaitForLog("the members have changed"), HasSubstr("count=2"));
  EXPECT_THAT(b->Log(), HasSubstr("self=localhost:" + std::to_string(second)));
  for (int port : {first, second}) {
    RespClient client(port);
    for (int i = 0; i < 40; ++i) {
      const std::string key = "key:" + std::to_string(i);
      EXPECT_EQ(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).items.size(), 3u) << key;
    }
    EXPECT_EQ(FieldOf(port, "cluster_members"), "2");
    EXPECT_EQ(FieldOf(port, "view_mismatch"), "0");
  }
}

// Its own greeting comes back to it: nothing on the machine tells that the address is its own.
TEST(PeersTest, ANodeBehindAnotherAddressKnowsItselfByItsId) {
  const int port = FreePort();
  const std::string peers = At(port) + " 127.0.0.2:" + std::to_string(port);
  Node a(port, peers, {"--bind", "127.0.0.1 127.0.0.2", "--advertise", At(port)});
  RespClient client(port);
  EXPECT_TRUE(Eventually([&] {
    for (int i = 0; i < 20; ++i) {
      const std::string key = "key:" + std::to_string(i);
      if (client.Run({"GUB.HIT", "n", key, "0", "10", "1h"}).items.size() != 3) return false;
    }
    return true;
  }));
}

TEST(PeersTest, APortThatIsNotKnownYetIsNoAddress) {
  const ProgramResult result = RunServer({"--port", "0", "--cluster-enabled", "yes"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("gub-server: port: a node of a cluster must have one"));
}

// --- views

class ViewTest : public ::testing::Test {
 protected:
  void Write(const std::string& members) {
    std::ofstream(file_ + ".new") << members;
    std::rename((file_ + ".new").c_str(), file_.c_str());
  }
  ~ViewTest() override { std::remove(file_.c_str()); }

  const int first_ = FreePort();
  const int second_ = FreePort();
  const std::string file_ = ::testing::TempDir() + "members-" + std::to_string(first_);
  const std::string both_ = At(first_) + " " + At(second_);
};

TEST_F(ViewTest, APeerThatSeesAnotherClusterIsToldAndNobodyIsSentToIt) {
  Write(both_);
  Node a(first_, "",
         {"--discovery", "file", "--discovery-file", file_, "--cluster-redirect", "yes"});
  Node b(second_, both_, {});
  ASSERT_NE(a->WaitForLog("count=2"), "");
  const auto redirects = [&] {
    RespClient client(first_);
    int moved = 0;
    for (int i = 0; i < 20; ++i) {
      const RespReply reply =
          client.Run({"GUB.HIT", "n", "key:" + std::to_string(i), "0", "10", "1h"});
      moved += reply.text.starts_with("MOVED") ? 1 : 0;
    }
    return moved;
  };
  EXPECT_TRUE(Eventually([&] { return redirects() > 0; }));
  EXPECT_EQ(FieldOf(first_, "view_mismatch"), "0");

  Write(both_ + " " + At(FreePort()));
  ASSERT_NE(a->WaitForLog("count=3"), "");
  EXPECT_TRUE(Eventually([&] { return FieldOf(first_, "view_mismatch") == "1"; }));
  EXPECT_NE(a->WaitForLog("a peer sees another cluster"), "");
  EXPECT_EQ(redirects(), 0);

  Write(both_);
  EXPECT_TRUE(Eventually([&] { return FieldOf(first_, "view_mismatch") == "0"; }));
  EXPECT_TRUE(Eventually([&] { return redirects() > 0; }));
}

// A member that discovery forgets is asked whether it lives before its keys move.
TEST_F(ViewTest, AMemberThatLivesStaysWhenDiscoveryForgetsIt) {
  Write(both_);
  Node a(first_, "", {"--discovery", "file", "--discovery-file", file_});
  Node b(second_, both_, {});
  ASSERT_NE(a->WaitForLog("count=2"), "");
  Write(At(first_));
  // Nobody has asked it anything before.
  ASSERT_NE(b->WaitForLog("a peer has connected"), "");
  EXPECT_TRUE(Eventually(
      [&] { return FieldOf(first_, "peer0").find("connected=1") != std::string::npos; }));
  EXPECT_EQ(FieldOf(first_, "cluster_members"), "2");
  b->Signal(SIGKILL);
  EXPECT_NE(b->WaitForExit(), 0);
  EXPECT_TRUE(Eventually([&] { return FieldOf(first_, "cluster_members") == "1"; }));
}

// --- peers among clients

TEST(PeersTest, AreNoClientsToTheOptionsThatBoundClients) {
  TestCluster cluster(2, {"--maxclients", "3", "--timeout", "1"});
  const std::string key = cluster.KeyOf(1);
  const std::vector<std::string> hit = {"GUB.HIT", "n", key, "1", "1000", "1h"};
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(cluster.port(1));
    EXPECT_EQ(clients.back().Run({"PING"}), RespReply::Status("PONG"));
  }
  // No place is left for a client, but for a peer there is.
  EXPECT_THAT(RawClient(cluster.port(1)).Run({"PING"}).text,
              AnyOf(HasSubstr("max number of clients"), "(closed)"));
  RespClient client(cluster.port(0));
  EXPECT_EQ(client.Run(hit).items.size(), 3u);
  // It is no normal client either.
  clients.front().Run({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  EXPECT_EQ(client.Run(hit).items.size(), 3u);
  EXPECT_THAT(clients.front().Run({"CLIENT", "LIST", "TYPE", "master"}).text, HasSubstr("flags=M"));
  // And it is not closed when it is silent: clients are, after a second, the peer is still there.
  EXPECT_TRUE(clients.front().ReadUntilClosed().has_value());
  EXPECT_THAT(FieldOf(cluster.port(0), "peer0"), HasSubstr(",connects=1,"));
  EXPECT_THAT(FieldOf(cluster.port(0), "peer0"), HasSubstr(",failed=0,"));
}

// Whoever takes the places of peers and says nothing is gone before long.
TEST(PeersTest, SilentStrangersDoNotKeepPeersOut) {
  constexpr int kClients = 20;
  TestCluster cluster(2, {"--maxclients", std::to_string(kClients)});
  const std::string key = cluster.KeyOf(1);
  std::vector<RawClient> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back(cluster.port(1));
    EXPECT_EQ(clients.back().Run({"PING"}), RespReply::Status("PONG"));
  }
  std::vector<RawClient> strangers;
  for (int i = 0; i < 300; ++i) strangers.emplace_back(cluster.port(1));
  RespClient other(cluster.port(0));
  EXPECT_TRUE(Eventually([&] {
    return other.Run({"GUB.HIT", "n", key, "1", "1000", "1h"}).items.size() == 3;
  }));
  for (RawClient& stranger : strangers) EXPECT_TRUE(stranger.ReadUntilClosed().has_value());
  for (RawClient& client : clients) {
    EXPECT_EQ(client.Run({"PING"}), RespReply::Status("PONG"));
  }
}

// Two names of one node, and each is asked for by the other.
TEST(PeersTest, ANodeThatIsListedTwiceAnswersUnderBothNames) {
  const int first = FreePort();
  const int second = FreePort();
  const std::string peers = At(first) + " " + At(second) + " localhost:" + std::to_string(second);
  Node a(first, peers, {});
  Node b(second, peers, {});
  ASSERT_NE(b->WaitForLog("count=3"), "");
  RespClient client(first);
  for (int i = 0; i < 60; ++i) {
    const std::string key = "key:" + std::to_string(i);
    EXPECT_EQ(client.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).items.size(), 3u) << key;
  }
}

TEST(PeersTest, AnOptionOfTheLinkHoldsForALinkThatIsThere) {
  TestCluster cluster(2, {}, 30'000);
  const std::string key = cluster.KeyOf(1);
  RespClient client(cluster.port(0));
  for (int i = 0; i < 10; ++i) client.Run({"GUB.HIT", "n", key, "1", "1000", "1h"});
  EXPECT_EQ(client.Run({"CONFIG", "SET", "peer-timeout-ms", "50"}), RespReply::Status("OK"));
  cluster.server(1).Freeze();
  // With the 30 s of before the client would not wait so long.
  EXPECT_EQ(client.Run({"GUB.HIT", "n", key, "1", "1000", "1h"}).text,
            "OWNERDOWN " + cluster.AddressOf(1) + " did not answer in 50 ms");
  cluster.server(1).Signal(SIGCONT);
}

TEST(PeersTest, TheFateOfAPeerIsLoggedOnce) {
  TestCluster cluster(2, {}, 50);
  const std::string key = cluster.KeyOf(1);
  RespClient client(cluster.port(0));
  cluster.server(1).Freeze();
  for (int i = 0; i < 10; ++i) client.Run({"GUB.HIT", "n", key, "1", "1000", "1h"});
  EXPECT_THAT(cluster.server(0).WaitForLog("a peer is down"),
              HasSubstr("address=" + cluster.AddressOf(1) + " reason=\"it did not answer in time"));
  EXPECT_THAT(FieldOf(cluster.port(0), "peer0"), Not(HasSubstr("state=up")));
  cluster.server(1).Signal(SIGCONT);
  EXPECT_NE(cluster.server(0).WaitForLog("a peer is back"), "");
  const std::string log = cluster.server(0).Log();
  EXPECT_EQ(log.find("a peer is down"), log.rfind("a peer is down"));
}

TEST(PeersTest, AStallKeepsPeersWaitingAndClientsNot) {
  TestCluster cluster(2, {"--enable-debug-commands", "yes"}, 200);
  const std::string key = cluster.KeyOf(1);
  const std::vector<std::string> hit = {"GUB.HIT", "n", key, "1", "10", "1h"};
  RespClient client(cluster.port(0));
  RespClient owner(cluster.port(1));
  EXPECT_EQ(client.Run(hit).items.at(1).integer, 9);
  EXPECT_EQ(owner.Run({"GUB.DEBUG", "STALL", "x"}).type, RespReply::Type::kError);
  EXPECT_EQ(owner.Run({"GUB.DEBUG", "STALL", "900"}), RespReply::Status("OK"));
  EXPECT_THAT(client.Run(hit).text, StartsWith("OWNERDOWN "));
  EXPECT_EQ(owner.Run(hit).items.at(1).integer, 8);
  // What the peer sent meanwhile is too late when it is read.
  EXPECT_TRUE(Eventually([&] { return client.Run(hit).items.size() == 3; }));
  EXPECT_EQ(owner.Run({"GUB.HIT", "n", key, "0", "10", "1h"}).items.at(1).integer, 7);
}

TEST(PeersTest, WithRedirectATransactionIsRefusedWhenItIsQueued) {
  TestCluster cluster(2, {"--cluster-redirect", "yes"});
  const std::string key = cluster.KeyOf(1);
  RespClient client(cluster.port(0));
  const std::vector<std::string> hit = {"GUB.HIT", "n", key, "0", "10", "1h"};
  ASSERT_TRUE(Eventually([&] { return client.Run(hit).text.starts_with("MOVED "); }));
  client.Run({"MULTI"});
  EXPECT_EQ(client.Run({"GUB.HIT", "n", cluster.KeyOf(0), "1", "10", "1h"}),
            RespReply::Status("QUEUED"));
  EXPECT_THAT(client.Run(hit).text, StartsWith("MOVED "));
  EXPECT_THAT(client.Run({"EXEC"}).text, StartsWith("EXECABORT"));
  EXPECT_THAT(client.Run({"GUB.RESET", "n", key}).text, StartsWith("MOVED "));
}

// Longer than a stop waits for clients.
TEST(PeersTest, AStopAnswersByTheFallbackWhatAFrozenOwnerDoesNot) {
  TestCluster cluster(2, {}, 60'000);
  const std::string key = cluster.KeyOf(1);
  RawClient client(cluster.port(0));
  const std::vector<std::string> hit = {"GUB.HIT", "n", key, "1", "10", "1h"};
  EXPECT_EQ(client.Run(hit).items.size(), 3u);
  cluster.server(1).Freeze();
  client.Send(EncodeCommand(hit) + EncodeCommand(hit));
  ASSERT_TRUE(Eventually([&] {
    return FieldOf(cluster.port(0), "peer0").find(",in_flight=2") != std::string::npos ||
           FieldOf(cluster.port(0), "peer0").find(",in_flight=1") != std::string::npos;
  }));
  cluster.server(0).Signal(SIGTERM);
  const auto replies = client.ReadRepliesUntilClosed();
  ASSERT_TRUE(replies.has_value());
  ASSERT_EQ(replies->size(), 2u);
  for (const RespReply& reply : *replies) EXPECT_THAT(reply.text, StartsWith("OWNERDOWN "));
  cluster.server(1).Signal(SIGCONT);
  EXPECT_EQ(cluster.server(0).WaitForExit(), 0);
}

}  // namespace
}  // namespace gub
