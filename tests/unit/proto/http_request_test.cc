#include "proto/http_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace gub {
namespace {

using Outcome = HttpRequestParser::Outcome;

constexpr HttpLimits kLimits = {.max_header_bytes = 512, .max_body_bytes = 64};

struct Seen {
  std::vector<std::string> requests;  // "METHOD path ? query | name=value … | body"
  int error = 0;
  size_t consumed = 0;

  bool operator==(const Seen&) const = default;
};

void PrintTo(const Seen& seen, std::ostream* out) {
  for (const std::string& request : seen.requests) *out << "\n  " << request;
  *out << "\n  error " << seen.error << " consumed " << seen.consumed;
}

std::string TextOf(const HttpRequest& request) {
  std::string text(request.method);
  text.append(" ").append(request.path).append("?").append(request.query).append("|");
  for (const HttpField& field : request.fields) {
    text.append(field.name).append("=").append(field.value).append(";");
  }
  return text.append("|").append(request.body) + (request.keep_alive ? "" : " close");
}

// As a connection that gets `step` bytes at a time.
Seen Read(std::string_view input, size_t step = std::string::npos) {
  HttpRequestParser parser(kLimits);
  Seen seen;
  std::string held;
  while (!input.empty() && seen.error == 0) {
    const std::string_view piece = input.substr(0, step);
    input.remove_prefix(piece.size());
    held = std::string(held) + std::string(piece);  // elsewhere each time
    Outcome outcome = Outcome::kRequest;
    while ((outcome = parser.Next(held)) == Outcome::kRequest) {
      seen.requests.push_back(TextOf(parser.request()));
      seen.consumed += parser.consumed();
      held.erase(0, parser.consumed());
    }
    if (outcome == Outcome::kError) seen.error = parser.error().status;
  }
  return seen;
}

// The same whole and in pieces of every small size.
Seen ReadAnyhow(std::string_view input) {
  const Seen whole = Read(input);
  for (size_t step = 1; step < 20; ++step) EXPECT_EQ(Read(input, step), whole) << "step " << step;
  return whole;
}

constexpr std::string_view kGet = "GET /v1/check?a=b HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(HttpRequestTest, ReadsMethodPathQueryAndFields) {
  const Seen seen = ReadAnyhow(kGet);
  ASSERT_EQ(seen.requests.size(), 1u);
  EXPECT_EQ(seen.requests[0], "GET /v1/check?a=b|Host=x;|");
  EXPECT_EQ(seen.consumed, kGet.size());
}

TEST(HttpRequestTest, ReadsABodyOfAKnownLength) {
  const Seen seen = ReadAnyhow(
      "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n"
      "Host: y\r\n\r\n");
  ASSERT_EQ(seen.requests.size(), 2u);
  EXPECT_EQ(seen.requests[0], "POST /p?|Host=x;Content-Length=5;|hello");
  EXPECT_EQ(seen.requests[1], "GET /?|Host=y;|");
}

