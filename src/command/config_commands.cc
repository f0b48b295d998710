#include "command/config_commands.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "command/context.h"
#include "command/errors.h"
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

constexpr std::string_view kHidden = "(hidden)";

// As Redis answers CONFIG GET: bytes as a plain number, text without quotes, and the limits of a
// client's replies by class of client, of which we have one. Secrets stay secret, unlike there.
std::string RedisForm(const OptionRow& row, const Config& config) {
  if (const auto* text = std::get_if<std::string Config::*>(&row.field)) {
    const std::string& value = config.**text;
    return std::string(row.type == OptionType::kSecret && !value.empty() ? kHidden : value);
  }
  if (const auto* words = std::get_if<std::vector<std::string> Config::*>(&row.field)) {
    if ((config.**words).empty()) return "";
  }
  if (row.type != OptionType::kBytes) return FormatOption(row, config);
  const int64_t bytes = config.*std::get<int64_t Config::*>(row.field);
  if (row.name != "client-output-buffer-limit") return std::to_string(bytes);
  return fmt::format("normal {} 0 0 slave 0 0 0 pubsub 0 0 0", bytes);
}

// No name is longer, and a long pattern takes long to match.
constexpr size_t kMaxPatternBytes = 256;

// Redis' words for a CONFIG SET that has changed nothing because of one of its options.
absl::Status SetFailed(std::string_view name, std::string_view reason) {
  return absl::InvalidArgumentError(fmt::format(
      "CONFIG SET failed (possibly related to argument '{}') - {}", Escape(name), reason));
}

// The value of client-output-buffer-limit in Redis' form, which CONFIG GET shows: of its classes of
// clients the one that there is here. Anything else stays as it is.
std::string_view FromRedisForm(const OptionRow& row, std::string_view value) {
  constexpr std::string_view kClass = "normal ";
  if (row.name != "client-output-buffer-limit" || !value.starts_with(kClass)) return value;
  value.remove_prefix(kClass.size());
  return value.substr(0, value.find(' '));
}

// Sets name value, name value … in *config.
absl::Status SetPairs(Args pairs, Config* config) {
  std::set<const OptionRow*> seen;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const std::string_view name = pairs[i];
    const OptionRow* const row = FindOption(name);
    if (row == nullptr) {
      return absl::InvalidArgumentError(
          fmt::format("Unknown option or number of arguments for CONFIG SET - '{}'", Escape(name)));
    }
    if (!row->reloadable) {
      return SetFailed(name, "can't set immutable config: it needs a restart");
    }
    if (!seen.insert(row).second) return SetFailed(name, "duplicate parameter");
    const absl::Status status = SetOption(*row, FromRedisForm(*row, pairs[i + 1]), config);
    if (!status.ok()) return SetFailed(name, ToStd(status.message()));
  }
  return absl::OkStatus();
}

std::string NamesOf(Args pairs) {
  std::string names;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (i > 0) names += ',';
    names += ToLower(pairs[i]);
  }
  return names;
}

}  // namespace

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

// CONFIG SET name value [name value]…: all of them or none.
void ConfigSetCommand(CommandContext& context) {
  const Args pairs = context.args().subspan(2);
  if (pairs.size() % 2 != 0) return context.Error(kSyntaxError);
  const absl::Status status =
      ChangeConfig(&context.node(), [pairs](Config* config) { return SetPairs(pairs, config); });
  if (!status.ok()) return context.Error(status);
  context.RefreshConfig();
  GUB_LOG(info, "options were changed by a client options={} client={}", NamesOf(pairs),
          context.client().record->address);
  context.reply().Ok();
}

void ConfigRewriteCommand(CommandContext& context) {
  const std::string& path = context.node().config_file;
  if (path.empty()) return context.Error("ERR The server is running without a config file");
  const absl::Status status = RewriteConfigFile(path, context.config());
  if (!status.ok()) {
    return context.Error(
        fmt::format("ERR Rewriting config file: {}", std::string(status.message())));
  }
  GUB_LOG(info, "the configuration file was rewritten file={}", path);
  context.reply().Ok();
}

void ConfigResetStatCommand(CommandContext& context) {
  Node& node = context.node();
  node.counters.Reset();
  node.command_stats.ResetAll();
  node.errors.Reset();
  node.store.ResetCounts();
  context.reply().Ok();
}

}  // namespace gub
