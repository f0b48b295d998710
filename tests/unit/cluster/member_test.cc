#include "cluster/member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace gub {

void PrintTo(const Member& member, std::ostream* out) {
  *out << member.address << '*' << member.weight;
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string AddressOf(std::string_view text) {
  const absl::StatusOr<Member> member = ParseMember(text, 7379);
  return member.ok() ? member->address : std::string(ToStd(member.status().message()));
}

std::string ErrorOf(std::string_view text, int default_port = 7379) {
  return std::string(ToStd(ParseMember(text, default_port).status().message()));
}

TEST(ParseMemberTest, WritesHostsInLowerCaseAndThePortAlways) {
  EXPECT_EQ(AddressOf("Node-1.Example.ORG:80"), "node-1.example.org:80");
  EXPECT_EQ(AddressOf("node_1"), "node_1:7379");
  EXPECT_EQ(AddressOf("node1.example.:80"), "node1.example:80");
  EXPECT_EQ(AddressOf("10.0.0.7"), "10.0.0.7:7379");
  EXPECT_EQ(AddressOf("10.0.0.7:65535"), "10.0.0.7:65535");
}

TEST(ParseMemberTest, WritesIpv6AsRfc5952Does) {
  EXPECT_EQ(AddressOf("[2001:DB8:0:0:0:0:0:1]:80"), "[2001:db8::1]:80");
  EXPECT_EQ(AddressOf("[2001:0db8::0001]"), "[2001:db8::1]:7379");
  EXPECT_EQ(AddressOf("[2001:db8:0:1:1:1:1:1]:80"), "[2001:db8:0:1:1:1:1:1]:80");
  EXPECT_EQ(AddressOf("[2001:0:0:1:0:0:0:1]:80"), "[2001:0:0:1::1]:80");
  EXPECT_EQ(AddressOf("[2001:db8:0:0:1:0:0:1]:80"), "[2001:db8::1:0:0:1]:80");
  EXPECT_EQ(AddressOf("[::FFFF:10.0.0.1]:80"), "[::ffff:10.0.0.1]:80");
  EXPECT_EQ(AddressOf("[::1]:80"), "[::1]:80");
}

TEST(ParseMemberTest, ReadsAWeight) {
  EXPECT_EQ(*ParseMember("a:80*3", 0), (Member{"a:80", 3}));
  EXPECT_EQ(*ParseMember("a*1000", 80), (Member{"a:80", 1000}));
  EXPECT_EQ(*ParseMember("[::1]*2", 80), (Member{"[::1]:80", 2}));
  EXPECT_EQ(*ParseMember("a:80", 0), (Member{"a:80", 1}));
}

TEST(ParseMemberTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ErrorOf("a:0"), "'a:0' is no member: its port must be from 1 to 65535");
  EXPECT_EQ(ErrorOf("a:80*0"), "'a:80*0' is no member: its weight must be from 1 to 1000");
  EXPECT_EQ(ErrorOf("a", 0), "'a' is no member: its port is missing");
  EXPECT_EQ(ErrorOf("a\nb"), "'a\\nb' is no member: its host is neither an address nor a name");
  EXPECT_EQ(ErrorOf("::1:80"), "'::1:80' is no member: IPv6 must stand in [brackets]");
  EXPECT_EQ(ErrorOf("[::1"), "'[::1' is no member: a ']' is missing");
  EXPECT_EQ(ErrorOf("[::1]80"), "'[::1]80' is no member: only a port may follow the ']'");
  EXPECT_EQ(ErrorOf("[a]:80"), "'[a]:80' is no member: only IPv6 stands in [brackets]");
  EXPECT_EQ(ErrorOf("[::g]:80"), "'[::g]:80' is no member: its host is not an IPv6 address");
}

TEST(ParseMemberTest, RefusesWhatIsNoHost) {
  for (const std::string_view text :
       {"", ":80", "*3", "a..b:80", ".a:80", "-a:80", "a-:80", "a b", "a/b", "1.2.3:80",
        "1.2.3.4.5", "256.1.1.1", "010.0.0.1", "7379", "[fe80::1%eth0]:80", "\xc3\xa4:80", "a,b"}) {
    EXPECT_FALSE(ParseMember(text, 7379).ok()) << text;
  }
  EXPECT_FALSE(ParseMember(std::string(64, 'a'), 80).ok());
  EXPECT_TRUE(ParseMember(std::string(63, 'a'), 80).ok());
  EXPECT_FALSE(ParseMember(std::string_view("1.2.3.4\0:80", 11), 80).ok());
  std::string long_name = "a";
  while (long_name.size() <= 253) long_name += ".a";
  EXPECT_FALSE(ParseMember(long_name, 80).ok());
}

TEST(ParseMemberTest, RefusesTheAddressesThatStandForAll) {
  EXPECT_THAT(ErrorOf("0.0.0.0:80"), HasSubstr("stands for all"));
  EXPECT_THAT(ErrorOf("[::]:80"), HasSubstr("stands for all"));
}

TEST(ParseMemberTest, RefusesPortsAndWeightsThatAreNoPlainNumbers) {
  for (const std::string_view text :
       {"a:", "a:080", "a:+80", "a:-1", "a:65536", "a:8 0", "a:80:90", "a:80*", "a:80*1001",
        "a:80*-1", "a:80*1.5", "a:80*2*3", "a:*3", "a:99999999999999999999"}) {
    EXPECT_FALSE(ParseMember(text, 7379).ok()) << text;
  }
}

TEST(ParseMembersTest, ReadsAListWithSpacesAndCommas) {
  EXPECT_THAT(*ParseMembers(" b:1,a:1 ,\tc:1*2\r\nd ", 7),
              ElementsAre(Member{"a:1"}, Member{"b:1"}, Member{"c:1", 2}, Member{"d:7"}));
  EXPECT_THAT(*ParseMembers(" ,\n", 7), IsEmpty());
}

TEST(ParseMembersTest, MergesWhatIsThereTwice) {
  EXPECT_THAT(*ParseMembers("a:1 A:1 a.:1 [::1]:1 [0::1]:1", 0),
              ElementsAre(Member{"[::1]:1"}, Member{"a:1"}));
}

TEST(ParseMembersTest, RefusesTwoWeightsOfOneMember) {
  EXPECT_EQ(ToStd(ParseMembers("a:1*2 b:1 a:1", 0).status().message()),
            "'a:1' has two weights, 2 and 1");
}

TEST(ParseMembersTest, NamesTheOneThatIsWrong) {
  EXPECT_THAT(std::string(ToStd(ParseMembers("a:1 b:x c:1", 0).status().message())),
              HasSubstr("'b:x'"));
}

TEST(AddressTest, IsMadeFromAHostWithoutBracketsAndCutIntoItAgain) {
  for (const auto& [host, address] :
       {std::pair("2001:DB8::0001", "[2001:db8::1]:80"), std::pair("10.0.0.1", "10.0.0.1:80"),
        std::pair("Node.", "node:80")}) {
    EXPECT_EQ(*CanonicalAddress(host, 80), address);
  }
  EXPECT_FALSE(CanonicalAddress("a", 0).ok());
  EXPECT_FALSE(CanonicalAddress("a b", 80).ok());
  EXPECT_EQ(SplitAddress("[2001:db8::1]:80").host, "2001:db8::1");
  EXPECT_EQ(SplitAddress("[2001:db8::1]:80").port, 80);
  EXPECT_EQ(SplitAddress("node:7379").host, "node");
}

}  // namespace
}  // namespace gub
