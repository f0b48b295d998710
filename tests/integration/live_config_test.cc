// Options that change while the server runs: CONFIG SET, CONFIG REWRITE, SIGHUP.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;

const RespReply kOk = RespReply::Status("OK");

std::string ValueOf(RespClient* client, const std::string& option) {
  const RespReply reply = client->Run({"CONFIG", "GET", option});
  return reply.items.size() == 2 ? reply.items[1].text : "(none)";
}

class ConfigSetTest : public ::testing::Test {
 protected:
  ServerProcess server_;
  RespClient admin_{server_.port()};
};

TEST_F(ConfigSetTest, MaxclientsHoldsForTheNextClient) {
  EXPECT_EQ(admin_.RunLine("CONFIG SET maxclients 1"), kOk);
  EXPECT_THAT(RawClient(server_.port()).ReadUntilClosed(),
              Optional(std::string("-ERR max number of clients reached\r\n")));
  EXPECT_EQ(admin_.RunLine("CONFIG SET maxclients 2"), kOk);
  EXPECT_EQ(RawClient(server_.port()).Run({"PING"}), RespReply::Status("PONG"));
  EXPECT_EQ(InfoNumber(&admin_, "rejected_connections"), 1);
}

TEST_F(ConfigSetTest, BoundsHoldForConnectionsThatAreOpen) {
  RawClient client(server_.port());
  EXPECT_EQ(client.Run({"ECHO", std::string(2000, 'x')}), RespReply::Bulk(std::string(2000, 'x')));
  EXPECT_EQ(admin_.RunLine("CONFIG SET proto-max-bulk-len 1kb max-args 16"), kOk);
  // Its worker hears of it at once, but this request may be there before that.
  EXPECT_TRUE(Eventually([&] {
    RawClient another(server_.port());
    return another.Run({"ECHO", std::string(2000, 'x')}).IsError();
  }));
  EXPECT_TRUE(Eventually([&] {
    const RespReply reply = client.Run({"ECHO", std::string(2000, 'x')});
    return reply == RespReply::Error("ERR Protocol error: invalid bulk length");
  }));
}

TEST_F(ConfigSetTest, TheNextCommandOfItsOwnPipelineIsHeldToIt) {
  RawClient client(server_.port());
  client.Send(EncodeCommand({"CONFIG", "SET", "maxmemory-clients", "0", "slowlog-max-len", "7"}) +
              EncodeCommand({"CONFIG", "GET", "slowlog-max-len"}));
  EXPECT_EQ(client.ReadReply(), kOk);
  EXPECT_EQ(client.ReadReply(),
            RespReply::Array({RespReply::Bulk("slowlog-max-len"), RespReply::Bulk("7")}));
}

TEST_F(ConfigSetTest, TimeoutClosesWhoIsSilentButNoSubscriber) {
  RawClient silent(server_.port());
  RawClient subscriber(server_.port());
  EXPECT_EQ(subscriber.Run({"SUBSCRIBE", "c"}).items.size(), 3u);
  EXPECT_EQ(silent.Run({"PING"}), RespReply::Status("PONG"));
  EXPECT_EQ(admin_.RunLine("CONFIG SET timeout 1"), kOk);
  EXPECT_THAT(silent.ReadUntilClosed(), Optional(std::string()));
  EXPECT_EQ(RespClient(server_.port()).RunLine("CONFIG SET timeout 0"), kOk);
  EXPECT_EQ(subscriber.Run({"PING"}),
            RespReply::Array({RespReply::Bulk("pong"), RespReply::Bulk("")}));
}

TEST_F(ConfigSetTest, AnOutputLimitHoldsForAnOpenConnection) {
  RawClient client(server_.port());
  EXPECT_EQ(client.Run({"PING"}), RespReply::Status("PONG"));
  // A transaction's reply is one, and this one takes more than 16 KB.
  const std::string transaction =
      EncodeCommand({"MULTI"}) + EncodeCommand({"COMMAND", "DOCS"}) + EncodeCommand({"EXEC"});
  client.Send(transaction);
  EXPECT_EQ(client.ReadReplies(3).size(), 3u);
  EXPECT_EQ(admin_.RunLine("CONFIG SET client-output-buffer-limit 16kb"), kOk);
  EXPECT_TRUE(Eventually([&] {
    // Its worker hears of it at once, but a request may be there before that.
    client.Send(transaction);
    return client.ReadReplies(3).size() < 3;
  }));
  EXPECT_EQ(InfoNumber(&admin_, "client_output_buffer_limit_disconnections"), 1);
}

