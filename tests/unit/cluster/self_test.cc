#include "cluster/self.h"

#include <gtest/gtest.h>

namespace gub {

namespace {

// Whether the member is the node that listens on `hosts` at port 7379.
bool IsOwn(const std::string& member, const std::vector<std::string>& hosts,
           const std::vector<std::string>& resolved = {}) {
  return IsSelf(SplitAddress(member), resolved, {hosts, 7379});
}

TEST(IsSelfTest, KnowsItsAddressAndItsPort) {
  EXPECT_TRUE(IsOwn("10.0.0.1:7379", {"10.0.0.1"}));
  EXPECT_FALSE(IsOwn("10.0.0.1:7380", {"10.0.0.1"}));
  EXPECT_FALSE(IsOwn("10.0.0.2:7379", {"10.0.0.1"}));
}

TEST(IsSelfTest, KnowsAnyOfSeveralAddresses) {
  EXPECT_TRUE(IsOwn("192.168.0.1:7379", {"10.0.0.1", "192.168.0.1", "fd00::1"}));
  EXPECT_TRUE(IsOwn("[fd00::1]:7379", {"10.0.0.1", "192.168.0.1", "fd00::1"}));
}

TEST(IsSelfTest, ComparesAddressesNotTheirText) {
  EXPECT_TRUE(IsOwn("[fd00::1]:7379", {"FD00:0:0::1"}));
  EXPECT_TRUE(IsOwn("[::ffff:10.0.0.1]:7379", {"10.0.0.1"}));
  EXPECT_TRUE(IsOwn("10.0.0.1:7379", {"::ffff:10.0.0.1"}));
}

TEST(IsSelfTest, KnowsANameByWhatItResolvesTo) {
  EXPECT_TRUE(IsOwn("node1:7379", {"10.0.0.1"}, {"fd00::7", "10.0.0.1"}));
  EXPECT_FALSE(IsOwn("node1:7379", {"10.0.0.1"}, {"10.0.0.2"}));
  EXPECT_FALSE(IsOwn("node1:7379", {"10.0.0.1"}, {}));
}

TEST(IsSelfTest, KnowsTheNameThatItAdvertisesWithoutResolvingIt) {
  EXPECT_TRUE(IsOwn("node1:7379", {"10.0.0.1", "Node1"}));
}

TEST(IsSelfTest, TakesEveryLoopbackAddressWhenBoundToAll) {
  EXPECT_TRUE(IsOwn("127.0.0.1:7379", {"0.0.0.0", "10.0.0.1"}));
  EXPECT_TRUE(IsOwn("127.0.0.9:7379", {"0.0.0.0", "10.0.0.1", "127.0.0.1"}));
  EXPECT_TRUE(IsOwn("[::1]:7379", {"::"}));
  EXPECT_TRUE(IsOwn("10.0.0.1:7379", {"0.0.0.0", "10.0.0.1"}));
  EXPECT_FALSE(IsOwn("10.0.0.2:7379", {"0.0.0.0", "10.0.0.1"}));
}

TEST(IsSelfTest, TakesTheAddressThatStandsForAll) {
  EXPECT_TRUE(IsOwn("0.0.0.0:7379", {"10.0.0.1"}));
  EXPECT_TRUE(IsOwn("[::]:7379", {"10.0.0.1"}));
}

TEST(IsSelfTest, KnowsTheNameThatItsMachineResolvesToALoopbackAddress) {
  EXPECT_TRUE(IsOwn("node1:7379", {"10.0.0.1"}, {"127.0.1.1"}));
}

TEST(IsSelfTest, LeavesOtherLoopbackAddressesToOthersOfItsMachine) {
  EXPECT_FALSE(IsOwn("127.0.0.2:7379", {"127.0.0.1"}));
  EXPECT_FALSE(IsOwn("node2:7379", {"127.0.0.1"}, {"127.0.0.2"}));
}

}  // namespace
}  // namespace gub
