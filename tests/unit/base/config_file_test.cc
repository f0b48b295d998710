#include <random>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/base/temp_dir.h"

namespace gub {
namespace {

using testing::ElementsAre;
using testing::Optional;

std::string Message(const absl::Status& status) {
  return status.ok() ? "OK" : std::string(ToStd(status.message()));
}

class ConfigFileTest : public testing::Test {
 protected:
  std::string Apply(std::string_view text) {
    return Message(ApplyConfigText("gub.conf", text, &config_));
  }

  Config config_;
};

TEST_F(ConfigFileTest, SetsWhatItsLinesSay) {
  EXPECT_EQ(Apply("port 7000\nmax-keys 500\nbind 10.0.0.1 ::1\nenable-debug-commands yes\n"), "OK");
  EXPECT_EQ(config_.port, 7000);
  EXPECT_EQ(config_.max_keys, 500);
  EXPECT_THAT(config_.bind, ElementsAre("10.0.0.1", "::1"));
  EXPECT_TRUE(config_.enable_debug_commands);
  EXPECT_EQ(config_.threads, 0);  // not named: the default
}

TEST_F(ConfigFileTest, LeavesOutCommentsAndBlankLines) {
  EXPECT_EQ(Apply("# port 1\n\n   \t\n  # \"an unclosed quote\n#\nport 7000\n#port 2"), "OK");
  EXPECT_EQ(config_.port, 7000);
}

TEST_F(ConfigFileTest, MayBeEmpty) {
  const std::string before = RenderConfigFile(config_);
  EXPECT_EQ(Apply(""), "OK");
  EXPECT_EQ(RenderConfigFile(config_), before);
}

TEST_F(ConfigFileTest, TakesNamesInAnyCaseAndSpacesAroundWords) {
  EXPECT_EQ(Apply("  PORT \t 7000  \nMax-Keys 5"), "OK");
  EXPECT_EQ(config_.port, 7000);
  EXPECT_EQ(config_.max_keys, 5);
}

TEST_F(ConfigFileTest, TakesTheLinesOfOtherSystems) {
  EXPECT_EQ(Apply("port 7000\r\n# comment\r\n\r\nlogfile a.log\r\n"), "OK");
  EXPECT_EQ(config_.port, 7000);
  EXPECT_EQ(config_.logfile, "a.log");
}

TEST_F(ConfigFileTest, TakesValuesInQuotes) {
  EXPECT_EQ(Apply("logfile \"/var/log/my \\\"gub\\\" # 1.log\"\nport \"7000\"\n"
                  "calendar-timezone 'Europe/Berlin'\nbind \"10.0.0.1 ::1\" 10.0.0.2\n"),
            "OK");
  EXPECT_EQ(config_.logfile, "/var/log/my \"gub\" # 1.log");
  EXPECT_EQ(config_.port, 7000);
  EXPECT_EQ(config_.calendar_timezone, "Europe/Berlin");
  EXPECT_THAT(config_.bind, ElementsAre("10.0.0.1", "::1", "10.0.0.2"));
}

TEST_F(ConfigFileTest, NamesFileLineAndReasonOfEveryFault) {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const Case cases[] = {
      {"\n# c\nport 99999\n", "gub.conf:3: port must be from 0 to 65535, got '99999'"},
      {"prot 7379", "gub.conf:1: unknown option 'prot', did you mean 'port'?"},
      {"save 60 1000", "gub.conf:1: unknown option 'save'"},
      {"\"\" 1", "gub.conf:1: unknown option ''"},
      {"\n\nport", "gub.conf:3: port has no value"},
      {"bind", "gub.conf:1: bind has no value"},
      {"bind \"\"",
       "gub.conf:1: bind must be one or more words without control characters, got ''"},
      {"port 7000\n\nmax-keys 1\nPort 7000\n", "gub.conf:4: port was given in line 1 already"},
      {"bind ::1\nbind 10.0.0.1", "gub.conf:2: bind was given in line 1 already"},
      {"port 7000 # mine",
       "gub.conf:1: port takes one value, got 3 (a value with spaces stands in quotes, a comment "
       "on a line of its own)"},
      {"logfile my log",
       "gub.conf:1: logfile takes one value, got 2 (a value with spaces stands in quotes, a "
       "comment on a line of its own)"},
      {"logfile \"a", "gub.conf:1: a quote is not closed, or something follows it without a space"},
      {"logfile \"a\"b",
       "gub.conf:1: a quote is not closed, or something follows it without a space"},
      {"\xef\xbb\xbfport 7000", "gub.conf:1: unknown option '\\xef\\xbb\\xbfport'"},
  };
  for (const Case& c : cases) EXPECT_EQ(Apply(c.text), c.message);
}

TEST_F(ConfigFileTest, StopsAtTheFirstFault) {
  EXPECT_EQ(Apply("port 7000\nthreads -1\nmax-keys 0\n"),
            "gub.conf:2: threads must be from 0 to 256, got '-1'");
}

TEST_F(ConfigFileTest, IsReadFromTheDisk) {
  const TempDir dir;
  // Longer than one read of it.
  const std::string path =
      dir.Write("a.conf", "port 7000\n" + std::string(100'000, '#') + "\nmax-keys 5");
  EXPECT_EQ(Message(ReadConfigFile(path, false, &config_)), "OK");
  EXPECT_EQ(config_.port, 7000);
  EXPECT_EQ(config_.max_keys, 5);
}

TEST_F(ConfigFileTest, ThatCannotBeReadIsAnErrorThatNamesIt) {
  const TempDir dir;
  EXPECT_EQ(Message(ReadConfigFile(dir.Path("none.conf"), false, &config_)),
            dir.Path("none.conf") + ": the file cannot be read: No such file or directory");
  EXPECT_EQ(Message(ReadConfigFile(dir.Path("."), false, &config_)),
            dir.Path(".") + ": the file cannot be read: Is a directory");
  const std::string path = dir.Write("bad.conf", "port x");
  EXPECT_EQ(Message(ReadConfigFile(path, false, &config_)),
            path + ":1: port must be a whole number from 0 to 65535, got 'x'");
}

TEST(SplitConfigLineTest, CutsALineIntoWords) {
  EXPECT_THAT(SplitConfigLine(""), Optional(ElementsAre()));
  EXPECT_THAT(SplitConfigLine(" \t\r"), Optional(ElementsAre()));
  EXPECT_THAT(SplitConfigLine("a  b\tc "), Optional(ElementsAre("a", "b", "c")));
  EXPECT_THAT(SplitConfigLine(R"(a "" '')"), Optional(ElementsAre("a", "", "")));
  EXPECT_THAT(SplitConfigLine(R"(a\nb)"), Optional(ElementsAre(R"(a\nb)")));
  EXPECT_THAT(SplitConfigLine(R"(a"b c")"), Optional(ElementsAre("ab c")));
}

TEST(SplitConfigLineTest, ReadsRedisEscapesInDoubleQuotes) {
  EXPECT_THAT(SplitConfigLine(R"("\n\r\t\b\a\"\\\q")"), Optional(ElementsAre("\n\r\t\b\a\"\\q")));
  EXPECT_THAT(SplitConfigLine(R"("\x41\xfF\x0g\x4")"), Optional(ElementsAre("A\xffx0gx4")));
  EXPECT_THAT(SplitConfigLine(R"("it's")"), Optional(ElementsAre("it's")));
}

TEST(SplitConfigLineTest, ReadsSingleQuotesAsTheyAre) {
  EXPECT_THAT(SplitConfigLine(R"('a\n"b\'c' d)"), Optional(ElementsAre(R"(a\n"b'c)", "d")));
}

TEST(SplitConfigLineTest, RefusesQuotesThatDoNotEnd) {
  for (const std::string_view line :
       {R"(")", R"(')", R"("a)", R"('a)", R"("a\")", R"('a\')", R"("a\)", R"("a"b)", R"('a'b)",
        R"(a "b" "c)", R"("a""b")", R"("\x4)"}) {
    EXPECT_EQ(SplitConfigLine(line), std::nullopt) << line;
  }
}

TEST(QuoteConfigWordTest, UsesQuotesOnlyWhereTheyAreNeeded) {
  EXPECT_EQ(QuoteConfigWord("plain/word-1"), "plain/word-1");
  EXPECT_EQ(QuoteConfigWord(""), R"("")");
  EXPECT_EQ(QuoteConfigWord("a b"), R"("a b")");
  EXPECT_EQ(QuoteConfigWord("#a"), R"("#a")");
  EXPECT_EQ(QuoteConfigWord("it's"), R"("it's")");
  EXPECT_EQ(QuoteConfigWord("a\"\\\n"), R"("a\"\\\n")");
}

TEST(QuoteConfigWordTest, WritesWhatSplitConfigLineReadsWhateverTheBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string word(random() % 200, '\0');
    for (char& c : word) c = static_cast<char>(random());
    ASSERT_THAT(SplitConfigLine("name " + QuoteConfigWord(word)),
                Optional(ElementsAre("name", word)));
  }
}

}  // namespace
}  // namespace gub
