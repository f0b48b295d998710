#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
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

TEST(RewriteConfigTest, AnOptionThatStandsTwiceStandsOnceAfterwards) {
  EXPECT_EQ(RewriteConfigText("timeout 5\n# c\ntimeout 9\n", With("timeout", "5")),
            "timeout 5\n# c\n");
}

TEST(RewriteConfigTest, LinesKeepTheirEndings) {
  EXPECT_EQ(RewriteConfigText("# c\r\ntimeout 5\r\nport 7379", With("timeout", "6")),
            "# c\r\ntimeout 6\r\nport 7379");
}

TEST(RewriteConfigTest, ALinkStaysALinkAndAPipeIsNotWaitedFor) {
  const std::string folder = ::testing::TempDir() + "/rewrite_test_folder";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/real.conf") << "timeout 5\n";
  std::filesystem::create_symlink("real.conf", folder + "/link.conf");
  EXPECT_TRUE(RewriteConfigFile(folder + "/link.conf", With("timeout", "6")).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link.conf"));
  std::ifstream file(folder + "/real.conf");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "timeout 6\n");
  ASSERT_EQ(mkfifo((folder + "/pipe.conf").c_str(), 0600), 0);
  EXPECT_THAT(std::string(RewriteConfigFile(folder + "/pipe.conf", Config()).message()),
              ::testing::HasSubstr("it is no plain file"));
  std::filesystem::remove_all(folder);
}

TEST(RewriteConfigTest, AFileThatIsGoneIsAnErrorThatNamesIt) {
  const absl::Status status = RewriteConfigFile("/nowhere/gub.conf", Config());
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("/nowhere/gub.conf"));
}

}  // namespace
}  // namespace gub
