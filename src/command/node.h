// Node: what commands know of the node that runs them.
//
// Threads:  shared by all workers: each member is immutable or thread-safe.

#ifndef GUB_COMMAND_NODE_H_
#define GUB_COMMAND_NODE_H_

#include <atomic>
#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/config.h"
#include "base/counters.h"
#include "base/live_config.h"
#include "base/loop_lag.h"
#include "base/top_keys.h"
#include "cluster/cluster.h"
#include "cluster/lease_book.h"
#include "command/client_registry.h"
#include "command/command_stats.h"
#include "command/command_table.h"
#include "command/error_stats.h"
#include "command/key_watch.h"
#include "command/latency_monitor.h"
#include "command/rate_meter.h"
#include "command/slow_log.h"
#include "store/store.h"

namespace gub {

// The version of Redis whose protocol and replies we follow; clients choose what they send by it.
inline constexpr char kRedisVersion[] = "7.2.0";

class LeaseDesk;
// How many routes the HTTP front has (http_front.cc).
inline constexpr size_t kHttpRouteCount = 8;

// What a command asks of those who run the node. Callable from any thread.
struct NodeHooks {
  // Before options change: makes what they need true, or says why it cannot be. It may lower
  // values to what is possible.
  std::function<absl::Status(const Config& before, Config* after)> prepare_config =
      [](const Config&, Config*) { return absl::OkStatus(); };
  // After they have.
  std::function<void()> config_changed = [] {};
  // Closes a client of another loop, soon.
  std::function<void(const ClientRecord& client)> close_client = [](const ClientRecord&) {};
  // Runs something at the desk of a worker, on its thread. REQUIRES: the node is in a cluster.
  std::function<void(size_t worker, std::function<void(LeaseDesk* desk)>)> at_desk =
      [](size_t, const std::function<void(LeaseDesk*)>&) {};
  // Stops the node as SIGTERM does.
  std::function<void()> stop = [] {};
};

struct Node {
  Node(const Config& start_config, Calendar calendar, size_t thread_count)
      : config(start_config),
        threads(thread_count),
        commands(start_config.disable_commands),
        store({.max_keys = start_config.max_keys,
               .evict = start_config.eviction == "nearest-reset",
               .calendar = std::move(calendar)}),
        counters(thread_count),
        command_stats(thread_count, commands.entries().size()),
        http_stats(thread_count, kHttpRouteCount + 1),
        errors(thread_count),
        loop_lags(thread_count) {
    for (size_t i = 0; i < thread_count; ++i) {
      top_keys.emplace_back(static_cast<size_t>(start_config.top_keys));
    }
  }

  // From now on the connection counts as that; nothing: it is gone.
  void Count(ClientRecord* client, std::optional<ClientRecord::Standing> standing);

  LiveConfig config;
  std::unique_ptr<Cluster> cluster;   // nullptr: the node is in none; set before the workers run
  std::unique_ptr<LeaseBook> leases;  // with cluster

  // Constant once the workers run.
  const size_t threads;
  const CommandTable commands;
  std::string run_id;       // 40 hex digits, of this process
  std::string address;      // host:port, as peers and clients would call it
  std::string config_file;  // empty: none
  int port = 0;
  int http_port = 0;  // 0: there is no HTTP front
  const int64_t start_mono_ns = MonotonicNs();
  const int64_t start_unix_s = std::time(nullptr);
  NodeHooks hooks;

  // Thread-safe.
  LimiterClock clock;
  Store store;
  Counters counters;
  CommandStats command_stats;
  CommandStats http_stats;  // by route; the last row: none of them
  ErrorStats errors;
  ClientRegistry clients;
  ClientMemory client_memory;
  SlowLog slow_log;
  LatencyMonitor latency;
  KeyWatch watch;
  RateMeter ops_per_sec;
  // One for each worker.
  std::deque<TopKeys> top_keys;
  std::deque<LoopLag> loop_lags;
  std::atomic<bool> serving{false};  // from the ready line until the node begins to stop
  std::atomic<bool> stopping{false};
  std::atomic<int64_t> stalled_until_mono_ms{0};  // GUB.DEBUG STALL: peers wait
  // Connections, by what they count as.
  std::atomic<int64_t> connected_clients{0};
  std::atomic<int64_t> connected_candidates{0};
  std::atomic<int64_t> connected_peers{0};
  std::atomic<int64_t> connected_probes{0};
  std::atomic<int64_t> connected_refused{0};
  std::atomic<int64_t> next_client_id{1};
};

// Changes the options of a running node. The edit's errors, and those of the hooks, change nothing.
absl::Status ChangeConfig(Node* node, const LiveConfig::Edit& edit);

}  // namespace gub

#endif  // GUB_COMMAND_NODE_H_
