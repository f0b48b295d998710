#include "command/forwarding.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cluster/lease_desk.h"
#include "cluster/router.h"
#include "command/late_reply.h"
#include "fmt/format.h"

namespace gub {

namespace {

void WriteError(CommandContext::Worker* worker, std::string_view text, ReplyWriter* reply) {
  worker->CountError(text);
  reply->Error(text);
}

void Answer(CommandContext& context, const ReplyShape& shape, const Decided& decided) {
  if (!decided.error.empty()) return context.Error(decided.error);
  WriteDecision(shape, decided.decision, {decided.owner, decided.degraded}, &context.reply());
}

// What several owners answer to one command, on its way together.
class Gathering {
 public:
  Gathering(const LateReply& place, size_t keys, bool keys_only)
      : place_(place), asked_(keys), keys_only_(keys_only) {}

  // One more answer is to come.
  void Expect() { ++missing_; }
  bool IsComplete() const { return missing_ == 0; }

  void Add(size_t key, int64_t removed) {
    buckets_ += removed;
    if (removed > 0) keys_.insert(key);
  }
  void OwnerIsDown(const std::string& owner) { down_ = owner; }

  // An answer that was expected; nullptr: it will not come. The last one fills the reply.
  void Take(size_t key, const PeerAnswer* answer, const std::string& owner) {
    if (answer == nullptr) OwnerIsDown(owner);
    if (answer != nullptr) Add(key, answer->removed);
    if (--missing_ > 0) return;
    place_.Fill([this](ReplyWriter* reply) { Write(reply); });
  }

  // Each key counts once, here: what came of it, or that nobody knows.
  void Write(ReplyWriter* reply) const {
    place_.worker->counters->Add(down_.empty() ? Counter::kKeyResets : Counter::kRequestErrors,
                                 asked_);
    if (!down_.empty()) {
      return WriteError(place_.worker, OwnerDownText(*place_.worker, down_), reply);
    }
    reply->Integer(keys_only_ ? static_cast<int64_t>(keys_.size()) : buckets_);
  }

 private:
  const LateReply place_;
  const size_t asked_;  // keys
  const bool keys_only_;
  size_t missing_ = 0;
  int64_t buckets_ = 0;
  std::set<size_t> keys_;  // by their place in the command
  std::string down_;       // an owner that did not answer
};

}  // namespace

std::string MovedText(CommandContext& context, Args keys) {
  Router* const router = context.worker().router;
  if (router == nullptr || !context.config().cluster_redirect) return "";
  for (std::string_view key : keys) {
    const PeerClient* const owner = router->OwnerOf(key);
    if (owner == nullptr || !owner->SeesTheSame(router->view().digest)) continue;
    return fmt::format("MOVED {} {}", SlotOf(key), owner->address());
  }
  return "";
}

void DecideAnywhere(CommandContext& context, const Routed& routed, const ReplyShape& shape) {
  Decided decided;
  if (DecideHere(&context.worker(), routed, &decided)) return Answer(context, shape, decided);
  const std::string_view key = routed.request.key;
  if (const std::string moved = MovedText(context, {&key, 1}); !moved.empty()) {
    return context.Error(moved);
  }
  const LateReply place = LateReply::For(context);
  const auto make_fill = [&place, &shape]() -> OnDecided {
    return [place, shape](const Decided& later) {
      place.Fill([&](ReplyWriter* reply) {
        if (!later.error.empty()) return WriteError(place.worker, later.error, reply);
        WriteDecision(shape, later.decision, {later.owner, later.degraded}, reply);
      });
    };
  };
  if (DecideElsewhere(&context.worker(), routed, &decided, make_fill)) {
    return Answer(context, shape, decided);
  }
  LateReply::Open(context);
}

void ResetAnywhere(CommandContext& context, Args names, Args keys, bool keys_only) {
  if (const std::string moved = MovedText(context, keys); !moved.empty()) {
    return context.Error(moved);
  }
  Router* const router = context.worker().router;
  const auto gathering =
      std::make_shared<Gathering>(LateReply::For(context), keys.size(), keys_only);
  for (size_t i = 0; i < keys.size(); ++i) {
    PeerClient* const owner = router == nullptr ? nullptr : router->OwnerOf(keys[i]);
    const KeyWatch::Change change = context.ChangeOf(keys[i]);
    for (std::string_view name : names) {
      if (owner == nullptr) {
        gathering->Add(i, context.node().store.Reset(name, keys[i]));
        if (router != nullptr) context.worker().desk->OnGone(name, keys[i]);
        continue;
      }
      const PeerRequest reset = {PeerOperation::kReset, {.name = name, .key = keys[i]}};
      const bool taken = owner->Forward(
          reset, [gathering, i, address = owner->address()](const PeerAnswer* answer) {
            gathering->Take(i, answer, address);
          });
      if (taken) gathering->Expect();
      if (!taken) gathering->OwnerIsDown(owner->address());
    }
  }
  if (!gathering->IsComplete()) return LateReply::Open(context);
  gathering->Write(&context.reply());
}

}  // namespace gub
