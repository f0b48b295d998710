#include "command/metrics.h"

#include <ctime>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "command/http_front.h"
#include "command/metric_series.h"
#include "command/process_metrics.h"

namespace gub {

namespace {

// A counter as a series of a metric.
struct CounterSeries {
  Counter counter;
  std::string_view label = {};  // "": the metric has one series
  std::string_view of = {};
};

template <size_t kCount>
void AddCounters(const Node& node, const CounterSeries (&rows)[kCount], Series& series) {
  for (const CounterSeries& row : rows) {
    const uint64_t value = node.counters.Sum(row.counter);
    row.label.empty() ? series.Add(value) : series.Add(row.label, row.of, value);
  }
}

template <Counter kId>
void OneCounter(const Node& node, Series& series) {
  series.Add(node.counters.Sum(kId));
}

void Decisions(const Node& node, Series& series) {
  constexpr std::pair<Counter, std::string_view> kResults[] = {
      {Counter::kTokenAdmitted, "admitted"}, {Counter::kTokenDenied, "denied"},
      {Counter::kTokenRefunded, "refunded"}, {Counter::kTokenPeeks, "peek"},
      {Counter::kTokenResets, "reset"},
  };
  const auto add = [&](std::string_view algorithm, std::string_view result, Counter counter) {
    series.AddLabelled(fmt::format("algorithm=\"{}\",result=\"{}\"", algorithm, result),
                       node.counters.Sum(counter));
  };
  for (const auto& [counter, result] : kResults) {
    add("token", result, counter);
    add("leaky", result, LeakyCounterOf(counter));
  }
  add("both", "reset", Counter::kKeyResets);
}

void ErrorReplies(const Node& node, Series& series) {
  for (size_t code = 0; code < ErrorStats::kCount; ++code) {
    series.Add("code", ErrorStats::kCodes[code], node.errors.Sum(code));
  }
}

void Fallbacks(const Node& node, Series& series) {
  AddCounters(node,
              {{Counter::kFallbackLocal, "policy", "local"},
               {Counter::kFallbackOpen, "policy", "open"},
               {Counter::kFallbackClosed, "policy", "closed"},
               {Counter::kFallbackError, "policy", "error"}},
              series);
}

void GlobalAnswers(const Node& node, Series& series) {
  AddCounters(node,
              {{Counter::kLeaseLocalAnswers, "by", "lease"},
               {Counter::kLeaseAsks, "by", "ask"},
               {Counter::kLeaseForwards, "by", "forward"},
               {Counter::kLeaseDegraded, "by", "fallback"}},
              series);
}

void GlobalSent(const Node& node, Series& series) {
  AddCounters(node,
              {{Counter::kLeaseReportsSent, "what", "reports"},
               {Counter::kLeaseAnswersSent, "what", "answers"}},
              series);
}

void StoreBytes(const Node& node, Series& series) {
  const Store::Memory memory = node.store.memory();
  series.Add("part", "table", memory.table);
  series.Add("part", "index", memory.index);
  series.Add("part", "buckets", memory.blocks);
  series.Add("part", "long_keys", memory.long_keys);
}

void TableLoad(const Node& node, Series& series) {
  const auto slots = static_cast<double>(node.store.memory().slots);
  series.Add(static_cast<double>(node.store.Size()) / slots);
}

void Connections(const Node& node, Series& series) {
  series.Add("kind", "client", node.connected_clients.load());
  series.Add("kind", "peer", node.connected_peers.load());
  series.Add("kind", "candidate", node.connected_candidates.load());
}

void Disconnections(const Node& node, Series& series) {
  AddCounters(node,
              {{Counter::kProtocolErrors, "reason", "protocol"},
               {Counter::kOutputLimitDisconnections, "reason", "output_limit"},
               {Counter::kQueryLimitDisconnections, "reason", "query_limit"},
               {Counter::kEvictedClients, "reason", "memory"},
               {Counter::kHttpTimeouts, "reason", "slow_request"}},
              series);
}

void CommandDurations(const Node& node, Series& series) {
  for (const CommandEntry& entry : node.commands.entries()) {
    const CommandStats::Totals totals = node.command_stats.Sum(entry.number);
    if (totals.calls > 0) series.AddHistogram("command", entry.full_name, totals);
  }
}

std::string_view PathOf(size_t row) {
  return row < kHttpRouteCount ? HttpRoutes()[row].path : "other";
}

void HttpDurations(const Node& node, Series& series) {
  for (size_t row = 0; row <= kHttpRouteCount; ++row) {
    const CommandStats::Totals totals = node.http_stats.Sum(row);
    if (totals.calls > 0) series.AddHistogram("path", PathOf(row), totals);
  }
}

void HttpFailures(const Node& node, Series& series) {
  for (size_t row = 0; row <= kHttpRouteCount; ++row) {
    const CommandStats::Totals totals = node.http_stats.Sum(row);
    series.Add("path", PathOf(row), totals.failed + totals.rejected);
  }
}

// A number of each peer. What is in an address of a member is checked when it is read.
template <typename Number>
void OfPeers(const Node& node, Series& series, const Number& number) {
  if (node.cluster == nullptr) return;
  for (const PeerSummary& peer : node.cluster->peers().Links()) {
    series.Add("peer", peer.address, number(peer));
  }
}

template <auto kCount>
void PeerCount(const Node& node, Series& series) {
  OfPeers(node, series, [](const PeerSummary& peer) { return peer.counts.*kCount; });
}

template <auto kField>
void PeerGauge(const Node& node, Series& series) {
  OfPeers(node, series, [](const PeerSummary& peer) { return peer.*kField; });
}

void PeerUp(const Node& node, Series& series) {
  OfPeers(node, series,
          [](const PeerSummary& peer) { return peer.health == OwnerHealth::State::kUp ? 1 : 0; });
}

void PeerAnswerTime(const Node& node, Series& series) {
  if (node.cluster == nullptr) return;
  for (const PeerSummary& peer : node.cluster->peers().Links()) {
    series.AddSummary("peer", peer.address, static_cast<double>(peer.counts.answer_us) / 1e6,
                      peer.counts.answered_batches);
  }
}

void LoopLag(const Node& node, Series& series) {
  for (size_t i = 0; i < node.loop_lags.size(); ++i) {
    series.Add("worker", fmt::to_string(i),
               static_cast<double>(node.loop_lags[i].LargestUs()) / 1e6);
  }
}

void BuildInfo(const Node& node, Series& series) {
  series.AddLabelled(fmt::format("version=\"{}\",mode=\"{}\"", GUB_VERSION,
                                 node.cluster == nullptr ? "standalone" : "cluster"),
                     1);
}

int64_t StartTime(const Node& node) {
  return std::time(nullptr) - (MonotonicNs() - node.start_mono_ns) / 1'000'000'000;
}

struct MetricRow {
  std::string_view name;
  std::string_view type;
  std::string_view text;
  void (*write)(const Node& node, Series& series);
};

constexpr MetricRow kRows[] = {
    {"gub_decisions_total", "counter",
     "Requests that this node has decided, by what came of them. Each counts with one node.",
     Decisions},
    {"gub_request_errors_total", "counter",
     "Requests for a decision that were answered with an error.",
     OneCounter<Counter::kRequestErrors>},
    {"gub_error_replies_total", "counter", "Replies that were errors, by their code.",
     ErrorReplies},
    {"gub_keys", "gauge", "Buckets now, lapsed ones that are not freed yet included.",
     [](const Node& node, Series& series) { series.Add(node.store.Size()); }},
    {"gub_keys_max", "gauge", "The option max-keys.",
     [](const Node& node, Series& series) { series.Add(node.store.max_keys()); }},
    {"gub_keys_expired_total", "counter", "Buckets that lapsed and were freed.",
     [](const Node& node, Series& series) { series.Add(node.store.counts().expired_keys); }},
    {"gub_keys_evicted_total", "counter", "Live buckets that gave way to new ones.",
     [](const Node& node, Series& series) { series.Add(node.store.counts().evicted_live_keys); }},
    {"gub_keys_refused_total", "counter", "Requests refused because the table was full.",
     [](const Node& node, Series& series) { series.Add(node.store.counts().refused_keys); }},
    {"gub_store_bytes", "gauge", "What the buckets take.", StoreBytes},
    {"gub_table_slots", "gauge", "Places in the table.",
     [](const Node& node, Series& series) { series.Add(node.store.memory().slots); }},
    {"gub_table_load_ratio", "gauge", "Buckets in proportion to the places in the table.",
     TableLoad},
    {"gub_connections", "gauge", "Open connections, RESP and HTTP.", Connections},
    {"gub_connections_max", "gauge", "The option maxclients.",
     [](const Node& node, Series& series) { series.Add(node.config.Get()->maxclients); }},
    {"gub_connections_received_total", "counter", "Connections accepted.",
     OneCounter<Counter::kConnectionsReceived>},
    {"gub_connections_rejected_total", "counter", "Connections refused.",
     OneCounter<Counter::kConnectionsRejected>},
    {"gub_connections_closed_total", "counter", "Connections that have ended.",
     OneCounter<Counter::kConnectionsClosed>},
    {"gub_disconnections_total", "counter", "Connections closed by this node, by the reason.",
     Disconnections},
    {"gub_client_buffer_bytes", "gauge", "What clients' buffers take.",
     [](const Node& node, Series& series) { series.Add(node.client_memory.total()); }},
    {"gub_received_bytes_total", "counter", "Bytes read from clients.",
     OneCounter<Counter::kNetInputBytes>},
    {"gub_sent_bytes_total", "counter", "Bytes written to clients.",
     OneCounter<Counter::kNetOutputBytes>},
    {"gub_commands_total", "counter", "RESP commands that were answered, errors included.",
     OneCounter<Counter::kCommandsProcessed>},
    {"gub_command_duration_seconds", "histogram",
     "Time of the work of a RESP command. A pipeline's are timed as a run and charged the mean.",
     CommandDurations},
    {"gub_http_requests_total", "counter", "HTTP requests that were answered, errors included.",
     OneCounter<Counter::kHttpRequests>},
    {"gub_http_request_duration_seconds", "histogram",
     "Time of the work of an HTTP request, without waiting for other nodes.", HttpDurations},
    {"gub_http_failures_total", "counter",
     "HTTP requests answered with an error; denials are none.", HttpFailures},
    {"gub_forwarded_requests_total", "counter", "Requests whose key another node owns.",
     OneCounter<Counter::kForwardedRequests>},
    {"gub_fallback_answers_total", "counter",
     "Requests answered here because their owner was not reached, by ONFAIL.", Fallbacks},
    {"gub_received_batches_total", "counter", "Batches that came from other nodes.",
     OneCounter<Counter::kPeerBatches>},
    {"gub_received_batch_requests_total", "counter", "Requests in these batches.",
     OneCounter<Counter::kPeerRequests>},
    {"gub_received_batches_late_total", "counter",
     "Batches read after their sender had given them up, and not applied.",
     OneCounter<Counter::kPeerLate>},
    {"gub_global_requests_total", "counter",
     "Requests on GLOBAL limits of other nodes, by what answered them.", GlobalAnswers},
    {"gub_global_leases", "gauge", "Leases that this node has given.",
     [](const Node& node, Series& series) {
       series.Add(node.leases == nullptr ? 0 : node.leases->leases());
     }},
    {"gub_global_leased_keys", "gauge", "Keys of this node of which something is lent.",
     [](const Node& node, Series& series) {
       series.Add(node.leases == nullptr ? 0 : node.leases->keys());
     }},
    {"gub_global_recalls_total", "counter", "Leases that their owner has called back from here.",
     OneCounter<Counter::kLeaseRecalls>},
    {"gub_global_syncs_total", "counter",
     "Sync intervals that have ended, on all workers together.", OneCounter<Counter::kLeaseSyncs>},
    {"gub_global_items_sent_total", "counter", "Reports and answers sent, a key each time.",
     GlobalSent},
    {"gub_global_frames_sent_total", "counter", "Frames that these were sent in.",
     OneCounter<Counter::kLeaseFramesSent>},
    {"gub_global_bytes_sent_total", "counter", "Bytes of these frames.",
     OneCounter<Counter::kLeaseBytesSent>},
    {"gub_global_bad_frames_total", "counter", "Frames that could not be taken.",
     OneCounter<Counter::kLeaseBadFrames>},
    {"gub_peer_up", "gauge", "Whether the peer answers, as the worst of the links to it fares.",
     PeerUp},
    {"gub_peer_links", "gauge", "Workers with a link to the peer.", PeerGauge<&PeerSummary::links>},
    {"gub_peer_links_ready", "gauge", "Of these, how many are connected.",
     PeerGauge<&PeerSummary::ready>},
    {"gub_peer_batches_total", "counter", "Batches sent to the peer.",
     PeerCount<&PeerLink::Counts::batches>},
    {"gub_peer_requests_total", "counter", "Requests sent to the peer.",
     PeerCount<&PeerLink::Counts::requests>},
    {"gub_peer_answered_total", "counter", "Requests that the peer has answered in time.",
     PeerCount<&PeerLink::Counts::answered>},
    {"gub_peer_failed_total", "counter", "Requests that the peer has not answered in time.",
     PeerCount<&PeerLink::Counts::failed>},
    {"gub_peer_refused_total", "counter", "Requests not sent, for the peer is known to be down.",
     PeerCount<&PeerLink::Counts::refused>},
    {"gub_peer_late_answers_total", "counter",
     "Answers that came when the request had been given up: both nodes have counted it.",
     PeerCount<&PeerLink::Counts::late_answers>},
    {"gub_peer_batch_duration_seconds", "summary",
     "From the writing of a batch to the peer until its answer.", PeerAnswerTime},
    {"gub_peer_connects_total", "counter", "Connections made to the peer.",
     PeerCount<&PeerLink::Counts::connects>},
    {"gub_peer_waiting", "gauge", "Requests that wait to be sent to the peer.",
     PeerGauge<&PeerSummary::waiting>},
    {"gub_peer_in_flight", "gauge", "Requests sent to the peer and not answered yet.",
     PeerGauge<&PeerSummary::in_flight>},
    {"gub_cluster_members", "gauge", "Members of the cluster as this node sees it.",
     [](const Node& node, Series& series) {
       series.Add(node.cluster == nullptr ? 1 : node.cluster->view()->table.members().size());
     }},
    {"gub_cluster_view_mismatches", "gauge", "Peers that see other members than this node.",
     [](const Node& node, Series& series) {
       series.Add(node.cluster == nullptr ? 0 : node.cluster->ViewMismatches());
     }},
    {"gub_loop_lag_seconds", "gauge",
     "The longest that a worker's loop was late in the last ten to twenty seconds.", LoopLag},
    {"gub_sweep_step_seconds_max", "gauge", "The longest that the sweeper held a lock.",
     [](const Node& node, Series& series) {
       series.Add(static_cast<double>(node.store.counts().longest_sweep_step_ns) / 1e9);
     }},
    {"gub_serving", "gauge", "1 while the node serves, 0 once it stops.",
     [](const Node& node, Series& series) { series.Add(node.serving ? 1 : 0); }},
    {"gub_build_info", "gauge", "1, with the version as a label.", BuildInfo},
    {"process_start_time_seconds", "gauge", "When the process started, in Unix time.",
     [](const Node& node, Series& series) { series.Add(StartTime(node)); }},
    {"process_cpu_seconds_total", "counter", "Time on processors, user and system.",
     [](const Node&, Series& series) { series.Add(ReadProcessNumbers().cpu_s); }},
    {"process_resident_memory_bytes", "gauge", "The resident set.",
     [](const Node&, Series& series) { series.Add(ReadProcessNumbers().resident_bytes); }},
    {"process_virtual_memory_bytes", "gauge", "The address space in use.",
     [](const Node&, Series& series) { series.Add(ReadProcessNumbers().virtual_bytes); }},
    {"process_open_fds", "gauge", "Open descriptors.",
     [](const Node&, Series& series) { series.Add(ReadProcessNumbers().open_fds); }},
    {"process_max_fds", "gauge", "Most descriptors that may be open.",
     [](const Node&, Series& series) { series.Add(ReadProcessNumbers().max_fds); }},
};

}  // namespace

std::string MetricsText(const Node& node) {
  std::string text;
  for (const MetricRow& row : kRows) {
    fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", row.name, row.text,
                   row.name, row.type);
    Series series(row.name, &text);
    row.write(node, series);
  }
  return text;
}

}  // namespace gub
