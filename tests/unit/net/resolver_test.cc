#include "net/resolver.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace gub {

namespace {

using ::testing::ElementsAre;

constexpr int kSrv = 33;

// A name server that answers each question of a type with the same records; others, with none.
class NameServer {
 public:
  explicit NameServer(int type, std::vector<std::string> records)
      : type_(type), records_(std::move(records)), fd_(socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~NameServer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void Serve() {
    for (;;) {
      std::array<char, 1024> bytes;
      sockaddr_in from{};
      socklen_t size = sizeof(from);
      const ssize_t count =
          recvfrom(fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (count < 12) return;
      std::string message(bytes.data(), static_cast<size_t>(count));
      message[2] = static_cast<char>(0x81);
      message[3] = static_cast<char>(0x80);
      if (message[message.size() - 3] == static_cast<char>(type_)) {
        message[7] = static_cast<char>(records_.size());
        for (const std::string& record : records_) message += record;
      }
      sendto(fd_, message.data(), message.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
    }
  }

  const int type_;
  const std::vector<std::string> records_;
  const int fd_;
  int port_ = 0;
  std::thread thread_;
};

std::string Short(int number) {
  return {static_cast<char>(number >> 8), static_cast<char>(number)};
}

// A record of the name that was asked for.
std::string Record(int type, int ttl_s, const std::string& data) {
  return std::string("\xc0\x0c", 2) + Short(type) + Short(1) + Short(0) + Short(ttl_s) +
         Short(static_cast<int>(data.size())) + data;
}

class ResolverTest : public ::testing::Test {
 protected:
  void Use(const std::string& server) { resolver_ = *Resolver::Create(&loop_, server); }
  void Finish() {
    loop_.Post([this] {
      resolver_.reset();
      loop_.CloseMailbox();
    });
  }
  absl::StatusOr<Resolver::Addresses> AskAddresses(const std::string& name) {
    absl::StatusOr<Resolver::Addresses> got = absl::UnknownError("no answer");
    resolver_->AskAddresses(name, [&](absl::StatusOr<Resolver::Addresses> answer) {
      got = std::move(answer);
      Finish();
    });
    EXPECT_EQ(got.status().code(), absl::StatusCode::kUnknown) << "called from within";
    loop_.Run();
    return got;
  }
  absl::StatusOr<Resolver::Services> AskServices(const std::string& name) {
    absl::StatusOr<Resolver::Services> got = absl::UnknownError("no answer");
    resolver_->AskServices(name, [&](absl::StatusOr<Resolver::Services> answer) {
      got = std::move(answer);
      Finish();
    });
    loop_.Run();
    return got;
  }

  Loop loop_;
  std::unique_ptr<Resolver> resolver_;
};

TEST_F(ResolverTest, TakesTheLeastTtlOfAddresses) {
  NameServer server(1, {Record(1, 300, {10, 0, 0, 1}), Record(1, 20, {10, 0, 0, 2})});
  Use(server.address());
  const absl::StatusOr<Resolver::Addresses> addresses = AskAddresses("gub.example.");
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  EXPECT_THAT(addresses->hosts, ElementsAre("10.0.0.1", "10.0.0.2"));
  EXPECT_EQ(addresses->ttl_s, 20);
}

TEST_F(ResolverTest, TakesTheLeastTtlOfServicesAndLeavesTheRootOut) {
  const std::string host(
      "\x02n1\x07"
      "example\0",
      12);
  const std::string root(1, '\0');
  NameServer server(kSrv, {Record(kSrv, 300, Short(0) + Short(5) + Short(7001) + host),
                           Record(kSrv, 30, Short(9) + Short(0) + Short(7002) + host),
                           Record(kSrv, 40, Short(0) + Short(0) + Short(0) + root)});
  Use(server.address());
  const absl::StatusOr<Resolver::Services> services = AskServices("_gub._tcp.example.");
  ASSERT_TRUE(services.ok()) << services.status();
  ASSERT_EQ(services->services.size(), 2u);
  EXPECT_EQ(services->services[0].host, "n1.example");
  EXPECT_EQ(services->services[0].port + services->services[1].port, 7001 + 7002);
  EXPECT_EQ(services->ttl_s, 30);
}

TEST_F(ResolverTest, TellsAnAnswerWithoutRecords) {
  NameServer server(0, {});
  Use(server.address());
  EXPECT_EQ(AskAddresses("gub.example.").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ResolverTest, TellsServicesThatDecidedlyAreNot) {
  NameServer server(kSrv,
                    {Record(kSrv, 40, Short(0) + Short(0) + Short(0) + std::string(1, '\0'))});
  Use(server.address());
  EXPECT_EQ(AskServices("_gub._tcp.example.").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ResolverTest, TellsAnAnswerThatIsCutOff) {
  NameServer server(kSrv, {Record(kSrv, 40, Short(0))});
  Use(server.address());
  EXPECT_EQ(AskServices("_gub._tcp.example.").status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ResolverTest, NeedsNoServerForAnAddress) {
  Use("");
  const absl::StatusOr<Resolver::Addresses> addresses = AskAddresses("127.0.0.1");
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  EXPECT_THAT(addresses->hosts, ElementsAre("127.0.0.1"));
}

TEST_F(ResolverTest, TellsThatNoServerAnswers) {
  Use("127.0.0.1:1");
  const absl::Status status = AskServices("_gub._tcp.example.").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

TEST_F(ResolverTest, RefusesAServerThatIsNoAddress) {
  EXPECT_EQ(Resolver::Create(&loop_, "nobody:53").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ResolverTest, MayBeAskedAgainFromWithinAnAnswer) {
  NameServer server(1, {Record(1, 300, {10, 0, 0, 1})});
  Use(server.address());
  int answers = 0;
  Resolver::OnAddresses ask = [&](const absl::StatusOr<Resolver::Addresses>& answer) {
    EXPECT_TRUE(answer.ok()) << answer.status();
    ++answers < 3 ? resolver_->AskAddresses("gub.example.", ask) : Finish();
  };
  resolver_->AskAddresses("gub.example.", ask);
  loop_.Run();
  EXPECT_EQ(answers, 3);
}

TEST_F(ResolverTest, CallsNobodyOnceItIsGone) {
  NameServer server(1, {Record(1, 300, {10, 0, 0, 1})});
  Use(server.address());
  const auto never = [](const auto&) { FAIL() << "a destroyed resolver has called"; };
  resolver_->AskAddresses("gub.example.", never);
  resolver_->AskServices("gub.example.", never);
  Finish();
  loop_.Run();
}

}  // namespace
}  // namespace gub
