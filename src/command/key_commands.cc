#include "command/key_commands.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "command/context.h"
#include "command/errors.h"
#include "command/forwarding.h"
#include "command/hit_arguments.h"

namespace gub {

namespace {

constexpr std::string_view kNames[] = {kTakeName, kThrottleName};

// No bucket can have this key.
bool IsTooLong(CommandContext& context, std::string_view key) {
  const auto max_bytes = static_cast<size_t>(context.config().max_key_bytes);
  return key.size() + kThrottleName.size() > max_bytes;
}

// When the last bucket under the key lapses; nothing when there is none.
std::optional<int64_t> LapsesAtMs(CommandContext& context, std::string_view key) {
  std::optional<int64_t> latest_ms;
  if (key.empty() || IsTooLong(context, key)) return latest_ms;
  for (std::string_view name : kNames) {
    const std::optional<int64_t> at_ms =
        context.node().store.LapsesAt(name, key, Algorithm::kLeaky, context.now_ms());
    if (at_ms) latest_ms = std::max(latest_ms.value_or(*at_ms), *at_ms);
  }
  return latest_ms;
}

// The ms until then; as in Redis -2 when there is no such key.
constexpr int64_t kNoKey = -2;
int64_t TtlMs(CommandContext& context) {
  const std::optional<int64_t> at_ms = LapsesAtMs(context, context.args()[1]);
  return at_ms ? *at_ms - context.now_ms() : kNoKey;
}

}  // namespace

// How many of the keys there were.
void DeleteCommand(CommandContext& context) {
  std::vector<std::string_view> keys;
  for (std::string_view key : context.args().subspan(1)) {
    if (!key.empty() && !IsTooLong(context, key)) keys.push_back(key);
  }
  ResetAnywhere(context, kNames, keys, true);
}

// A key that is named twice counts twice, as in Redis.
void ExistsCommand(CommandContext& context) {
  const Args keys = context.args().subspan(1);
  context.reply().Integer(std::count_if(keys.begin(), keys.end(), [&](std::string_view key) {
    return LapsesAtMs(context, key).has_value();
  }));
}

void GetCommand(CommandContext& context) { context.reply().Null(); }

// Rounded to seconds as in Redis.
void TtlCommand(CommandContext& context) {
  const int64_t ms = TtlMs(context);
  context.reply().Integer(ms == kNoKey ? kNoKey : ms / 1000 + (ms % 1000 >= 500 ? 1 : 0));
}

void TtlMsCommand(CommandContext& context) { context.reply().Integer(TtlMs(context)); }

// redis-cell keeps a string under its key.
void TypeCommand(CommandContext& context) {
  context.reply().SimpleString(LapsesAtMs(context, context.args()[1]) ? "string" : "none");
}

// MEMORY USAGE key [SAMPLES n]: what the key's buckets take, with their share of table and index.
void MemoryUsageCommand(CommandContext& context) {
  const Args options = context.args().subspan(3);
  if (!options.empty() && (options.size() != 2 || !EqualsIgnoreCase(options[0], "SAMPLES"))) {
    return context.Error(kSyntaxError);
  }
  const std::optional<int64_t> samples = options.empty() ? 0 : ParseInt64(options[1]);
  if (!samples) return context.Error(kNotAnInteger);
  if (*samples < 0) return context.Error(kSyntaxError);
  const std::string_view key = context.args()[2];
  int64_t bytes = 0;
  if (!LapsesAtMs(context, key)) return context.reply().Null();
  for (std::string_view name : kNames) {
    const bool exists =
        context.node().store.LapsesAt(name, key, Algorithm::kLeaky, context.now_ms()).has_value();
    if (exists) bytes += Store::BytesOf(name, key);
  }
  context.reply().Integer(bytes);
}

}  // namespace gub
