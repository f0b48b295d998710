#include "proto/inline_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gub {
namespace {

using namespace std::string_literals;
using Args = std::vector<std::string>;

// The arguments of a line, or nothing if its quotes are unbalanced.
std::optional<Args> Split(std::string_view line) {
  std::string unquoted;
  unquoted.reserve(line.size());
  std::vector<std::string_view> args;
  while (true) {
    std::string_view argument;
    switch (NextInlineArg(&line, &unquoted, &argument)) {
      case InlineStep::kEnd:
        return Args(args.begin(), args.end());
      case InlineStep::kUnbalanced:
        return std::nullopt;
      case InlineStep::kArgument:
        args.push_back(argument);
    }
  }
}

TEST(InlineArgsTest, DividesAtBlanks) {
  EXPECT_EQ(Split(""), Args());
  EXPECT_EQ(Split(" \t\r\n\v\f "), Args());
  EXPECT_EQ(Split("PING"), Args({"PING"}));
  EXPECT_EQ(Split("  set\tk \r v\n"), Args({"set", "k", "v"}));
}

TEST(InlineArgsTest, SkipsAVerticalTabButDoesNotDivideThere) {
  EXPECT_EQ(Split("\va\vb \f c\fd"), Args({"a\vb", "c\fd"}));
  EXPECT_EQ(Split("\"a\"\v'b'\fc"), Args({"a", "b", "c"}));
}

TEST(InlineArgsTest, KnowsTheEscapesOfDoubleQuotes) {
  EXPECT_EQ(Split(R"("\n\r\t\b\a")"), Args({"\n\r\t\b\a"}));
  EXPECT_EQ(Split(R"("\\ \" \' \q \0 \v")"), Args({"\\ \" ' q 0 v"}));
  EXPECT_EQ(Split(R"("\x41\x00\xfF\x5c")"), Args({"A\0\xff\\"s}));
}

TEST(InlineArgsTest, TakesABadHexEscapeAsALetter) {
  EXPECT_EQ(Split(R"("\x" "\x4" "\x4g" "\xg4" "\X41")"), Args({"x", "x4", "x4g", "xg4", "X41"}));
  EXPECT_EQ(Split(R"("\x4/" "\x4:" "\x4@" "\x4G" "\x4`")"),
            Args({"x4/", "x4:", "x4@", "x4G", "x4`"}));
  EXPECT_EQ(Split(R"("\x0a\x0A\x9f\x9F")"), Args({"\n\n\x9f\x9f"}));
}

TEST(InlineArgsTest, KnowsOneEscapeInSingleQuotes) {
  EXPECT_EQ(Split(R"('it\'s')"), Args({"it's"}));
  EXPECT_EQ(Split(R"('\n\x41\\ "')"), Args({R"(\n\x41\\ ")"}));
}

TEST(InlineArgsTest, TakesEmptyQuotesAsAnEmptyArgument) {
  EXPECT_EQ(Split(R"("" '' a)"), Args({"", "", "a"}));
}

TEST(InlineArgsTest, LetsAQuoteBeginInsideAnArgument) {
  EXPECT_EQ(Split(R"(k:"a b" x'y z')"), Args({"k:a b", "xy z"}));
}

TEST(InlineArgsTest, WantsABlankAfterAClosingQuote) {
  for (const std::string_view blank : {" ", "\t", "\n", "\v", "\f", "\r"}) {
    EXPECT_EQ(Split("\"a\"" + std::string(blank) + "b"), Args({"a", "b"}));
    EXPECT_EQ(Split("'a'" + std::string(blank) + "b"), Args({"a", "b"}));
  }
  for (const std::string_view line :
       {R"("a"b)", R"('a'b)", R"("a""b")", R"('a''b')", R"("a"'b')", R"(""")"}) {
    EXPECT_EQ(Split(line), std::nullopt) << line;
  }
  EXPECT_EQ(Split("\"a\"\0"s), std::nullopt);
}

TEST(InlineArgsTest, WantsEveryQuoteClosed) {
  for (const std::string_view line : {"\"", "'", "a\"", "a '", "\"a", "'a", "\"a'", "'a\"",
                                      "\"a\\\"", "'a\\'", "\"\\", "'\\", "\"\\x4", "x \"y\" \"z"}) {
    EXPECT_EQ(Split(line), std::nullopt) << line;
  }
}

TEST(InlineArgsTest, TakesANulLikeAnyOtherByte) {
  EXPECT_EQ(Split("a\0b \0 \"\0\" '\0'"s), Args({"a\0b"s, "\0"s, "\0"s, "\0"s}));
}

TEST(InlineArgsTest, GivesViewsIntoTheLineForPlainArguments) {
  std::string_view line = "ab cd";
  const char* const begin = line.data();
  std::string unquoted;
  std::string_view argument;
  ASSERT_EQ(NextInlineArg(&line, &unquoted, &argument), InlineStep::kArgument);
  EXPECT_EQ(argument.data(), begin);
  ASSERT_EQ(NextInlineArg(&line, &unquoted, &argument), InlineStep::kArgument);
  EXPECT_EQ(argument.data(), begin + 3);
  EXPECT_EQ(unquoted, "");
}

}  // namespace
}  // namespace gub
