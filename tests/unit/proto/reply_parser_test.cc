#include "proto/reply_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace gub {
namespace {

using Type = ReplyValue::Type;
constexpr ReplyLimits kLimits = {.max_bulk_bytes = 10, .max_items = 3};

ReplyOutcome Read(std::string_view bytes, ReplyValue* value, size_t* consumed) {
  return ReadReply(bytes, kLimits, value, consumed);
}

TEST(ReplyParserTest, ReadsEachTypeAndNothingBehindIt) {
  const std::string bytes =
      "+OK\r\n-ERR no\r\n:-5\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n:1\r\n$0\r\n\r\n*0\r\n";
  std::string_view rest = bytes;
  const auto next = [&rest] {
    ReplyValue value;
    size_t consumed = 0;
    EXPECT_EQ(Read(rest, &value, &consumed), ReplyOutcome::kValue);
    rest.remove_prefix(consumed);
    return value;
  };
  EXPECT_EQ(next().text, "OK");
  const ReplyValue error = next();
  EXPECT_EQ(error.type, Type::kError);
  EXPECT_EQ(error.text, "ERR no");
  EXPECT_EQ(next().integer, -5);
  EXPECT_EQ(next().text, "a\r\n");
  EXPECT_EQ(next().type, Type::kNull);
  const ReplyValue array = next();
  ASSERT_EQ(array.items.size(), 2u);
  EXPECT_EQ(array.items[0].integer, 1);
  EXPECT_EQ(array.items[1].type, Type::kBulk);
  EXPECT_EQ(next().type, Type::kArray);
  EXPECT_TRUE(rest.empty());
}

TEST(ReplyParserTest, AValueThatIsCutNeedsMoreWhereverTheCutIs) {
  const std::string bytes = "*3\r\n:12\r\n$5\r\nhe\r\nx\r\n*1\r\n+a\r\n";
  ReplyValue value;
  size_t consumed = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Read(std::string_view(bytes).substr(0, size), &value, &consumed),
              ReplyOutcome::kNeedMore)
        << size;
    EXPECT_EQ(consumed, 0u);
  }
  EXPECT_EQ(Read(bytes, &value, &consumed), ReplyOutcome::kValue);
  EXPECT_EQ(consumed, bytes.size());
}

TEST(ReplyParserTest, WhatNoPeerSendsIsBroken) {
  ReplyValue value;
  size_t consumed = 0;
  for (const std::string bytes :
       {"x\r\n", ":1x\r\n", "$11\r\n", "$-2\r\n", "$1\r\nabc", "*4\r\n", "*-2\r\n", "$x\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "_\r\n", "%1\r\n"}) {
    EXPECT_EQ(Read(bytes, &value, &consumed), ReplyOutcome::kBroken) << bytes;
  }
  EXPECT_EQ(Read("+" + std::string(5000, 'a'), &value, &consumed), ReplyOutcome::kBroken);
}

}  // namespace
}  // namespace gub
