#include "command/limit_commands.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cluster/lease_desk.h"
#include "command/context.h"
#include "command/decide.h"
#include "command/errors.h"
#include "command/forwarding.h"
#include "command/hit_arguments.h"

namespace gub {

namespace {

size_t MaxKeyBytes(const CommandContext& context) {
  return static_cast<size_t>(context.config().max_key_bytes);
}

void RefuseRequest(CommandContext& context, const absl::Status& status) {
  context.counters().Add(Counter::kRequestErrors);
  context.Error(status);
}

// Decides what these arguments say, wherever they stood.
void Decide(CommandContext& context, HitParser parse, Args args) {
  Hit hit;
  const absl::Status status = parse(args, MaxKeyBytes(context), &hit);
  if (!status.ok()) return RefuseRequest(context, status);
  DecideAnywhere(context, Route(context.worker(), hit.request), {hit.reply, hit.request});
}

// command function numkeys key name hits limit duration …
void HitByAlias(CommandContext& context) {
  const Args args = context.args();
  const std::optional<int64_t> keys = ParseInt64(args[2]);
  const auto refuse = [&context](std::string_view why) {
    RefuseRequest(context, absl::InvalidArgumentError(std::string(why)));
  };
  if (!keys) return refuse("value is not an integer or out of range");
  if (*keys < 0) return refuse("Number of keys can't be negative");
  if (*keys > static_cast<int64_t>(args.size()) - 3) {
    return refuse("Number of keys can't be greater than number of args");
  }
  if (*keys != 1) return refuse("gub.hit takes one key");
  constexpr size_t kFewestArgs = 8;
  if (args.size() < kFewestArgs) {
    return refuse("gub.hit takes a key, then name, hits, limit and duration");
  }
  std::vector<std::string_view> hit = {kHitFunction, args[4], args[3]};
  hit.insert(hit.end(), args.begin() + 5, args.end());
  Decide(context, ParseHit, hit);
}

}  // namespace

void DecideCommand(CommandContext& context) {
  Decide(context, context.entry().spec->parse_hit, context.args());
}

// The aliases that clients' own tables know the key of: numkeys must be 1, then come the key, the
// name and the rest of GUB.HIT.
void FunctionCallCommand(CommandContext& context) {
  if (!EqualsIgnoreCase(context.args()[1], kHitFunction)) {
    return context.Error("ERR Function not found");
  }
  HitByAlias(context);
}

void EvalShaCommand(CommandContext& context) {
  if (!EqualsIgnoreCase(context.args()[1], kHitSha)) {
    return context.Error("NOSCRIPT No matching script. Please use EVAL.");
  }
  HitByAlias(context);
}

void ResetBucketCommand(CommandContext& context) {
  const Args args = context.args();
  const absl::Status status = CheckNameAndKey(args[1], args[2], MaxKeyBytes(context));
  if (!status.ok()) return RefuseRequest(context, status);
  ResetAnywhere(context, args.subspan(1, 1), args.subspan(2, 1), false);
}

// GUB.DEBUG CLOCK SET ms | ADVANCE ms | SYSTEM
void DebugClockCommand(CommandContext& context) {
  if (!context.config().enable_debug_commands) return context.Error(kDebugOff);
  const Args words = context.args().subspan(2);
  LimiterClock& clock = context.node().clock;
  const int64_t before_ms = clock.NowMs();
  const bool sets = words.size() == 2 && EqualsIgnoreCase(words[0], "SET");
  const bool advances = words.size() == 2 && EqualsIgnoreCase(words[0], "ADVANCE");
  if (sets || advances) {
    const std::optional<int64_t> ms = ParseInt64(words[1]);
    const bool in_range = ms && (sets ? *ms >= 0 : clock.Advance(*ms).has_value());
    if (!in_range) return context.Error("ERR ms is not an integer or out of range");
    if (sets) clock.Freeze(*ms);
  } else if (words.size() == 1 && EqualsIgnoreCase(words[0], "SYSTEM")) {
    clock.Unfreeze();
  } else {
    return context.Error(kSyntaxError);
  }
  if (clock.NowMs() < before_ms) context.node().store.Rewind(clock.NowMs());
  if (context.worker().desk != nullptr) context.worker().desk->OnGoneAll();
  context.RefreshNow();
  context.reply().Ok();
}

// GUB.DEBUG STALL ms
void DebugStallCommand(CommandContext& context) {
  constexpr int64_t kMostMs = 3'600'000;
  if (!context.config().enable_debug_commands) return context.Error(kDebugOff);
  const std::optional<int64_t> ms = ParseInt64(context.args()[2]);
  if (!ms || *ms < 0 || *ms > kMostMs) {
    return context.Error("ERR ms is not an integer or out of range");
  }
  context.node().stalled_until_mono_ms = MonotonicNs() / 1'000'000 + *ms;
  context.reply().Ok();
}

}  // namespace gub
