#include "command/server_commands.h"

#include <sys/time.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "command/context.h"
#include "fmt/format.h"

namespace gub {

namespace {

// Parameters of Redis that clients and tools ask for at connect, with what is true here.
constexpr std::pair<std::string_view, std::string_view> kRedisParameters[] = {
    {"appendonly", "no"},         {"databases", "1"},
    {"maxmemory", "0"},           {"maxmemory-policy", "noeviction"},
    {"replica-read-only", "yes"}, {"save", ""},
    {"slave-read-only", "yes"},
};

// As Redis answers CONFIG GET: bytes as a plain number, text without quotes, and the limits of a
// client's replies by class of client, of which we have one.
std::string RedisForm(const OptionRow& row, const Config& config) {
  if (const auto* text = std::get_if<std::string Config::*>(&row.field)) return config.**text;
  if (row.type != OptionType::kBytes) return FormatOption(row, config);
  const int64_t bytes = config.*std::get<int64_t Config::*>(row.field);
  if (row.name != "client-output-buffer-limit") return std::to_string(bytes);
  return fmt::format("normal {} 0 0 slave 0 0 0 pubsub 0 0 0", bytes);
}

// No name is longer, and a long pattern takes long to match.
constexpr size_t kMaxPatternBytes = 256;

}  // namespace

void InfoCommand(CommandContext& context) {
  context.reply().VerbatimText(InfoText(context.node(), context.args().subspan(1)));
}

void ConfigGetCommand(CommandContext& context) {
  std::vector<std::string> patterns;
  for (std::string_view pattern : context.args().subspan(2)) {
    if (pattern.size() <= kMaxPatternBytes) patterns.push_back(ToLower(pattern));
  }
  const auto is_wanted = [&patterns](std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [name](const std::string& pattern) { return GlobMatch(pattern, name); });
  };
  std::vector<std::pair<std::string_view, std::string>> found;
  for (const OptionRow& row : OptionTable()) {
    if (is_wanted(row.name)) found.emplace_back(row.name, RedisForm(row, context.config()));
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
