// The options of a node, a row each. The first sentence of a text is what --help shows.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/cluster_options.h"
#include "base/config.h"
#include "base/text.h"

namespace gub {
namespace {

constexpr int64_t kKb = 1024;
constexpr int64_t kMb = 1024 * kKb;
constexpr int64_t kGb = 1024 * kMb;

constexpr OptionRow kNodeRows[] = {
    {
        .name = "bind",
        .field = &Config::bind,
        .type = OptionType::kTextList,
        .default_text = "127.0.0.1 -::1",
        .group = "network",
        .text = "Addresses to listen on. One or several, IPv4 or IPv6; 0.0.0.0 and :: stand for "
                "every address of the machine. A '-' in front makes it no error when the machine "
                "does not have that address. The default takes connections from this machine "
                "only. Name other addresses when clients run elsewhere, and set `requirepass`: "
                "without a password, `protected-mode` refuses whoever comes from another machine.",
    },
    {
        .name = "port",
        .field = &Config::port,
        .type = OptionType::kInteger,
        .default_text = "7379",
        .min = 0,
        .max = 65535,
        .group = "network",
        .text = "TCP port to listen on. 0 takes a free one, which the log and INFO tell. The start "
                "fails when something listens on the port already.",
    },
    {
        .name = "http-port",
        .field = &Config::http_port,
        .type = OptionType::kInteger,
        .default_text = "7380",
        .min = 0,
        .max = 65535,
        .group = "network",
        .text = "TCP port of the HTTP front; 0: there is none. It listens on the addresses of "
                "`bind` and has the check endpoint, Gubernator's JSON API, /metrics for "
                "Prometheus, /healthz and /readyz. requirepass, protected-mode, maxclients and "
                "timeout hold there too, but for these two. The start fails when something "
                "listens on the port already.",
    },
    {
        .name = "tcp-backlog",
        .field = &Config::tcp_backlog,
        .type = OptionType::kInteger,
        .default_text = "511",
        .min = 1,
        .max = 65535,
        .group = "network",
        .text = "Connections that may wait to be accepted. The kernel cuts it at "
                "net.core.somaxconn. Raise both when many clients connect at once and some of "
                "them need a second or more for it. It costs kernel memory only while "
                "connections wait.",
    },
    {
        .name = "tcp-keepalive",
        .field = &Config::tcp_keepalive_s,
        .type = OptionType::kInteger,
        .unit = "s",
        .default_text = "300",
        .min = 0,
        .max = 32767,
        .reloadable = true,
        .group = "network",
        .text = "Silence after which the kernel probes a client. 0 never does. "
                "It finds clients whose machine or network is gone without a word, so that they "
                "do not count towards maxclients for ever. Lower it when a firewall between drops "
                "idle connections sooner; it costs a small packet per interval and connection.",
    },
    {
        .name = "threads",
        .field = &Config::threads,
        .type = OptionType::kInteger,
        .default_text = "0",
        .min = 0,
        .max = 256,
        .group = "network",
        .text = "Worker threads; 0 stands for the number of processors. Each has its own "
                "connections and takes new ones by itself. Lower it to leave processors to other "
                "programs; more threads than processors only cost memory and switching.",
    },
    {
        .name = "maxclients",
        .field = &Config::maxclients,
        .type = OptionType::kInteger,
        .default_text = "10000",
        .min = 1,
        .max = 1'000'000,
        .reloadable = true,
        .group = "network",
        .text = "Connections that may be open at once. One more is answered with an error and "
                "closed. The limit of open files is raised for it; where that is not allowed, "
                "maxclients is lowered and the log says so. Each connection costs a file "
                "descriptor and its buffers.",
    },
    {
        .name = "timeout",
        .field = &Config::timeout_s,
        .type = OptionType::kInteger,
        .unit = "s",
        .default_text = "0",
        .min = 0,
        .max = 31'536'000,
        .reloadable = true,
        .group = "network",
        .text = "Silence after which a client is disconnected. 0 never does. Clients that have "
                "subscribed to something may stay silent. Pools keep idle connections on purpose: "
                "a value below theirs costs them a new connection now and then.",
    },
    {
        .name = "requirepass",
        .field = &Config::requirepass,
        .type = OptionType::kSecret,
        .default_text = "",
        .reloadable = true,
        .group = "access",
        .text = "Password that clients must give; empty: none. By AUTH or HELLO, with no user or "
                "the user `default`. It is compared in constant time and stands in no log, no "
                "CONFIG GET "
                "and no SLOWLOG; whoever reads this file or the process's arguments sees it. "
                "Clients that are connected when it changes stay.",
    },
    {
        .name = "protected-mode",
        .field = &Config::protected_mode,
        .type = OptionType::kBoolean,
        .default_text = "yes",
        .reloadable = true,
        .group = "access",
        .text = "Whether without a password only this machine may connect. Clients of other "
                "machines are answered with an error and closed. Turn it off only where a firewall "
                "lets in nobody but your own programs.",
    },
    {
        .name = "disable-commands",
        .field = &Config::disable_commands,
        .type = OptionType::kTextList,
        .default_text = "",
        .may_be_empty = true,
        .group = "access",
        .text = "Commands that clients cannot call. A name such as `flushall`, or one of a "
                "command's subcommands as in `config|set`; several are separated by spaces. Good "
                "candidates where strangers connect: flushall shutdown config|set config|rewrite "
                "client|kill.",
    },
    {
        .name = "client-query-buffer-limit",
        .field = &Config::client_query_buffer_limit_bytes,
        .type = OptionType::kBytes,
        .unit = "bytes",
        .default_text = "1mb",
        .min = kKb,
        .max = kGb,
        .reloadable = true,
        .group = "bounds on clients",
        .text =
            "Most bytes that may be held of a client's requests. A client that passes it is "
            "disconnected. It must hold the longest request: raise it with proto-max-bulk-len "
            "and max-args. At worst a connection holds that much of an unfinished request, and as "
            "much again between MULTI and EXEC.",
    },
    {
        .name = "client-output-buffer-limit",
        .field = &Config::client_output_buffer_limit_bytes,
        .type = OptionType::kBytes,
        .unit = "bytes",
        .default_text = "8mb",
        .min = 16 * kKb,
        .max = 2 * kGb,
        .reloadable = true,
        .group = "bounds on clients",
        .text = "Most bytes of replies that a client may leave unread. A client that passes it is "
                "disconnected. Raise it for clients that send very long pipelines before they "
                "read. At worst it costs this much memory for every connection.",
    },
    {
        .name = "proto-max-bulk-len",
        .field = &Config::proto_max_bulk_len_bytes,
        .type = OptionType::kBytes,
        .unit = "bytes",
        .default_text = "64kb",
        .min = kKb,
        .max = 512 * kMb,
        .reloadable = true,
        .group = "bounds on clients",
        .text = "Most bytes of one argument of a command. A longer one is a protocol error and "
                "closes the connection. Names and keys are bounded by max-key-bytes besides, so "
                "there is seldom a reason to raise it.",
    },
    {
        .name = "max-args",
        .field = &Config::max_args,
        .type = OptionType::kInteger,
        .default_text = "1024",
        .min = 16,
        .max = 1'048'576,
        .reloadable = true,
        .group = "bounds on clients",
        .text = "Most arguments of one command, its name included. More are a protocol error and "
                "close the connection. The commands that decide take at most a dozen; raise it for "
                "clients that name many keys in one command.",
    },
    {
        .name = "maxmemory-clients",
        .field = &Config::maxmemory_clients_bytes,
        .type = OptionType::kBytes,
        .unit = "bytes",
        .default_text = "256mb",
        .min = 0,
        .max = 1024 * kGb,
        .reloadable = true,
        .group = "bounds on clients",
        .text = "Most bytes of all clients' buffers together. 0 sets no bound. When it is passed, "
                "the clients that hold the most are disconnected until it is not, and INFO counts "
                "them as evicted_clients. CLIENT NO-EVICT spares a client.",
    },
    {
        .name = "max-keys",
        .field = &Config::max_keys,
        .type = OptionType::kInteger,
        .default_text = "1000000",
        .min = 1,
        .max = 2'000'000'000,
        .group = "limiter",
        .text = "Most buckets that this node remembers. Count the keys that are hit within the "
                "longest duration of your limits, and add a half. Lapsed buckets are freed by "
                "themselves, within about a second; `eviction` says what happens when only live "
                "ones are left and no more fit. The table is made once, at start: it takes 22 "
                "bytes a key from then on and 8 more that are touched when they are needed. A "
                "bucket takes 80 bytes more, and the length of its name and key when that is over "
                "39 bytes.",
    },
    {
        .name = "max-key-bytes",
        .field = &Config::max_key_bytes,
        .type = OptionType::kInteger,
        .unit = "bytes",
        .default_text = "4096",
        .min = 2,
        .max = 65'000,
        .group = "limiter",
        .text = "Most bytes of a limit's name and a key together. Longer ones are answered with an "
                "error. Lower it where strangers choose the keys: at worst every bucket costs "
                "this much memory.",
    },
    {
        .name = "eviction",
        .field = &Config::eviction,
        .type = OptionType::kWord,
        .default_text = "nearest-reset",
        .words = "nearest-reset|refuse",
        .group = "limiter",
        .text =
            "What gives way when the table is full of live buckets. nearest-reset: of a few the "
            "one whose reset is nearest; whoever had used it up may "
            "start afresh, which INFO counts as evicted_live_keys. refuse: the hit on the new "
            "key, which is answered with an OOM error and counted as refused_keys.",
    },
    {
        .name = "calendar-timezone",
        .field = &Config::calendar_timezone,
        .type = OptionType::kText,
        .default_text = "UTC",
        .group = "limiter",
        .text = "Time zone of the calendar periods minute to year. An IANA name such as "
                "Europe/Berlin, known to the machine's tzdata. It says when a day, week, month or "
                "year starts; durations in ms do not depend on it. All nodes must have the same.",
    },
    {
        .name = "loglevel",
        .field = &Config::loglevel,
        .type = OptionType::kWord,
        .default_text = "notice",
        .words = "debug|verbose|notice|warning",
        .reloadable = true,
        .group = "operation",
        .text = "How much is logged. warning: only what may need somebody; notice: starts, stops "
                "and changes too; verbose and debug: all there is, for looking into a fault. No "
                "level writes a line for each request.",
    },
    {
        .name = "logfile",
        .field = &Config::logfile,
        .type = OptionType::kText,
        .default_text = "stderr",
        .group = "operation",
        .text =
            "Where the log goes: stderr, or a file that is appended to. The file stays open, so "
            "rotate it by copying and truncating (logrotate's copytruncate). When the log "
            "cannot be written as fast as lines come, the oldest waiting lines are dropped; "
            "requests never wait for it.",
    },
    {
        .name = "slowlog-log-slower-than",
        .field = &Config::slowlog_log_slower_than_us,
        .type = OptionType::kInteger,
        .unit = "us",
        .default_text = "10000",
        .min = -1,
        .max = 1'000'000'000'000,
        .reloadable = true,
        .group = "operation",
        .text = "Time from which a command goes into SLOWLOG. -1 turns it off, "
                "0 takes every command. The time is that of the work, without waiting and without "
                "the network. From 1000 on, commands of constant time are measured in runs, one "
                "entry for a run that was slow; below, each is measured by itself, which costs "
                "each two readings of the clock.",
    },
    {
        .name = "slowlog-max-len",
        .field = &Config::slowlog_max_len,
        .type = OptionType::kInteger,
        .default_text = "128",
        .min = 0,
        .max = 100'000,
        .reloadable = true,
        .group = "operation",
        .text =
            "Entries that SLOWLOG keeps. The oldest go when there are more. An entry takes up to "
            "5 KB, mostly much less.",
    },
    {
        .name = "latency-monitor-threshold",
        .field = &Config::latency_monitor_threshold_ms,
        .type = OptionType::kInteger,
        .unit = "ms",
        .default_text = "0",
        .min = 0,
        .max = 3'600'000,
        .reloadable = true,
        .group = "operation",
        .text =
            "Time from which LATENCY LATEST notes what took long. That is commands and passes of "
            "the sweeper that frees lapsed buckets. 0 turns it off. LATENCY HISTOGRAM needs no "
            "threshold.",
    },
    {
        .name = "top-keys",
        .field = &Config::top_keys,
        .type = OptionType::kInteger,
        .default_text = "256",
        .min = 0,
        .max = 10'000,
        .group = "operation",
        .text = "Names and keys that GUB.TOP keeps count of. 0 turns it off. Each thread counts "
                "that many for each of the last six times ten seconds, the most hit and the most "
                "denied. More are more exact where no key stands out; each costs 2 to 9 KB.",
    },
    {
        .name = "enable-debug-commands",
        .field = &Config::enable_debug_commands,
        .type = OptionType::kBoolean,
        .default_text = "no",
        .group = "operation",
        .text = "Whether GUB.DEBUG is allowed. It sets and stops this node's clock, for tests. "
                "Leave it off where real traffic is limited: whoever connects could open every "
                "limit.",
    },
};

constexpr auto kRows = [] {
  std::array<OptionRow, std::size(kNodeRows) + std::size(kClusterRows)> rows{};
  const auto end = std::copy(std::begin(kNodeRows), std::end(kNodeRows), rows.begin());
  std::copy(std::begin(kClusterRows), std::end(kClusterRows), end);
  return rows;
}();

}  // namespace

std::span<const OptionRow> OptionTable() { return kRows; }

const OptionRow* FindOption(std::string_view name) {
  for (const OptionRow& row : kRows) {
    if (EqualsIgnoreCase(row.name, name)) return &row;
  }
  return nullptr;
}

Config::Config() {
  for (const OptionRow& row : kRows) {
    // A default that its own row refuses is a fault of the table, which the tests would show.
    if (!SetOption(row, row.default_text, this).ok()) std::abort();
  }
}

}  // namespace gub
