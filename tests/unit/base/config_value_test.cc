#include <ostream>
#include <string>

#include "base/config.h"
#include "base/text.h"
#include "gtest/gtest.h"

namespace gub {
namespace {

std::string Set(std::string_view name, std::string_view value, Config* config) {
  const absl::Status status = SetOption(*FindOption(name), value, config);
  return status.ok() ? "OK" : std::string(ToStd(status.message()));
}

// A value that is taken, and what FormatOption says of it then.
struct GoodCase {
  std::string_view name;
  std::string_view value;
  std::string_view formatted;
};
void PrintTo(const GoodCase& c, std::ostream* out) { *out << c.name << " " << Escape(c.value); }

class GoodValueTest : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodValueTest, IsTakenAndWrittenBack) {
  Config config;
  EXPECT_EQ(Set(GetParam().name, GetParam().value, &config), "OK");
  EXPECT_EQ(FormatOption(*FindOption(GetParam().name), config), GetParam().formatted);
}

INSTANTIATE_TEST_SUITE_P(
    Values, GoodValueTest,
    testing::Values(
        // both ends of ranges
        GoodCase{"port", "0", "0"}, GoodCase{"port", "65535", "65535"},
        GoodCase{"tcp-backlog", "1", "1"}, GoodCase{"tcp-backlog", "65535", "65535"},
        GoodCase{"tcp-keepalive", "0", "0"}, GoodCase{"tcp-keepalive", "32767", "32767"},
        GoodCase{"threads", "0", "0"}, GoodCase{"threads", "256", "256"},
        GoodCase{"maxclients", "1", "1"}, GoodCase{"maxclients", "1000000", "1000000"},
        GoodCase{"client-query-buffer-limit", "1kb", "1kb"},
        GoodCase{"client-query-buffer-limit", "1gb", "1gb"},
        GoodCase{"client-output-buffer-limit", "16kb", "16kb"},
        GoodCase{"client-output-buffer-limit", "2gb", "2gb"},
        GoodCase{"proto-max-bulk-len", "1kb", "1kb"},
        GoodCase{"proto-max-bulk-len", "512mb", "512mb"}, GoodCase{"max-args", "16", "16"},
        GoodCase{"advertise", "", "\"\""}, GoodCase{"advertise", "node1:7379", "node1:7379"},
        GoodCase{"max-args", "1048576", "1048576"}, GoodCase{"max-keys", "1", "1"},
        GoodCase{"max-keys", "2000000000", "2000000000"}, GoodCase{"max-key-bytes", "2", "2"},
        GoodCase{"max-key-bytes", "65000", "65000"},
        // Redis' units of bytes
        GoodCase{"proto-max-bulk-len", "2000", "2000"},
        GoodCase{"proto-max-bulk-len", "2000b", "2000"},
        GoodCase{"proto-max-bulk-len", "2k", "2000"}, GoodCase{"proto-max-bulk-len", "2kb", "2kb"},
        GoodCase{"proto-max-bulk-len", "2KB", "2kb"},
        GoodCase{"proto-max-bulk-len", "2m", "2000000"},
        GoodCase{"proto-max-bulk-len", "2Mb", "2mb"},
        GoodCase{"client-output-buffer-limit", "2g", "1953125kb"},
        GoodCase{"client-output-buffer-limit", "2gB", "2gb"},
        GoodCase{"proto-max-bulk-len", "2048", "2kb"},
        GoodCase{"proto-max-bulk-len", "1024kb", "1mb"},
        GoodCase{"client-output-buffer-limit", "1025mb", "1025mb"},
        // words in any case
        GoodCase{"enable-debug-commands", "yes", "yes"},
        GoodCase{"enable-debug-commands", "YES", "yes"},
        GoodCase{"enable-debug-commands", "No", "no"}, GoodCase{"loglevel", "debug", "debug"},
        GoodCase{"loglevel", "VERBOSE", "verbose"}, GoodCase{"loglevel", "Notice", "notice"},
        GoodCase{"loglevel", "warning", "warning"},
        // texts as they are, in quotes where the file needs them
        GoodCase{"calendar-timezone", "Europe/Berlin", "Europe/Berlin"},
        GoodCase{"logfile", "/var/log/Gub.log", "/var/log/Gub.log"},
        GoodCase{"logfile", "/var/log/my gub.log", "\"/var/log/my gub.log\""},
        GoodCase{"logfile", "#1.log", "\"#1.log\""}, GoodCase{"logfile", "a\"b\\c", R"("a\"b\\c")"},
        GoodCase{"logfile", "it's", "\"it's\""},
        GoodCase{"logfile", "l\xc3\xb6g", R"("l\xc3\xb6g")"},
        // lists
        GoodCase{"bind", "::1", "::1"}, GoodCase{"bind", "10.0.0.1 -::1", "10.0.0.1 -::1"},
        GoodCase{"bind", "  10.0.0.1\t  ::1 ", "10.0.0.1 ::1"}));

struct BadCase {
  std::string_view name;
  std::string_view value;
  std::string_view message;
};
void PrintTo(const BadCase& c, std::ostream* out) { *out << c.name << " " << Escape(c.value); }

class BadValueTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadValueTest, IsRefusedWithAReasonAndChangesNothing) {
  Config config;
  const std::string before = RenderConfigFile(config);
  EXPECT_EQ(Set(GetParam().name, GetParam().value, &config), GetParam().message);
  EXPECT_EQ(RenderConfigFile(config), before);
}

constexpr std::string_view kLongText =
    "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
    "999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
    "9";

