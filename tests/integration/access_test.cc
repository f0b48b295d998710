// Who is let in: passwords over a socket, the bounds before them, protected mode.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <memory>
#include <optional>
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
using ::testing::Optional;
using ::testing::StartsWith;

const RespReply kNoAuth = RespReply::Error("NOAUTH Authentication required.");
const RespReply kOk = RespReply::Status("OK");

class PasswordTest : public ::testing::Test {
 protected:
  const std::string password_ = std::string("p\0ss \xff\r\n", 8);
  // In the configuration's quotes; a NUL cannot be handed over on a command line.
  ServerProcess server_{{"--requirepass", "first"}};

  void SetBinaryPassword() {
    RespClient admin(server_.port());
    EXPECT_EQ(admin.Run({"AUTH", "first"}), kOk);
    EXPECT_EQ(admin.Run({"CONFIG", "SET", "requirepass", password_}), kOk);
  }
};

TEST_F(PasswordTest, NothingIsDecidedBeforeThePasswordAndEverythingAfterIt) {
  SetBinaryPassword();
  RawClient client(server_.port());
  const std::vector<std::string> hit = {"GUB.HIT", "n", "k", "1", "10", "1h"};
  EXPECT_EQ(client.Run(hit), kNoAuth);
  EXPECT_EQ(client.Run({"AUTH", password_.substr(0, 7)}),
            RespReply::Error("WRONGPASS invalid username-password pair or user is disabled."));
  EXPECT_EQ(client.Run({"AUTH", "default", password_}), kOk);
  EXPECT_EQ(client.Run(hit).items.at(1), RespReply::Integer(9));
  RawClient another(server_.port());
  EXPECT_EQ(another.Run({"HELLO", "3", "AUTH", "default", password_}).type, RespReply::Type::kMap);
}

TEST_F(PasswordTest, InOnePipelineEveryCommandIsAnsweredAlsoTheFailingAuth) {
  RawClient client(server_.port());
  client.Send(EncodeCommand({"PING"}) + EncodeCommand({"AUTH", "wrong"}) +
              EncodeCommand({"ECHO", "a"}) + EncodeCommand({"AUTH", "first"}) +
              EncodeCommand({"ECHO", "b"}) + EncodeCommand({"MULTI"}) +
              EncodeCommand({"AUTH", "wrong"}) + EncodeCommand({"EXEC"}));
  const RespReply wrong =
      RespReply::Error("WRONGPASS invalid username-password pair or user is disabled.");
  EXPECT_EQ(client.ReadReplies(8),
            (std::vector<RespReply>{kNoAuth, wrong, kNoAuth, kOk, RespReply::Bulk("b"), kOk,
                                    RespReply::Status("QUEUED"), RespReply::Array({wrong})}));
}

TEST_F(PasswordTest, AStrangerMayAnnounceLittle) {
  RawClient many(server_.port());
  many.Send("*100\r\n");
  EXPECT_THAT(many.ReadUntilClosed(),
              Optional(std::string("-ERR Protocol error: unauthenticated multibulk length\r\n")));
  RawClient large(server_.port());
  large.Send("*1\r\n$100000000\r\n");
  EXPECT_THAT(large.ReadUntilClosed(),
              Optional(std::string("-ERR Protocol error: unauthenticated bulk length\r\n")));
  // As much as is allowed: ten arguments, 16 KiB.
  RawClient fits(server_.port());
  EXPECT_EQ(fits.Run(std::vector<std::string>(10, "x")).type, RespReply::Type::kError);
  EXPECT_EQ(fits.Run({"ECHO", std::string(16 * 1024, 'x')}), kNoAuth);
}

