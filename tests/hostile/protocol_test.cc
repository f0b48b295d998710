// What is no RESP, or passes one of its bounds: Redis' own error, then the end of the connection,
// and nobody else hears of it. The first cases are those of Redis' unit/protocol.tcl.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;

constexpr const char* kPing = "*1\r\n$4\r\nPING\r\n";
constexpr const char* kPong = "+PONG\r\n";

class ProtocolTest : public ::testing::Test {
 protected:
  // What a fresh connection gets for these bytes until it is closed; the other one lives on.
  void ExpectClosedAfter(const std::string& bytes, const std::string& replies) {
    RawClient client(server_.port());
    client.Send(bytes);
    EXPECT_THAT(client.ReadUntilClosed(), Optional(replies)) << "after " << bytes.substr(0, 200);
    ExpectOtherIsServed();
  }

  // What a fresh connection gets for these bytes and a PING; it stays open.
  void ExpectPongAfter(const std::string& bytes, std::vector<RespReply> replies = {}) {
    RawClient client(server_.port());
    client.Send(bytes + kPing);
    replies.push_back(RespReply::Status("PONG"));
    EXPECT_EQ(client.ReadReplies(replies.size()), replies) << "after " << bytes.substr(0, 200);
    EXPECT_EQ(client.Run({"ECHO", "still here"}), RespReply::Bulk("still here"));
  }

  // Sends `start` and then the same text without end, as long as the server listens.
  void ExpectClosedWhileSendingOn(const std::string& start) {
    RawClient client(server_.port());
    client.Send(start);
    const std::string payload(64 * 1024, 'a');
    while (!client.HasReplyWithin(std::chrono::milliseconds(0))) {
      if (!client.Send(payload)) break;
    }
    EXPECT_THAT(client.ReadUntilClosed(), Optional(StartsWith("-ERR Protocol error: too big ")));
    ExpectOtherIsServed();
  }

  void ExpectOtherIsServed() { EXPECT_EQ(other_.Run({"PING"}), RespReply::Status("PONG")); }

  ServerProcess server_{{"--threads", "1"}};
  RawClient other_{server_.port()};
};

std::string ProtocolError(const std::string& why) { return "-ERR Protocol error: " + why + "\r\n"; }

TEST_F(ProtocolTest, AnEmptyLineIsIgnored) { ExpectPongAfter("\r\n"); }

TEST_F(ProtocolTest, ANegativeCountIsIgnored) { ExpectPongAfter("*-10\r\n"); }

TEST_F(ProtocolTest, ACountOfNothingIsIgnored) { ExpectPongAfter("*0\r\n\r\n*-1\r\n"); }

TEST_F(ProtocolTest, ACountOutOfRangeIsRefused) {
  ExpectClosedAfter("*3000000000\r\n", ProtocolError("invalid multibulk length"));
}

TEST_F(ProtocolTest, AnArgumentThatIsNoBulkIsRefused) {
  ExpectClosedAfter("*3\r\n$3\r\nSET\r\n$1\r\nx\r\nfooz\r\n",
                    ProtocolError("expected '$', got 'f'"));
}

TEST_F(ProtocolTest, ANegativeBulkLengthIsRefused) {
  ExpectClosedAfter("*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$-10\r\n", ProtocolError("invalid bulk length"));
}

TEST_F(ProtocolTest, ABulkLengthOutOfRangeIsRefused) {
  ExpectClosedAfter("*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$2000000000\r\n",
                    ProtocolError("invalid bulk length"));
}

TEST_F(ProtocolTest, ABulkLengthThatIsNoNumberIsRefused) {
  ExpectClosedAfter("*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$blabla\r\n",
                    ProtocolError("invalid bulk length"));
}

TEST_F(ProtocolTest, AnArrayWithoutABulkIsRefused) {
  ExpectClosedAfter("*1\r\nfoo\r\n", ProtocolError("expected '$', got 'f'"));
}

TEST_F(ProtocolTest, PingWithThreeArgumentsIsAnErrorAndNoMore) {
  ExpectPongAfter("PING x y z\r\n",
                  {RespReply::Error("ERR wrong number of arguments for 'ping' command")});
}

