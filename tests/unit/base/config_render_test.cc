#include <sstream>
#include <string>

#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/base/temp_dir.h"

namespace gub {
namespace {

using testing::HasSubstr;

Config UnusualConfig() {
  Config config;
  config.bind = {"10.0.0.1", "-::1", "we\"ird"};
  config.port = 1;
  config.tcp_backlog = 2;
  config.tcp_keepalive_s = 3;
  config.threads = 4;
  config.maxclients = 5;
  config.client_query_buffer_limit_bytes = 1'000'001;
  config.client_output_buffer_limit_bytes = 3 << 20;
  config.proto_max_bulk_len_bytes = 5 << 10;
  config.max_args = 16;
  config.max_keys = 7;
  config.max_key_bytes = 8;
  config.calendar_timezone = "America/Port-au-Prince";
  config.loglevel = "verbose";
  config.logfile = "/var/log/my \"gub\" #1\\.log";
  config.enable_debug_commands = true;
  return config;
}

TEST(RenderConfigFileTest, IsWhatConfGubConfIs) {
  EXPECT_EQ(ReadFile(GUB_SOURCE_DIR "/conf/gub.conf"), RenderConfigFile(Config{}))
      << "conf/gub.conf is stale. Make it anew: build/gub-server --print-config > conf/gub.conf";
}

TEST(RenderConfigFileTest, IsReadBackAsTheSameConfiguration) {
  const std::string file = RenderConfigFile(UnusualConfig());
  Config config;
  EXPECT_EQ(ToStd(ApplyConfigText("f", file, &config).message()), "");
  EXPECT_EQ(RenderConfigFile(config), file);
  EXPECT_EQ(config.bind, UnusualConfig().bind);
  EXPECT_EQ(config.logfile, UnusualConfig().logfile);
  EXPECT_EQ(config.client_query_buffer_limit_bytes, 1'000'001);
  EXPECT_EQ(config.tcp_keepalive_s, 3);
}

TEST(RenderConfigFileTest, ShowsEachOptionsValueRangeAndDefault) {
  const std::string file = RenderConfigFile(UnusualConfig());
  EXPECT_THAT(file, HasSubstr("# Value: from 0 to 65535. Default: 7379\nport 1\n"));
  EXPECT_THAT(file, HasSubstr("# Value: from 0 to 32767 seconds. Default: 300\ntcp-keepalive 3\n"));
  EXPECT_THAT(file, HasSubstr("# Value: from 2 to 65000 bytes. Default: 4096\nmax-key-bytes 8\n"));
  EXPECT_THAT(file,
              HasSubstr("# Value: from 1kb to 512mb. Default: 64kb\nproto-max-bulk-len 5kb\n"));
  EXPECT_THAT(file, HasSubstr("# Value: one of debug, verbose, notice, warning. Default: notice\n"
                              "loglevel verbose\n"));
  EXPECT_THAT(file, HasSubstr("# Value: yes or no. Default: no\nenable-debug-commands yes\n"));
  EXPECT_THAT(file, HasSubstr("# Default: 127.0.0.1 -::1\nbind 10.0.0.1 -::1 \"we\\\"ird\"\n"));
}

TEST(RenderConfigFileTest, HasAHeadingForEachGroup) {
  const std::string file = RenderConfigFile(Config{});
  for (const OptionRow& row : OptionTable()) {
    const std::string heading = fmt::format("\n######## {} #", row.group);
    const size_t first = file.find(heading);
    EXPECT_NE(first, std::string::npos) << row.group;
    EXPECT_EQ(file.find(heading, first + 1), std::string::npos) << row.group;
    EXPECT_LT(first, file.find(fmt::format("\n{} ", row.name))) << row.name;
  }
}

TEST(RenderConfigFileTest, KeepsEveryWordOfTheTextsInLinesOfAHundredColumns) {
  const std::string file = RenderConfigFile(Config{});
  std::string words;  // of the comments, with one space between
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
    if (line.starts_with("# ")) words += line.substr(2) + " ";
  }
  for (const OptionRow& row : OptionTable()) EXPECT_THAT(words, HasSubstr(std::string(row.text)));
}

TEST(UsageTextTest, ListsEveryOptionWithItsDefaultAndASentence) {
  const std::string usage = UsageText();
  for (const OptionRow& row : OptionTable()) {
    const std::string option =
        fmt::format("--{} ({})  ", row.name, row.default_text.empty() ? "\"\"" : row.default_text);
    const size_t start = usage.find(option);
    ASSERT_NE(start, std::string::npos) << row.name;
    const std::string line = usage.substr(start, usage.find('\n', start) - start);
    const std::string sentence = line.substr(line.find_first_not_of(' ', option.size()));
    EXPECT_GE(sentence.size(), 10u) << line;
    EXPECT_TRUE(row.text.starts_with(sentence)) << line;
    EXPECT_EQ(row.text[sentence.size()], '.') << line;
  }
  for (const std::string_view word :
       {"-h, --help", "-v, --version", "--print-config", "GUB_OPT_"}) {
    EXPECT_THAT(usage, HasSubstr(std::string(word)));
  }
}

TEST(UsageTextTest, FitsIntoAHundredColumns) {
  std::istringstream lines(UsageText());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace gub
