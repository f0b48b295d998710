#include "command/info.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

// A section in the making: "# Name", then "field:value" lines, each ended by CRLF.
class Section {
 public:
  explicit Section(std::string* text) : text_(text) {}

  template <typename Value>
  void Field(std::string_view name, const Value& value) {
    fmt::format_to(std::back_inserter(*text_), "{}:{}\r\n", name, value);
  }

 private:
  std::string* text_;
};

void ServerSection(const Node& node, Section& section) {
  utsname machine{};
  uname(&machine);
  const int64_t uptime_s = (MonotonicNs() - node.start_mono_ns) / 1'000'000'000;
  section.Field("redis_version", kRedisVersion);
  section.Field("gub_version", GUB_VERSION);
  section.Field("redis_mode", node.cluster == nullptr ? "standalone" : "cluster");
  section.Field("os", fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine));
  section.Field("arch_bits", 64);
  section.Field("multiplexing_api", "libuv");
  section.Field("process_id", getpid());
  section.Field("run_id", node.run_id);
  section.Field("tcp_port", node.port);
  section.Field("http_port", node.http_port);
  section.Field("threads", node.threads);
  section.Field("uptime_in_seconds", uptime_s);
  section.Field("uptime_in_days", uptime_s / 86'400);
  section.Field("hz", 10);
  section.Field("config_file", node.config_file);
}

void ClientsSection(const Node& node, Section& section) {
  int64_t subscribed = 0;
  int64_t watching = 0;
  int64_t largest_pending = 0;
  int64_t largest_unsent = 0;
  for (const auto& client : node.clients.All()) {
    subscribed += client->subscriptions > 0 ? 1 : 0;
    watching += client->watches > 0 ? 1 : 0;
    largest_pending = std::max(largest_pending, client->pending_bytes.load());
    largest_unsent = std::max(largest_unsent, client->unsent_bytes.load());
  }
  section.Field("connected_clients", node.connected_clients.load());
  section.Field("cluster_connections", node.connected_peers.load());
  section.Field("maxclients", node.config.Get()->maxclients);
  section.Field("client_recent_max_input_buffer", largest_pending);
  section.Field("client_recent_max_output_buffer", largest_unsent);
  section.Field("blocked_clients", 0);
  section.Field("tracking_clients", 0);
  section.Field("pubsub_clients", subscribed);
  section.Field("watching_clients", watching);
}

void CountersOf(std::string_view name, const Node& node, Section& section) {
  for (const CounterRow& row : CounterTable()) {
    if (row.section == name) section.Field(row.name, node.counters.Sum(row.id));
  }
}

// The resident set, in bytes; 0 where the kernel does not tell.
int64_t ResidentBytes() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm").ignore(std::numeric_limits<std::streamsize>::max(), ' ') >>
      pages;
  return pages * sysconf(_SC_PAGESIZE);
}

int64_t PeakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

// "1.50M", as Redis writes sizes for people.
std::string Human(int64_t bytes) {
  constexpr std::string_view kUnits = "BKMGT";
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{}B", bytes) : fmt::format("{:.2f}{}", value, kUnits[unit]);
}

void MemorySection(const Node& node, Section& section) {
  const Store::Memory memory = node.store.memory();
  const auto keys = static_cast<double>(node.store.Size());
  const int64_t resident = ResidentBytes();
  const auto used =
      static_cast<int64_t>(memory.table + memory.index + memory.blocks + memory.long_keys) +
      node.client_memory.total();
  section.Field("used_memory", used);
  section.Field("used_memory_human", Human(used));
  section.Field("used_memory_rss", resident);
  section.Field("used_memory_rss_human", Human(resident));
  section.Field("used_memory_peak", PeakResidentBytes());
  section.Field("used_memory_peak_human", Human(PeakResidentBytes()));
  section.Field("mem_clients_normal", node.client_memory.total());
  section.Field("table_bytes", memory.table);
  section.Field("index_bytes", memory.index);
  section.Field("bucket_bytes", memory.blocks);
  section.Field("long_key_bytes", memory.long_keys);
  section.Field("table_slots", memory.slots);
  section.Field("table_load", fmt::format("{:.4f}", keys / static_cast<double>(memory.slots)));
  section.Field("max_keys", node.store.max_keys());
  section.Field("maxmemory", 0);
  section.Field("maxmemory_human", "0B");
  section.Field("maxmemory_policy", "noeviction");
}

