// INFO, CONFIG GET, TIME and DBSIZE: what a node tells of itself, and that it counts right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

// INFO's fields that are numbers.
using Numbers = std::map<std::string, int64_t>;

class InfoTest : public ::testing::Test {
 protected:
  RespReply Run(const std::string& line) { return client_.RunLine(line); }
  std::string Info(const std::string& sections = "") { return Run("INFO " + sections).text; }

  Numbers ReadNumbers() {
    Numbers numbers;
    const std::string text = Info();
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find("\r\n", at);
      const std::string line = text.substr(at, end - at);
      const size_t name_end = std::min(line.find(':'), line.size());
      const std::string value = line.substr(std::min(name_end + 1, line.size()));
      char* rest = nullptr;
      const int64_t number = std::strtoll(value.c_str(), &rest, 10);
      if (!value.empty() && *rest == '\0') numbers[line.substr(0, name_end)] = number;
      at = end + 2;
    }
    return numbers;
  }

  ServerProcess server_{{"--enable-debug-commands", "yes"}};
  RespClient client_{server_.port()};
};

// What has changed, of these fields.
Numbers Moved(const Numbers& before, const Numbers& after, const std::vector<std::string>& names) {
  Numbers moved;
  for (const std::string& name : names) {
    EXPECT_TRUE(before.count(name) == 1 && after.count(name) == 1) << "INFO has no " << name;
    if (before.count(name) == 1 && after.count(name) == 1) {
      moved[name] = after.at(name) - before.at(name);
    }
  }
  return moved;
}

TEST_F(InfoTest, HasSectionsOfFieldsThatEndInCrlf) {
  const std::string text = Info();
  EXPECT_THAT(text, StartsWith("# Server\r\nredis_version:7.2.0\r\n"));
  for (const char* part :
       {"\r\n\r\n# Clients\r\n", "\r\n\r\n# Stats\r\n", "\r\n\r\n# Gub\r\n",
        "\r\nredis_mode:standalone\r\n", "\r\nconnected_clients:1\r\n", "\r\nmax_keys:10000\r\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, HasSubstr("\r\ntcp_port:" + std::to_string(server_.port()) + "\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\nprocess_id:" + std::to_string(server_.pid()) + "\r\n"));
  EXPECT_EQ(text.substr(text.size() - 2), "\r\n");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), std::count(text.begin(), text.end(), '\n'));
}

TEST_F(InfoTest, AnswersTheSectionsThatAreAskedFor) {
  EXPECT_THAT(Info("gub"), StartsWith("# Gub\r\n"));
  EXPECT_THAT(Info("SERVER clients"), AllOf(HasSubstr("# Server\r\n"), HasSubstr("# Clients\r\n"),
                                            Not(HasSubstr("# Stats\r\n"))));
  EXPECT_EQ(Info("nope"), "");
  for (const char* all : {"all", "everything", "default"}) {
    EXPECT_THAT(Info(all), AllOf(HasSubstr("# Server\r\n"), HasSubstr("# Gub\r\n"))) << all;
  }
}

TEST_F(InfoTest, CountsEveryKindOfDecision) {
  const Numbers before = ReadNumbers();
  for (int i = 0; i < 7; ++i) Run("GUB.HIT n k 1 5 1h");         // 5 admitted, 2 denied
  for (int i = 0; i < 3; ++i) Run("GUB.HIT n k -1 5 1h leaky");  // refunded
  for (int i = 0; i < 4; ++i) Run("GUB.HIT n k 0 5 1h");         // peeks
  Run("GUB.HIT n other 1 5 1h token RESET_REMAINING");           // a reset
  Run("GUB.TAKE k 1 1");                                         // admitted
  Run("GUB.TAKE k 5 1 5");                                       // denied
  Run("CL.THROTTLE k 0 1 60");                                   // admitted
  Run("CL.THROTTLE k 0 1 60");                                   // denied
  Run("CL.THROTTLE k 0 1 60 -1");                                // refunded
  Run("CL.THROTTLE k 0 1 60 0");                                 // a peek
  Run("GUB.HIT n k one 5 1h");                                   // an error
  Run("GUB.HIT n k 1 -5 1h");                                    // an error
  Run("GUB.HIT n k 1");                                          // an error
  Run("NOPE");                                                   // an error, but no request
  const Numbers after = ReadNumbers();
  EXPECT_THAT(
      Moved(before, after,
            {"hits_admitted", "hits_denied", "hits_refunded", "peeks", "resets", "request_errors",
             "total_error_replies", "refused_keys", "live_keys"}),
      ElementsAre(Pair("hits_admitted", 7), Pair("hits_denied", 4), Pair("hits_refunded", 4),
                  Pair("live_keys", 2), Pair("peeks", 5), Pair("refused_keys", 0),
                  Pair("request_errors", 3), Pair("resets", 1), Pair("total_error_replies", 4)));
  EXPECT_EQ(Run("DBSIZE"), RespReply::Integer(after.at("live_keys")));
}

TEST_F(InfoTest, CountsAResetByCommandAsAReset) {
  const Numbers before = ReadNumbers();
  Run("GUB.HIT n k 1 5 1h");
  EXPECT_EQ(Run("GUB.RESET n k"), RespReply::Integer(1));
  EXPECT_THAT(Moved(before, ReadNumbers(), {"resets"}), ElementsAre(Pair("resets", 1)));
}

