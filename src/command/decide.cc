#include "command/decide.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cluster/fallback.h"
#include "cluster/lease_desk.h"
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

// Whether other nodes may answer the request from leases.
bool IsGlobal(const Request& request, const Config& config) {
  if (request.Has(kGlobal)) return true;
  const std::vector<std::string>& forced = config.force_global;
  if (forced.size() == 1 && forced.front() == "no") return false;
  if (forced.size() == 1 && forced.front() == "yes") return true;
  return std::find(forced.begin(), forced.end(), request.name) != forced.end();
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
  const bool is_global = IsGlobal(request, *worker->config);
  worker->counters->Add(Counter::kFallbackAnswers);
  if (is_global) worker->counters->Add(Counter::kLeaseDegraded);
  worker->counters->Add(CounterOf(policy));
  if (policy == OnFail::kError) {
    worker->counters->Add(Counter::kRequestErrors);
    worker->error_text = OwnerDownText(*worker, owner);
    decided.error = worker->error_text;
    return decided;
  }
  const std::optional<int64_t> used = is_global ? worker->desk->KnownUsed(request) : std::nullopt;
  const InStead how = {policy, node.clock.NowMs(), worker->config->peer_timeout_ms,
                       used.value_or(0)};
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

// What the store has made of a request. False: leases have a say in it, and nothing has happened.
bool TakeOutcome(Worker* worker, const Request& request, Store::Outcome outcome, Decided* decided) {
  decided->owner = OwnAddressOf(*worker);
  if (outcome == Store::Outcome::kDecided) {
    CountDecision(*worker, request, decided->decision);
    return true;
  }
  if (outcome == Store::Outcome::kLeased) return false;
  worker->counters->Add(Counter::kRequestErrors);
  decided->error = kTableFull;
  return true;
}

// By this node's store: `decide` asks it. False: as TakeOutcome.
template <typename DecideByIt>
bool DecideByStore(Worker* worker, const Request& request, Decided* decided,
                   const DecideByIt& decide) {
  KeyWatch::Change change(&worker->node->watch, request.key, worker->in_exec);
  const Store::Outcome outcome = decide(&worker->node->store);
  const bool is_peek = request.hits == 0 && !request.Has(kResetRemaining);
  if (is_peek || outcome != Store::Outcome::kDecided) change.ChangesNothing();
  return TakeOutcome(worker, request, outcome, decided);
}

bool DecideByStore(Worker* worker, const Request& request, Decided* decided) {
  return DecideByStore(worker, request, decided, [&](Store* store) {
    return store->Decide(request, worker->now_ms, &decided->decision);
  });
}

// What the owner of a lease, or the lease itself, has decided.
void TakeDecision(Worker* worker, const Request& request, const Decision& decision,
                  Decided* decided) {
  decided->decision = decision;
  if (decision.error != Error::kNone) {
    worker->counters->Add(Counter::kRequestErrors);
    decided->error = kTableFull;
  } else {
    CountDecision(*worker, request, decision);
  }
}

// On a key of this node's of which other nodes hold leases.
bool DecideLeased(Worker* worker, const Request& request, Decided* decided, MakeLater make_later) {
  LeaseDesk& desk = *worker->desk;
  const uint64_t token = desk.NextToken();
  std::optional<LeaseOwner::Result> result;
  {
    KeyWatch::Change change(&worker->node->watch, request.key, worker->in_exec);
    if (request.hits == 0 && !request.Has(kResetRemaining)) change.ChangesNothing();
    result = desk.DecideOwn(request, token);
  }
  // The last lease has ended meanwhile; or, as seldom, a first one was given again.
  if (!result) {
    if (DecideByStore(worker, request, decided)) return true;
    return DecideLeased(worker, request, decided, make_later);
  }
  decided->owner = OwnAddressOf(*worker);
  if (result->outcome == LeaseOutcome::kAnswered) {
    TakeDecision(worker, request, result->decision, decided);
    return true;
  }
  desk.Await(token, [worker, later = make_later(), request = OwnedRequest(request)](
                        LeaseOutcome outcome, const Decision& decision) {
    const std::string owner(OwnAddressOf(*worker));
    Decided settled = {.owner = owner};
    // What waits when the node stops is answered as if there were no owner.
    if (outcome != LeaseOutcome::kAnswered) {
      return later(DecideFallback(worker, request.Get(), owner));
    }
    const Request asked = request.Get();
    const KeyWatch::Change change(&worker->node->watch, asked.key, false);
    TakeDecision(worker, asked, decision, &settled);
    later(settled);
  });
  return false;
}

// As without GLOBAL.
bool Forward(Worker* worker, const Routed& routed, Decided* decided, MakeLater make_later) {
  const auto& [request, owner] = routed;
  worker->counters->Add(Counter::kForwardedRequests);
  // The address lives as long as the peer, and so as long as it may call back.
  const bool taken =
      owner->Forward({PeerOperation::kDecide, request},
                     [worker, later = make_later(), owned = OwnedRequest(request),
                      owner = std::string_view(owner->address())](const PeerAnswer* answer) {
                       later(DecidedBy(worker, answer, owned, owner));
                     });
  if (!taken) *decided = DecideFallback(worker, request, owner->address());
  return !taken;
}

// A hit that has waited for a lease has got none: by then this node may own the key.
bool DecidePlainly(Worker* worker, const Request& request, Decided* decided, MakeLater make_later) {
  const Routed routed = Route(*worker, request);
  if (routed.owner != nullptr) return Forward(worker, routed, decided, make_later);
  worker->now_ms = worker->node->clock.NowMs();
  if (DecideByStore(worker, request, decided)) return true;
  return DecideLeased(worker, request, decided, make_later);
}

// What became of a hit that has waited for its owner's answer.
void Settle(Worker* worker, const OwnedRequest& owned, std::pair<LeaseOutcome, Decision> outcome,
            const OnDecided& later) {
  const Request request = owned.Get();
  const PeerClient* const owner = worker->router->OwnerOf(request.key);
  const std::string address(owner == nullptr ? OwnAddressOf(*worker) : owner->address());
  Decided decided = {.owner = address};
  if (outcome.first == LeaseOutcome::kAnswered) {
    TakeDecision(worker, request, outcome.second, &decided);
    return later(decided);
  }
  if (outcome.first == LeaseOutcome::kOnFail) {
    return later(DecideFallback(worker, request, address));
  }
  worker->counters->Add(Counter::kLeaseForwards);
  const auto the_same = [&later] { return later; };
  if (DecidePlainly(worker, request, &decided, the_same)) later(decided);
}

// On a key of another node, by leases.
bool DecideGlobal(Worker* worker, const Routed& routed, Decided* decided, MakeLater make_later) {
  const auto& [request, owner] = routed;
  LeaseDesk& desk = *worker->desk;
  const uint64_t token = desk.NextToken();
  const LeaseHolder::Result result = desk.Decide(owner, request, {token, worker->now_ms});
  decided->owner = owner->address();
  switch (result.outcome) {
    case LeaseOutcome::kAnswered:
      TakeDecision(worker, request, result.decision, decided);
      return true;
    case LeaseOutcome::kForward:
      worker->counters->Add(Counter::kLeaseForwards);
      return Forward(worker, routed, decided, make_later);
    case LeaseOutcome::kOnFail:
      *decided = DecideFallback(worker, request, owner->address());
      return true;
    case LeaseOutcome::kWaits:
      break;
  }
  desk.Await(token, [worker, later = make_later(), owned = OwnedRequest(request)](
                        LeaseOutcome outcome, const Decision& decision) {
    Settle(worker, owned, {outcome, decision}, later);
  });
  return false;
}

}  // namespace

