#include <cctype>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/config.h"
#include "gtest/gtest.h"

namespace gub {
namespace {

TEST(OptionTableTest, HasTheDefaultsOfTheContract) {
  const std::map<std::string_view, std::string_view> contract = {
      {"bind", "127.0.0.1 -::1"},
      {"port", "7379"},
      {"http-port", "7380"},
      {"top-keys", "256"},
      {"timeout", "0"},
      {"requirepass", ""},
      {"protected-mode", "yes"},
      {"disable-commands", ""},
      {"maxmemory-clients", "256mb"},
      {"slowlog-log-slower-than", "10000"},
      {"slowlog-max-len", "128"},
      {"latency-monitor-threshold", "0"},
      {"tcp-backlog", "511"},
      {"tcp-keepalive", "300"},
      {"threads", "0"},
      {"maxclients", "10000"},
      {"client-query-buffer-limit", "1mb"},
      {"client-output-buffer-limit", "8mb"},
      {"proto-max-bulk-len", "64kb"},
      {"max-args", "1024"},
      {"max-keys", "1000000"},
      {"max-key-bytes", "4096"},
      {"eviction", "nearest-reset"},
      {"calendar-timezone", "UTC"},
      {"loglevel", "notice"},
      {"logfile", "stderr"},
      {"enable-debug-commands", "no"},
      {"cluster-enabled", "no"},
      {"advertise", ""},
      {"discovery", "static"},
      {"peers", ""},
      {"discovery-file", ""},
      {"discovery-dns", ""},
      {"discovery-dns-server", ""},
      {"etcd-endpoints", "127.0.0.1:2379"},
      {"etcd-prefix", "/gub/members/"},
      {"etcd-lease-s", "10"},
      {"cluster-secret", ""},
      {"peer-timeout-ms", "100"},
      {"batch-wait-us", "500"},
      {"batch-limit", "1000"},
      {"on-owner-failure", "local"},
      {"cluster-redirect", "no"},
      {"leave-grace-ms", "30000"},
      {"global-sync-ms", "100"},
      {"global-max-leases", "100000"},
      {"force-global", "no"},
  };
  std::map<std::string_view, std::string_view> table;
  for (const OptionRow& row : OptionTable()) table[row.name] = row.default_text;
  EXPECT_EQ(table, contract);
}

TEST(OptionTableTest, PutsItsDefaultsIntoANewConfig) {
  const Config config;
  EXPECT_EQ(config.bind, (std::vector<std::string>{"127.0.0.1", "-::1"}));
  EXPECT_EQ(config.port, 7379);
  EXPECT_EQ(config.tcp_backlog, 511);
  EXPECT_EQ(config.tcp_keepalive_s, 300);
  EXPECT_EQ(config.threads, 0);
  EXPECT_EQ(config.maxclients, 10'000);
  EXPECT_EQ(config.client_query_buffer_limit_bytes, 1024 * 1024);
  EXPECT_EQ(config.client_output_buffer_limit_bytes, 8 * 1024 * 1024);
  EXPECT_EQ(config.proto_max_bulk_len_bytes, 64 * 1024);
  EXPECT_EQ(config.max_args, 1024);
  EXPECT_EQ(config.max_keys, 1'000'000);
  EXPECT_EQ(config.max_key_bytes, 4096);
  EXPECT_EQ(config.calendar_timezone, "UTC");
  EXPECT_EQ(config.loglevel, "notice");
  EXPECT_EQ(config.logfile, "stderr");
  EXPECT_FALSE(config.enable_debug_commands);
  EXPECT_EQ(config.requirepass, "");
  EXPECT_TRUE(config.protected_mode);
  EXPECT_TRUE(config.disable_commands.empty());
  EXPECT_EQ(config.timeout_s, 0);
  EXPECT_EQ(config.maxmemory_clients_bytes, 256 * 1024 * 1024);
  EXPECT_EQ(config.slowlog_log_slower_than_us, 10'000);
  EXPECT_EQ(config.slowlog_max_len, 128);
  EXPECT_FALSE(config.cluster_enabled);
  EXPECT_EQ(config.advertise, "");
  EXPECT_EQ(config.discovery, "static");
  EXPECT_TRUE(config.peers.empty());
  EXPECT_EQ(config.discovery_file, "");
  EXPECT_TRUE(config.discovery_dns.empty());
  EXPECT_EQ(config.discovery_dns_server, "");
  EXPECT_EQ(config.etcd_endpoints, (std::vector<std::string>{"127.0.0.1:2379"}));
  EXPECT_EQ(config.etcd_prefix, "/gub/members/");
  EXPECT_EQ(config.etcd_lease_s, 10);
  EXPECT_EQ(config.cluster_secret, "");
  EXPECT_EQ(config.peer_timeout_ms, 100);
  EXPECT_EQ(config.batch_wait_us, 500);
  EXPECT_EQ(config.batch_limit, 1000);
  EXPECT_EQ(config.on_owner_failure, "local");
  EXPECT_FALSE(config.cluster_redirect);
  EXPECT_EQ(config.leave_grace_ms, 30'000);
}

TEST(OptionTableTest, HasAFieldOfItsOwnForEachOption) {
  Config config;
  std::set<const void*> fields;
  for (const OptionRow& row : OptionTable()) {
    const void* field =
        std::visit([&](auto member) -> const void* { return &(config.*member); }, row.field);
    EXPECT_TRUE(fields.insert(field).second) << row.name;
  }
}

// A field of another type would be read as if it were the right one.
TEST(OptionTableTest, HasFieldsThatFitTheirTypes) {
  for (const OptionRow& row : OptionTable()) {
    switch (row.type) {
      case OptionType::kInteger:
      case OptionType::kBytes:
        EXPECT_TRUE(std::holds_alternative<int64_t Config::*>(row.field)) << row.name;
        EXPECT_LT(row.min, row.max) << row.name;
        break;
      case OptionType::kBoolean:
        EXPECT_TRUE(std::holds_alternative<bool Config::*>(row.field)) << row.name;
        break;
      case OptionType::kWord:
        EXPECT_FALSE(row.words.empty()) << row.name;
        [[fallthrough]];
      case OptionType::kText:
      case OptionType::kSecret:
        EXPECT_TRUE(std::holds_alternative<std::string Config::*>(row.field)) << row.name;
        break;
      case OptionType::kTextList:
        EXPECT_TRUE(std::holds_alternative<std::vector<std::string> Config::*>(row.field))
            << row.name;
        break;
    }
  }
}

TEST(OptionTableTest, HasNamesThatAFileAndTheEnvironmentCanWrite) {
  for (const OptionRow& row : OptionTable()) {
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos)
        << row.name;
    // These words of the command line are taken.
    EXPECT_TRUE(row.name != "help" && row.name != "version" && row.name != "print-config");
  }
}

TEST(OptionTableTest, KeepsGroupsTogether) {
  std::set<std::string_view> seen;
  std::string_view group;
  for (const OptionRow& row : OptionTable()) {
    if (row.group == group) continue;
    EXPECT_TRUE(seen.insert(row.group).second) << row.group << " starts again at " << row.name;
    group = row.group;
  }
}

TEST(OptionTableTest, ExplainsEveryOptionInSentences) {
  for (const OptionRow& row : OptionTable()) {
    EXPECT_GE(row.text.size(), 80u) << row.name;
    EXPECT_TRUE(isupper(static_cast<unsigned char>(row.text.front()))) << row.name;
    EXPECT_TRUE(row.text.ends_with('.')) << row.name;
    EXPECT_EQ(row.text.find("  "), std::string_view::npos) << row.name;
  }
}

TEST(OptionTableTest, LetsOnlyThatBeReloadedWhichCanTakeEffect) {
  std::set<std::string_view> reloadable;
  for (const OptionRow& row : OptionTable()) {
    if (row.reloadable) reloadable.insert(row.name);
  }
  EXPECT_EQ(reloadable, (std::set<std::string_view>{"batch-limit",
                                                    "batch-wait-us",
                                                    "client-output-buffer-limit",
                                                    "client-query-buffer-limit",
                                                    "cluster-redirect",
                                                    "latency-monitor-threshold",
                                                    "force-global",
                                                    "global-sync-ms",
                                                    "leave-grace-ms",
                                                    "loglevel",
                                                    "max-args",
                                                    "maxclients",
                                                    "maxmemory-clients",
                                                    "on-owner-failure",
                                                    "peer-timeout-ms",
                                                    "proto-max-bulk-len",
                                                    "protected-mode",
                                                    "requirepass",
                                                    "slowlog-log-slower-than",
                                                    "slowlog-max-len",
                                                    "tcp-keepalive",
                                                    "timeout"}));
}

TEST(FindOptionTest, FindsEveryRowByItsNameInAnyCase) {
  for (const OptionRow& row : OptionTable()) EXPECT_EQ(FindOption(row.name), &row);
  EXPECT_EQ(FindOption("MAX-Keys"), FindOption("max-keys"));
}

TEST(FindOptionTest, FindsNothingElse) {
  for (const std::string_view name : {"", "por", "ports", "max_keys", "prot", " port"}) {
    EXPECT_EQ(FindOption(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace gub
