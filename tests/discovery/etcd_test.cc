// The source `etcd` against a real etcd, with leases of 2 s, the shortest that etcd grants.

#include <chrono>
#include <iostream>

#include "tests/discovery/etcd_server.h"
#include "tests/discovery/gate.h"
#include "tests/discovery/source_run.h"

namespace gub {

namespace {

constexpr const char* kKeyOfA = "/gub/members/a:1";

class EtcdSourceTest : public ::testing::Test {
 protected:
  SourceOptions OptionsOf(const std::string& member) const {
    SourceOptions options;
    options.discovery = "etcd";
    options.self = *ParseMember(member, 0);
    options.etcd_endpoints = {etcd_.address()};
    options.etcd_lease_s = 2;
    return options;
  }
  SourceOptions Through(const Gate& gate, const std::string& member) const {
    SourceOptions options = OptionsOf(member);
    options.etcd_endpoints = {gate.address()};
    return options;
  }

  // Tells how long it took until all of them agree on `list`.
  void Agree(const std::vector<SourceRun*>& runs, const std::string& list, const char* after) {
    const auto start = TestClock::now();
    for (SourceRun* run : runs) EXPECT_TRUE(run->Becomes(list)) << after << run->LastTrouble();
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(TestClock::now() - start);
    std::cout << "agreed " << after << " within " << took.count() << " ms\n";
  }