TEST_F(PasswordTest, TheBoundsAreLiftedByThePassword) {
  RawClient client(server_.port());
  client.Send(EncodeCommand({"AUTH", "first"}) + EncodeCommand({"ECHO", std::string(60'000, 'x')}));
  EXPECT_EQ(client.ReadReply(), kOk);
  EXPECT_EQ(client.ReadReply(), RespReply::Bulk(std::string(60'000, 'x')));
  EXPECT_EQ(client.Run(std::vector<std::string>(1000, "exists")), RespReply::Integer(0));
}

TEST_F(PasswordTest, AStrangerWhoDoesNotReadIsClosedEarly) {
  RespClient admin(server_.port());
  EXPECT_EQ(admin.Run({"AUTH", "first"}), kOk);
  RawClient client(server_.port(), 4096);
  std::string pipeline;
  for (int i = 0; i < 1000; ++i) pipeline += EncodeCommand({"PING"});
  // Far more than any kernel buffers; each batch's replies are below what closes a friend.
  for (int i = 0; i < 4000; ++i) {
    if (client.SendSome(pipeline, std::chrono::milliseconds(100)) < pipeline.size()) break;
  }
  EXPECT_TRUE(Eventually([&] {
    client.SendSome(pipeline, std::chrono::milliseconds(1));
    return InfoNumber(&admin, "client_output_buffer_limit_disconnections") == 1 ||
           InfoNumber(&admin, "mem_clients_normal") > 0;
  }));
  // It is stopped from sending by then, or gone; either way it holds next to nothing.
  EXPECT_LE(InfoNumber(&admin, "mem_clients_normal"), 512 * 1024);
}

TEST_F(PasswordTest, ThePasswordIsInNoLogAndInNoList) {
  RespClient client(server_.port());
  client.Run({"AUTH", "guessed-wrong"});
  EXPECT_EQ(client.Run({"AUTH", "first"}), kOk);
  client.Run({"CONFIG", "SET", "requirepass", "top-secret", "slowlog-log-slower-than", "0"});
  client.Run({"AUTH", "top-secret"});
  client.Run({"CONFIG", "SET", "requirepass", "top-secret", "nope", "x"});
  EXPECT_THAT(server_.WaitForLog("options were changed"), HasSubstr("requirepass"));
  for (const std::string secret : {"first", "top-secret", "guessed-wrong"}) {
    EXPECT_THAT(server_.Log(), Not(HasSubstr(secret)));
    EXPECT_THAT(::testing::PrintToString(client.Run({"SLOWLOG", "GET", "-1"})),
                Not(HasSubstr(secret)));
    EXPECT_THAT(::testing::PrintToString(client.Run({"CONFIG", "GET", "*"})),
                Not(HasSubstr(secret)));
    EXPECT_THAT(client.Run({"CLIENT", "LIST"}).text, Not(HasSubstr(secret)));
  }
}

// An IPv4 address of this machine that is not loopback; nothing where there is none.
std::optional<std::string> OwnAddress() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_LOOPBACK) != 0 || (one->ifa_flags & IFF_UP) == 0) continue;
    char text[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)) != nullptr) return text;
  }
  return std::nullopt;
}

class ProtectedModeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!address_) GTEST_SKIP() << "this machine has only loopback addresses";
    server_ = std::make_unique<ServerProcess>(
        std::vector<std::string>{"--bind", "127.0.0.1 " + *address_});
  }

  // What a client from the machine's outer address is told first.
  RespReply FromOutside(const std::vector<std::string>& command) {
    RawClient client(*address_, server_->port());
    return client.Run(command);
  }

  const std::optional<std::string> address_ = OwnAddress();
  std::unique_ptr<ServerProcess> server_;
};

TEST_F(ProtectedModeTest, WithoutAPasswordOnlyThisMachineIsLetIn) {
  RawClient outside(*address_, server_->port());
  EXPECT_THAT(outside.ReadUntilClosed(), Optional(StartsWith("-DENIED ")));
  RespClient inside(server_->port());
  EXPECT_EQ(inside.Run({"PING"}), RespReply::Status("PONG"));
  EXPECT_EQ(InfoNumber(&inside, "rejected_connections"), 1);

  EXPECT_EQ(inside.Run({"CONFIG", "SET", "protected-mode", "no"}), kOk);
  EXPECT_EQ(FromOutside({"PING"}), RespReply::Status("PONG"));
  EXPECT_EQ(inside.Run({"CONFIG", "SET", "protected-mode", "yes", "requirepass", "pw"}), kOk);
  EXPECT_EQ(FromOutside({"PING"}), kNoAuth);
}

// Probes come from elsewhere, and what they ask tells nothing.
TEST_F(ProtectedModeTest, OverHttpTheRestOfTheWorldIsToldThatTheNodeLivesAndNothingElse) {
  const int port = FreePort();
  server_ = std::make_unique<ServerProcess>(std::vector<std::string>{
      "--http-port", std::to_string(port), "--bind", "127.0.0.1 " + *address_});
  const auto get = [&](const std::string& path) {
    RawClient client(*address_, port);
    client.Send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    return client.ReadUntilClosed();
  };
  EXPECT_THAT(get("/healthz"), Optional(StartsWith("HTTP/1.1 200 ")));
  EXPECT_THAT(get("/readyz"), Optional(StartsWith("HTTP/1.1 200 ")));
  for (const char* path :
       {"/metrics", "/v1/LiveCheck", "/v1/check?name=n&key=k&limit=1&duration=1"}) {
    EXPECT_THAT(get(path), Optional(StartsWith("HTTP/1.1 403 ")));
  }
  RespClient inside(server_->port());
  EXPECT_EQ(InfoNumber(&inside, "rejected_connections"), 3);
}

// A node proves itself by the cluster's secret; nobody else from there is let in.
TEST_F(ProtectedModeTest, AnotherNodeNeedsNoPassword) {
  const std::vector<int> ports = {FreePort(), FreePort()};
  const auto at = [&](int port) { return *address_ + ":" + std::to_string(port); };
  std::vector<std::unique_ptr<ServerProcess>> nodes;
  for (int port : ports) {
    nodes.push_back(std::make_unique<ServerProcess>(
        std::vector<std::string>{"--port", std::to_string(port), "--bind", "127.0.0.1 " + *address_,
                                 "--advertise", at(port), "--cluster-enabled", "yes", "--peers",
                                 at(ports[0]) + " " + at(ports[1]), "--cluster-secret", "s3cret",
                                 "--on-owner-failure", "error", "--peer-timeout-ms", "10000"}));
    ASSERT_NE(nodes.back()->WaitForLog("count=2"), "");
  }
  RespClient inside(ports[0]);
  for (int i = 0; i < 20; ++i) {
    const std::string key = "key:" + std::to_string(i);
    EXPECT_EQ(inside.Run({"GUB.HIT", "n", key, "1", "10", "1h"}).items.size(), 3u);
  }
  EXPECT_GT(InfoNumber(&inside, "forwarded_requests"), 0);
  RawClient outside(*address_, ports[0]);
  EXPECT_THAT(outside.Run({"PING"}).text, StartsWith("DENIED "));
  EXPECT_TRUE(outside.ReadUntilClosed().has_value());
}

}  // namespace
}  // namespace gub
