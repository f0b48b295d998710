#include "base/text.h"

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace gub {
namespace {

using namespace std::string_view_literals;

TEST(TextTest, TurnsAbseilsStringViewIntoAStandardOne) {
  EXPECT_EQ(ToStd(absl::InternalError("why").message()), "why"sv);
}

TEST(ParseInt64Test, ReadsDecimalIntegersOfTheWholeRange) {
  EXPECT_EQ(ParseInt64("0"), 0);
  EXPECT_EQ(ParseInt64("7"), 7);
  EXPECT_EQ(ParseInt64("-7"), -7);
  EXPECT_EQ(ParseInt64("10"), 10);
  EXPECT_EQ(ParseInt64("123456789012345678"), 123456789012345678);    // 18 digits
  EXPECT_EQ(ParseInt64("1234567890123456789"), 1234567890123456789);  // 19
  EXPECT_EQ(ParseInt64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
}

TEST(ParseInt64Test, RefusesEverythingElse) {
  for (const std::string_view text :
       {""sv, "-"sv, "+1"sv, " 1"sv, "1 "sv, "01"sv, "00"sv, "-0"sv, "-01"sv, "--1"sv, "1.0"sv,
        "1e3"sv, "0x10"sv, "a"sv, "1\0"sv, "9223372036854775808"sv, "-9223372036854775809"sv,
        "99999999999999999999999999"sv, "\xd9\xa1"sv}) {
    EXPECT_EQ(ParseInt64(text), std::nullopt) << Escape(text);
  }
}

TEST(CaseTest, FoldsAsciiLettersOnly) {
  EXPECT_EQ(ToLower("AZ[@az09-\xc3\x84"), "az[@az09-\xc3\x84");
  EXPECT_EQ(ToUpper("az{`AZ09-\xc3\xa4"), "AZ{`AZ09-\xc3\xa4");
  EXPECT_TRUE(EqualsIgnoreCase("MAX-Keys", "max-keys"));
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
  EXPECT_FALSE(EqualsIgnoreCase("max-keys", "max-key"));
  EXPECT_FALSE(EqualsIgnoreCase("max-keys", "max_keys"));
  EXPECT_FALSE(EqualsIgnoreCase("@", "`"));  // 32 apart, but no letters
  EXPECT_FALSE(EqualsIgnoreCase("\xc3\x84", "\xc3\xa4"));
}

TEST(EscapeTest, LeavesPrintableAsciiAlone) {
  std::string printable;
  for (char c = ' '; c <= '~'; ++c) {
    if (c != '"' && c != '\\') printable.push_back(c);
  }
  EXPECT_EQ(Escape(printable), printable);
}

TEST(EscapeTest, WritesEverythingElseAsEscapes) {
  EXPECT_EQ(Escape("a\nb\rc\td\"e\\f"), R"(a\nb\rc\td\"e\\f)");
  EXPECT_EQ(Escape("\0\x01\x1f\x7f\x80\xff"sv), R"(\x00\x01\x1f\x7f\x80\xff)");
}

TEST(EscapeTest, GivesPrintableAsciiForEveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const char c : Escape(std::string(1, static_cast<char>(byte)))) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << byte;
    }
  }
}

TEST(EscapeTest, CutsTheInputNotTheResult) {
  EXPECT_EQ(Escape("\n\n\n", 2), R"(\n\n)");
  EXPECT_EQ(Escape("abc", 0), "");
  EXPECT_EQ(Escape(std::string(200, 'x')), std::string(128, 'x'));
}

struct GlobCase {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};

void PrintTo(const GlobCase& c, std::ostream* out) {
  *out << Escape(c.pattern) << " on " << Escape(c.text);
}

class GlobTest : public testing::TestWithParam<GlobCase> {};

TEST_P(GlobTest, MatchesAsRedisDoes) {
  const GlobCase& c = GetParam();
  EXPECT_EQ(GlobMatch(c.pattern, c.text), c.matches);
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, GlobTest,
    testing::Values(
        // plain bytes, whole text, case
        GlobCase{"", "", true}, GlobCase{"", "a", false}, GlobCase{"a", "", false},
        GlobCase{"port", "port", true}, GlobCase{"port", "ports", false},
        GlobCase{"ports", "port", false}, GlobCase{"Port", "port", false},
        // stars
        GlobCase{"*", "", true}, GlobCase{"*", "anything", true}, GlobCase{"**", "a", true},
        GlobCase{"max-*", "max-keys", true}, GlobCase{"max-*", "max-", true},
        GlobCase{"max-*", "maxclients", false}, GlobCase{"*-keys", "max-keys", true},
        GlobCase{"*a*b*c", "xaxbxbxc", true}, GlobCase{"*a*b*c", "xaxcxbx", false},
        GlobCase{"*aab", "aaab", true}, GlobCase{"a*b", "ab", true}, GlobCase{"a*b", "abc", false},
        // one byte
        GlobCase{"p?rt", "port", true}, GlobCase{"p?rt", "prt", false}, GlobCase{"?", "", false},
        GlobCase{"*?", "", false}, GlobCase{"*?", "a", true},
        // classes
        GlobCase{"[abc]x", "bx", true}, GlobCase{"[abc]x", "dx", false},
        GlobCase{"[a-c]", "b", true}, GlobCase{"[a-c]", "d", false}, GlobCase{"[c-a]", "b", true},
        GlobCase{"[^a-c]", "d", true}, GlobCase{"[^a-c]", "b", false}, GlobCase{"[a^]", "^", true},
        GlobCase{"[]", "]", false}, GlobCase{"[^]", "x", true}, GlobCase{"[\\]]", "]", true},
        GlobCase{"[\\^a]", "^", true}, GlobCase{"[\x80-\xff]", "\xc3", true},
        GlobCase{"*[0-9]", "a1b2", true},
        // classes that are not closed end with the pattern
        GlobCase{"[abc", "a", true}, GlobCase{"[abc", "d", false}, GlobCase{"[", "a", false},
        GlobCase{"[^", "a", true}, GlobCase{"[a-", "-", true}, GlobCase{"[\\", "\\", true},
        // a range takes the ] for its end, so this class is not closed either: ] to a
        GlobCase{"[a-]", "`", true}, GlobCase{"[a-]", "-", false},
        // escapes
        GlobCase{"\\*", "*", true}, GlobCase{"\\*", "a", false}, GlobCase{"a\\?c", "a?c", true},
        GlobCase{"a\\?c", "abc", false}, GlobCase{"\\\\", "\\", true}, GlobCase{"a\\", "a\\", true},
        GlobCase{"\\[a]", "[a]", true}));

// With recursion at every star this pattern would take longer than the universe has.
TEST(GlobTest, IsQuickWhateverTheStars) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(GlobMatch(pattern + "b", std::string(5000, 'a')));
  EXPECT_TRUE(GlobMatch(pattern, std::string(5000, 'a')));
}

}  // namespace
}  // namespace gub
