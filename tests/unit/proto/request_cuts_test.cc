// However an input is cut into pieces, a RequestParser makes the same of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/parse_in_pieces.h"
#include "tests/unit/proto/requests.h"

namespace gub {
namespace {

using namespace std::string_literals;
using ::testing::SizeIs;

constexpr RequestLimits kLimits = {.max_args = 20, .max_bulk_bytes = 1500};

// What a whole message is made of: so many requests, and then an error or none.
struct Message {
  std::string bytes;
  size_t requests;
  std::string_view error = "";
};

std::vector<Message> Messages() {
  const std::string hit =
      "*6\r\n$7\r\nGUB.HIT\r\n$1\r\na\r\n$3\r\nk:1\r\n$1\r\n1\r\n$3\r\n100\r\n$2\r\n1m\r\n";
  return {
      {"*1\r\n$4\r\nPING\r\n", 1},
      {"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", 1},
      {hit, 1},
      {hit + hit + "PING\r\n" + hit, 4},
      {"*2\r\n$2\r\n\r\n\r\n$6\r\n$1\r\na\r\r\n", 1},
      {"*1\r\n$12\r\n*1\r\n$1\r\na\r\n\0\r\n"s, 1},
      {"*2\r\n$3\r\n\0\xff\n\r\n$1\r\n\r\r\n"s, 1},
      {"*1\r\n" + BulkOf(123), 1},
      {"*2\r\n" + BulkOf(1200) + BulkOf(1), 1},
      {ArrayOf(16) + ArrayOf(17) + ArrayOf(20), 3},
      {"*0\r\n*-1\r\n\r\n\n*-10\r\n*1\r\n$4\r\nPING\r\n*0\r\n", 1},
      {"PING\r\nPING\n\r\n  \r\n ECHO hi \r\n", 3},
      {"SET \"a b\\x00\\\"\" 'it\\'s' c\"d\"\r\n\"\"\r\n''\nPING\r\n", 4},
      {"\0PING\r\n$3\r\n"s, 2},
      {"+OK\r\n-ERR\r\n:1\r\n_\r\n#t\r\n", 5},
      {"*2\r\n$1\r\na\r\n$5\r\nunfin", 0},
      {"*2\r\n$1\r\na\r\n$5\r", 0},
      {"PING\r\nunfinished", 1},
      {"PING\r\n*", 1},
      {"PING\r\n*x\r\n" + hit, 1, "invalid multibulk length"},
      {"*01\r\n" + hit, 0, "invalid multibulk length"},
      {"*\r\n", 0, "invalid multibulk length"},
      {"*1\r\r\n$1\r\na\r\n", 0, "invalid multibulk length"},
      {ArrayOf(21), 0, "invalid multibulk length"},
      {hit + "*1\r\n$1501\r\nx", 1, "invalid bulk length"},
      {"*2\r\n$1\r\na\r\n$-1\r\nx", 0, "invalid bulk length"},
      {"*2\r\n$1\r\na\r\n$\r\nx", 0, "invalid bulk length"},
      {"*2\r\n$1\r\na\r\nfooz\r\n", 0, "expected '$', got 'f'"},
      {"*1\r\n\r\n", 0, "expected '$', got '\\x0d'"},
      {"*1\r\n$3\r\nabcd\r\n", 0, "expected CRLF after bulk string"},
      {"*1\r\n$3\r\nabc\r\r\n", 0, "expected CRLF after bulk string"},
      {"*1\r\n$3\r\nabc\n\r\n", 0, "expected CRLF after bulk string"},
      {"PING\r\na \"b\r\nPING\r\n", 1, "unbalanced quotes in request"},
      {"a 'b'c\r\n", 0, "unbalanced quotes in request"},
      {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21\r\n", 0, "too big inline request"},
      {std::string(1501, 'a') + "\r\n", 0, "too big inline request"},
  };
}

TEST(RequestCutsTest, EveryMessageIsWhatItIsMeantToBe) {
  for (const Message& message : Messages()) {
    const Transcript whole = ParseWhole(message.bytes, kLimits);
    EXPECT_THAT(whole.requests, SizeIs(message.requests)) << message.bytes;
    EXPECT_EQ(whole.error,
              message.error.empty() ? "" : "Protocol error: " + std::string(message.error))
        << message.bytes;
    EXPECT_EQ(whole.broken, "") << message.bytes;
  }
}

TEST(RequestCutsTest, OneCutAtAnyByteChangesNothing) {
  for (const Message& message : Messages()) {
    const Transcript whole = ParseWhole(message.bytes, kLimits);
    for (size_t cut = 1; cut < message.bytes.size(); ++cut) {
      ASSERT_EQ(ParseInPieces(message.bytes, kLimits,
                              [&, next = cut]() mutable {
                                return std::exchange(next, message.bytes.size());
                              }),
                whole)
          << "cut at " << cut << ": " << message.bytes;
    }
  }
}

TEST(RequestCutsTest, PiecesOfAnySizeChangeNothing) {
  for (const Message& message : Messages()) {
    const Transcript whole = ParseWhole(message.bytes, kLimits);
    for (size_t piece = 1; piece < 40; ++piece) {
      ASSERT_EQ(ParseInPieces(message.bytes, kLimits, [&] { return piece; }), whole)
          << "pieces of " << piece << ": " << message.bytes;
    }
  }
}

TEST(RequestCutsTest, TwoCutsAtAnyBytesChangeNothingInAShortMessage) {
  for (const Message& message : Messages()) {
    const size_t size = message.bytes.size();
    if (size > 80) continue;
    const Transcript whole = ParseWhole(message.bytes, kLimits);
    for (size_t first = 1; first < size; ++first) {
      for (size_t second = 1; first + second < size; ++second) {
        int piece = 0;
        ASSERT_EQ(ParseInPieces(message.bytes, kLimits,
                                [&] { return ++piece == 1 ? first
                                             : piece == 2 ? second
                                                          : size; }),
                  whole)
            << "cut after " << first << " and " << second << " more: " << message.bytes;
      }
    }
  }
}

TEST(RequestCutsTest, TheLongestLinesArriveByteByByte) {
  const size_t max = RequestLimits::kMaxLineBytes;
  const std::string spaces(max, ' ');
  for (const std::string& bytes : {spaces + "\nPING\r\n", spaces + " \n", "*" + spaces + "\r\n",
                                   "*" + spaces.substr(1) + "\r\n", "*1\r\n$" + spaces + "\r\n",
                                   "*1\r\n$" + spaces.substr(1) + "\r\n"}) {
    const Transcript whole = ParseWhole(bytes);
    RequestParser parser({});
    size_t consumed = 0;
    std::string error;
    for (size_t size = 1; size <= bytes.size() && error.empty(); ++size) {
      parser.Next(std::string_view(bytes).substr(consumed, size - consumed));
      consumed += parser.consumed();
      error = parser.error();
    }
    EXPECT_EQ(error, whole.error);
    EXPECT_EQ(consumed, whole.consumed);
  }
}

}  // namespace
}  // namespace gub
