#include "command/peer_commands.h"

#include <optional>
#include <string>

#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"
#include "cluster/greeting.h"
#include "cluster/owner_batch.h"
#include "cluster/peer_frame.h"
#include "command/context.h"
#include "command/decision_reply.h"
#include "command/errors.h"
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

// Decides one request of a peer. It is decided here whoever owns the key by our own table: the
// sender's table says so, and a request that was sent on again might go in circles.
PeerAnswer Apply(CommandContext& context, const PeerRequest& sent) {
  PeerAnswer answer;
  KeyWatch::Change change = context.ChangeOf(sent.request.key);
  Store& store = context.node().store;
  if (sent.operation == PeerOperation::kReset) {
    answer.removed = store.Reset(sent.request.name, sent.request.key);
    return answer;
  }
  if (sent.request.hits == 0 && !sent.request.Has(kResetRemaining)) change.ChangesNothing();
  const Store::Outcome outcome = store.Decide(sent.request, context.now_ms(), &answer.decision);
  if (outcome == Store::Outcome::kFull) {
    answer.decision.error = Error::kTableFull;
    context.counters().Add(Counter::kRequestErrors);
  } else {
    context.counters().Add(CounterOf(sent.request, answer.decision));
  }
  return answer;
}

}  // namespace

// GUB.PEER HELLO version id address digest nonce
void PeerHelloCommand(CommandContext& context) {
  const Args args = context.args();
  Cluster* const cluster = context.node().cluster.get();
  if (cluster == nullptr) return RefusePeer(context, "this node is in no cluster");
  PeerSession& peer = context.client().peer;
  const std::string& secret = context.config().cluster_secret;
  if (secret.empty() && !peer.is_local) {
    return RefusePeer(context, "without a cluster-secret only nodes of one machine are peers");
  }
  const std::optional<int64_t> version = ParseInt64(args[2]);
  Greeting greeting = {{std::string(args[3]), std::string(args[4]), 0},
                       cluster->identity(),
                       std::string(args[6]),
                       RandomHex(kNonceBytes)};
  const std::string why_not = WhyNoPeer(version.value_or(-1), greeting.asker, greeting.answerer);
  if (!why_not.empty()) return RefusePeer(context, why_not);
  if (args[5] != std::to_string(greeting.answerer.digest)) {
    cluster->view_mismatches.fetch_add(1);
    GUB_LOG_EVERY(
        5000, warn,
        "a peer sees another cluster, its members, weights or time zone differ address={}",
        Escape(greeting.asker.address));
  }
  ReplyWriter& reply = context.reply();
  reply.Array(7);
  reply.Integer(kPeerProtocol);
  reply.Bulk(greeting.answerer.id);
  reply.Bulk(greeting.answerer.address);
  reply.Bulk(std::to_string(greeting.answerer.digest));
  reply.Bulk(greeting.answerer_nonce);
  reply.Bulk(AnswererProof(greeting, secret));
  reply.Integer(MonotonicMs());
  peer.greeting = std::move(greeting);
  peer.proven = false;
}

// GUB.PEER PROVE proof
void PeerProveCommand(CommandContext& context) {
  PeerSession& peer = context.client().peer;
  if (!peer.greeting) return RefusePeer(context, "a proof without a greeting");
  if (!IsSecret(context.args()[2], AskerProof(*peer.greeting, context.config().cluster_secret))) {
    return RefusePeer(context, "its cluster-secret is another");
  }
  peer.proven = true;
  GUB_LOG(info, "a peer has connected address={} id={}", Escape(peer.greeting->asker.address),
          Escape(peer.greeting->asker.id));
  context.reply().Ok();
}

// GUB.PEER BATCH number expires requests -> [number, time, late, answers]
void PeerBatchCommand(CommandContext& context) {
  const Args args = context.args();
  if (!context.client().peer.proven) return RefusePeer(context, "a batch from no peer");
  const std::optional<int64_t> number = ParseInt64(args[2]);
  const std::optional<int64_t> expires_mono_ms = ParseInt64(args[3]);
  if (!number || !expires_mono_ms) return RefusePeer(context, "its batch cannot be read");
  const std::optional<OwnerReply> batch =
      AnswerBatch(args[4], *expires_mono_ms, MonotonicMs,
                  [&context](const PeerRequest& request) { return Apply(context, request); });
  if (!batch) return RefusePeer(context, "its batch cannot be read");
  context.counters().Add(Counter::kPeerBatches);
  context.counters().Add(Counter::kPeerRequests, batch->requests);
  if (batch->late) context.counters().Add(Counter::kPeerLate);
  ReplyWriter& reply = context.reply();
  reply.Array(4);
  reply.Integer(*number);
  reply.Integer(MonotonicMs());
  reply.Integer(batch->late ? 1 : 0);
  reply.Bulk(batch->answers);
}

}  // namespace gub
