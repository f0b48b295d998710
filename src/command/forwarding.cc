#include "command/forwarding.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "cluster/fallback.h"
#include "cluster/router.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

namespace {

// A request whose name and key outlive the bytes they came in; usual ones within itself.
class OwnedRequest {
 public:
  explicit OwnedRequest(const Request& request) : request_(request) {
    bytes_.reserve(request.name.size() + request.key.size());
    bytes_.insert(bytes_.end(), request.name.begin(), request.name.end());
    bytes_.insert(bytes_.end(), request.key.begin(), request.key.end());
  }
  Request Get() const {
    const std::string_view bytes(bytes_.data(), bytes_.size());
    Request request = request_;
    request.name = bytes.substr(0, request_.name.size());
    request.key = bytes.substr(request_.name.size());
    return request;
  }

 private:
  static constexpr size_t kUsualBytes = 64;

  Request request_;  // of its name only the size is used, of its key nothing
  absl::InlinedVector<char, kUsualBytes> bytes_;
};

// Whom a reply that comes later goes to, and how.
struct Place {
  CommandContext::Worker* worker;
  int64_t client;
  PendingReplies::Ticket ticket;
  RespVersion version;

  template <typename WriteReply>
  void Fill(const WriteReply& write) const {
    ByteBuffer& bytes = worker->late_reply;
    ReplyWriter reply(&bytes);
    reply.set_version(version);
    write(&reply);
    worker->sink->Fill(client, ticket, bytes.view());
    bytes.Clear();
  }
};

Place PlaceOf(CommandContext& context) {
  const ClientState& client = context.client();
  return {&context.worker(), client.id(), client.pending.next(), client.version};
}

// From now on replies stand behind the one that is still to come.
void OpenPlace(CommandContext& context) {
  PendingReplies& pending = context.client().pending;
  pending.Open();
  context.reply().set_out(pending.behind());
}

void WriteError(CommandContext::Worker* worker, std::string_view text, ReplyWriter* reply) {
  worker->counters->Add(Counter::kErrorReplies);
  worker->errors->Add(text);
  reply->Error(text);
}

std::string OwnerDownText(const CommandContext::Worker& worker, std::string_view owner) {
  return fmt::format("OWNERDOWN {} did not answer in {} ms", owner, worker.config->peer_timeout_ms);
}

OnFail PolicyOf(const Request& request, const Config& config) {
  if (request.on_fail != OnFail::kDefault) return request.on_fail;
  if (config.on_owner_failure == "open") return OnFail::kOpen;
  if (config.on_owner_failure == "closed") return OnFail::kClosed;
  if (config.on_owner_failure == "error") return OnFail::kError;
  return OnFail::kLocal;
}

// A request that its owner did not answer, and how it would have been.
struct Failed {
  Request request;
  const ReplyShape& shape;
  std::string_view owner;
};

// What is answered in the owner's stead.
void WriteFallback(CommandContext::Worker* worker, const Failed& failed, ReplyWriter* reply) {
  Node& node = *worker->node;
  const OnFail policy = PolicyOf(failed.request, *worker->config);
  worker->counters->Add(Counter::kFallbackAnswers);
  if (policy == OnFail::kError)
    return WriteError(worker, OwnerDownText(*worker, failed.owner), reply);
  Decision decision;
  const Store::Outcome outcome =
      DecideInStead({policy, node.clock.NowMs(), worker->config->peer_timeout_ms}, failed.request,
                    &node.store, &decision);
  if (outcome == Store::Outcome::kFull) return WriteError(worker, kTableFull, reply);
  WriteDecision(failed.shape, decision, {failed.owner, true}, reply);
}

void DecideHere(CommandContext& context, const Request& request, const ReplyShape& shape) {
  Decision decision;
  KeyWatch::Change change = context.ChangeOf(request.key);
  if (request.hits == 0 && !request.Has(kResetRemaining)) change.ChangesNothing();
  const Store::Outcome outcome = context.node().store.Decide(request, context.now_ms(), &decision);
  if (outcome == Store::Outcome::kFull) {
    change.ChangesNothing();
    context.counters().Add(Counter::kRequestErrors);
    return context.Error(kTableFull);
  }
  context.counters().Add(CounterOf(request, decision));
  WriteDecision(shape, decision, {context.OwnAddress()}, &context.reply());
}

// What several owners answer to one command, on its way together.
class Gathering {
 public:
  Gathering(const Place& place, bool keys_only) : place_(place), keys_only_(keys_only) {}

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

  void Write(ReplyWriter* reply) const {
    if (!down_.empty()) {
      return WriteError(place_.worker, OwnerDownText(*place_.worker, down_), reply);
    }
    reply->Integer(keys_only_ ? static_cast<int64_t>(keys_.size()) : buckets_);
  }

 private:
  const Place place_;
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

void DecideAnywhere(CommandContext& context, const Request& request, const ReplyShape& shape) {
  Router* const router = context.worker().router;
  PeerClient* const owner = router == nullptr ? nullptr : router->OwnerOf(request.key);
  if (owner == nullptr) return DecideHere(context, request, shape);
  if (const std::string moved = MovedText(context, {&request.key, 1}); !moved.empty()) {
    return context.Error(moved);
  }
  const Place place = PlaceOf(context);
  context.counters().Add(Counter::kForwardedRequests);
  // The address lives as long as the peer, and so as long as it may call back.
  const bool taken =
      owner->Forward({PeerOperation::kDecide, request},
                     [place, shape, request = OwnedRequest(request),
                      owner = std::string_view(owner->address())](const PeerAnswer* answer) {
                       place.Fill([&](ReplyWriter* reply) {
                         if (answer == nullptr) {
                           WriteFallback(place.worker, {request.Get(), shape, owner}, reply);
                         } else if (answer->decision.error != Error::kNone) {
                           WriteError(place.worker, kTableFull, reply);
                         } else {
                           WriteDecision(shape, answer->decision, {owner}, reply);
                         }
                       });
                     });
  if (taken) return OpenPlace(context);
  WriteFallback(&context.worker(), {request, shape, owner->address()}, &context.reply());
}

void ResetAnywhere(CommandContext& context, Args names, Args keys, bool keys_only) {
  if (const std::string moved = MovedText(context, keys); !moved.empty()) {
    return context.Error(moved);
  }
  Router* const router = context.worker().router;
  const auto gathering = std::make_shared<Gathering>(PlaceOf(context), keys_only);
  for (size_t i = 0; i < keys.size(); ++i) {
    PeerClient* const owner = router == nullptr ? nullptr : router->OwnerOf(keys[i]);
    const KeyWatch::Change change = context.ChangeOf(keys[i]);
    for (std::string_view name : names) {
      if (owner == nullptr) {
        gathering->Add(i, context.node().store.Reset(name, keys[i]));
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
  if (!gathering->IsComplete()) return OpenPlace(context);
  gathering->Write(&context.reply());
}

}  // namespace gub
