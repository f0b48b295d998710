// Config: every option of a node, and where its value comes from.
//
// One row per option (base/option_table.cc) drives parsing, CONFIG GET, conf/gub.conf and the
// command line. Precedence: command line, environment (GUB_OPT_PORT for `port`), file, default.
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
  int64_t tcp_backlog;
  int64_t tcp_keepalive_s;  // 0: off
  int64_t threads;          // 0: one per processor
  int64_t maxclients;

  // bounds on what a client may send or leave unread
  int64_t client_query_buffer_limit_bytes;
  int64_t client_output_buffer_limit_bytes;
  int64_t proto_max_bulk_len_bytes;
  int64_t max_args;

  // limiter
  int64_t max_keys;
  int64_t max_key_bytes;
  std::string eviction;  // "nearest-reset" or "refuse"
  std::string calendar_timezone;

  // operation
  std::string loglevel;
  std::string logfile;  // "stderr" or a path
  bool enable_debug_commands;
};

enum class OptionType { kInteger, kBytes, kBoolean, kWord, kText, kTextList };

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
  bool reloadable = false;
  std::string_view group;  // a heading of conf/gub.conf
  std::string_view text;   // what it does, a sentence or more
};

// All options in the order of conf/gub.conf.
std::span<const OptionRow> OptionTable();

// The row of `name` in any case; nullptr when there is none.
const OptionRow* FindOption(std::string_view name);

// Reads `value` into the row's field. On error *config is unchanged and the message is without a
// place: "port must be from 0 to 65535, got '99999'".
absl::Status SetOption(const OptionRow& row, std::string_view value, Config* config);

// The present value as it would stand in the file.
std::string FormatOption(const OptionRow& row, const Config& config);

// The text of a whole configuration file with every option, its explanation and its value: what
// conf/gub.conf is.
std::string RenderConfigFile(const Config& config);

// What the command line asks for.
struct LaunchOptions {
  enum class Action { kServe, kPrintHelp, kPrintVersion, kPrintConfig };
  Action action = Action::kServe;
  std::string config_file;  // empty: none was named
  Config config;
};

// Reads `gub-server [FILE] [--name value | --name=value]… [--help | --version | --print-config]`
// with the file and the environment ("NAME=value" strings) beneath it.
absl::StatusOr<LaunchOptions> LoadConfig(std::span<const char* const> arguments,
                                         std::span<const char* const> environment);

// What --help prints.
std::string UsageText();

}  // namespace gub

#endif  // GUB_BASE_CONFIG_H_