TEST_F(InfoTest, CountsCommandsConnectionsAndBytes) {
  const std::string ping = EncodeCommand({"PING"});
  const std::string info = EncodeCommand({"INFO"});
  const Numbers before = ReadNumbers();
  {
    RawClient other(server_.port());
    other.Send(ping + ping + ping);
    EXPECT_EQ(other.ReadReplies(3).size(), 3u);
  }
  EXPECT_TRUE(Eventually([&] { return InfoNumber(&client_, "connected_clients") == 1; }));
  const Numbers after = ReadNumbers();
  const int64_t commands = after.at("total_commands_processed");
  const int64_t polls = commands - before.at("total_commands_processed") - 3 - 1;
  EXPECT_GE(polls, 1);
  EXPECT_THAT(Moved(before, after,
                    {"total_connections_received", "total_connections_closed",
                     "rejected_connections", "total_net_input_bytes"}),
              ElementsAre(Pair("rejected_connections", 0), Pair("total_connections_closed", 1),
                          Pair("total_connections_received", 1),
                          Pair("total_net_input_bytes",
                               static_cast<int64_t>(3 * ping.size() + (polls + 1) * info.size()))));
}

TEST_F(InfoTest, CountsCallsRejectionsAndFailuresOfEachCommand) {
  for (int i = 0; i < 5; ++i) Run("GUB.HIT n k 1 5 1h");
  Run("GUB.HIT n k one 5 1h");
  Run("GUB.HIT n k");
  Run("CLIENT SETNAME me");
  const std::string text = Info("commandstats");
  EXPECT_THAT(text, StartsWith("# Commandstats\r\n"));
  EXPECT_THAT(text, HasSubstr("cmdstat_gub.hit:calls=6,usec="));
  EXPECT_THAT(text, HasSubstr("rejected_calls=1,failed_calls=1\r\n"));
  EXPECT_THAT(text, HasSubstr("cmdstat_client|setname:calls=1,"));
  EXPECT_THAT(text, Not(HasSubstr("cmdstat_gub.take:")));
}

TEST_F(InfoTest, LiveKeysFollowsHitsResetsAndFlushes) {
  Run("GUB.HIT n a 1 5 1h");
  Run("GUB.HIT n a 1 5 1h leaky");
  Run("GUB.HIT n b 1 5 1h");
  Run("GUB.HIT n c 0 5 1h");
  EXPECT_EQ(Run("DBSIZE"), RespReply::Integer(3));
  EXPECT_EQ(Run("GUB.RESET n a"), RespReply::Integer(2));
  EXPECT_EQ(Run("GUB.RESET n a"), RespReply::Integer(0));
  EXPECT_EQ(Run("DBSIZE"), RespReply::Integer(1));
  for (const char* line : {"FLUSHALL", "FLUSHALL ASYNC", "flushall sync"}) {
    Run("GUB.HIT n d 1 5 1h");
    EXPECT_EQ(Run(line), RespReply::Status("OK"));
    EXPECT_EQ(Run("DBSIZE"), RespReply::Integer(0));
  }
  EXPECT_EQ(Run("FLUSHALL NOW"), RespReply::Error("ERR syntax error"));
}

std::set<std::string> NamesOf(const RespReply& reply) {
  std::set<std::string> names;
  for (size_t i = 0; i < reply.items.size(); i += 2) names.insert(reply.items[i].text);
  EXPECT_EQ(names.size() * 2, reply.items.size()) << "a name stands twice";
  return names;
}

TEST_F(InfoTest, ConfigGetAnswersWhatMatchesOnce) {
  EXPECT_EQ(Run("CONFIG GET Max-Keys"),
            RespReply::Array({RespReply::Bulk("max-keys"), RespReply::Bulk("10000")}));
  EXPECT_EQ(NamesOf(Run("CONFIG GET max-k*")),
            (std::set<std::string>{"max-keys", "max-key-bytes"}));
  EXPECT_EQ(NamesOf(Run("CONFIG GET max-keys max-* ?ort port")),
            (std::set<std::string>{"max-keys", "max-key-bytes", "max-args", "port"}));
  EXPECT_EQ(Run("CONFIG GET nope"), RespReply::Array({}));
  EXPECT_EQ(Run("CONFIG GET"),
            RespReply::Error("ERR wrong number of arguments for 'config|get' command"));
}

TEST_F(InfoTest, ConfigGetKnowsWhatToolsOfRedisAskFor) {
  EXPECT_EQ(Run("CONFIG GET save"),
            RespReply::Array({RespReply::Bulk("save"), RespReply::Bulk("")}));
  EXPECT_EQ(Run("CONFIG GET appendonly").items.size(), 2u);
  EXPECT_THAT(NamesOf(Run("CONFIG GET *")),
              IsSupersetOf({"bind", "port", "threads", "maxclients", "proto-max-bulk-len",
                            "client-query-buffer-limit", "client-output-buffer-limit", "max-args",
                            "calendar-timezone", "loglevel", "logfile", "tcp-keepalive", "save",
                            "appendonly", "databases", "maxmemory", "maxmemory-policy"}));
}

TEST_F(InfoTest, TimeIsTheWallClockWhateverTheLimiterClockSays) {
  EXPECT_EQ(Run("GUB.DEBUG CLOCK SET 1000"), RespReply::Status("OK"));
  const auto now_s = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const int64_t before_s = now_s();
  const RespReply time = Run("TIME");
  ASSERT_EQ(time.items.size(), 2u);
  EXPECT_EQ(time.items[0].type, RespReply::Type::kBulk);
  EXPECT_GE(std::stoll(time.items[0].text), before_s);
  EXPECT_LE(std::stoll(time.items[0].text), now_s());
  EXPECT_EQ(time.items[1].type, RespReply::Type::kBulk);
  EXPECT_THAT(time.items[1].text, MatchesRegex("[0-9]{1,6}"));
}

}  // namespace
}  // namespace gub
