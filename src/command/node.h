// Node: what commands know of the node that runs them.
//
// Threads:  shared by all workers: each member is immutable or thread-safe.

#ifndef GUB_COMMAND_NODE_H_
#define GUB_COMMAND_NODE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/config.h"
#include "base/counters.h"
#include "command/command_stats.h"
#include "command/command_table.h"
#include "store/store.h"

namespace gub {

// The version of Redis whose protocol and replies we follow; clients choose what they send by it.
inline constexpr char kRedisVersion[] = "7.2.0";

struct Node {
  Node(const Config& node_config, Calendar calendar, size_t thread_count)
      : config(node_config),
        threads(thread_count),
        store({.max_keys = config.max_keys,
               .evict = config.eviction == "nearest-reset",
               .calendar = std::move(calendar)}),
        counters(thread_count),
        command_stats(thread_count, commands.entries().size()) {}

  // Constant once the workers run.
  const Config config;
  const size_t threads;
  const CommandTable commands;
  std::string run_id;       // 40 hex digits, of this process
  std::string address;      // host:port, as peers and clients would call it
  std::string config_file;  // empty: none
  int port = 0;
  const int64_t start_mono_ns = MonotonicNs();

  // Thread-safe.
  LimiterClock clock;
  Store store;
  Counters counters;
  CommandStats command_stats;
  std::atomic<int64_t> connected_clients{0};
  std::atomic<int64_t> next_client_id{1};
};

}  // namespace gub

#endif  // GUB_COMMAND_NODE_H_
