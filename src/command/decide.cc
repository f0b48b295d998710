#include "command/decide.h"

#include <string>
#include <utility>

#include "cluster/fallback.h"
#include "cluster/router.h"
#include "command/decision_count.h"
#include "command/errors.h"
#include "command/owned_request.h"
#include "fmt/format.h"

namespace gub {

namespace {

using Worker = CommandContext::Worker;

OnFail PolicyOf(const Request& request, const Config& config) {
  if (request.on_fail != OnFail::kDefault) return request.on_fail;
  if (config.on_owner_failure == "open") return OnFail::kOpen;
  if (config.on_owner_failure == "closed") return OnFail::kClosed;
  if (config.on_owner_failure == "error") return OnFail::kError;
  return OnFail::kLocal;
}

Counter CounterOf(OnFail policy) {
  if (policy == OnFail::kOpen) return Counter::kFallbackOpen;
  if (policy == OnFail::kClosed) return Counter::kFallbackClosed;
  return policy == OnFail::kError ? Counter::kFallbackError : Counter::kFallbackLocal;
}

// What is answered in the owner's stead.
Decided DecideFallback(Worker* worker, const Request& request, std::string_view owner) {
  Node& node = *worker->node;
  Decided decided = {.owner = owner, .degraded = true};
  const OnFail policy = PolicyOf(request, *worker->config);
  worker->counters->Add(Counter::kFallbackAnswers);
  worker->counters->Add(CounterOf(policy));
  if (policy == OnFail::kError) {
    worker->counters->Add(Counter::kRequestErrors);
    worker->error_text = OwnerDownText(*worker, owner);
    decided.error = worker->error_text;
    return decided;
  }
  const InStead how = {policy, node.clock.NowMs(), worker->config->peer_timeout_ms};
  const Store::Outcome outcome = DecideInStead(how, request, &node.store, &decided.decision);
  if (outcome == Store::Outcome::kFull) {
    worker->counters->Add(Counter::kRequestErrors);
    decided.error = kTableFull;
  } else {
    CountDecision(*worker, request, decided.decision);
  }
  return decided;
}

// What the owner has said; nullptr: nothing.
Decided DecidedBy(Worker* worker, const PeerAnswer* answer, const OwnedRequest& request,
                  std::string_view owner) {
  if (answer == nullptr) return DecideFallback(worker, request.Get(), owner);
  Decided decided = {.decision = answer->decision, .owner = owner};
  if (answer->decision.error != Error::kNone) decided.error = kTableFull;
  return decided;
}

std::string_view OwnAddressOf(const Worker& worker) {
  return worker.router == nullptr ? worker.node->address : worker.router->view().address;
}

// By this node's store.
bool DecideByStore(Worker* worker, const Request& request, Decided* decided) {
  Node& node = *worker->node;
  KeyWatch::Change change(&node.watch, request.key, worker->in_exec);
  if (request.hits == 0 && !request.Has(kResetRemaining)) change.ChangesNothing();
  const Store::Outcome outcome = node.store.Decide(request, worker->now_ms, &decided->decision,
                                                   {.hint = worker->expected.Take(request)});
  decided->owner = OwnAddressOf(*worker);
  if (outcome == Store::Outcome::kDecided) {
    CountDecision(*worker, request, decided->decision);
    return true;
  }
  change.ChangesNothing();
  worker->counters->Add(Counter::kRequestErrors);
  decided->error = kTableFull;
  return true;
}

// To the owner.
bool Forward(Worker* worker, const Request& request, Decided* decided, MakeLater make_later) {
  PeerClient* const owner = worker->router->OwnerOf(request.key);
  worker->counters->Add(Counter::kForwardedRequests);
  // The address lives as long as the peer, and so as long as it may call back.
  const bool taken =
      owner->Forward({PeerOperation::kDecide, request},
                     [worker, later = make_later(), request = OwnedRequest(request),
                      owner = std::string_view(owner->address())](const PeerAnswer* answer) {
                       later(DecidedBy(worker, answer, request, owner));
                     });
  if (!taken) *decided = DecideFallback(worker, request, owner->address());
  return !taken;
}

}  // namespace

std::string OwnerDownText(const Worker& worker, std::string_view owner) {
  return fmt::format("OWNERDOWN {} did not answer in {} ms", owner, worker.config->peer_timeout_ms);
}

bool DecideHere(Worker* worker, const Request& request, Decided* decided) {
  Router* const router = worker->router;
  if (router != nullptr && router->OwnerOf(request.key) != nullptr) return false;
  return DecideByStore(worker, request, decided);
}

bool DecideElsewhere(Worker* worker, const Request& request, Decided* decided,
                     MakeLater make_later) {
  return Forward(worker, request, decided, make_later);
}

void Decide(Worker* worker, const Request& request, OnDecided done) {
  Decided decided;
  if (DecideHere(worker, request, &decided)) return done(decided);
  if (DecideElsewhere(worker, request, &decided, [&done] { return done; })) done(decided);
}

}  // namespace gub