class ReloadTest : public ::testing::Test {
 protected:
  ReloadTest() {
    std::string pattern = testing::TempDir() + "gub_reload_XXXXXX";
    directory_ = mkdtemp(pattern.data());
    Write("# mine\nmaxclients 100\n\ntimeout 77 \nmax-key-bytes 500\n");
  }
  ~ReloadTest() override { std::filesystem::remove_all(directory_); }

  std::string Path() const { return directory_ + "/gub.conf"; }
  void Write(const std::string& text) const { std::ofstream(Path()) << text; }
  std::string Read() const {
    std::ifstream file(Path());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string directory_;
};

TEST_F(ReloadTest, SighupTakesOverWhatMayChangeAndTellsWhatMayNot) {
  ServerProcess server({Path(), "--slowlog-max-len", "5"});
  RespClient client(server.port());
  EXPECT_EQ(ValueOf(&client, "timeout"), "77");
  Write("maxclients 50\nmax-key-bytes 501\nslowlog-max-len 9\n");
  server.Signal(SIGHUP);
  EXPECT_THAT(server.WaitForLog("the configuration was read again"),
              HasSubstr("waiting_for_restart=max-key-bytes"));
  EXPECT_EQ(ValueOf(&client, "maxclients"), "50");
  EXPECT_EQ(ValueOf(&client, "timeout"), "0");          // no longer in the file
  EXPECT_EQ(ValueOf(&client, "slowlog-max-len"), "5");  // the command line goes first
  EXPECT_EQ(ValueOf(&client, "max-key-bytes"), "500");
}

TEST_F(ReloadTest, AFileWithAFaultChangesNothingAndSaysWhy) {
  ServerProcess server({Path()});
  RespClient client(server.port());
  Write("timeout 5\nmaxclients none\n");
  server.Signal(SIGHUP);
  EXPECT_THAT(server.WaitForLog("nothing has changed"),
              HasSubstr("gub.conf:2: maxclients must be a whole number"));
  EXPECT_EQ(ValueOf(&client, "timeout"), "77");
  std::filesystem::remove(Path());
  server.Signal(SIGHUP);
  EXPECT_THAT(server.WaitForLog("the file cannot be read"), HasSubstr("nothing has changed"));
  EXPECT_EQ(client.RunLine("PING"), RespReply::Status("PONG"));
}

TEST_F(ReloadTest, APasswordThatGoesIsToldAndAPipeIsNotReadAgain) {
  Write("requirepass pw\n");
  ServerProcess server({Path()});
  Write("# nothing\n");
  server.Signal(SIGHUP);
  EXPECT_THAT(server.WaitForLog("has no password any more"), HasSubstr(" warning "));
  EXPECT_THAT(server.WaitForLog("was read again"), HasSubstr("changed=requirepass "));
  std::filesystem::remove(Path());
  ASSERT_EQ(mkfifo(Path().c_str(), 0600), 0);
  server.Signal(SIGHUP);
  EXPECT_THAT(server.WaitForLog("it is no plain file"), HasSubstr("nothing has changed"));
  RespClient client(server.port());
  EXPECT_EQ(client.RunLine("PING"), RespReply::Status("PONG"));
}

TEST_F(ReloadTest, RewriteKeepsCommentsAndOrderAndANewStartReadsIt) {
  {
    ServerProcess server({Path()});
    RespClient client(server.port());
    EXPECT_EQ(client.RunLine("CONFIG SET timeout 8 requirepass a\"b"), kOk);
    EXPECT_EQ(client.RunLine("CONFIG REWRITE"), kOk);
  }
  EXPECT_THAT(Read(), StartsWith("# mine\nmaxclients 100\n\ntimeout 8\n"));
  EXPECT_THAT(Read(), HasSubstr("\nrequirepass \"a\\\"b\"\n"));
  ServerProcess again({Path()});
  RespClient client(again.port());
  EXPECT_EQ(client.Run({"AUTH", "a\"b"}), kOk);
  EXPECT_EQ(ValueOf(&client, "timeout"), "8");
}

TEST_F(ReloadTest, AStartWithAnUnknownDisabledCommandFails) {
  Write("disable-commands flushal\n");
  const ProgramResult result = RunServer({Path(), "--port", "0"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err, "gub-server: disable-commands: there is no command 'flushal'\n");
}

}  // namespace
}  // namespace gub