TEST(HttpRequestTest, ReadsABodyInChunksAndPassesTrailersOver) {
  const Seen seen = ReadAnyhow(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Gub-Key: evil\r\n\r\n");
  ASSERT_EQ(seen.requests.size(), 1u);
  EXPECT_EQ(seen.requests[0], "POST /?|Host=x;Transfer-Encoding=chunked;|abcde");
}

TEST(HttpRequestTest, ReadsAHundredRequestsInARow) {
  std::string pipeline;
  for (int i = 0; i < 100; ++i) pipeline += kGet;
  EXPECT_EQ(Read(pipeline).requests.size(), 100u);
  EXPECT_EQ(Read(pipeline, 7).requests.size(), 100u);
}

TEST(HttpRequestTest, PassesEmptyLinesOverBeforeARequest) {
  EXPECT_EQ(ReadAnyhow("\r\n\r\n" + std::string(kGet)).requests.size(), 1u);
}

TEST(HttpRequestTest, EmptyLinesDoNotBeginARequest) {
  HttpRequestParser parser(kLimits);
  for (const char* lines : {"\r", "\r\n", "\r\n\r\n"}) {
    EXPECT_EQ(parser.Next(lines), Outcome::kNeedMore);
    EXPECT_FALSE(parser.IsMidway());
  }
  EXPECT_EQ(parser.Next("\r\n\r\nG"), Outcome::kNeedMore);
  EXPECT_TRUE(parser.IsMidway());
  EXPECT_EQ(parser.Next("\r\n\r\n" + std::string(kGet)), Outcome::kRequest);
  EXPECT_EQ(parser.consumed(), 4 + kGet.size());
}

TEST(HttpRequestTest, TakesTheWholeUrlThatProxiesAreAsked) {
  const Seen seen = ReadAnyhow("GET http://gub:7380/metrics?x HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(seen.requests[0], "GET /metrics?x|Host=x;|");
}

TEST(HttpRequestTest, KnowsWhoStaysConnected) {
  EXPECT_TRUE(Read("GET / HTTP/1.0\r\n\r\n").requests[0].ends_with(" close"));
  EXPECT_FALSE(
      Read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").requests[0].ends_with(" close"));
  EXPECT_TRUE(Read("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                  .requests[0]
                  .ends_with(" close"));
}

TEST(HttpRequestTest, TellsThatAClientWaitsForContinue) {
  HttpRequestParser parser(kLimits);
  EXPECT_EQ(parser.Next("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                        "Content-Length: 2\r\n\r\n"),
            Outcome::kNeedMore);
  EXPECT_TRUE(parser.has_header());
  EXPECT_TRUE(parser.request().expects_continue);
}

struct Refused {
  const char* what;
  std::string bytes;
  int status;
};

class HttpRefusalTest : public ::testing::TestWithParam<Refused> {};

TEST_P(HttpRefusalTest, IsToldByItsStatusHoweverItIsCut) {
  EXPECT_EQ(Read(GetParam().bytes).error, GetParam().status);
  // In pieces a line that cannot be read may be seen with the header's end only.
  const Seen seen = ReadAnyhow(GetParam().bytes + "\r\n\r\n");
  EXPECT_EQ(seen.error, GetParam().status);
  EXPECT_TRUE(seen.requests.empty());
}

std::string Post(const std::string& fields, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body;
}

INSTANTIATE_TEST_SUITE_P(
    All, HttpRefusalTest,
    ::testing::Values(
        Refused{"LengthAndChunks",
                Post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        Refused{"ChunksAndLength",
                Post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400},
        Refused{"TwoLengths", Post("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
        Refused{"TheSameLengthTwice", Post("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
        Refused{"NegativeLength", Post("Content-Length: -5\r\n"), 400},
        Refused{"OtherCoding", Post("Transfer-Encoding: gzip\r\n"), 501},
        Refused{"ChunkedThenMore", Post("Transfer-Encoding: chunked, gzip\r\n"), 501},
        Refused{"GzipThenChunked", Post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501},
        Refused{"ChunksIn10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                400},
        Refused{"SpaceBeforeTheColon", Post("Content-Length : 5\r\n"), 400},
        Refused{"FoldedLine", Post("X-A: b\r\n c\r\n"), 400},
        Refused{"FoldedFromTheStart", Post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400},
        Refused{"BareLineFeeds", "GET / HTTP/1.1\nHost: x\n\n", 505},
        Refused{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        Refused{"TwoHosts", Post("Host: y\r\n"), 400},
        Refused{"LongBody", Post("Content-Length: 65\r\n"), 413},
        Refused{"LongChunk", Post("Transfer-Encoding: chunked\r\n", "41\r\n"), 413},
        Refused{"BadChunk", Post("Transfer-Encoding: chunked\r\n", "xyz\r\n"), 400},
        Refused{"LongField", Post("X-A: " + std::string(600, 'a') + "\r\n"), 431},
        Refused{"LongTarget", "GET /" + std::string(600, 'a') + " HTTP/1.1\r\n", 414},
        Refused{"OtherVersion", "GET / HTTP/2.0\r\n\r\n", 505},
        Refused{"NotHttp", "*1\r\n$4\r\nPING\r\n", 400},
        Refused{"Tls", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9), 400}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(HttpRequestTest, HoldsNoMoreThanItSays) {
  HttpRequestParser parser(kLimits);
  std::string bytes = Post("Transfer-Encoding: chunked\r\n");
  // Chunks of one byte with long extensions: mostly framing.
  Outcome outcome = Outcome::kNeedMore;
  while (outcome == Outcome::kNeedMore && bytes.size() < 4 * parser.MaxBytes()) {
    bytes += "1;x=" + std::string(60, 'y') + "\r\na\r\n";
    outcome = parser.Next(bytes);
  }
  EXPECT_EQ(outcome, Outcome::kError);
  EXPECT_EQ(parser.error().status, 413);
  EXPECT_LE(bytes.size(), parser.MaxBytes() + 80);
}

}  // namespace
}  // namespace gub
