#include "base/counters.h"

namespace gub {
namespace {

// The names that Redis has are Redis', so that its dashboards work.
constexpr CounterRow kRows[] = {
    {Counter::kConnectionsReceived, "stats", "total_connections_received",
     "Connections accepted since the start."},
    {Counter::kConnectionsRejected, "stats", "rejected_connections",
     "Connections closed at once because maxclients were open."},
    {Counter::kConnectionsClosed, "stats", "total_connections_closed",
     "Connections that have ended, whoever ended them."},
    {Counter::kCommandsProcessed, "stats", "total_commands_processed",
     "Commands that were answered, errors included."},
    {Counter::kErrorReplies, "stats", "total_error_replies", "Replies that were errors."},
    {Counter::kProtocolErrors, "stats", "total_protocol_errors",
     "Connections closed because what came was no RESP, or passed one of its limits."},
    {Counter::kOutputLimitDisconnections, "stats", "client_output_buffer_limit_disconnections",
     "Connections closed because too many bytes of replies were left unread."},
    {Counter::kQueryLimitDisconnections, "stats", "client_query_buffer_limit_disconnections",
     "Connections closed because an unfinished request grew too long."},
    {Counter::kEvictedClients, "stats", "evicted_clients",
     "Connections closed because all clients' buffers together passed maxmemory-clients."},
    {Counter::kNetInputBytes, "stats", "total_net_input_bytes", "Bytes read from clients."},
    {Counter::kNetOutputBytes, "stats", "total_net_output_bytes", "Bytes written to clients."},
    {Counter::kHttpRequests, "stats", "total_http_requests",
     "HTTP requests that were answered, errors included."},
    {Counter::kHttpTimeouts, "stats", "http_timeouts",
     "HTTP connections closed because a request did not come whole in time."},
    {Counter::kTokenAdmitted, "gub", "token_admitted", "Of hits_admitted, those of token buckets."},
    {Counter::kTokenDenied, "gub", "token_denied", "Of hits_denied, those of token buckets."},
    {Counter::kTokenRefunded, "gub", "token_refunded", "Of hits_refunded, those of token buckets."},
    {Counter::kTokenPeeks, "gub", "token_peeks", "Of peeks, those of token buckets."},
    {Counter::kTokenResets, "gub", "token_resets", "Of resets, those of token buckets."},
    {Counter::kLeakyAdmitted, "gub", "leaky_admitted", "Of hits_admitted, those of leaky buckets."},
    {Counter::kLeakyDenied, "gub", "leaky_denied", "Of hits_denied, those of leaky buckets."},
    {Counter::kLeakyRefunded, "gub", "leaky_refunded", "Of hits_refunded, those of leaky buckets."},
    {Counter::kLeakyPeeks, "gub", "leaky_peeks", "Of peeks, those of leaky buckets."},
    {Counter::kLeakyResets, "gub", "leaky_resets", "Of resets, those of leaky buckets."},
    {Counter::kKeyResets, "gub", "key_resets",
     "Of resets, those by GUB.RESET and DEL, which forget the buckets of both algorithms."},
    {Counter::kRequestErrors, "gub", "request_errors",
     "Requests for a decision that were answered with an error."},
    {Counter::kForwardedRequests, "cluster", "forwarded_requests",
     "Requests whose key another node owns."},
    {Counter::kFallbackAnswers, "cluster", "fallback_answers",
     "Of these, how many were answered here because their owner was not reached."},
    {Counter::kFallbackLocal, "cluster", "fallback_local", "Of these, by a stand-in bucket."},
    {Counter::kFallbackOpen, "cluster", "fallback_open", "Of these, admitted untried."},
    {Counter::kFallbackClosed, "cluster", "fallback_closed", "Of these, denied untried."},
    {Counter::kFallbackError, "cluster", "fallback_error", "Of these, by OWNERDOWN."},
    {Counter::kPeerBatches, "cluster", "peer_batches", "Batches that came from other nodes."},
    {Counter::kPeerRequests, "cluster", "peer_requests", "Requests in these batches."},
    {Counter::kPeerLate, "cluster", "peer_late_batches",
     "Batches that were read after their sender had given them up, and not applied."},
    {Counter::kLeaseLocalAnswers, "global", "lease_local_answers",
     "Requests on GLOBAL limits of other nodes that were answered here without asking."},
    {Counter::kLeaseAsks, "global", "lease_asks",
     "Requests on GLOBAL limits that waited until the owner had lent, denied or told."},
    {Counter::kLeaseForwards, "global", "lease_forwards",
     "Requests on GLOBAL limits that were forwarded as others are."},
    {Counter::kLeaseDegraded, "global", "lease_degraded_answers",
     "Requests on GLOBAL limits that were answered here because their owner was not reached."},
    {Counter::kLeaseRecalls, "global", "lease_recalls",
     "Leases that their owner has called back from this node."},
    {Counter::kLeaseSyncs, "global", "lease_syncs",
     "Sync intervals that have ended, on all workers together."},
    {Counter::kLeaseReportsSent, "global", "lease_reports_sent",
     "What this node has told owners of keys, a key each time."},
    {Counter::kLeaseAnswersSent, "global", "lease_answers_sent",
     "What this node has told as an owner, a key each time."},
    {Counter::kLeaseFramesSent, "global", "lease_frames_sent",
     "Frames with one or both of these; an answer that goes back at once has no frame of its own."},
    {Counter::kLeaseBytesSent, "global", "lease_bytes_sent", "Bytes of these frames."},
    {Counter::kLeaseBadFrames, "global", "lease_bad_frames",
     "Frames that could not be read, or were for another process; nothing of them was taken."},
};

constexpr bool IsInEnumOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<size_t>(kRows[i].id) != i) return false;
  }
  return std::size(kRows) == kCounterCount;
}
static_assert(IsInEnumOrder(), "one row for each Counter, in the order of the enum");

}  // namespace

std::span<const CounterRow> CounterTable() { return kRows; }

uint64_t Counters::Sum(Counter id) const {
  // A Reset between the two readings makes the second larger.
  const uint64_t total = Total(id);
  const uint64_t before = before_reset_[static_cast<size_t>(id)].load(std::memory_order_relaxed);
  return total > before ? total - before : 0;
}

void Counters::Reset() {
  for (const CounterRow& row : kRows) {
    before_reset_[static_cast<size_t>(row.id)].store(Total(row.id), std::memory_order_relaxed);
  }
}

uint64_t Counters::Total(Counter id) const {
  uint64_t sum = 0;
  for (const CounterSet& set : sets_) sum += set.Get(id);
  return sum;
}

}  // namespace gub