TEST_F(ProtocolTest, UnbalancedQuotesCloseBeforeWhatFollows) {
  ExpectClosedAfter("set \"\"\"test-key\"\"\" test-value\r\nPING\r\n",
                    ProtocolError("unbalanced quotes in request"));
}

TEST_F(ProtocolTest, EndlessTextBehindANulIsCutOff) {
  ExpectClosedWhileSendingOn(std::string("\0", 1));
}

TEST_F(ProtocolTest, EndlessTextBehindACountOfNulIsCutOff) {
  ExpectClosedWhileSendingOn(std::string("*\0", 2));
}

TEST_F(ProtocolTest, EndlessTextBehindALengthOfNulIsCutOff) {
  ExpectClosedWhileSendingOn(std::string("$\0", 2));
}

TEST_F(ProtocolTest, EndlessTextBehindABulkLengthOfNulIsCutOff) {
  ExpectClosedWhileSendingOn(std::string("*1\r\n$\0", 6));
}

TEST_F(ProtocolTest, NumbersAreStrict) {
  for (const std::string count : {"+1", "01", " 1", "1 ", "", "-", "0x1", "1\t", "٣"}) {
    ExpectClosedAfter("*" + count + "\r\n$4\r\nPING\r\n",
                      ProtocolError("invalid multibulk length"));
    ExpectClosedAfter("*1\r\n$" + count + "\r\nPING\r\n", ProtocolError("invalid bulk length"));
  }
}

TEST_F(ProtocolTest, AByteThatIsNotPrintableIsNamedByItsCode) {
  ExpectClosedAfter("*1\r\n\r\n", ProtocolError("expected '$', got '\\x0d'"));
  ExpectClosedAfter("*1\r\n\xff\r\n", ProtocolError("expected '$', got '\\xff'"));
}

TEST_F(ProtocolTest, WhatWasWholeBeforeTheErrorIsAnswered) {
  ExpectClosedAfter(std::string(kPing) + "*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n*1\r\n:1\r\n" + kPing,
                    std::string(kPong) + "$2\r\nhi\r\n" + ProtocolError("expected '$', got ':'"));
}

TEST_F(ProtocolTest, AsManyArgumentsAsMaxArgsAreTakenAndNotOneMore) {
  std::string ping = "*1024\r\n$4\r\nPING\r\n";
  for (int i = 1; i < 1024; ++i) ping += "$1\r\nx\r\n";
  ExpectPongAfter(ping, {RespReply::Error("ERR wrong number of arguments for 'ping' command")});
  ExpectClosedAfter("*1025\r\n", ProtocolError("invalid multibulk length"));
}

TEST_F(ProtocolTest, AsManyBytesAsProtoMaxBulkLenAreTakenAndNotOneMore) {
  const std::string longest(64 * 1024, 'x');
  ExpectPongAfter("*2\r\n$4\r\nECHO\r\n$65536\r\n" + longest + "\r\n", {RespReply::Bulk(longest)});
  ExpectClosedAfter("*2\r\n$4\r\nECHO\r\n$65537\r\n", ProtocolError("invalid bulk length"));
}

TEST_F(ProtocolTest, ABulkThatIsLongerThanItSaysIsRefused) {
  ExpectClosedAfter("*1\r\n$4\r\nPINGS\r\n", ProtocolError("expected CRLF after bulk string"));
}

TEST_F(ProtocolTest, TypesOfResp3AreNoRequests) {
  for (const std::string word : {"%1", "~1", ">1", "_", "#t", ",1.5", "=8", "(1", ":1", "+OK"}) {
    ExpectPongAfter(word + "\r\n", {RespReply::Error("ERR unknown command '" + word +
                                                     "', with args beginning with: ")});
  }
}

TEST_F(ProtocolTest, ErrorsAreCounted) {
  ExpectClosedAfter("*1\r\nfoo\r\n", ProtocolError("expected '$', got 'f'"));
  ExpectClosedAfter("*x\r\n", ProtocolError("invalid multibulk length"));
  EXPECT_THAT(other_.Run({"INFO", "stats"}).text, HasSubstr("\r\ntotal_protocol_errors:2\r\n"));
}

}  // namespace
}  // namespace gub
