#include "proto/gubernator_json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace gub {
namespace {

std::vector<GatewayRequest> Read(std::string_view body, size_t most = 1000) {
  auto read = ReadRateLimits(body, most);
  EXPECT_TRUE(read.ok()) << std::string(ToStd(read.status().message()));
  return read.ok() ? *std::move(read) : std::vector<GatewayRequest>();
}

std::string ErrorOf(std::string_view body, size_t most = 1000) {
  const auto read = ReadRateLimits(body, most);
  return read.ok() ? "none" : std::string(ToStd(read.status().message()));
}

TEST(GubernatorJsonTest, ReadsAllFields) {
  const auto requests = Read(
      R"({"requests":[{"name":"n","unique_key":"k\u0000","hits":"-1","limit":10,"duration":"60000",
          "algorithm":"LEAKY_BUCKET","behavior":34,"burst":"20","metadata":{"a":["b",{}]},
          "created_at":"1"}]})");
  ASSERT_EQ(requests.size(), 1u);
  const GatewayRequest& request = requests[0];
  EXPECT_EQ(request.name, "n");
  EXPECT_EQ(request.unique_key, std::string("k\0", 2));
  EXPECT_EQ(request.hits, -1);
  EXPECT_EQ(request.limit, 10);
  EXPECT_EQ(request.burst, 20);
  EXPECT_EQ(request.duration, "60000");
  EXPECT_EQ(request.algorithm, "LEAKY_BUCKET");
  EXPECT_EQ(request.behavior, "34");
}

TEST(GubernatorJsonTest, ReadsTheOlderListCamelCaseNullsAndWholeFloats) {
  const auto requests =
      Read(R"({"x":{"requests":[1]},"rate_limits":[{"uniqueKey":"k","limit":1e3,"hits":null}]})");
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].unique_key, "k");
  EXPECT_EQ(requests[0].limit, 1000);
  EXPECT_EQ(requests[0].hits, 0);
}

TEST(GubernatorJsonTest, KeepsTheWholeRangeOfNumbers) {
  const auto requests = Read(R"({"requests":[{"hits":-9223372036854775808,
                                              "limit":"9223372036854775807"}]})");
  EXPECT_EQ(requests[0].hits, INT64_MIN);
  EXPECT_EQ(requests[0].limit, INT64_MAX);
}

TEST(GubernatorJsonTest, ReadsNoRequestsOutOfAnEmptyObject) {
  EXPECT_TRUE(Read("{}").empty());
  EXPECT_TRUE(Read(R"({"requests":[]})").empty());
  EXPECT_TRUE(Read(R"({"requests":null})").empty());
}

TEST(GubernatorJsonTest, NamesThePlaceAndTheField) {
  EXPECT_EQ(ErrorOf(R"({"requests":[{"limit":tru}]})"),
            "the JSON cannot be read at byte 26 in requests[0].limit");
  EXPECT_EQ(ErrorOf(R"({"requests":[{},{"limit":true}]})"),
            "expected an integer of 64 bits at byte 29 in requests[1].limit");
  EXPECT_EQ(ErrorOf(R"({"requests":[{"name":5}]})"),
            "expected a string at byte 23 in requests[0].name");
  EXPECT_EQ(ErrorOf(R"({"requests":[{"hits":9223372036854775808}]})"),
            "expected an integer of 64 bits at byte 41 in requests[0].hits");
  EXPECT_EQ(ErrorOf(R"({"requests":[{"hits":1.5}]})"),
            "expected an integer of 64 bits at byte 25 in requests[0].hits");
  EXPECT_EQ(ErrorOf(R"({"requests":[{"hits":"1x"}]})"),
            "expected an integer of 64 bits at byte 25 in requests[0].hits");
  EXPECT_EQ(ErrorOf(R"({"requests":[3]})"), "expected an object at byte 15 in requests[0]");
  EXPECT_EQ(ErrorOf(R"({"requests":{}})"), "expected a list at byte 13 in requests");
  EXPECT_EQ(ErrorOf(R"({"requests":[{"hits":1,"hits":2}]})"),
            "'hits' stands twice, again at byte 29 in requests[0]");
  EXPECT_EQ(ErrorOf(""), "the JSON cannot be read at byte 1");
  EXPECT_EQ(ErrorOf("[]"), "expected an object at byte 1");
  EXPECT_EQ(ErrorOf("{\"requests\":[{\"name\":\"\xff\"}]}"),
            "the JSON cannot be read at byte 23 in requests[0].name");
}

TEST(GubernatorJsonTest, TakesNoMoreRequestsThanItMay) {
  EXPECT_EQ(Read(R"({"requests":[{},{}]})", 2).size(), 2u);
  const auto read = ReadRateLimits(R"({"requests":[{},{},{}]})", 2);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kOutOfRange);
}

TEST(GubernatorJsonTest, SurvivesWhatIsDeep) {
  const std::string deep = R"({"x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_TRUE(Read(deep).empty());
}

TEST(GubernatorJsonTest, WritesEveryFieldAndNumbersAsStrings) {
  EXPECT_EQ(WriteRateLimits({{.over_limit = true, .limit = 10, .reset_ms = 5},
                             {.error = "a \"b\"", .owner = "h:1", .degraded = true}}),
            R"({"responses":[{"status":"OVER_LIMIT","limit":"10","remaining":"0",)"
            R"("reset_time":"5","error":"","metadata":{}},)"
            R"({"status":"UNDER_LIMIT","limit":"0","remaining":"0","reset_time":"0",)"
            R"("error":"a \"b\"","metadata":{"owner":"h:1","degraded":"true"}}]})");
  EXPECT_EQ(WriteRateLimits({}), R"({"responses":[]})");
}

}  // namespace
}  // namespace gub
