#include "command/server_commands.h"

#include <sys/time.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "command/context.h"

namespace gub {

namespace {

// Parameters of Redis that clients and tools ask for at connect, with what is true here.
constexpr std::pair<std::string_view, std::string_view> kRedisParameters[] = {
    {"appendonly", "no"},         {"databases", "1"},
    {"maxmemory", "0"},           {"maxmemory-policy", "noeviction"},
    {"replica-read-only", "yes"}, {"save", ""},
    {"slave-read-only", "yes"},
};

}  // namespace

void InfoCommand(CommandContext& context) {
  context.reply().VerbatimText(InfoText(context.node(), context.args().subspan(1)));
}

void ConfigGetCommand(CommandContext& context) {
  const Args patterns = context.args().subspan(2);
  const auto is_wanted = [&patterns](std::string_view name) {
    for (std::string_view pattern : patterns) {
      if (GlobMatch(ToLower(pattern), name)) return true;
    }
    return false;
  };
  std::vector<std::pair<std::string_view, std::string>> found;
  for (const OptionRow& row : OptionTable()) {
    if (is_wanted(row.name)) found.emplace_back(row.name, FormatOption(row, context.config()));
  }
  for (const auto& [name, value] : kRedisParameters) {
    if (is_wanted(name)) found.emplace_back(name, value);
  }
  context.reply().Map(found.size());
  for (const auto& [name, value] : found) {
    context.reply().Bulk(name);
    context.reply().Bulk(value);
  }
}

// The wall clock, not the limiter's: GUB.DEBUG CLOCK does not move it.
void TimeCommand(CommandContext& context) {
  timeval now{};
  gettimeofday(&now, nullptr);
  context.reply().Array(2);
  context.reply().Bulk(std::to_string(now.tv_sec));
  context.reply().Bulk(std::to_string(now.tv_usec));
}

}  // namespace gub