  EtcdServer etcd_;
};

TEST_F(EtcdSourceTest, SeesNodesJoinAndLeave) {
  SourceRun a(OptionsOf("a:1"));
  Agree({&a}, "a:1", "on the first node");
  SourceRun b(OptionsOf("b:1*3"));
  Agree({&a, &b}, "a:1 b:1*3", "on a join");
  SourceRun c(OptionsOf("[::1]:7379"));
  Agree({&a, &b, &c}, "[::1]:7379 a:1 b:1*3", "on another join");
  EXPECT_TRUE(b.Leave());
  Agree({&a, &c}, "[::1]:7379 a:1", "on a leave");
}

TEST_F(EtcdSourceTest, LosesANodeThatDiesWithItsLease) {
  SourceRun a(OptionsOf("a:1"));
  ASSERT_TRUE(a.Becomes("a:1"));
  const std::string lease = etcd_.FieldOf(kKeyOfA, "lease");
  {
    SourceRun b(OptionsOf("b:1"));
    Agree({&a, &b}, "a:1 b:1", "on a join");
  }
  Agree({&a}, "a:1", "on a death, as the lease lapsed");
  // The other lease, which is older and as long, was kept alive meanwhile.
  EXPECT_EQ(etcd_.FieldOf(kKeyOfA, "lease"), lease);
}

TEST_F(EtcdSourceTest, RegistersAgainWhenItCouldNotKeepItsLease) {
  Gate gate(etcd_.port());
  SourceRun a(Through(gate, "a:1"));
  SourceRun b(OptionsOf("b:1"));
  Agree({&a, &b}, "a:1 b:1", "on two joins");
  const std::string lease = etcd_.FieldOf(kKeyOfA, "lease");
  gate.Hold("/v3/lease/keepalive");
  Agree({&b}, "b:1", "on a lease that could not be kept");
  gate.Release();
  Agree({&a, &b}, "a:1 b:1", "after that");
  EXPECT_NE(etcd_.FieldOf(kKeyOfA, "lease"), lease);
}

TEST_F(EtcdSourceTest, RegistersAgainWhenItsLeaseIsRevokedByHand) {
  SourceRun a(OptionsOf("a:1"));
  SourceRun b(OptionsOf("b:1"));
  Agree({&a, &b}, "a:1 b:1", "on two joins");
  const std::string lease = etcd_.FieldOf(kKeyOfA, "lease");
  etcd_.Ask("/v3/lease/revoke", R"({"ID":")" + lease + R"("})");
  const auto start = TestClock::now();
  EXPECT_TRUE(Eventually([&] {
    const std::string now = etcd_.FieldOf(kKeyOfA, "lease");
    return !now.empty() && now != lease;
  }));
  std::cout << "registered again after a revoked lease within "
            << (TestClock::now() - start) / std::chrono::milliseconds(1) << " ms\n";
  Agree({&a, &b}, "a:1 b:1", "after a revoked lease");
}

TEST_F(EtcdSourceTest, PutsItsEntryAgainWhenThatIsDeletedByHand) {
  SourceRun a(OptionsOf("a:1"));
  ASSERT_TRUE(a.Becomes("a:1"));
  etcd_.Delete(kKeyOfA);
  EXPECT_TRUE(Eventually([&] { return !etcd_.FieldOf(kKeyOfA, "lease").empty(); }));
  EXPECT_TRUE(a.Becomes("a:1"));
}

TEST_F(EtcdSourceTest, ComesBackWhenEtcdWasDownForLongerThanTheLease) {
  SourceRun a(OptionsOf("a:1"));
  SourceRun b(OptionsOf("b:1"));
  Agree({&a, &b}, "a:1 b:1", "on two joins");
  a.ForgetTroubles();
  etcd_.Stop();
  EXPECT_TRUE(a.GetsTrouble("connect"));
  EXPECT_EQ(a.Last(), "a:1 b:1");
  // The outage is the event here, and it has to last for longer than a lease.
  const auto stopped = TestClock::now();
  EXPECT_TRUE(Eventually([&] { return TestClock::now() - stopped > std::chrono::seconds(3); }));
  EXPECT_EQ(a.Last(), "a:1 b:1");
  const size_t lists_of_a = a.lists();
  const size_t lists_of_b = b.lists();
  const auto start = TestClock::now();
  etcd_.Start();
  EXPECT_TRUE(a.ReadsAgain(lists_of_a));
  EXPECT_TRUE(b.ReadsAgain(lists_of_b));
  std::cout << "both read again within "
            << (TestClock::now() - start) / std::chrono::milliseconds(1)
            << " ms of etcd's second start\n";
  SourceRun c(OptionsOf("c:1"));
  Agree({&a, &b, &c}, "a:1 b:1 c:1", "on a join after an outage");
}

TEST_F(EtcdSourceTest, StartsWithoutEtcdAndJoinsWhenItIsThere) {
  etcd_.Stop();
  SourceRun a(OptionsOf("a:1"));
  EXPECT_TRUE(a.GetsTrouble("connect"));
  etcd_.Start();
  Agree({&a}, "a:1", "when etcd came");
  EXPECT_TRUE(a.Leave());
}

TEST_F(EtcdSourceTest, LeavesInTimeWhenEtcdIsDown) {
  SourceRun a(OptionsOf("a:1"));
  ASSERT_TRUE(a.Becomes("a:1"));
  etcd_.Stop();
  EXPECT_TRUE(a.Leave());
}

TEST_F(EtcdSourceTest, LeavesInTimeWhenEtcdDoesNotAnswer) {
  Gate gate(etcd_.port());
  SourceRun a(Through(gate, "a:1"));
  ASSERT_TRUE(a.Becomes("a:1"));
  gate.Hold("/v3/lease/revoke");
  EXPECT_TRUE(a.Leave());
}

TEST_F(EtcdSourceTest, ListsAnewWhenItsWatchIsCompacted) {
  Gate gate(etcd_.port());
  gate.Hold("/v3/watch");
  SourceRun a(Through(gate, "a:1"));
  ASSERT_TRUE(a.Becomes("a:1"));
  ASSERT_TRUE(gate.Holds());
  // What the watch, once it is let through, wants to begin with is no longer there.
  etcd_.Put("/gub/members/b:1", R"({"address":"b:1"})");
  etcd_.Put("/gub/members/c:1", R"({"address":"c:1","weight":4})");
  etcd_.Ask("/v3/kv/compaction",
            R"({"revision":")" + etcd_.FieldOf("/gub/members/c:1", "mod_revision") + R"("})");
  EXPECT_EQ(a.Last(), "a:1");
  gate.Release();
  Agree({&a}, "a:1 b:1 c:1*4", "after a compaction");
  etcd_.Delete("/gub/members/c:1");
  Agree({&a}, "a:1 b:1", "on a change after that");
}

TEST_F(EtcdSourceTest, MissesNothingWhenItsConnectionsAreCut) {
  Gate gate(etcd_.port());
  SourceRun a(Through(gate, "a:1"));
  ASSERT_TRUE(a.Becomes("a:1"));
  gate.Hold("POST");
  gate.Cut();
  etcd_.Put("/gub/members/b:1", R"({"address":"b:1"})");
  gate.Release();
  Agree({&a}, "a:1 b:1", "after a cut");
}

TEST_F(EtcdSourceTest, TriesOneEndpointAfterTheOther) {
  SourceOptions options = OptionsOf("a:1");
  options.etcd_endpoints = {"127.0.0.1:" + std::to_string(FreePort()),
                            "http://127.0.0.1:" + std::to_string(FreePort()) + "/",
                            etcd_.address()};
  SourceRun a(options);
  Agree({&a}, "a:1", "at the third endpoint");
  EXPECT_TRUE(a.Leave());
  EXPECT_EQ(etcd_.FieldOf(kKeyOfA, "lease"), "");
}

TEST_F(EtcdSourceTest, LeavesOutEntriesThatAreNoMembers) {
  etcd_.Put("/gub/members/x", "no JSON");
  etcd_.Put("/gub/members/b:1", R"({"address":"c:1"})");
  etcd_.Put("/gub/members2/d:1", R"({"address":"d:1"})");
  SourceOptions options = OptionsOf("a:1");
  options.etcd_prefix = "/gub/members";
  SourceRun a(options);
  EXPECT_TRUE(a.Becomes("a:1"));
}

}  // namespace
}  // namespace gub
