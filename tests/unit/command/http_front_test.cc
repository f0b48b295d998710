#include "command/http_front.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <string>
#include <thread>

#include "command/metrics.h"
#include "command/top_commands.h"
#include "tests/support/command_fixture.h"

namespace gub {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpFrontTest : public CommandFixture {
 protected:
  using CommandFixture::CommandFixture;

  // The bytes of the answer.
  std::string Ask(const std::string& bytes) {
    HttpRequestParser parser({});
    EXPECT_EQ(parser.Next(bytes), HttpRequestParser::Outcome::kRequest);
    ByteBuffer out;
    dispatcher_.BeginBatch(&client_);
    front_.Serve(parser.request(), &client_, &out);
    dispatcher_.EndBatch();
    return std::string(out.view());
  }
  std::string Get(const std::string& target, const std::string& fields = "") {
    return Ask("GET " + target + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
  }
  std::string Post(const std::string& target, const std::string& body) {
    return Ask("POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  HttpFront front_{&dispatcher_.worker(), 0};
};

class FullHttpFrontTest : public HttpFrontTest {
 protected:
  FullHttpFrontTest() : HttpFrontTest(FullConfig()) {}

 private:
  static Config FullConfig() {
    Config config;
    config.max_keys = 1;
    config.eviction = "refuse";
    return config;
  }
};

TEST_F(HttpFrontTest, AdmitsUpToTheLimitAndThenDenies) {
  const std::string target = "/v1/check?name=a%22b&key=k&limit=2&duration=90s";
  EXPECT_THAT(Get(target), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Get(target), HasSubstr("\r\nRateLimit: \"a\\\"b\";r=0;t=90\r\n"));
  const std::string denied = Get(target);
  EXPECT_THAT(denied, StartsWith("HTTP/1.1 429 Too Many Requests\r\n"));
  EXPECT_THAT(denied, HasSubstr("\r\nRetry-After: 90\r\n"));
  EXPECT_THAT(denied, HasSubstr("\r\nRateLimit-Policy: \"a\\\"b\";q=2;w=90\r\n"));
}

TEST_F(HttpFrontTest, AKeyThatCannotStandInAHeaderDoesNotGetThere) {
  const std::string answer = Get("/v1/check?name=a%0d%0aX:+y&key=k&limit=2&duration=90s");
  EXPECT_THAT(answer, HasSubstr("\r\nRateLimit: \"default\";r=1;t=90\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("X: y")));
  EXPECT_THAT(Get("/a%0d%0aX:%20y"), Not(HasSubstr("\r\nX:")));
}

TEST_F(HttpFrontTest, NumbersOfTheDraftHaveAtMostFifteenDigits) {
  EXPECT_THAT(Get("/v1/check?name=n&key=k&limit=9223372036854775807&duration=90s"),
              HasSubstr("RateLimit-Policy: \"n\";q=999999999999999;w=90\r\n"));
}

TEST_F(HttpFrontTest, SharesTheBucketsOfRedisClients) {
  Get("/v1/check?name=n&key=k&limit=5&duration=1h");
  Post("/v1/GetRateLimits", R"({"requests":[{"name":"n","unique_key":"k","hits":1,"limit":5,)"
                            R"("duration":3600000}]})");
  EXPECT_EQ(RunLine("GUB.HIT n k 1 5 1h"), "*3\r\n:0\r\n:2\r\n:1700003600000\r\n");
}

TEST_F(HttpFrontTest, CountsEveryRequestOnce) {
  Get("/v1/check?name=n&key=k&limit=1&duration=1h");
  Get("/v1/check?name=n&key=k&limit=1&duration=1h");
  Get("/v1/check?name=n&key=k&limit=1&duration=1h&hits=0&algorithm=leaky");
  Get("/v1/check?name=n&key=k&limit=1&duration=1h&hits=-1");
  Get("/v1/check?name=n&key=k&limit=1&duration=1h&behavior=8");
  Get("/v1/check?name=n&key=k&limit=1&duration=never");
  Post("/v1/GetRateLimits", R"({"requests":[{"name":"n"}]})");
  RunLine("GUB.RESET n k");
  const std::string text = MetricsText(node_);
  for (const char* sample :
       {"{algorithm=\"token\",result=\"admitted\"} 1\n",
        "{algorithm=\"token\",result=\"denied\"} 1\n", "{algorithm=\"token\",result=\"peek\"} 0\n",
        "{algorithm=\"leaky\",result=\"peek\"} 1\n",
        "{algorithm=\"token\",result=\"refunded\"} 1\n",
        "{algorithm=\"token\",result=\"reset\"} 1\n",
        "{algorithm=\"both\",result=\"reset\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(std::string("gub_decisions_total") + sample));
  }
  EXPECT_THAT(text, HasSubstr("\ngub_request_errors_total 2\n"));
  EXPECT_THAT(text, HasSubstr("\ngub_http_requests_total 7\n"));
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"/v1/check\"} 1\n"));
}

TEST_F(HttpFrontTest, ADenialIsNoFailureWhateverItsStatus) {
  for (const char* status : {"400", "403", "503"}) {
    EXPECT_THAT(
        Get(std::string("/v1/check?name=n&key=k&limit=0&duration=1h&deny_status=") + status),
        StartsWith(std::string("HTTP/1.1 ") + status));
  }
  const std::string text = MetricsText(node_);
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"/v1/check\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("gub_error_replies_total{code=\"ERR\"} 0\n"));
}

TEST_F(HttpFrontTest, ErrorsCountByTheirKindAsThoseOfRedisClientsDo) {
  Get("/v1/check?name=n&key=k&limit=1&duration=never");
  Get("/nowhere");
  Ask("DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  Post("/v1/GetRateLimits", R"({"requests":[{"name":"n"},{"unique_key":"k"}]})");  // two items
  Post("/v1/GetRateLimits", "{");
  const std::string text = MetricsText(node_);
  EXPECT_THAT(text, HasSubstr("gub_error_replies_total{code=\"ERR\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"/v1/check\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"/v1/GetRateLimits\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"/metrics\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"other\"} 1\n"));
  EXPECT_EQ(node_.counters.Sum(Counter::kErrorReplies), 6u);
}

TEST_F(FullHttpFrontTest, ATableThatIsFullCountsAsOom) {
  RunLine("GUB.HIT n k 1 5 1h");
  EXPECT_THAT(Get("/v1/check?name=n&key=other&limit=5&duration=1h"), StartsWith("HTTP/1.1 503 "));
  Post("/v1/GetRateLimits", R"({"requests":[{"name":"n","unique_key":"third","hits":1,"limit":5,)"
                            R"("duration":1000}]})");
  const std::string text = MetricsText(node_);
  EXPECT_THAT(text, HasSubstr("gub_error_replies_total{code=\"OOM\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("gub_http_failures_total{path=\"/v1/check\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ngub_request_errors_total 2\n"));
}

// A scrape reads one counter after the other, and workers go on counting meanwhile.
TEST_F(HttpFrontTest, WhatIsCountedOfLeakyBucketsDoesNotMoveTheSeriesOfTokenBuckets) {
  for (int i = 0; i < 3; ++i) RunLine("GUB.HIT n k 1 100 1h");
  node_.counters.ForThread(0).Add(Counter::kLeakyAdmitted, 2);
  const std::string text = MetricsText(node_);
  EXPECT_THAT(text, HasSubstr("{algorithm=\"token\",result=\"admitted\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("{algorithm=\"leaky\",result=\"admitted\"} 2\n"));
}

double Sample(const std::string& text, const std::string& name) {
  const size_t at = text.find("\n" + name + " ");
  EXPECT_NE(at, std::string::npos) << name;
  return std::stod(text.substr(at + name.size() + 2));
}

TEST_F(HttpFrontTest, TheRowsOfAScrapeAgreeWhileBucketsCome) {
  std::atomic<bool> scraped{false};
  std::thread hits([&] {
    for (int i = 0; !scraped; ++i) RunLine("GUB.HIT n " + std::to_string(i) + " 1 100 1h");
  });
  double keys = 0;
  for (int changes = 0; changes < 200;) {
    const std::string text = MetricsText(node_);
    const double load = Sample(text, "gub_keys") / Sample(text, "gub_table_slots");
    EXPECT_DOUBLE_EQ(Sample(text, "gub_table_load_ratio"), load);
    changes += Sample(text, "gub_keys") != keys;
    keys = Sample(text, "gub_keys");
  }
  scraped = true;
  hits.join();
}

TEST_F(HttpFrontTest, TellsWhenTheProcessStartedAndWhatItHasOpen) {
  const std::string before = MetricsText(node_);
  EXPECT_EQ(Sample(before, "process_start_time_seconds"), node_.start_unix_s);
  EXPECT_LE(node_.start_unix_s, std::time(nullptr));
  const int fds[] = {dup(0), dup(0), dup(0)};
  EXPECT_EQ(Sample(MetricsText(node_), "process_open_fds"), Sample(before, "process_open_fds") + 3);
  for (const int fd : fds) close(fd);
}

TEST_F(HttpFrontTest, HistogramsAddUp) {
  for (int i = 0; i < 3; ++i) RunLine("GUB.HIT n k 1 5 1h");
  const std::string text = MetricsText(node_);
  const std::string metric = "gub_command_duration_seconds";
  EXPECT_THAT(text, HasSubstr(metric + "_bucket{command=\"gub.hit\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(metric + "_count{command=\"gub.hit\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(metric + "_bucket{command=\"gub.hit\",le=\"1e-06\"}"));
  EXPECT_THAT(text, Not(HasSubstr("command=\"gub.take\"")));
}

TEST_F(HttpFrontTest, NoMetricTellsANameOrAKey) {
  Get("/v1/check?name=secretname&key=secretkey&limit=0&duration=1h");
  RunLine("GUB.HIT secretname secretkey 1 0 1h");
  EXPECT_THAT(MetricsText(node_), Not(HasSubstr("secret")));
  EXPECT_THAT(Get("/v1/top"), HasSubstr("secretkey"));
}

TEST_F(HttpFrontTest, IsReadyFromTheStartOfServiceToItsEnd) {
  EXPECT_THAT(Get("/readyz"),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("{\"status\":\"starting\",\"reasons\":["
                                                           "\"this node is starting\"]")));
  EXPECT_THAT(Get("/v1/HealthCheck"), HasSubstr("this node is starting"));
  node_.serving = true;
  EXPECT_THAT(Get("/readyz"), StartsWith("HTTP/1.1 200 "));
  node_.serving = false;
  node_.stopping = true;
  EXPECT_THAT(Get("/readyz"), HasSubstr("{\"status\":\"stopping\",\"reasons\":["
                                        "\"this node is stopping\"]"));
  EXPECT_THAT(Get("/v1/HealthCheck"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpFrontTest, ThePasswordIsNeededOnceThereIsOne) {
  const absl::Status status = ChangeConfig(&node_, [](Config* config) {
    config->requirepass = "p";
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok());
  EXPECT_THAT(Get("/metrics"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Get("/v1/check"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(MetricsText(node_), AllOf(HasSubstr("{code=\"NOAUTH\"} 2\n"),
                                        HasSubstr("\ngub_request_errors_total 0\n")));
  EXPECT_THAT(Get("/metrics", "Authorization: Bearer p\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Get("/metrics", "Authorization: Basic OnA=\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Get("/metrics", "Authorization: Basic eDpw\r\n"), StartsWith("HTTP/1.1 401 "));
}

}  // namespace
}  // namespace gub