std::string OwnerDownText(const Worker& worker, std::string_view owner) {
  return fmt::format("OWNERDOWN {} did not answer in {} ms", owner, worker.config->peer_timeout_ms);
}

PeerClient* OwnerOf(const Worker& worker, std::string_view key) {
  return worker.router == nullptr ? nullptr : worker.router->OwnerOf(key);
}

Routed Route(const Worker& worker, const Request& request) {
  return {request, OwnerOf(worker, request.key)};
}

bool DecideHere(Worker* worker, const Routed& routed, Decided* decided) {
  return routed.owner == nullptr && DecideByStore(worker, routed.request, decided);
}

bool DecideExpected(Worker* worker, const Store::Expected& expected, const Request& request,
                    Decided* decided) {
  return DecideByStore(worker, request, decided, [&](Store* store) {
    return store->Decide(expected, request, worker->now_ms, &decided->decision);
  });
}

bool DecideElsewhere(Worker* worker, const Routed& routed, Decided* decided, MakeLater make_later) {
  const auto& [request, owner] = routed;
  if (owner == nullptr) return DecideLeased(worker, request, decided, make_later);
  if (IsGlobal(request, *worker->config)) return DecideGlobal(worker, routed, decided, make_later);
  return Forward(worker, routed, decided, make_later);
}

void Decide(Worker* worker, const Request& request, OnDecided done) {
  Decided decided;
  const Routed routed = Route(*worker, request);
  if (DecideHere(worker, routed, &decided)) return done(decided);
  if (DecideElsewhere(worker, routed, &decided, [&done] { return done; })) done(decided);
}

}  // namespace gub
