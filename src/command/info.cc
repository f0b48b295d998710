// The text of INFO.

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "base/text.h"
#include "command/server_commands.h"
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
  section.Field("redis_mode", "standalone");
  section.Field("os", fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine));
  section.Field("arch_bits", 64);
  section.Field("multiplexing_api", "libuv");
  section.Field("process_id", getpid());
  section.Field("run_id", node.run_id);
  section.Field("tcp_port", node.port);
  section.Field("threads", node.threads);
  section.Field("uptime_in_seconds", uptime_s);
  section.Field("uptime_in_days", uptime_s / 86'400);
  section.Field("config_file", node.config_file);
}

void ClientsSection(const Node& node, Section& section) {
  section.Field("connected_clients", node.connected_clients.load());
  section.Field("maxclients", node.config.maxclients);
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

void MemorySection(const Node& node, Section& section) {
  const Store::Memory memory = node.store.memory();
  const auto keys = static_cast<double>(node.store.Size());
  section.Field("used_memory", memory.table + memory.index + memory.blocks + memory.long_keys);
  section.Field("used_memory_rss", ResidentBytes());
  section.Field("table_bytes", memory.table);
  section.Field("index_bytes", memory.index);
  section.Field("bucket_bytes", memory.blocks);
  section.Field("long_key_bytes", memory.long_keys);
  section.Field("table_slots", memory.slots);
  section.Field("table_load", fmt::format("{:.4f}", keys / static_cast<double>(memory.slots)));
  section.Field("max_keys", node.store.max_keys());
  section.Field("maxmemory", 0);
  section.Field("maxmemory_policy", "noeviction");
}

void StatsSection(const Node& node, Section& section) { CountersOf("stats", node, section); }

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

void GubSection(const Node& node, Section& section) {
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
};

constexpr SectionRow kSections[] = {
    {"Server", ServerSection}, {"Clients", ClientsSection},           {"Memory", MemorySection},
    {"Stats", StatsSection},   {"Commandstats", CommandStatsSection}, {"Gub", GubSection},
};

bool IsWanted(std::string_view section, std::span<const std::string_view> wanted) {
  if (wanted.empty()) return true;
  return std::any_of(wanted.begin(), wanted.end(), [section](std::string_view word) {
    return EqualsIgnoreCase(word, section) || EqualsIgnoreCase(word, "all") ||
           EqualsIgnoreCase(word, "everything") || EqualsIgnoreCase(word, "default");
  });
}

}  // namespace

std::string InfoText(const Node& node, std::span<const std::string_view> sections) {
  std::string text;
  for (const SectionRow& row : kSections) {
    if (!IsWanted(row.name, sections)) continue;
    if (!text.empty()) text += "\r\n";
    fmt::format_to(std::back_inserter(text), "# {}\r\n", row.name);
    Section section(&text);
    row.write(node, section);
  }
  return text;
}

}  // namespace gub
