// The bounds on what a RequestParser reads, each at its limit and one beyond.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "proto/request_parser.h"
#include "tests/fuzz/parse_in_pieces.h"
#include "tests/unit/proto/requests.h"

namespace gub {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Outcome = RequestParser::Outcome;

constexpr size_t kMaxLineBytes = RequestLimits::kMaxLineBytes;

std::string ErrorOf(std::string_view input, RequestLimits limits = {}) {
  const Transcript transcript = ParseWhole(input, limits);
  EXPECT_EQ(transcript.broken, "");
  EXPECT_EQ(ParseInPieces(input, limits, [&] { return input.size(); }), transcript);
  return transcript.error;
}

TEST(RequestLimitsTest, BoundsTheArgumentsOfAnArray) {
  for (const size_t max_args : {1, 2, 9, 10, 16, 17, 99, 100, 1024}) {
    const RequestLimits limits = {.max_args = max_args};
    EXPECT_THAT(ParseWhole(ArrayOf(max_args) + ArrayOf(max_args), limits).requests,
                ElementsAre(SizeIs(max_args), SizeIs(max_args)));
    EXPECT_EQ(ErrorOf(ArrayOf(max_args + 1), limits), "Protocol error: invalid multibulk length");
    EXPECT_EQ(ErrorOf(ArrayOf(max_args) + ArrayOf(max_args + 1), limits),
              "Protocol error: invalid multibulk length");
  }
}

TEST(RequestLimitsTest, BoundsTheLengthOfABulkString) {
  for (const size_t max_bulk_bytes : {0, 1, 9, 10, 99, 100, 998, 999, 1000, 65536}) {
    const RequestLimits limits = {.max_bulk_bytes = max_bulk_bytes};
    const std::string request = "*1\r\n" + BulkOf(max_bulk_bytes);
    EXPECT_THAT(ParseWhole(request + request, limits).requests, SizeIs(2)) << max_bulk_bytes;
    EXPECT_EQ(ErrorOf("*1\r\n" + BulkOf(max_bulk_bytes + 1), limits),
              "Protocol error: invalid bulk length");
    EXPECT_EQ(ErrorOf(request + "*1\r\n" + BulkOf(max_bulk_bytes + 1), limits),
              "Protocol error: invalid bulk length");
  }
}

TEST(RequestLimitsTest, TellsAClientThatHasNotAuthenticatedSo) {
  const RequestLimits limits = {.max_args = 10, .max_bulk_bytes = 16384, .unauthenticated = true};
  EXPECT_THAT(ParseWhole(ArrayOf(10), limits).requests, SizeIs(1));
  EXPECT_THAT(ParseWhole("*1\r\n" + BulkOf(16384), limits).requests, SizeIs(1));
  EXPECT_EQ(ErrorOf("*11\r\n", limits), "Protocol error: unauthenticated multibulk length");
  EXPECT_EQ(ErrorOf("*100\r\n", limits), "Protocol error: unauthenticated multibulk length");
  EXPECT_EQ(ErrorOf("*1\r\n$16385\r\n", limits), "Protocol error: unauthenticated bulk length");
  EXPECT_EQ(ErrorOf("*1\r\n$100000000\r\n", limits), "Protocol error: unauthenticated bulk length");
  EXPECT_EQ(ErrorOf("*x\r\n", limits), "Protocol error: invalid multibulk length");
  EXPECT_EQ(ErrorOf("*1\r\n$-1\r\n", limits), "Protocol error: invalid bulk length");
}

TEST(RequestLimitsTest, BoundsAnInlineLine) {
  const RequestLimits limits = {.max_bulk_bytes = 2 * kMaxLineBytes};
  const std::string longest(kMaxLineBytes, 'a');
  EXPECT_EQ(ErrorOf(longest, limits), "");
  EXPECT_THAT(ParseWhole(longest + "\n", limits).requests, ElementsAre(ElementsAre(longest)));
  EXPECT_THAT(ParseWhole(longest.substr(1) + "\r\n", limits).requests,
              ElementsAre(ElementsAre(longest.substr(1))));
  for (const std::string_view end : {"a", "a\n", "\r\n", "aaaaaaaaaaaaa"}) {
    EXPECT_EQ(ErrorOf(longest + std::string(end), limits),
              "Protocol error: too big inline request");
  }
}

TEST(RequestLimitsTest, BoundsTheArgumentsOfAnInlineLine) {
  const RequestLimits limits = {.max_args = 3, .max_bulk_bytes = 5};
  EXPECT_THAT(ParseWhole("a b 12345\r\n", limits).requests, SizeIs(1));
  EXPECT_THAT(ParseWhole("a b \"\\x31\\x32345\"\r\n", limits).requests, SizeIs(1));
  EXPECT_EQ(ErrorOf("a b c d\r\n", limits), "Protocol error: too big inline request");
  EXPECT_EQ(ErrorOf("a b 123456\r\n", limits), "Protocol error: too big inline request");
  EXPECT_EQ(ErrorOf("a b '123456'\r\n", limits), "Protocol error: too big inline request");
}

TEST(RequestLimitsTest, BoundsTheLineOfACount) {
  const std::string longest = "*" + std::string(kMaxLineBytes - 1, '0');
  EXPECT_EQ(ErrorOf(longest), "");
  EXPECT_EQ(ErrorOf(longest + "\r\n"), "Protocol error: invalid multibulk length");
  EXPECT_EQ(ErrorOf(longest + "0"), "Protocol error: too big mbulk count string");
  EXPECT_EQ(ErrorOf(longest + "0\r\n"), "Protocol error: too big mbulk count string");
}

TEST(RequestLimitsTest, BoundsTheLineOfALength) {
  const std::string longest = "*1\r\n$" + std::string(kMaxLineBytes - 1, '0');
  EXPECT_EQ(ErrorOf(longest), "");
  EXPECT_EQ(ErrorOf(longest + "\r\n"), "Protocol error: invalid bulk length");
  EXPECT_EQ(ErrorOf(longest + "0"), "Protocol error: too big bulk count string");
  EXPECT_EQ(ErrorOf(longest + "0\r\n"), "Protocol error: too big bulk count string");
}

// Redis' "protocol desync" tests: such a start, then text without end.
TEST(RequestLimitsTest, EndsAfterANulAndEndlessText) {
  for (const std::string& start : {"\0"s, "*\0"s, "$\0"s, "*1\r\n$\0"s, "*1\r\n$1\0"s}) {
    std::string bytes = start;
    RequestParser parser({});
    Outcome outcome = parser.Next(bytes);
    while (outcome == Outcome::kNeedMore && bytes.size() < 2 * kMaxLineBytes) {
      bytes += "payload";
      outcome = parser.Next(bytes);
    }
    EXPECT_EQ(outcome, Outcome::kError);
    EXPECT_THAT(parser.error(), ::testing::HasSubstr("Protocol error: too big"));
    EXPECT_LE(bytes.size(), kMaxLineBytes + start.size() + 7);
  }
}

TEST(RequestLimitsTest, AppliesNewLimitsFromTheNextRequestOn) {
  RequestParser parser({.max_args = 2, .max_bulk_bytes = 4});
  ASSERT_EQ(parser.Next("*2\r\n$4\r\nAUTH\r\n"), Outcome::kNeedMore);
  parser.set_limits({.max_args = 3, .max_bulk_bytes = 5});
  EXPECT_EQ(parser.Next("*2\r\n$4\r\nAUTH\r\n$5\r\n"), Outcome::kError);

  RequestParser other({.max_args = 2, .max_bulk_bytes = 4});
  ASSERT_EQ(other.Next("*2\r\n$4\r\nAUTH\r\n$4\r\npass\r\n"), Outcome::kRequest);
  other.set_limits({.max_args = 3, .max_bulk_bytes = 5});
  EXPECT_EQ(other.Next("*3\r\n$5\r\nHELLO\r\n$1\r\na\r\n$1\r\nb\r\n"), Outcome::kRequest);
  other.set_limits({.max_args = 1});
  EXPECT_EQ(other.Next("*2\r\n$4\r\nAUTH\r\n$4\r\npass\r\n"), Outcome::kError);
}

}  // namespace
}  // namespace gub
