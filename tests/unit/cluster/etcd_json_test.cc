#include "cluster/etcd_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gub::etcd {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kPrefix = "/gub/members/";

// An answer to a range with one entry, whose key and value are in base64.
std::string RangeOf(const std::string& key, const std::string& value) {
  return R"({"header":{"revision":"7"},"kvs":[{"key":")" + key + R"(","value":")" + value +
         R"("}],"count":"1"})";
}

TEST(EtcdJsonTest, AsksInBase64AndWithNumbersAsText) {
  EXPECT_EQ(GrantBody(10), R"({"TTL":"10"})");
  EXPECT_EQ(LeaseBody("77"), R"({"ID":"77"})");
  EXPECT_EQ(RangeBody("/a/"), R"({"key":"L2Ev","range_end":"L2Ew"})");
  EXPECT_EQ(WatchBody("/a/", 8),
            R"({"create_request":{"key":"L2Ev","range_end":"L2Ew","start_revision":"8"}})");
  EXPECT_EQ(PutBody("/a/", {"b:1", 3}, "77"),
            R"({"key":"L2EvYjox","value":"eyJhZGRyZXNzIjoiYjoxIiwid2VpZ2h0IjozfQ==",)"
            R"("lease":"77"})");
}

TEST(EtcdJsonTest, EndsAPrefixOfTheLastByteAtTheNextOne) {
  EXPECT_EQ(RangeBody("a\xff"), R"({"key":"Yf8=","range_end":"Yg=="})");
  EXPECT_EQ(RangeBody("\xff"), R"({"key":"/w==","range_end":"AA=="})");
}

TEST(EtcdJsonTest, ReadsWhatItHasPut) {
  const std::optional<MemberList> list = ReadRange(
      RangeOf("L2d1Yi9tZW1iZXJzL2I6MQ==", "eyJhZGRyZXNzIjoiYjoxIiwid2VpZ2h0IjozfQ=="), kPrefix);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->revision, 7);
  EXPECT_THAT(list->members, ElementsAre(Member{"b:1", 3}));
  EXPECT_THAT(list->wrong_keys, IsEmpty());
}

TEST(EtcdJsonTest, TakesAMissingWeightForOne) {
  // {"address":"b:1"}
  EXPECT_THAT(
      ReadRange(RangeOf("L2d1Yi9tZW1iZXJzL2I6MQ==", "eyJhZGRyZXNzIjoiYjoxIn0="), kPrefix)->members,
      ElementsAre(Member{"b:1"}));
}

TEST(EtcdJsonTest, LeavesOutEntriesThatAreNoMembersAndNamesThem) {
  const std::string b = "L2d1Yi9tZW1iZXJzL2I6MQ==";
  for (const char* value : {
           "",                                          // nothing
           "!!!!",                                      // no base64
           "e30=",                                      // {}
           "W10=",                                      // []
           "eyJhZGRyZXNzIjoxfQ==",                      // {"address":1}
           "eyJhZGRyZXNzIjoiYzoxIn0=",                  // {"address":"c:1"}, of another key
           "eyJhZGRyZXNzIjoiYiJ9",                      // {"address":"b"}
           "eyJhZGRyZXNzIjoiYjoxIiwid2VpZ2h0IjowfQ==",  // weight 0
           "eyJhZGRyZXNzIjoiYjoxKjIifQ==",              // {"address":"b:1*2"}
       }) {
    const std::optional<MemberList> list = ReadRange(RangeOf(b, value), kPrefix);
    ASSERT_TRUE(list.has_value()) << value;
    EXPECT_THAT(list->members, IsEmpty()) << value;
    EXPECT_THAT(list->wrong_keys, ElementsAre("/gub/members/b:1")) << value;
  }
}

TEST(EtcdJsonTest, ReadsAnEmptyRange) {
  const std::optional<MemberList> list = ReadRange(R"({"header":{"revision":"1"}})", kPrefix);
  ASSERT_TRUE(list.has_value());
  EXPECT_THAT(list->members, IsEmpty());
}

TEST(EtcdJsonTest, ReadsLeases) {
  const std::optional<Lease> lease = ReadGrant(R"({"header":{},"ID":"12","TTL":"3"})");
  ASSERT_TRUE(lease.has_value());
  EXPECT_EQ(lease->id, "12");
  EXPECT_EQ(lease->ttl_s, 3);
  EXPECT_EQ(ReadKeepAlive(R"({"result":{"ID":"12","TTL":"3"}})"), 3);
  EXPECT_EQ(ReadKeepAlive(R"({"result":{"ID":"12"}})"), 0) << "etcd leaves out what is 0";
}

TEST(EtcdJsonTest, TellsChangesFromTheEnd) {
  EXPECT_EQ(ReadWatchLine(R"({"result":{"header":{},"created":true}})"), WatchNews::kNothing);
  EXPECT_EQ(ReadWatchLine(R"({"result":{"header":{},"events":[{"type":"DELETE"}]}})"),
            WatchNews::kChange);
  EXPECT_EQ(ReadWatchLine(R"({"result":{"canceled":true,"compact_revision":"4"}})"),
            WatchNews::kEnd);
  EXPECT_EQ(ReadWatchLine(R"({"error":{"grpc_code":14,"message":"no"}})"), WatchNews::kEnd);
}

TEST(EtcdJsonTest, ReadsTheSentenceOfAnError) {
  EXPECT_EQ(ReadError(R"({"error":"etcdserver: no leader","code":14})"), "etcdserver: no leader");
  EXPECT_EQ(ReadError(R"({"error":{"message":"x"}})"), "");
  EXPECT_EQ(ReadError("<html>"), "");
}

TEST(EtcdJsonTest, ReadsNothingFromWhatEtcdWouldNotAnswer) {
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("\xff"),
        std::string("null"), std::string(R"({"header":1,"ID":"x","TTL":{},"result":[],"kvs":1})"),
        std::string(R"({"header":{"revision":"x"},"ID":"1","TTL":"-1"})"),
        std::string(R"({"header":{"revision":"1"},"kvs":{},"ID":1.5})"), deep}) {
    EXPECT_FALSE(ReadGrant(text).has_value()) << text;
    EXPECT_FALSE(ReadRange(text, kPrefix).has_value()) << text;
  }
  EXPECT_FALSE(ReadKeepAlive("{").has_value());
  EXPECT_FALSE(ReadKeepAlive(R"({"result":{"TTL":"x"}})").has_value());
  EXPECT_FALSE(ReadWatchLine("{").has_value());
}

}  // namespace
}  // namespace gub::etcd
