#include "command/peer_commands.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"
#include "cluster/greeting.h"
#include "cluster/lease_desk.h"
#include "cluster/owner_batch.h"
#include "cluster/peer_frame.h"
#include "cluster/router.h"
#include "command/context.h"
#include "command/decision_count.h"
#include "command/errors.h"
#include "command/owned_request.h"
#include "command/peer_answers.h"
#include "fmt/format.h"

namespace gub {

namespace {

// A refused peer is told why, logged, and closed.
void RefusePeer(CommandContext& context, std::string_view why) {
  GUB_LOG_EVERY(1000, warn, "a peer was refused address={} reason=\"{}\"",
                context.client().record->address, Escape(why, 200));
  context.Error(fmt::format("PEERDENIED {}", why));
  context.client().close = true;
}

int64_t MonotonicMs() { return MonotonicNs() / 1'000'000; }

// Whether the request is left for later, GUB.DEBUG STALL keeps peers waiting.
bool WaitsForStall(CommandContext& context) {
  const int64_t wait_ms = context.node().stalled_until_mono_ms.load() - MonotonicMs();
  if (wait_ms <= 0) return false;
  // In steps, for the stall may be made shorter meanwhile.
  constexpr int64_t kStepMs = 20;
  context.client().retry = true;
  context.worker().sink->WakeLater(context.client().id(), std::min(wait_ms, kStepMs));
  return true;
}

// A frame of leases. What there is to say at once stays in *reply until it is sent.
PeerAnswer TakeLeases(CommandContext& context, std::string_view frame, size_t* room,
                      std::string* reply) {
  reply->clear();
  const PeerIdentity& sender = context.client().peer.greeting->asker;
  context.worker().desk->OnFrame(sender, frame, *room, reply);
  *room -= std::min(*room, reply->size());
  PeerAnswer answer;
  answer.lease = *reply;
  return answer;
}

// What was decided counts as what it is.
void Account(CommandContext::Worker* worker, const Request& request, const Decision& decision) {
  if (decision.error == Error::kNone) return CountDecision(*worker, request, decision);
  worker->counters->Add(Counter::kRequestErrors);
}

// By the store, or by who lends from the bucket: there it may have to wait, and nothing is
// returned.
std::optional<Decision> DecideForPeer(CommandContext& context, const Request& request,
                                      const std::shared_ptr<PeerAnswers>& answers) {
  LeaseDesk& desk = *context.worker().desk;
  for (;;) {
    Decision decision;
    const Store::Outcome outcome =
        context.node().store.Decide(request, context.now_ms(), &decision);
    if (outcome == Store::Outcome::kFull) decision.error = Error::kTableFull;
    if (outcome != Store::Outcome::kLeased) return decision;
    const uint64_t token = desk.NextToken();
    const auto result = desk.DecideOwn(request, token);
    if (!result) continue;  // the last lease has ended meanwhile
    if (result->outcome == LeaseOutcome::kAnswered) return result->decision;
    desk.Await(token,
               [worker = &context.worker(), answers, which = answers->Expect(),
                owned = OwnedRequest(request)](LeaseOutcome outcome, const Decision& settled) {
                 if (outcome != LeaseOutcome::kAnswered)
                   return;  // the node stops; its link ends with it
                 const Request asked = owned.Get();
                 KeyWatch::Change change(&worker->node->watch, asked.key, false);
                 Account(worker, asked, settled);
                 answers->Take(which, settled);
               });
    return std::nullopt;
  }
}

// Decides one request of a peer. It is decided here whoever owns the key by our own table: the
// sender's table says so, and a request that was sent on again might go in circles.
std::optional<PeerAnswer> Apply(CommandContext& context, const PeerRequest& sent,
                                const std::shared_ptr<PeerAnswers>& answers) {
  PeerAnswer answer;
  KeyWatch::Change change = context.ChangeOf(sent.request.key);
  if (sent.operation == PeerOperation::kLeave) {
    context.node().cluster->hooks.member_leaves(context.client().peer.greeting->asker.address);
    change.ChangesNothing();
    return answer;
  }
  if (sent.operation == PeerOperation::kReset) {
    answer.removed = context.node().store.Reset(sent.request.name, sent.request.key);
    context.worker().desk->OnGone(sent.request.name, sent.request.key);
    return answer;
  }
  if (sent.request.hits == 0 && !sent.request.Has(kResetRemaining)) change.ChangesNothing();
  const std::optional<Decision> decision = DecideForPeer(context, sent.request, answers);
  if (!decision) return std::nullopt;
  answer.decision = *decision;
  Account(&context.worker(), sent.request, *decision);
  return answer;
}

// Nothing: it cannot be read, and nothing of it was applied.
std::optional<OwnerReply> ApplyBatch(CommandContext& context, std::string_view requests,
                                     int64_t expires_mono_ms,
                                     const std::shared_ptr<PeerAnswers>& answers) {
  size_t lease_room = LeaseDesk::kMostReplyBytes;
  std::string lease_reply;
  const auto apply = [&](const PeerRequest& request) -> std::optional<PeerAnswer> {
    if (request.operation != PeerOperation::kLease) return Apply(context, request, answers);
    return TakeLeases(context, request.lease, &lease_room, &lease_reply);
  };
  return AnswerBatch(requests, expires_mono_ms, PeerTimeMs, apply);
}

}  // namespace

// GUB.PEER HELLO version id address digest nonce asked -> [version, id, address, digest, nonce]
void PeerHelloCommand(CommandContext& context) {
  if (WaitsForStall(context)) return;
  const Args args = context.args();
  Cluster* const cluster = context.node().cluster.get();
  if (cluster == nullptr) return RefusePeer(context, "this node is in no cluster");
  PeerSession& peer = context.client().peer;
  if (peer.proven) return RefusePeer(context, "it has greeted already");
  if (context.config().cluster_secret.empty() && !peer.is_local) {
    return RefusePeer(context, "without a cluster-secret only nodes of one machine are peers");
  }
  const std::optional<int64_t> version = ParseInt64(args[2]);
  const std::optional<int64_t> digest = ParseInt64(args[5]);
  Greeting greeting = {
      {std::string(args[3]), std::string(args[4]), static_cast<uint64_t>(digest.value_or(0))},
      cluster->identity(),
      std::string(args[6]),
      RandomHex(kNonceBytes)};
  const ClusterView& view = context.worker().router->view();
  const size_t asked = view.table.Find(args[7]);
  if (asked < view.is_self.size() && view.IsOwn(asked)) greeting.answerer.address = args[7];
  if (version != kPeerProtocol) {
    return RefusePeer(context, WhyNoPeer(version.value_or(-1), greeting.asker, greeting.answerer));
  }
  cluster->peers().HeardGreeting(greeting.asker_nonce);
  ReplyWriter& reply = context.reply();
  reply.Array(5);
  reply.Integer(kPeerProtocol);
  reply.Bulk(greeting.answerer.id);
  reply.Bulk(greeting.answerer.address);
  reply.Integer(static_cast<int64_t>(greeting.answerer.digest));
  reply.Bulk(greeting.answerer_nonce);
  peer.greeting = std::move(greeting);
}

// GUB.PEER PROVE proof -> [proof, time]
void PeerProveCommand(CommandContext& context) {
  PeerSession& peer = context.client().peer;
  if (!peer.greeting || peer.proven) return RefusePeer(context, "a proof without a greeting");
  if (!IsSecret(context.args()[2], AskerProof(*peer.greeting, context.config().cluster_secret))) {
    return RefusePeer(context, "the cluster-secret is another");
  }
  const PeerIdentity& asker = peer.greeting->asker;
  const PeerIdentity& self = peer.greeting->answerer;
  PeerRegistry& peers = context.node().cluster->peers();
  const std::string why_not = WhyNoPeer(kPeerProtocol, asker, self);
  if (!why_not.empty()) return RefusePeer(context, why_not);
  peer.presence = peers.Claim(asker.address, asker.id, MonotonicMs());
  if (peer.presence == nullptr) return RefusePeer(context, RivalText(asker.address));
  peer.proven = true;
  context.node().Count(context.client().record.get(), ClientRecord::Standing::kPeer);
  GUB_LOG(info, "a peer has connected address={} id={}", Escape(asker.address), Escape(asker.id));
  if (asker.digest != self.digest) {
    GUB_LOG_EVERY(
        5000, warn,
        "a peer sees another cluster, its members, weights or time zone differ address={}",
        Escape(asker.address));
  }
  context.reply().Array(2);
  context.reply().Bulk(AnswererProof(*peer.greeting, context.config().cluster_secret));
  context.reply().Integer(PeerTimeMs());
}

// GUB.PEER DENY reason
void PeerDenyCommand(CommandContext& context) {
  if (!context.client().peer.greeting) return RefusePeer(context, "a refusal without a greeting");
  GUB_LOG_EVERY(1000, warn, "a peer refuses this node address={} reason=\"{}\"",
                context.client().record->address, Escape(context.args()[2], 200));
  context.client().drop = true;
}

// GUB.PEER BATCH number expires requests -> [number, time, late, answers, digest]
void PeerBatchCommand(CommandContext& context) {
  const Args args = context.args();
  PeerSession& peer = context.client().peer;
  if (!peer.proven) return RefusePeer(context, "a batch from no peer");
  if (WaitsForStall(context)) return;
  if (!peer.presence->Hear(MonotonicMs())) {
    return RefusePeer(context, RivalText(peer.greeting->asker.address));
  }
  const std::optional<int64_t> number = ParseInt64(args[2]);
  const std::optional<int64_t> expires_mono_ms = ParseInt64(args[3]);
  if (!number || !expires_mono_ms) return RefusePeer(context, "its batch cannot be read");
  const auto answers = std::make_shared<PeerAnswers>(LateReply::For(context), *number);
  std::optional<OwnerReply> batch = ApplyBatch(context, args[4], *expires_mono_ms, answers);
  if (!batch) return RefusePeer(context, "its batch cannot be read");
  context.counters().Add(Counter::kPeerBatches);
  context.counters().Add(Counter::kPeerRequests, batch->requests);
  if (batch->late) context.counters().Add(Counter::kPeerLate);
  answers->set_reply(*std::move(batch));
  if (!answers->IsComplete()) return LateReply::Open(context);
  answers->Write(&context.reply());
}

}  // namespace gub
