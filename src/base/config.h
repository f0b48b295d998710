// Config: every option of a node, and where its value comes from.
//
// One row per option (base/option_table.cc) drives parsing, CONFIG GET, SET and REWRITE,
// conf/gub.conf and the command line. Precedence: command line, environment (GUB_OPT_PORT for
// `port`), file, default.
//
// Threads:  Config is a plain value; a running node publishes immutable copies.
// Errors:   absl::Status whose message names the place and the reason, such as
//           "conf/gub.conf:12: port must be from 0 to 65535, got '99999'". Nothing is changed then.

#ifndef GUB_BASE_CONFIG_H_
#define GUB_BASE_CONFIG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gub {

// The defaults are those of the option table; a default-constructed Config has them.
struct Config {
  Config();

  // network
  std::vector<std::string> bind;  // addresses; a leading '-' makes an unavailable one no error
  int64_t port;                   // 0: any free port, logged and told by INFO
  int64_t http_port;              // 0: off
  int64_t tcp_backlog;
  int64_t tcp_keepalive_s;  // 0: off
  int64_t threads;          // 0: one per processor
  int64_t maxclients;
  int64_t timeout_s;  // 0: off

  // who may do what
  std::string requirepass;  // empty: no password
  bool protected_mode;
  std::vector<std::string> disable_commands;  // "flushall", "config|set"

  // bounds on what a client may send or leave unread
  int64_t client_query_buffer_limit_bytes;
  int64_t client_output_buffer_limit_bytes;
  int64_t proto_max_bulk_len_bytes;
  int64_t max_args;
  int64_t maxmemory_clients_bytes;  // 0: off

  // limiter
  int64_t max_keys;
  int64_t max_key_bytes;
  std::string eviction;  // "nearest-reset" or "refuse"
  std::string calendar_timezone;

  // operation
  std::string loglevel;
  std::string logfile;                 // "stderr" or a path
  int64_t slowlog_log_slower_than_us;  // negative: off
  int64_t slowlog_max_len;
  int64_t latency_monitor_threshold_ms;  // 0: off
  int64_t top_keys;                      // 0: off
  bool enable_debug_commands;

  // cluster
  bool cluster_enabled;
  std::string advertise;  // "host" or "host:port"; empty: the first address of bind that others see
  std::string discovery;  // "static", "file", "dns" or "etcd"
  std::vector<std::string> peers;
  std::string discovery_file;
  std::vector<std::string> discovery_dns;
  std::string discovery_dns_server;  // empty: the system's
  std::vector<std::string> etcd_endpoints;
  std::string etcd_prefix;
  int64_t etcd_lease_s;
  std::string cluster_secret;  // empty: peers from this machine only
  int64_t peer_timeout_ms;
  int64_t batch_wait_us;
  int64_t batch_limit;
  std::string on_owner_failure;  // "local", "open", "closed" or "error"
  bool cluster_redirect;
  int64_t leave_grace_ms;
  int64_t global_sync_ms;
  int64_t global_max_leases;
  std::vector<std::string> force_global;  // "no", "yes", or names of limits
};

// kSecret is any bytes, or none, and is shown to nobody.
enum class OptionType { kInteger, kBytes, kBoolean, kWord, kText, kSecret, kTextList };

// One option. `field` says where in Config it lives.
struct OptionRow {
  using Field = std::variant<int64_t Config::*, bool Config::*, std::string Config::*,
                             std::vector<std::string> Config::*>;

  std::string_view name;  // "max-keys"
  Field field;
  OptionType type;
  std::string_view unit = {};     // "ms", "s", "bytes" or ""
  std::string_view default_text;  // as it would stand in the file
  int64_t min = 0;                // kInteger, kBytes
  int64_t max = 0;
  std::string_view words = {};  // kWord: the values, joined by '|'
  bool reloadable = false;      // while the node runs
  bool may_be_empty = false;    // kText, kTextList
  std::string_view group;       // a heading of conf/gub.conf
  std::string_view text;        // what it does, a sentence or more
};

// All options in the order of conf/gub.conf.
std::span<const OptionRow> OptionTable();

// The row of `name` in any case; nullptr when there is none.
const OptionRow* FindOption(std::string_view name);

// Reads `value` into the row's field. On error *config is unchanged and the message is without a
// place: "port must be from 0 to 65535, got '99999'".
absl::Status SetOption(const OptionRow& row, std::string_view value, Config* config);

// Copies one option's value.
void CopyOption(const OptionRow& row, const Config& from, Config* to);

// The present value as it would stand in the file.
std::string FormatOption(const OptionRow& row, const Config& config);

// The text of a whole configuration file with every option, its explanation and its value: what
// conf/gub.conf is.
std::string RenderConfigFile(const Config& config);

// The text of a configuration file with what has changed since it was written: lines that say
// something else than `config` are replaced, options that are not in it and not at their default
// are appended; comments, order and everything else stay.
std::string RewriteConfigText(std::string_view text, const Config& config);

// The same with the file at `path`, in one step: nobody reads half of it.
absl::Status RewriteConfigFile(const std::string& path, const Config& config);

// What the command line asks for.
struct LaunchOptions {
  enum class Action { kServe, kPrintHelp, kPrintVersion, kPrintConfig };
  Action action = Action::kServe;
  std::string config_file;  // empty: none was named
  Config config;
};

// Reads `gub-server [FILE] [--name value | --name=value]… [--help | --version | --print-config]`
// with the file and the environment ("NAME=value" strings) beneath it. `again`: the node runs with
// them already; then the file must be a plain one.
absl::StatusOr<LaunchOptions> LoadConfig(std::span<const char* const> arguments,
                                         std::span<const char* const> environment,
                                         bool again = false);

// What --help prints.
std::string UsageText();

}  // namespace gub

#endif  // GUB_BASE_CONFIG_H_
