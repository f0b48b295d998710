// Clients as others see them, whichever thread serves them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

class ClientListTest : public ::testing::Test {
 protected:
  std::string List() { return admin_.Run({"CLIENT", "LIST"}).text; }
  size_t CountOf(const std::string& text) {
    const std::string list = List();
    size_t count = 0;
    for (size_t at = list.find(text); at != std::string::npos; at = list.find(text, at + 1)) {
      ++count;
    }
    return count;
  }

  ServerProcess server_;
  RespClient admin_{server_.port()};
};

TEST_F(ClientListTest, ShowsEveryClientOnceUntilItIsGone) {
  {
    std::vector<RawClient> clients;
    for (int i = 0; i < 50; ++i) {
      clients.emplace_back(server_.port());
      EXPECT_EQ(clients.back().Run({"CLIENT", "SETNAME", "worker"}), RespReply::Status("OK"));
    }
    EXPECT_EQ(CountOf(" name=worker "), 50u);
    EXPECT_EQ(CountOf("id="), 51u);
    EXPECT_EQ(CountOf(" cmd=client|setname "), 50u);
  }
  EXPECT_TRUE(Eventually([this] { return CountOf("id=") == 1; }));
}

TEST_F(ClientListTest, TellsWhatAClientHolds) {
  RawClient client(server_.port());
  EXPECT_EQ(client.Run({"CLIENT", "SETNAME", "half"}), RespReply::Status("OK"));
  client.Run({"MULTI"});
  client.Run({"PING"});
  client.Send("*2\r\n$4\r\nECHO\r\n$9\r\nhalf of");
  EXPECT_TRUE(Eventually([this] {
    const RespReply reply = admin_.Run({"CLIENT", "LIST", "TYPE", "normal"});
    const size_t at = reply.text.find(" name=half ");
    const std::string line = reply.text.substr(at, reply.text.find('\n', at) - at);
    return line.find(" multi=1 ") != std::string::npos &&
           line.find(" qbuf=0 ") == std::string::npos &&
           line.find(" multi-mem=0 ") == std::string::npos;
  }));
  EXPECT_GT(InfoNumber(&admin_, "mem_clients_normal"), 0);
}

TEST_F(ClientListTest, KillEndsClientsOfAllThreads) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server_.port());
    clients.back().Run({"PING"});
  }
  EXPECT_EQ(admin_.RunLine("CLIENT KILL TYPE normal"), RespReply::Integer(20));
  for (RawClient& client : clients) {
    EXPECT_THAT(client.ReadUntilClosed(), Optional(std::string()));
  }
  EXPECT_EQ(admin_.RunLine("PING"), RespReply::Status("PONG"));
}

TEST_F(ClientListTest, ShutdownStopsTheServerAsSigtermDoes) {
  RawClient client(server_.port());
  client.Send(EncodeCommand({"PING"}) + EncodeCommand({"SHUTDOWN", "NOSAVE"}));
  EXPECT_THAT(client.ReadUntilClosed(), Optional(std::string("+PONG\r\n")));
  EXPECT_EQ(server_.WaitForExit(), 0);
  EXPECT_THAT(server_.Log(), HasSubstr("a client asked for the end client=127.0.0.1:"));
}

}  // namespace
}  // namespace gub