// There is nothing to load and nothing to write.
void PersistenceSection(const Node&, Section& section) {
  section.Field("loading", 0);
  section.Field("rdb_changes_since_last_save", 0);
  section.Field("rdb_bgsave_in_progress", 0);
  section.Field("aof_enabled", 0);
  section.Field("aof_rewrite_in_progress", 0);
}

void StatsSection(const Node& node, Section& section) {
  CountersOf("stats", node, section);
  section.Field("instantaneous_ops_per_sec", node.ops_per_sec.PerSecond());
  section.Field("expired_keys", node.store.counts().expired_keys);
  section.Field("evicted_keys", node.store.counts().evicted_live_keys);
  section.Field("slowlog_entries", node.slow_log.size());
}

void ReplicationSection(const Node& node, Section& section) {
  section.Field("role", "master");
  section.Field("connected_slaves", 0);
  section.Field("master_replid", node.run_id);
  section.Field("master_repl_offset", 0);
}

void CpuSection(const Node&, Section& section) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return fmt::format("{}.{:06d}", time.tv_sec, time.tv_usec);
  };
  section.Field("used_cpu_sys", seconds(usage.ru_stime));
  section.Field("used_cpu_user", seconds(usage.ru_utime));
}

void ErrorStatsSection(const Node& node, Section& section) {
  for (size_t code = 0; code < ErrorStats::kCount; ++code) {
    const uint64_t count = node.errors.Sum(code);
    if (count == 0) continue;
    section.Field(fmt::format("errorstat_{}", ErrorStats::kCodes[code]),
                  fmt::format("count={}", count));
  }
}

// The cell's upper end in us, below which so many of a hundred calls stayed.
uint64_t PercentileUs(const CommandStats::Totals& sum, double percent) {
  const double wanted = static_cast<double>(sum.calls) * percent / 100;
  uint64_t seen = 0;
  for (size_t cell = 0; cell < CommandStats::kCells; ++cell) {
    seen += sum.by_us[cell];
    if (static_cast<double>(seen) >= wanted) return uint64_t{1} << cell;
  }
  return uint64_t{1} << (CommandStats::kCells - 1);
}

void LatencyStatsSection(const Node& node, Section& section) {
  for (const CommandEntry& entry : node.commands.entries()) {
    const CommandStats::Totals sum = node.command_stats.Sum(entry.number);
    if (sum.calls == 0) continue;
    section.Field(fmt::format("latency_percentiles_usec_{}", entry.full_name),
                  fmt::format("p50={},p99={},p99.9={}", PercentileUs(sum, 50),
                              PercentileUs(sum, 99), PercentileUs(sum, 99.9)));
  }
}

void ClusterSection(const Node& node, Section& section) {
  section.Field("cluster_enabled", node.cluster == nullptr ? 0 : 1);
  if (node.cluster == nullptr) return;
  section.Field("cluster_epoch", node.cluster->epoch());
  section.Field("cluster_members", node.cluster->view()->table.members().size());
  section.Field("view_mismatch", node.cluster->ViewMismatches());
  CountersOf("cluster", node, section);
  size_t number = 0;
  for (const PeerSummary& peer : node.cluster->peers().Links()) {
    const PeerLink::Counts& counts = peer.counts;
    section.Field(fmt::format("peer{}", number++),
                  fmt::format("address={},state={},links={},connected={},batches={},requests={},"
                              "largest_batch={},answered={},failed={},refused={},late_answers={},"
                              "connects={},waiting={},in_flight={}",
                              peer.address, OwnerHealth::NameOf(peer.health), peer.links,
                              peer.ready, counts.batches, counts.requests, counts.largest_batch,
                              counts.answered, counts.failed, counts.refused, counts.late_answers,
                              counts.connects, peer.waiting, peer.in_flight));
  }
}

