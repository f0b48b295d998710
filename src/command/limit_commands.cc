#include "command/limit_commands.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "command/context.h"
#include "command/errors.h"
#include "command/hit_arguments.h"

namespace gub {

namespace {

size_t MaxKeyBytes(const CommandContext& context) {
  return static_cast<size_t>(context.config().max_key_bytes);
}

Counter CounterOf(const Request& request, const Decision& decision) {
  if (request.Has(kResetRemaining)) return Counter::kResets;
  if (request.hits == 0) return Counter::kPeeks;
  if (request.hits < 0) return Counter::kHitsRefunded;
  return decision.status == LimitStatus::kUnder ? Counter::kHitsAdmitted : Counter::kHitsDenied;
}

void RefuseRequest(CommandContext& context, const absl::Status& status) {
  context.counters().Add(Counter::kRequestErrors);
  context.Error(status);
}

// Decides and counts; nothing when the reply is an error, which is written then.
std::optional<Decision> Decide(CommandContext& context, const Request& request) {
  Decision decision;
  KeyWatch::Change change = context.ChangeOf(request.key);
  if (request.hits == 0 && !request.Has(kResetRemaining)) change.ChangesNothing();
  const Store::Outcome outcome = context.node().store.Decide(request, context.now_ms(), &decision);
  if (outcome == Store::Outcome::kFull) {
    change.ChangesNothing();
    context.counters().Add(Counter::kRequestErrors);
    context.Error(kTableFull);
    return std::nullopt;
  }
  context.counters().Add(CounterOf(request, decision));
  return decision;
}

void WriteFull(CommandContext& context, const Request& request, const Decision& decision) {
  ReplyWriter& reply = context.reply();
  const auto field = [&reply](std::string_view name, int64_t value) {
    reply.Bulk(name);
    reply.Integer(value);
  };
  reply.Map(7);
  field("status", static_cast<int64_t>(decision.status));
  field("limit", request.limit);
  field("remaining", decision.remaining);
  field("reset", decision.reset_ms);
  field("retry_after", decision.retry_after_ms);
  reply.Bulk("owner");
  reply.Bulk(context.node().address);
  field("degraded", 0);
}

// GUB.HIT with these arguments, wherever they stood.
void Hit(CommandContext& context, Args args) {
  Request request;
  bool full = false;
  const absl::Status status = ParseHit(args, MaxKeyBytes(context), &request, &full);
  if (!status.ok()) return RefuseRequest(context, status);
  const std::optional<Decision> decision = Decide(context, request);
  if (!decision) return;
  if (full) return WriteFull(context, request, *decision);
  context.reply().IntegerTriple(static_cast<int64_t>(decision->status), decision->remaining,
                                decision->reset_ms);
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
  Hit(context, hit);
}

// Whole seconds, rounded up. REQUIRES: ms >= 0.
int64_t CeilToSeconds(int64_t ms) { return ms / 1000 + (ms % 1000 != 0 ? 1 : 0); }

}  // namespace

void HitCommand(CommandContext& context) { Hit(context, context.args()); }

void TakeCommand(CommandContext& context) {
  Request request;
  const absl::Status status = ParseTake(context.args(), MaxKeyBytes(context), &request);
  if (!status.ok()) return RefuseRequest(context, status);
  const std::optional<Decision> decision = Decide(context, request);
  if (!decision) return;
  context.reply().IntegerTriple(decision->status == LimitStatus::kUnder ? 1 : 0,
                                decision->remaining, decision->retry_after_ms);
}

// The shape and the rounding of redis-cell: a peek is never limited, retry is -1 unless this very
// request would pass later.
void ThrottleCommand(CommandContext& context) {
  Request request;
  const absl::Status status = ParseThrottle(context.args(), MaxKeyBytes(context), &request);
  if (!status.ok()) return RefuseRequest(context, status);
  const std::optional<Decision> decision = Decide(context, request);
  if (!decision) return;
  const bool limited = request.hits > 0 && decision->status == LimitStatus::kOver;
  const bool passes_later = limited && decision->retry_after_ms != Decision::kNever;
  ReplyWriter& reply = context.reply();
  reply.Array(5);
  reply.Integer(limited ? 1 : 0);
  reply.Integer(request.burst);
  reply.Integer(decision->remaining);
  reply.Integer(passes_later ? CeilToSeconds(decision->retry_after_ms) : -1);
  reply.Integer(CeilToSeconds(decision->reset_ms - decision->now_ms));
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
  context.counters().Add(Counter::kResets);
  const KeyWatch::Change change = context.ChangeOf(args[2]);
  context.reply().Integer(context.node().store.Reset(args[1], args[2]));
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
  context.RefreshNow();
  context.reply().Ok();
}

}  // namespace gub