INSTANTIATE_TEST_SUITE_P(
    Values, BadValueTest,
    testing::Values(
        BadCase{"port", "99999", "port must be from 0 to 65535, got '99999'"},
        BadCase{"port", "65536", "port must be from 0 to 65535, got '65536'"},
        BadCase{"port", "-1", "port must be from 0 to 65535, got '-1'"},
        BadCase{"port", "abc", "port must be a whole number from 0 to 65535, got 'abc'"},
        BadCase{"port", "", "port must be a whole number from 0 to 65535, got ''"},
        BadCase{"port", "7379 ", "port must be a whole number from 0 to 65535, got '7379 '"},
        BadCase{"port", "7379.5", "port must be a whole number from 0 to 65535, got '7379.5'"},
        BadCase{"port", "a\nb\"", R"(port must be a whole number from 0 to 65535, got 'a\nb\"')"},
        BadCase{"tcp-backlog", "0", "tcp-backlog must be from 1 to 65535, got '0'"},
        BadCase{"tcp-keepalive", "32768", "tcp-keepalive must be from 0 to 32767, got '32768'"},
        BadCase{"threads", "257", "threads must be from 0 to 256, got '257'"},
        BadCase{"maxclients", "0", "maxclients must be from 1 to 1000000, got '0'"},
        BadCase{"max-args", "15", "max-args must be from 16 to 1048576, got '15'"},
        BadCase{"max-keys", "0", "max-keys must be from 1 to 2000000000, got '0'"},
        BadCase{"max-keys", "2000000001",
                "max-keys must be from 1 to 2000000000, got '2000000001'"},
        BadCase{"max-keys", "1m", "max-keys must be a whole number from 1 to 2000000000, got '1m'"},
        BadCase{"max-key-bytes", "1", "max-key-bytes must be from 2 to 65000, got '1'"},
        BadCase{"max-key-bytes", "65001", "max-key-bytes must be from 2 to 65000, got '65001'"},
        BadCase{"proto-max-bulk-len", "1023",
                "proto-max-bulk-len must be from 1kb to 512mb, got '1023'"},
        BadCase{"proto-max-bulk-len", "513mb",
                "proto-max-bulk-len must be from 1kb to 512mb, got '513mb'"},
        BadCase{"proto-max-bulk-len", "9223372036854775807gb",
                "proto-max-bulk-len must be from 1kb to 512mb, got '9223372036854775807gb'"},
        BadCase{"proto-max-bulk-len", "64 kb",
                "proto-max-bulk-len must be bytes (units: k kb m mb g gb) from 1kb to 512mb, got "
                "'64 kb'"},
        BadCase{"proto-max-bulk-len", "kb",
                "proto-max-bulk-len must be bytes (units: k kb m mb g gb) from 1kb to 512mb, got "
                "'kb'"},
        BadCase{"proto-max-bulk-len", "-64kb",
                "proto-max-bulk-len must be bytes (units: k kb m mb g gb) from 1kb to 512mb, got "
                "'-64kb'"},
        BadCase{"proto-max-bulk-len", "1tb",
                "proto-max-bulk-len must be bytes (units: k kb m mb g gb) from 1kb to 512mb, got "
                "'1tb'"},
        BadCase{"proto-max-bulk-len", "",
                "proto-max-bulk-len must be bytes (units: k kb m mb g gb) from 1kb to 512mb, got "
                "''"},
        // 2^64 + 2^30 bytes
        BadCase{"client-query-buffer-limit", "17179869185gb",
                "client-query-buffer-limit must be from 1kb to 1gb, got '17179869185gb'"},
        BadCase{"client-query-buffer-limit", "2gb",
                "client-query-buffer-limit must be from 1kb to 1gb, got '2gb'"},
        BadCase{"client-output-buffer-limit", "15kb",
                "client-output-buffer-limit must be from 16kb to 2gb, got '15kb'"},
        BadCase{"enable-debug-commands", "true",
                "enable-debug-commands must be yes or no, got 'true'"},
        BadCase{"enable-debug-commands", "", "enable-debug-commands must be yes or no, got ''"},
        BadCase{"loglevel", "info",
                "loglevel must be one of debug, verbose, notice, warning, got 'info'"},
        BadCase{"loglevel", "debug|verbose",
                "loglevel must be one of debug, verbose, notice, warning, got 'debug|verbose'"},
        BadCase{"loglevel", "", "loglevel must be one of debug, verbose, notice, warning, got ''"},
        BadCase{"logfile", "",
                "logfile must be text of at least one character and no control characters, got "
                "''"},
        BadCase{"advertise", "a\nb",
                R"(advertise must be text without control characters, got 'a\nb')"},
        BadCase{"logfile", "a\nb",
                "logfile must be text of at least one character and no control characters, got "
                R"('a\nb')"},
        BadCase{"logfile", std::string_view("a\0b", 3),
                "logfile must be text of at least one character and no control characters, got "
                R"('a\x00b')"},
        BadCase{"bind", "", "bind must be one or more words without control characters, got ''"},
        BadCase{"bind", " \t ",
                R"(bind must be one or more words without control characters, got ' \t ')"},
        BadCase{"bind", "::1 a\x7f",
                R"(bind must be one or more words without control characters, got '::1 a\x7f')"}));

TEST(BadValueTest, IsCutInTheMessage) {
  Config config;
  EXPECT_EQ(Set("port", kLongText, &config),
            "port must be a whole number from 0 to 65535, got '" + std::string(128, '9') + "'");
}

}  // namespace
}  // namespace gub