void GlobalSection(const Node& node, Section& section) {
  if (node.leases == nullptr) return;
  section.Field("leases_given", node.leases->leases());
  section.Field("leased_keys", node.leases->keys());
  CountersOf("global", node, section);
}

void KeyspaceSection(const Node& node, Section& section) {
  const int64_t keys = node.store.Size();
  if (keys == 0) return;
  section.Field("db0", fmt::format("keys={},expires={},avg_ttl=0", keys, keys));
}

void CommandStatsSection(const Node& node, Section& section) {
  for (const CommandEntry& entry : node.commands.entries()) {
    const CommandStats::Totals sum = node.command_stats.Sum(entry.number);
    if (sum.calls == 0 && sum.rejected == 0) continue;
    const double us = static_cast<double>(sum.ns) / 1000;
    section.Field(
        fmt::format("cmdstat_{}", entry.full_name),
        fmt::format("calls={},usec={:.0f},usec_per_call={:.2f},rejected_calls={},failed_calls={}",
                    sum.calls, us, sum.calls == 0 ? 0.0 : us / static_cast<double>(sum.calls),
                    sum.rejected, sum.failed));
  }
}

// Decisions of both algorithms together; what there is of each stands below.
void DecisionSums(const Node& node, Section& section) {
  constexpr std::pair<std::string_view, Counter> kSums[] = {
      {"hits_admitted", Counter::kTokenAdmitted}, {"hits_denied", Counter::kTokenDenied},
      {"hits_refunded", Counter::kTokenRefunded}, {"peeks", Counter::kTokenPeeks},
      {"resets", Counter::kTokenResets},
  };
  for (const auto& [name, token] : kSums) {
    const uint64_t keys =
        token == Counter::kTokenResets ? node.counters.Sum(Counter::kKeyResets) : 0;
    section.Field(name, node.counters.Sum(token) + node.counters.Sum(LeakyCounterOf(token)) + keys);
  }
}

void GubSection(const Node& node, Section& section) {
  DecisionSums(node, section);
  CountersOf("gub", node, section);
  const Store::Counts counts = node.store.counts();
  section.Field("expired_keys", counts.expired_keys);
  section.Field("evicted_live_keys", counts.evicted_live_keys);
  section.Field("refused_keys", counts.refused_keys);
  section.Field("longest_sweep_step_us", counts.longest_sweep_step_ns / 1000);
  section.Field("live_keys", node.store.Size());
  section.Field("max_keys", node.store.max_keys());
}

struct SectionRow {
  std::string_view name;
  void (*write)(const Node&, Section&);
  bool by_default = true;
};

constexpr SectionRow kSections[] = {
    {"Server", ServerSection},
    {"Clients", ClientsSection},
    {"Memory", MemorySection},
    {"Persistence", PersistenceSection},
    {"Stats", StatsSection},
    {"Replication", ReplicationSection},
    {"CPU", CpuSection},
    {"Commandstats", CommandStatsSection, false},
    {"Errorstats", ErrorStatsSection},
    {"Latencystats", LatencyStatsSection, false},
    {"Cluster", ClusterSection},
    {"Global", GlobalSection},
    {"Keyspace", KeyspaceSection},
    {"Gub", GubSection},
};

bool IsWanted(const SectionRow& section, std::span<const std::string_view> wanted) {
  if (wanted.empty()) return section.by_default;
  return std::any_of(wanted.begin(), wanted.end(), [&section](std::string_view word) {
    return EqualsIgnoreCase(word, section.name) || EqualsIgnoreCase(word, "all") ||
           EqualsIgnoreCase(word, "everything") ||
           (section.by_default && EqualsIgnoreCase(word, "default"));
  });
}

}  // namespace

std::string InfoText(const Node& node, std::span<const std::string_view> sections) {
  std::string text;
  for (const SectionRow& row : kSections) {
    if (!IsWanted(row, sections)) continue;
    if (!text.empty()) text += "\r\n";
    fmt::format_to(std::back_inserter(text), "# {}\r\n", row.name);
    Section section(&text);
    row.write(node, section);
  }
  return text;
}

}  // namespace gub
