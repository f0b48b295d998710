#include "command/diagnostic_commands.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "command/context.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

// SLOWLOG GET [count]: 10 entries by default, all for -1.
void SlowLogGetCommand(CommandContext& context) {
  const Args args = context.args();
  if (args.size() > 3) return context.Error(WrongArityText(context.entry()));
  size_t wanted = 10;
  if (args.size() == 3) {
    const std::optional<int64_t> count = ParseInt64(args[2]);
    if (!count || *count < -1) {
      return context.Error("ERR count should be greater than or equal to -1");
    }
    wanted = *count < 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(*count);
  }
  ReplyWriter& reply = context.reply();
  const std::vector<SlowLog::Entry> entries = context.node().slow_log.Latest(wanted);
  reply.Array(entries.size());
  for (const SlowLog::Entry& entry : entries) {
    reply.Array(6);
    reply.Integer(entry.id);
    reply.Integer(entry.unix_s);
    reply.Integer(entry.us);
    reply.Array(entry.args.size());
    for (const std::string& arg : entry.args) reply.Bulk(arg);
    reply.Bulk(entry.address);
    reply.Bulk(entry.name);
  }
}

void SlowLogLenCommand(CommandContext& context) {
  context.reply().Integer(static_cast<int64_t>(context.node().slow_log.size()));
}

void SlowLogResetCommand(CommandContext& context) {
  context.node().slow_log.Clear();
  context.reply().Ok();
}

// [event, when, latest ms, longest ms] for each event there was
void LatencyLatestCommand(CommandContext& context) {
  ReplyWriter& reply = context.reply();
  const std::vector<LatencyMonitor::Row> rows = context.node().latency.Latest();
  reply.Array(rows.size());
  for (const LatencyMonitor::Row& row : rows) {
    reply.Array(4);
    reply.Bulk(LatencyMonitor::NameOf(row.event));
    reply.Integer(row.unix_s);
    reply.Integer(row.latest_ms);
    reply.Integer(row.longest_ms);
  }
}

// LATENCY HISTOGRAM [command…]: {command: {calls, histogram_usec: {2^i us: calls up to there}}}
void LatencyHistogramCommand(CommandContext& context) {
  const Args names = context.args().subspan(2);
  const CommandTable& table = context.node().commands;
  std::vector<std::pair<const CommandEntry*, CommandStats::Totals>> shown;
  const auto add = [&](const CommandEntry& entry) {
    CommandStats::Totals sum = context.node().command_stats.Sum(entry.number);
    if (sum.calls != 0) shown.emplace_back(&entry, std::move(sum));
  };
  for (std::string_view name : names) {
    const CommandEntry* const entry = table.FindFullName(name);
    if (entry == nullptr) continue;
    add(*entry);
    for (const CommandEntry* sub : entry->subcommands) add(*sub);
  }
  if (names.empty()) {
    for (const CommandEntry& entry : table.entries()) add(entry);
  }
  ReplyWriter& reply = context.reply();
  reply.Map(shown.size());
  for (const auto& [entry, sum] : shown) {
    reply.Bulk(entry->full_name);
    reply.Map(2);
    reply.Bulk("calls");
    reply.Integer(static_cast<int64_t>(sum.calls));
    reply.Bulk("histogram_usec");
    size_t cells = CommandStats::kCells;
    while (cells > 1 && sum.by_us[cells - 1] == 0) --cells;
    reply.Map(cells);
    uint64_t up_to = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
      up_to += sum.by_us[cell];
      reply.Integer(int64_t{1} << cell);
      reply.Integer(static_cast<int64_t>(up_to));
    }
  }
}

void LatencyResetCommand(CommandContext& context) {
  const Args names = context.args().subspan(2);
  context.reply().Integer(context.node().latency.Reset({names.begin(), names.end()}));
}

void MemoryDoctorCommand(CommandContext& context) {
  Node& node = context.node();
  const auto used = static_cast<double>(node.store.Size());
  const double share = used / static_cast<double>(node.store.max_keys());
  constexpr double kNearlyFull = 0.9;
  context.reply().VerbatimText(fmt::format(
      "The table holds {} of max-keys {} buckets ({:.0f} %), clients' buffers {} bytes of "
      "maxmemory-clients {}. {}\n",
      node.store.Size(), node.store.max_keys(), share * 100, node.client_memory.total(),
      context.config().maxmemory_clients_bytes,
      share < kNearlyFull
          ? "Nothing is wrong with the memory."
          : "It is nearly full: raise max-keys, or shorten the limits' durations."));
}

}  // namespace gub
