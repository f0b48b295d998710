// prometheus-redis-exporter against a real server: Debian's package, as it comes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExporterTest : public ::testing::Test {
 protected:
  // Its page of metrics; "" when it does not come.
  static std::string Scrape(int port) {
    RawClient http(port);
    http.Send("GET /metrics HTTP/1.0\r\n\r\n");
    return http.ReadUntilClosed().value_or("");
  }

  // What an exporter with these arguments tells of a server.
  static std::string ScrapeOf(const ServerProcess& server, std::vector<std::string> arguments) {
    const int port = FreePort();
    const std::string address = "127.0.0.1:" + std::to_string(port);
    std::vector<std::string> command = {
        "prometheus-redis-exporter", "-web.listen-address=" + address,
        "-redis.addr=redis://127.0.0.1:" + std::to_string(server.port()), "-include-system-metrics",
        "-export-client-list"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Program exporter(command);
    EXPECT_TRUE(Eventually([port] { return IsListening(port); })) << exporter.Err();
    return Scrape(port);
  }
};

TEST_F(ExporterTest, FindsTheServerUpWithoutAnError) {
  ServerProcess server;
  RespClient client(server.port());
  client.RunLine("GUB.HIT n k 1 10 1h");
  client.RunLine("NOPE");
  const std::string metrics = ScrapeOf(server, {});
  EXPECT_THAT(metrics, HasSubstr("\nredis_up 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\nredis_exporter_last_scrape_error{err=\"\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("\nredis_commands_total{cmd=\"gub.hit\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\nredis_db_keys{db=\"db0\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\nredis_errors_total{err=\"ERR\"} "));
  EXPECT_THAT(metrics, HasSubstr("\nredis_slowlog_length 0\n"));
  EXPECT_THAT(metrics, HasSubstr("\nredis_config_maxclients "));
  // Nothing that it asked for was refused but what no Redis has either.
  EXPECT_THAT(server.Log(), Not(HasSubstr("warning")));
}

TEST_F(ExporterTest, GivesThePassword) {
  ServerProcess server({"--requirepass", "pw"});
  EXPECT_THAT(ScrapeOf(server, {"-redis.password=pw"}), HasSubstr("\nredis_up 1\n"));
  EXPECT_THAT(ScrapeOf(server, {"-redis.password=other"}), HasSubstr("\nredis_up 0\n"));
}

}  // namespace
}  // namespace gub
