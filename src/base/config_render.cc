// The option table as text for people: conf/gub.conf and --help.

#include <algorithm>

#include "base/config.h"
#include "base/config_parts.h"
#include "fmt/format.h"

namespace gub {
namespace {

constexpr size_t kMaxColumns = 100;
constexpr size_t kUsageOptionColumns = 36;

constexpr std::string_view kFileHead =
    R"(# The configuration of a Gub node.
#
# A line is an option's name and its value. A line that starts with # is a comment. A value with
# spaces stands in "double quotes", where \" \\ \n \r \t and \xHH are escapes. Bytes may have a
# unit: 1k = 1000, 1kb = 1024, and so on with m, mb, g and gb.
#
# Every option may also be given on the command line (--max-keys 5000) and in the environment
# (GUB_OPT_MAX_KEYS=5000). The command line goes before the environment, the environment before
# this file, this file before the default. An unknown name or a bad value stops the start.
)";

constexpr std::string_view kUsageHead =
    R"(Usage: gub-server [FILE] [--name value | --name=value]...
       gub-server --help | --version
       gub-server [FILE] [--name value]... --print-config

Gub is a rate limiter that any Redis client can call. FILE is a configuration file such as
conf/gub.conf, which explains every option. An option may also be given in the environment:
GUB_OPT_MAX_KEYS stands for --max-keys. The command line goes before the environment, the
environment before FILE.

  -h, --help      print this
  -v, --version   print the version
  --print-config  print the configuration that results from all this, as a file
)";

// Appends text as comment lines of at most kMaxColumns.
void AppendComment(std::string_view text, std::string* out) {
  constexpr std::string_view kPrefix = "# ";
  const size_t room = kMaxColumns - kPrefix.size();
  while (!text.empty()) {
    size_t end = text.size();
    if (end > room) {
      end = text.rfind(' ', room);
      if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    }
    out->append(kPrefix).append(text.substr(0, end)).push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view FirstSentence(std::string_view text) {
  return text.substr(0, std::min(text.find(". "), text.size() - 1));
}

std::string_view ShownDefault(const OptionRow& row) {
  return row.default_text.empty() ? "\"\"" : row.default_text;
}

// "Value: from 0 to 32767 seconds. Default: 300"
std::string Facts(const OptionRow& row) {
  const std::string values = DescribeValues(row);
  const bool bytes_have_units = row.type == OptionType::kBytes;
  const std::string_view unit = bytes_have_units ? "" : row.unit == "s" ? "seconds" : row.unit;
  return fmt::format("{}{}{}{}{}Default: {}", values.empty() ? "" : "Value: ", values,
                     unit.empty() ? "" : " ", unit, values.empty() ? "" : ". ", ShownDefault(row));
}

}  // namespace

std::string RenderConfigFile(const Config& config) {
  std::string file(kFileHead);
  std::string_view group;
  for (const OptionRow& row : OptionTable()) {
    if (row.group != group) {
      group = row.group;
      file += fmt::format("\n{:#<40}\n", fmt::format("######## {} ", group));
    }
    file += '\n';
    AppendComment(row.text, &file);
    AppendComment(Facts(row), &file);
    file += fmt::format("{} {}\n", row.name, FormatOption(row, config));
  }
  return file;
}

std::string UsageText() {
  std::string usage(kUsageHead);
  std::string_view group;
  for (const OptionRow& row : OptionTable()) {
    if (row.group != group) {
      group = row.group;
      usage += fmt::format("\n{}\n", group);
    }
    const std::string option = fmt::format("--{} ({})", row.name, ShownDefault(row));
    usage += fmt::format("  {:<{}}  {}\n", option, kUsageOptionColumns, FirstSentence(row.text));
  }
  return usage;
}

}  // namespace gub
