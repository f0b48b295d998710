#include "command/metrics.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "command/http_front.h"
#include "command/metric_series.h"
#include "command/process_metrics.h"

namespace gub {

namespace {

// What a scrape has read once for all its rows, so that they agree.
struct Scrape {
  explicit Scrape(const Node& of)
      : node(of), keys(of.store.Size()), counts(of.store.counts()), memory(of.store.memory()) {
    if (of.cluster != nullptr) links = of.cluster->peers().Links();
  }

  const Node& node;
  const ProcessNumbers process = ReadProcessNumbers();
  const int64_t keys;
  const Store::Counts counts;
  const Store::Memory memory;
  std::vector<PeerSummary> links;  // empty without a cluster
};

// A counter as a series of a metric.
struct CounterSeries {
  Counter counter;
  std::string_view label = {};  // "": the metric has one series
  std::string_view of = {};
};

template <size_t kCount>
void AddCounters(const Scrape& scrape, const CounterSeries (&rows)[kCount], Series& series) {
  for (const CounterSeries& row : rows) {
    const uint64_t value = scrape.node.counters.Sum(row.counter);
    row.label.empty() ? series.Add(value) : series.Add(row.label, row.of, value);
  }
}

template <Counter kId>
void OneCounter(const Scrape& scrape, Series& series) {
  series.Add(scrape.node.counters.Sum(kId));
}

void Decisions(const Scrape& scrape, Series& series) {
  constexpr std::pair<Counter, std::string_view> kResults[] = {
      {Counter::kTokenAdmitted, "admitted"}, {Counter::kTokenDenied, "denied"},
      {Counter::kTokenRefunded, "refunded"}, {Counter::kTokenPeeks, "peek"},
      {Counter::kTokenResets, "reset"},
  };
  const auto add = [&](std::string_view algorithm, std::string_view result, Counter counter) {
    series.AddLabelled(fmt::format("algorithm=\"{}\",result=\"{}\"", algorithm, result),
                       scrape.node.counters.Sum(counter));
  };
  for (const auto& [counter, result] : kResults) {
    add("token", result, counter);
    add("leaky", result, LeakyCounterOf(counter));
  }
  add("both", "reset", Counter::kKeyResets);
}

void ErrorReplies(const Scrape& scrape, Series& series) {
  for (size_t code = 0; code < ErrorStats::kCount; ++code) {
    series.Add("code", ErrorStats::kCodes[code], scrape.node.errors.Sum(code));
  }
}

void Fallbacks(const Scrape& scrape, Series& series) {
  AddCounters(scrape,
              {{Counter::kFallbackLocal, "policy", "local"},
               {Counter::kFallbackOpen, "policy", "open"},
               {Counter::kFallbackClosed, "policy", "closed"},
               {Counter::kFallbackError, "policy", "error"}},
              series);
}

void GlobalAnswers(const Scrape& scrape, Series& series) {
  AddCounters(scrape,
              {{Counter::kLeaseLocalAnswers, "by", "lease"},
               {Counter::kLeaseAsks, "by", "ask"},
               {Counter::kLeaseForwards, "by", "forward"},
               {Counter::kLeaseDegraded, "by", "fallback"}},
              series);
}

void GlobalSent(const Scrape& scrape, Series& series) {
  AddCounters(scrape,
              {{Counter::kLeaseReportsSent, "what", "reports"},
               {Counter::kLeaseAnswersSent, "what", "answers"}},
              series);
}

void StoreBytes(const Scrape& scrape, Series& series) {
  series.Add("part", "table", scrape.memory.table);
  series.Add("part", "index", scrape.memory.index);
  series.Add("part", "buckets", scrape.memory.blocks);
  series.Add("part", "long_keys", scrape.memory.long_keys);
}

void TableLoad(const Scrape& scrape, Series& series) {
  const auto slots = static_cast<double>(scrape.memory.slots);
  series.Add(static_cast<double>(scrape.keys) / slots);
}

void Connections(const Scrape& scrape, Series& series) {
  series.Add("kind", "client", scrape.node.connected_clients.load());
  series.Add("kind", "peer", scrape.node.connected_peers.load());
  series.Add("kind", "candidate", scrape.node.connected_candidates.load());
  series.Add("kind", "probe", scrape.node.connected_probes.load());
  series.Add("kind", "refused", scrape.node.connected_refused.load());
}

void Disconnections(const Scrape& scrape, Series& series) {
  AddCounters(scrape,
              {{Counter::kProtocolErrors, "reason", "protocol"},
               {Counter::kOutputLimitDisconnections, "reason", "output_limit"},
               {Counter::kQueryLimitDisconnections, "reason", "query_limit"},
               {Counter::kEvictedClients, "reason", "memory"},
               {Counter::kHttpTimeouts, "reason", "slow_request"}},
              series);
}

void CommandDurations(const Scrape& scrape, Series& series) {
  for (const CommandEntry& entry : scrape.node.commands.entries()) {
    const CommandStats::Totals totals = scrape.node.command_stats.Sum(entry.number);
    if (totals.calls > 0) series.AddHistogram("command", entry.full_name, totals);
  }
}

std::string_view PathOf(size_t row) {
  return row < kHttpRouteCount ? HttpRoutes()[row].path : "other";
}

void HttpDurations(const Scrape& scrape, Series& series) {
  for (size_t row = 0; row <= kHttpRouteCount; ++row) {
    const CommandStats::Totals totals = scrape.node.http_stats.Sum(row);
    if (totals.calls > 0) series.AddHistogram("path", PathOf(row), totals);
  }
}

void HttpFailures(const Scrape& scrape, Series& series) {
  for (size_t row = 0; row <= kHttpRouteCount; ++row) {
    const CommandStats::Totals totals = scrape.node.http_stats.Sum(row);
    series.Add("path", PathOf(row), totals.failed);
  }
}

// A number of each peer. What is in an address of a member is checked when it is read.
template <typename Number>
void OfPeers(const Scrape& scrape, Series& series, const Number& number) {
  for (const PeerSummary& peer : scrape.links) {
    series.Add("peer", peer.address, number(peer));
  }
}

template <auto kCount>
void PeerCount(const Scrape& scrape, Series& series) {
  OfPeers(scrape, series, [](const PeerSummary& peer) { return peer.counts.*kCount; });
}

template <auto kField>
void PeerGauge(const Scrape& scrape, Series& series) {
  OfPeers(scrape, series, [](const PeerSummary& peer) { return peer.*kField; });
}

void PeerUp(const Scrape& scrape, Series& series) {
  OfPeers(scrape, series,
          [](const PeerSummary& peer) { return peer.health == OwnerHealth::State::kUp ? 1 : 0; });
}

void PeerAnswerTime(const Scrape& scrape, Series& series) {
  for (const PeerSummary& peer : scrape.links) {
    series.AddSummary("peer", peer.address, static_cast<double>(peer.counts.answer_us) / 1e6,
                      peer.counts.answered_batches);
  }
}

void LoopLag(const Scrape& scrape, Series& series) {
  for (size_t i = 0; i < scrape.node.loop_lags.size(); ++i) {
    series.Add("worker", fmt::to_string(i),
               static_cast<double>(scrape.node.loop_lags[i].LargestUs()) / 1e6);
  }
}

void BuildInfo(const Scrape& scrape, Series& series) {
  series.AddLabelled(fmt::format("version=\"{}\",mode=\"{}\"", GUB_VERSION,
                                 scrape.node.cluster == nullptr ? "standalone" : "cluster"),
                     1);
}

struct MetricRow {
  std::string_view name;
  std::string_view type;
  std::string_view text;
  void (*write)(const Scrape& scrape, Series& series);
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
     [](const Scrape& scrape, Series& series) { series.Add(scrape.keys); }},
    {"gub_keys_max", "gauge", "The option max-keys.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.node.store.max_keys()); }},
    {"gub_keys_expired_total", "counter", "Buckets that lapsed and were freed.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.counts.expired_keys); }},
    {"gub_keys_evicted_total", "counter", "Live buckets that gave way to new ones.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.counts.evicted_live_keys); }},
    {"gub_keys_refused_total", "counter", "Requests refused because the table was full.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.counts.refused_keys); }},
    {"gub_store_bytes", "gauge", "What the buckets take.", StoreBytes},
    {"gub_table_slots", "gauge", "Places in the table.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.memory.slots); }},
    {"gub_table_load_ratio", "gauge", "Buckets in proportion to the places in the table.",
     TableLoad},
    {"gub_connections", "gauge", "Open connections, RESP and HTTP.", Connections},
    {"gub_connections_max", "gauge", "The option maxclients.",
     [](const Scrape& scrape, Series& series) {
       series.Add(scrape.node.config.Get()->maxclients);
     }},
    {"gub_connections_received_total", "counter", "Connections accepted.",
     OneCounter<Counter::kConnectionsReceived>},
    {"gub_connections_rejected_total", "counter", "Connections refused.",
     OneCounter<Counter::kConnectionsRejected>},
    {"gub_connections_closed_total", "counter", "Connections that have ended.",
     OneCounter<Counter::kConnectionsClosed>},
    {"gub_disconnections_total", "counter", "Connections closed by this node, by the reason.",
     Disconnections},
    {"gub_client_buffer_bytes", "gauge", "What clients' buffers take.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.node.client_memory.total()); }},
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
     [](const Scrape& scrape, Series& series) {
       series.Add(scrape.node.leases == nullptr ? 0 : scrape.node.leases->leases());
     }},
    {"gub_global_leased_keys", "gauge", "Keys of this node of which something is lent.",
     [](const Scrape& scrape, Series& series) {
       series.Add(scrape.node.leases == nullptr ? 0 : scrape.node.leases->keys());
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
     [](const Scrape& scrape, Series& series) {
       series.Add(scrape.node.cluster == nullptr
                      ? 1
                      : scrape.node.cluster->view()->table.members().size());
     }},
    {"gub_cluster_view_mismatches", "gauge", "Peers that see other members than this scrape.node.",
     [](const Scrape& scrape, Series& series) {
       series.Add(scrape.node.cluster == nullptr ? 0 : scrape.node.cluster->ViewMismatches());
     }},
    {"gub_loop_lag_seconds", "gauge",
     "The longest that a worker's loop was late in the last ten to twenty seconds.", LoopLag},
    {"gub_sweep_step_seconds_max", "gauge", "The longest that the sweeper held a lock.",
     [](const Scrape& scrape, Series& series) {
       series.Add(static_cast<double>(scrape.counts.longest_sweep_step_ns) / 1e9);
     }},
    {"gub_serving", "gauge", "1 while the node serves, 0 before and once it stops.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.node.serving ? 1 : 0); }},
    {"gub_build_info", "gauge", "1, with the version as a label.", BuildInfo},
    {"process_start_time_seconds", "gauge", "When the process started, in Unix time.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.node.start_unix_s); }},
    {"process_cpu_seconds_total", "counter", "Time on processors, user and system.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.process.cpu_s); }},
    {"process_resident_memory_bytes", "gauge", "The resident set.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.process.resident_bytes); }},
    {"process_virtual_memory_bytes", "gauge", "The address space in use.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.process.virtual_bytes); }},
    {"process_open_fds", "gauge", "Open descriptors.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.process.open_fds); }},
    {"process_max_fds", "gauge", "Most descriptors that may be open.",
     [](const Scrape& scrape, Series& series) { series.Add(scrape.process.max_fds); }},
};

}  // namespace

std::string MetricsText(const Node& node) {
  const Scrape scrape(node);
  std::string text;
  for (const MetricRow& row : kRows) {
    fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", row.name, row.text,
                   row.name, row.type);
    Series series(row.name, &text);
    row.write(scrape, series);
  }
  return text;
}

}  // namespace gub
