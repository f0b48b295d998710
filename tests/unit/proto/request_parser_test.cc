#include "proto/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/parse_in_pieces.h"
#include "tests/unit/proto/requests.h"

namespace gub {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Outcome = RequestParser::Outcome;
using Requests = std::vector<std::vector<std::string>>;

// The same from a parser that has read before and from a new one.
Transcript Parse(std::string_view input) {
  const Transcript transcript = ParseWhole(input);
  EXPECT_EQ(ParseInPieces(input, {}, [&] { return input.size(); }), transcript);
  EXPECT_EQ(transcript.broken, "");
  return transcript;
}

std::string ErrorOf(std::string_view input) { return Parse(input).error; }

Requests RequestsOf(std::string_view input) {
  const Transcript transcript = Parse(input);
  EXPECT_EQ(transcript.error, "");
  return transcript.requests;
}

TEST(RequestParserTest, ReadsAnArrayOfBulkStrings) {
  EXPECT_THAT(RequestsOf("*2\r\n$4\r\nECHO\r\n$5\r\nhello\r\n"),
              ElementsAre(ElementsAre("ECHO", "hello")));
}

TEST(RequestParserTest, ReadsLengthsOfOneToFiveDigits) {
  for (const size_t length : {0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 9999, 10000, 65536}) {
    const std::string arg(length, 'x');
    const std::string bulk = Bulk(arg);
    EXPECT_THAT(RequestsOf("*2\r\n" + bulk + bulk + "*1\r\n$1\r\ny\r\n"),
                ElementsAre(ElementsAre(arg, arg), ElementsAre("y")))
        << length;
  }
}

// In such bytes a bulk string of nearly any wrong length would be followed by CRLF as well, and
// what is left over would be empty lines.
TEST(RequestParserTest, ReadsTheRightLengthAmongManyCrlf) {
  std::string crlf;
  while (crlf.size() < 1100) crlf += "\r\n";
  for (size_t length = 0; length < 1100; ++length) {
    const std::string arg = crlf.substr(0, length);
    ASSERT_THAT(RequestsOf("*1\r\n" + Bulk(arg) + crlf), ElementsAre(ElementsAre(arg)));
  }
}

TEST(RequestParserTest, ReadsCountsOfOneToFourDigits) {
  for (const size_t count : {1, 9, 10, 11, 16, 17, 64, 65, 99, 100, 999, 1000, 1024}) {
    std::string request = fmt::format("*{}\r\n", count);
    std::vector<std::string> expected;
    for (size_t i = 0; i < count; ++i) {
      expected.push_back(std::to_string(i));
      request += Bulk(expected[i]);
    }
    EXPECT_THAT(RequestsOf(request + request + "PING\r\n"),
                ElementsAre(expected, expected, ElementsAre("PING")))
        << count;
  }
}

TEST(RequestParserTest, ReadsManyRequestsFromOneBuffer) {
  const std::string hit = "*3\r\n$7\r\nGUB.HIT\r\n$1\r\na\r\n$1\r\nk\r\n";
  std::string input;
  for (int i = 0; i < 1000; ++i) input += i % 10 == 0 ? "PING\r\n" : hit;
  const Requests requests = RequestsOf(input);
  ASSERT_EQ(requests.size(), 1000U);
  for (size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(requests[i], i % 10 == 0 ? Requests::value_type({"PING"})
                                       : Requests::value_type({"GUB.HIT", "a", "k"}));
  }
}

TEST(RequestParserTest, TellsHowManyBytesEachRequestHas) {
  RequestParser parser({});
  std::string_view bytes = "\r\n*0\r\nPING\r\n*1\r\n$4\r\nPING\r\n\r\n*1\r\n$4";
  ASSERT_EQ(parser.Next(bytes), Outcome::kRequest);
  EXPECT_EQ(parser.consumed(), std::string_view("\r\n*0\r\nPING\r\n").size());
  bytes.remove_prefix(parser.consumed());
  ASSERT_EQ(parser.Next(bytes), Outcome::kRequest);
  EXPECT_EQ(parser.consumed(), std::string_view("*1\r\n$4\r\nPING\r\n").size());
  bytes.remove_prefix(parser.consumed());
  ASSERT_EQ(parser.Next(bytes), Outcome::kNeedMore);
  EXPECT_EQ(parser.consumed(), 2U) << "the empty line before what is unfinished";
  bytes.remove_prefix(parser.consumed());
  ASSERT_EQ(parser.Next(std::string(bytes) + "\r\nPONG\r\n"), Outcome::kRequest);
  EXPECT_EQ(parser.consumed(), std::string_view("*1\r\n$4\r\nPONG\r\n").size());
}

TEST(RequestParserTest, NeedsMoreWhenThereIsNothing) {
  RequestParser parser({});
  EXPECT_EQ(parser.Next(""), Outcome::kNeedMore);
  EXPECT_EQ(parser.Next({}), Outcome::kNeedMore);
  EXPECT_EQ(parser.consumed(), 0U);
  EXPECT_THAT(parser.args(), IsEmpty());
}

TEST(RequestParserTest, SkipsEmptyAndNegativeArrays) {
  EXPECT_THAT(RequestsOf("*0\r\n*-1\r\n*-10\r\n*-9223372036854775808\r\n*1\r\n$4\r\nPING\r\n"),
              ElementsAre(ElementsAre("PING")));
  EXPECT_EQ(Parse("*-10\r\n*0\r\n").consumed, 10U);
}

TEST(RequestParserTest, SkipsEmptyLines) {
  EXPECT_THAT(RequestsOf("\r\n\n  \t \r\n\r\nPING\r\n"), ElementsAre(ElementsAre("PING")));
  EXPECT_EQ(Parse("\r\n\n").consumed, 3U);
}

TEST(RequestParserTest, TakesAnyByteInABulkString) {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  EXPECT_THAT(RequestsOf("*2\r\n$256\r\n" + all + "\r\n$6\r\n\r\n*1\r\n\r\n"),
              ElementsAre(ElementsAre(all, "\r\n*1\r\n")));
}

TEST(RequestParserTest, TakesAnEmptyCommandName) {
  EXPECT_THAT(RequestsOf("*1\r\n$0\r\n\r\n"), ElementsAre(ElementsAre("")));
}

TEST(RequestParserTest, ReadsInlineLines) {
  EXPECT_THAT(RequestsOf("PING\r\nPING\nset  k\tv \r\n"),
              ElementsAre(ElementsAre("PING"), ElementsAre("PING"), ElementsAre("set", "k", "v")));
}

TEST(RequestParserTest, ReadsQuotesInInlineLines) {
  EXPECT_THAT(RequestsOf("SET \"a b\" 'it\\'s' \"\\x41\\n\" plain\r\nPING\r\n"),
              ElementsAre(ElementsAre("SET", "a b", "it's", "A\n", "plain"), ElementsAre("PING")));
}

TEST(RequestParserTest, KeepsAllQuotedArgumentsOfALongLine) {
  std::string line;
  std::vector<std::string> expected;
  for (int i = 0; i < 500; ++i) {
    expected.push_back("argument " + std::to_string(i));
    line += "\"" + expected.back() + "\" ";
  }
  EXPECT_THAT(RequestsOf(line + "\r\n"), ElementsAre(expected));
}

TEST(RequestParserTest, TreatsANulAsAByteLikeAnyOther) {
  EXPECT_THAT(RequestsOf("\0PING \0\r\nPING\r\n"s),
              ElementsAre(ElementsAre("\0PING"s, "\0"s), ElementsAre("PING")));
}

TEST(RequestParserTest, SaysWhatIsWrong) {
  const std::string set = "*3\r\n$3\r\nSET\r\n$1\r\nx\r\n";
  EXPECT_EQ(ErrorOf("*3000000000\r\n"), "Protocol error: invalid multibulk length");
  EXPECT_EQ(ErrorOf(set + "fooz\r\n"), "Protocol error: expected '$', got 'f'");
  EXPECT_EQ(ErrorOf("*1\r\nfoo\r\n"), "Protocol error: expected '$', got 'f'");
  EXPECT_EQ(ErrorOf(set + "+1\r\ny\r\n"), "Protocol error: expected '$', got '+'");
  EXPECT_EQ(ErrorOf(set + "$-10\r\n"), "Protocol error: invalid bulk length");
  EXPECT_EQ(ErrorOf(set + "$2000000000\r\n"), "Protocol error: invalid bulk length");
  EXPECT_EQ(ErrorOf(set + "$blabla\r\n"), "Protocol error: invalid bulk length");
  EXPECT_EQ(ErrorOf(set + "$1\r\nxyz"), "Protocol error: expected CRLF after bulk string");
  EXPECT_EQ(ErrorOf("set \"\"\"test\"\"\"\r\nPING\r\n"),
            "Protocol error: unbalanced quotes in request");
}

TEST(RequestParserTest, EscapesTheByteThatItDidNotExpect) {
  EXPECT_EQ(ErrorOf("*1\r\n\r\n"), "Protocol error: expected '$', got '\\x0d'");
  EXPECT_EQ(ErrorOf("*1\r\n\n"), "Protocol error: expected '$', got '\\x0a'");
  EXPECT_EQ(ErrorOf("*1\r\n\0"s), "Protocol error: expected '$', got '\\x00'");
  EXPECT_EQ(ErrorOf("*1\r\n\x7f"), "Protocol error: expected '$', got '\\x7f'");
  EXPECT_EQ(ErrorOf("*1\r\n\xff"), "Protocol error: expected '$', got '\\xff'");
  EXPECT_EQ(ErrorOf("*1\r\n "), "Protocol error: expected '$', got ' '");
  EXPECT_EQ(ErrorOf("*1\r\n~"), "Protocol error: expected '$', got '~'");
}

constexpr std::string_view kNotStrict[] = {"", "-", "+1", "01", "00", "-0", "-01", " 1", "1 ", "1a",
                                           "a", "0x1", "--1", "1.0", "1e1", "9223372036854775808",
                                           "-9223372036854775809", "18446744073709551617", "1\r",
                                           // The bytes before 0 and behind 9.
                                           "/", ":", "1/", "1:", ":1", "12/", "12:", "1:2", "123:"};

TEST(RequestParserTest, RefusesEveryNumberThatIsNotStrict) {
  std::string crlf;
  std::string args;
  while (crlf.size() < 2000) crlf += "\r\n";
  while (args.size() < 200) args += Bulk("a");
  for (const std::string_view number : kNotStrict) {
    // What follows would be right for a lax reading of the number.
    const std::string line = std::string(number) + "\r\n";
    EXPECT_EQ(ErrorOf("*" + line + args), "Protocol error: invalid multibulk length") << number;
    EXPECT_EQ(ErrorOf("*1\r\n$" + line + crlf), "Protocol error: invalid bulk length") << number;
    EXPECT_EQ(ErrorOf("*1\r\n$" + line + "\n" + crlf), "Protocol error: invalid bulk length")
        << number;
  }
  EXPECT_EQ(ErrorOf("*1\0\r\n"s), "Protocol error: invalid multibulk length");
}

TEST(RequestParserTest, RefusesALineThatEndsWithoutLineFeed) {
  EXPECT_EQ(ErrorOf("*1\rx"), "Protocol error: invalid multibulk length");
  EXPECT_EQ(ErrorOf("*1\r\n$4\r$PING\r\n"), "Protocol error: invalid bulk length");
  EXPECT_EQ(ErrorOf("*1\r\n$10\r$0123456789\r\n"), "Protocol error: invalid bulk length");
  EXPECT_EQ(ErrorOf("*1\r\n$100\r$0123456789\r\n"), "Protocol error: invalid bulk length");
}

TEST(RequestParserTest, RefusesABulkStringWithoutCrlf) {
  for (const std::string_view end : {"xx", "\rx", "x\n", "\n\r", "\n\n", "\r\r"}) {
    EXPECT_EQ(ErrorOf("*1\r\n$4\r\nPING" + std::string(end)),
              "Protocol error: expected CRLF after bulk string")
        << end;
  }
}

TEST(RequestParserTest, StaysInError) {
  RequestParser parser({});
  ASSERT_EQ(parser.Next("PING\r\n"), Outcome::kRequest);
  ASSERT_EQ(parser.Next("*x\r\n*1\r\n$4\r\nPING\r\n"), Outcome::kError);
  const std::string error = parser.error();
  for (const std::string_view bytes : {"", "PING\r\n", "*1\r\n$4\r\nPING\r\n", "*2\r\n"}) {
    EXPECT_EQ(parser.Next(bytes), Outcome::kError);
    EXPECT_EQ(parser.consumed(), 0U);
    EXPECT_EQ(parser.error(), error);
    EXPECT_THAT(parser.args(), IsEmpty());
  }
}

TEST(RequestParserTest, AnswersWhatCameBeforeTheError) {
  const Transcript transcript = Parse("PING\r\n*1\r\n$1\r\na\r\n*0\r\n*1\r\n!");
  EXPECT_THAT(transcript.requests, ElementsAre(ElementsAre("PING"), ElementsAre("a")));
  EXPECT_EQ(transcript.error, "Protocol error: expected '$', got '!'");
  EXPECT_EQ(transcript.consumed, 21U);
}

// The bytes that an earlier call has searched are given other values before the next: a parser
// that looked at them again would find the end of the line, or a broken argument, there.
TEST(RequestParserTest, DoesNotSearchAnInlineLineTwice) {
  RequestParser parser({});
  ASSERT_EQ(parser.Next("PING a"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("PI\nG a b"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("PING a b\r\n"), Outcome::kRequest);
  EXPECT_THAT(parser.args(), ElementsAre("PING", "a", "b"));
}

TEST(RequestParserTest, DoesNotSearchANumberTwice) {
  RequestParser parser({});
  ASSERT_EQ(parser.Next("*1"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("*\r0"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("*10\r\n$100"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("*10\r\n$\r\n00"), Outcome::kNeedMore);
}

TEST(RequestParserTest, DoesNotReadAnArgumentTwice) {
  RequestParser parser({});
  ASSERT_EQ(parser.Next("*3\r\n$1\r\na\r\n$1\r\nb"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("*9\r\n$9\r\nA--$9\r\nB\r\n$1"), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next("*9\r\n$9\r\nA--$9\r\nB--$1\r\nC\r\n"), Outcome::kRequest);
  EXPECT_THAT(parser.args(), ElementsAre("A", "B", "C"));
}

TEST(RequestParserTest, DoesNotLookBehindTheEnd) {
  const std::string request = "*3\r\n$1\r\na\r\n$11\r\nabcdefghijk\r\n$1\r\nz\r\n";
  for (const bool warm : {false, true}) {
    for (size_t size = 0; size < request.size(); ++size) {
      RequestParser parser({});
      if (warm) parser.Next(request);
      ASSERT_EQ(parser.Next(std::string_view(request).substr(0, size)), Outcome::kNeedMore) << size;
    }
  }
}

TEST(RequestParserTest, GivesViewsIntoTheBytesOfTheLastCall) {
  RequestParser parser({});
  const std::string bytes = "*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n";
  ASSERT_EQ(parser.Next(std::string(bytes, 0, 20)), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next(bytes), Outcome::kRequest);
  EXPECT_EQ(parser.args()[0].data(), bytes.data() + 8);
  EXPECT_EQ(parser.args()[1].data(), bytes.data() + 18);
  const std::string line = "ECHO hi\r\n";
  ASSERT_EQ(parser.Next(line), Outcome::kRequest);
  EXPECT_EQ(parser.args()[1].data(), line.data() + 5);
}

TEST(RequestParserTest, ReadsAShortRequestAheadAndChangesNothing) {
  RequestParser parser{RequestLimits{}};
  const std::string two = "*2\r\n$4\r\nECHO\r\n$1\r\na\r\n*1\r\n$4\r\nPING\r\n";
  ShortRequest ahead;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(parser.ReadShort(two, &ahead));
    EXPECT_EQ(ahead.bytes, 21u);
    EXPECT_EQ(std::vector<std::string_view>(ahead.args().begin(), ahead.args().end()),
              (std::vector<std::string_view>{"ECHO", "a"}));
  }
  ASSERT_TRUE(parser.ReadShort(std::string_view(two).substr(21), &ahead));
  EXPECT_EQ(ahead.args().front(), "PING");
  EXPECT_EQ(parser.Next(two), RequestParser::Outcome::kRequest);
  EXPECT_EQ(parser.consumed(), 21u);
}

TEST(RequestParserTest, ReadsNothingAheadThatIsNotShortAndWhole) {
  RequestParser parser{RequestLimits{}};
  ShortRequest ahead;
  EXPECT_FALSE(parser.ReadShort("", &ahead));
  EXPECT_FALSE(parser.ReadShort("PING\r\n", &ahead));
  EXPECT_FALSE(parser.ReadShort("*1\r\n$4\r\nPIN", &ahead));
  EXPECT_FALSE(parser.ReadShort("*0\r\n*1\r\n$4\r\nPING\r\n", &ahead));
  EXPECT_FALSE(parser.ReadShort("*1\r\n$4\r\nPINGxx\r\n", &ahead));
  std::string many = "*11\r\n";
  for (int i = 0; i < 11; ++i) many += "$1\r\na\r\n";
  EXPECT_FALSE(parser.ReadShort(many, &ahead));
  // In the middle of a request nothing begins.
  EXPECT_EQ(parser.Next("*1\r\n$4\r\nPI"), RequestParser::Outcome::kNeedMore);
  EXPECT_FALSE(parser.ReadShort("*1\r\n$4\r\nPING\r\n", &ahead));
}

}  // namespace
}  // namespace gub
