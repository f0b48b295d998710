#include "proto/reply_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/parse_in_pieces.h"
#include "tests/unit/proto/requests.h"

namespace gub {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string Written(RespVersion version, const std::function<void(ReplyWriter*)>& write) {
  ByteBuffer out;
  ReplyWriter writer(&out);
  writer.set_version(version);
  write(&writer);
  return std::string(out.view());
}

void ExpectWritten(const std::function<void(ReplyWriter*)>& write, std::string_view resp2,
                   std::string_view resp3) {
  EXPECT_EQ(Written(RespVersion::k2, write), resp2);
  EXPECT_EQ(Written(RespVersion::k3, write), resp3);
}

void ExpectSame(const std::function<void(ReplyWriter*)>& write, std::string_view bytes) {
  ExpectWritten(write, bytes, bytes);
}

void ExpectDouble(double value, const std::string& digits) {
  ExpectWritten([&](ReplyWriter* w) { w->Double(value); }, Bulk(digits),
                fmt::format(",{}\r\n", digits));
}

TEST(ReplyWriterTest, StartsWithResp2AndChangesFromTheNextValueOn) {
  ByteBuffer out;
  ReplyWriter writer(&out);
  EXPECT_EQ(writer.version(), RespVersion::k2);
  writer.Null();
  writer.set_version(RespVersion::k3);
  EXPECT_EQ(writer.version(), RespVersion::k3);
  writer.Null();
  EXPECT_EQ(writer.out()->view(), "$-1\r\n_\r\n");
}

TEST(ReplyWriterTest, WritesSimpleStrings) {
  ExpectSame([](ReplyWriter* w) { w->Ok(); }, "+OK\r\n");
  ExpectSame([](ReplyWriter* w) { w->SimpleString("PONG"); }, "+PONG\r\n");
  ExpectSame([](ReplyWriter* w) { w->SimpleString(""); }, "+\r\n");
}

TEST(ReplyWriterTest, WritesErrors) {
  ExpectSame([](ReplyWriter* w) { w->Error("ERR no such thing"); }, "-ERR no such thing\r\n");
}

TEST(ReplyWriterTest, KeepsErrorsAndSimpleStringsInOneLine) {
  ExpectSame([](ReplyWriter* w) { w->Error("ERR '\r\n+OK\n\r'"); }, "-ERR '  +OK  '\r\n");
  ExpectSame([](ReplyWriter* w) { w->SimpleString("\na\rb\n"); }, "+ a b \r\n");
  ExpectSame([](ReplyWriter* w) { w->Error("ERR \0\xff"s); }, "-ERR \0\xff\r\n"s);
}

TEST(ReplyWriterTest, WritesIntegers) {
  ExpectSame([](ReplyWriter* w) { w->Integer(0); }, ":0\r\n");
  ExpectSame([](ReplyWriter* w) { w->Integer(-1); }, ":-1\r\n");
  ExpectSame([](ReplyWriter* w) { w->Integer(1234567890123); }, ":1234567890123\r\n");
  ExpectSame([](ReplyWriter* w) { w->Integer(kMax); }, ":9223372036854775807\r\n");
  ExpectSame([](ReplyWriter* w) { w->Integer(kMin); }, ":-9223372036854775808\r\n");
}

TEST(ReplyWriterTest, WritesIntegersOfEveryLength) {
  std::vector<int64_t> values;
  for (int64_t power = 1; power <= 1'000'000'000'000'000'000; power *= 10) {
    for (int64_t near : {power - 1, power, power + 1, power * 9 + 7, power + power / 2}) {
      if (near >= 0) values.insert(values.end(), {near, -near});
    }
    if (power == 1'000'000'000'000'000'000) break;
  }
  for (const int64_t value : values) {
    ExpectSame([value](ReplyWriter* w) { w->Integer(value); },
               ":" + std::to_string(value) + "\r\n");
  }
}

TEST(ReplyWriterTest, WritesBulkStrings) {
  ExpectSame([](ReplyWriter* w) { w->Bulk(""); }, "$0\r\n\r\n");
  ExpectSame([](ReplyWriter* w) { w->Bulk({}); }, "$0\r\n\r\n");
  ExpectSame([](ReplyWriter* w) { w->Bulk("hello"); }, "$5\r\nhello\r\n");
  ExpectSame([](ReplyWriter* w) { w->Bulk("\r\n\0\xff"s); }, "$4\r\n\r\n\0\xff\r\n"s);
}

TEST(ReplyWriterTest, WritesTheFewestDigitsOfADouble) {
  ExpectDouble(3.14, "3.14");
  ExpectDouble(0.1, "0.1");
  ExpectDouble(0, "0");
  ExpectDouble(-0.0, "-0");
  ExpectDouble(10, "10");
  ExpectDouble(-1.5, "-1.5");
  ExpectDouble(0.1 + 0.2, "0.30000000000000004");
  ExpectDouble(std::numeric_limits<double>::max(), "1.7976931348623157e+308");
  ExpectDouble(-std::numeric_limits<double>::max(), "-1.7976931348623157e+308");
  ExpectDouble(-std::numeric_limits<double>::min(), "-2.2250738585072014e-308");
  ExpectDouble(std::numeric_limits<double>::denorm_min(), "5e-324");
}

TEST(ReplyWriterTest, WritesADoubleInTheNotationOfPrintf) {
  ExpectDouble(100000, "100000");
  ExpectDouble(1e16, "10000000000000000");
  ExpectDouble(12345678901234568, "12345678901234568");
  ExpectDouble(1e17, "1e+17");
  ExpectDouble(1e-4, "0.0001");
  ExpectDouble(-1.2345678901234567e-4, "-0.00012345678901234567");
  ExpectDouble(1e-5, "1e-05");
}

TEST(ReplyWriterTest, WritesDoublesThatAreNoNumbers) {
  ExpectDouble(std::numeric_limits<double>::infinity(), "inf");
  ExpectDouble(-std::numeric_limits<double>::infinity(), "-inf");
  ExpectDouble(std::numeric_limits<double>::quiet_NaN(), "nan");
  ExpectDouble(std::copysign(std::numeric_limits<double>::quiet_NaN(), -1), "nan");
}

TEST(ReplyWriterTest, WritesBooleans) {
  ExpectWritten([](ReplyWriter* w) { w->Boolean(true); }, ":1\r\n", "#t\r\n");
  ExpectWritten([](ReplyWriter* w) { w->Boolean(false); }, ":0\r\n", "#f\r\n");
}

TEST(ReplyWriterTest, WritesNulls) {
  ExpectWritten([](ReplyWriter* w) { w->Null(); }, "$-1\r\n", "_\r\n");
  ExpectWritten([](ReplyWriter* w) { w->NullArray(); }, "*-1\r\n", "_\r\n");
}

TEST(ReplyWriterTest, WritesVerbatimText) {
  ExpectWritten([](ReplyWriter* w) { w->VerbatimText("a:1\r\n"); }, "$5\r\na:1\r\n\r\n",
                "=9\r\ntxt:a:1\r\n\r\n");
  ExpectWritten([](ReplyWriter* w) { w->VerbatimText(""); }, "$0\r\n\r\n", "=4\r\ntxt:\r\n");
}

TEST(ReplyWriterTest, WritesHeaders) {
  ExpectSame([](ReplyWriter* w) { w->Array(0); }, "*0\r\n");
  ExpectSame([](ReplyWriter* w) { w->Array(12); }, "*12\r\n");
  ExpectWritten([](ReplyWriter* w) { w->Map(7); }, "*14\r\n", "%7\r\n");
  ExpectWritten([](ReplyWriter* w) { w->Map(0); }, "*0\r\n", "%0\r\n");
  ExpectWritten([](ReplyWriter* w) { w->Set(3); }, "*3\r\n", "~3\r\n");
  ExpectWritten([](ReplyWriter* w) { w->Push(3); }, "*3\r\n", ">3\r\n");
  ExpectSame([](ReplyWriter* w) { w->Array(std::numeric_limits<size_t>::max()); },
             "*18446744073709551615\r\n");
}

TEST(ReplyWriterTest, WritesThreeIntegersInOneStep) {
  ExpectSame([](ReplyWriter* w) { w->IntegerTriple(0, 99, 60000); },
             "*3\r\n:0\r\n:99\r\n:60000\r\n");
  ExpectSame([](ReplyWriter* w) { w->IntegerTriple(kMin, kMax, kMin); },
             "*3\r\n:-9223372036854775808\r\n:9223372036854775807\r\n:-9223372036854775808\r\n");
}

// Every size of the buffer, so that whatever is written last meets its end.
TEST(ReplyWriterTest, WritesBehindWhatIsInTheBuffer) {
  for (size_t held = 0; held < 1100; ++held) {
    const std::string text(held, 'x');
    ByteBuffer out;
    out.Append(text);
    ReplyWriter writer(&out);
    writer.IntegerTriple(kMin, kMin, kMin);
    writer.Double(-std::numeric_limits<double>::max());
    writer.Bulk("b");
    writer.Error("ERR");
    writer.set_version(RespVersion::k3);
    writer.VerbatimText("t");
    ASSERT_EQ(out.view(),
              text +
                  "*3\r\n:-9223372036854775808\r\n:-9223372036854775808\r\n"
                  ":-9223372036854775808\r\n$24\r\n-1.7976931348623157e+308\r\n$1\r\nb\r\n"
                  "-ERR\r\n=5\r\ntxt:t\r\n");
  }
}

TEST(ReplyWriterTest, WritesRequestsThatTheParserReads) {
  const std::string binary = "\r\n\0$1\xff"s;
  const std::string large(5000, 'x');
  const std::string bytes = Written(RespVersion::k2, [&](ReplyWriter* w) {
    w->Array(3);
    w->Bulk("ECHO");
    w->Bulk(binary);
    w->Bulk("");
    w->Array(1);
    w->Bulk(large);
  });
  const Transcript transcript = ParseWhole(bytes);
  EXPECT_THAT(transcript.requests,
              ElementsAre(ElementsAre("ECHO", binary, ""), ElementsAre(large)));
  EXPECT_EQ(transcript.consumed, bytes.size());
}

}  // namespace
}  // namespace gub
