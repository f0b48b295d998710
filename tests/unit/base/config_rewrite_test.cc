#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "base/config.h"

namespace gub {
namespace {

Config With(std::string_view name, std::string_view value) {
  Config config;
  EXPECT_TRUE(SetOption(*FindOption(name), value, &config).ok());
  return config;
}

TEST(RewriteConfigTest, AFileThatSaysHowThingsAreStaysAsItIs) {
  const std::string text = "# mine\n\nport   7379\n  MAXCLIENTS 10000\nmax-keys 1000000";
  EXPECT_EQ(RewriteConfigText(text, Config()), text);
}

TEST(RewriteConfigTest, ALineThatSaysOtherwiseIsReplacedInItsPlace) {
  EXPECT_EQ(RewriteConfigText("# first\nmaxclients 5\n# last\n", With("maxclients", "77")),
            "# first\nmaxclients 77\n# last\n");
  EXPECT_EQ(RewriteConfigText("timeout 5", With("timeout", "9")), "timeout 9");
}

TEST(RewriteConfigTest, AnOptionThatTheFileLacksIsAppendedUnlessItIsAtItsDefault) {
  EXPECT_EQ(RewriteConfigText("port 7379", With("timeout", "9")),
            "port 7379\n\n# Written by CONFIG REWRITE\ntimeout 9\n");
  EXPECT_EQ(RewriteConfigText("", Config()), "");
}

TEST(RewriteConfigTest, AValueBackAtItsDefaultIsWrittenWhereTheFileSaysOtherwise) {
  EXPECT_EQ(RewriteConfigText("timeout 5\n", Config()), "timeout 0\n");
}

TEST(RewriteConfigTest, TheSameInOtherWordsIsNotTouched) {
  EXPECT_EQ(RewriteConfigText("client-query-buffer-limit 1048576\nprotected-mode YES\n", Config()),
            "client-query-buffer-limit 1048576\nprotected-mode YES\n");
}

TEST(RewriteConfigTest, TextIsQuotedSoThatItReadsBack) {
  const Config config = With("requirepass", std::string("a \"b\"\n\0#", 8));
  const std::string text = RewriteConfigText("", config);
  EXPECT_EQ(RewriteConfigText(text, config), text);
  EXPECT_THAT(text, ::testing::HasSubstr(R"(requirepass "a \"b\"\n\x00#")"));
}

TEST(RewriteConfigTest, TheFileKeepsItsModeAndNoScratchIsLeft) {
  const std::string path = ::testing::TempDir() + "/rewrite_test.conf";
  std::ofstream(path) << "timeout 5\n";
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(RewriteConfigFile(path, With("timeout", "6")).ok());
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "timeout 6\n");
  struct stat after {};
  ASSERT_EQ(stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_mode & 07777, 0640u);
  std::remove(path.c_str());
}

TEST(RewriteConfigTest, AFileThatIsGoneIsAnErrorThatNamesIt) {
  const absl::Status status = RewriteConfigFile("/nowhere/gub.conf", Config());
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("/nowhere/gub.conf"));
}

}  // namespace
}  // namespace gub
