// The source `dns` against a real dnsmasq.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "tests/discovery/dns_server.h"
#include "tests/discovery/scratch_dir.h"
#include "tests/discovery/source_run.h"

namespace gub {

namespace {

SourceOptions OptionsFor(const std::string& server, const std::vector<std::string>& names) {
  SourceOptions options;
  options.discovery = "dns";
  options.dns_names = names;
  options.dns_server = server;
  return options;
}

// A name server that answers nothing but "I could not".
class FailingServer {
 public:
  FailingServer() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FailingServer() {
    stop_ = true;
    thread_.join();
    close(fd_);
  }
  FailingServer(const FailingServer&) = delete;
  FailingServer& operator=(const FailingServer&) = delete;

  int port() const { return port_; }

 private:
  void Serve() {
    while (!stop_) {
      pollfd readable{fd_, POLLIN, 0};
      if (poll(&readable, 1, 20) <= 0) continue;
      std::array<char, 1024> message;
      sockaddr_in from{};
      socklen_t size = sizeof(from);
      const ssize_t bytes = recvfrom(fd_, message.data(), message.size(), 0,
                                     reinterpret_cast<sockaddr*>(&from), &size);
      if (bytes < 12) continue;
      message[2] = static_cast<char>(0x81);  // an answer
      message[3] = static_cast<char>(0x82);  // SERVFAIL
      sendto(fd_, message.data(), static_cast<size_t>(bytes), 0, reinterpret_cast<sockaddr*>(&from),
             size);
    }
  }

  const int fd_;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(DnsSourceTest, UnitesAddressesOfBothFamilies) {
  DnsServer dns({"--host-record=gub.test,10.0.0.1,fd00::1", "--host-record=gub.test,10.0.0.2"});
  SourceRun run(OptionsFor(dns.address(), {"gub.test:7000"}));
  EXPECT_TRUE(run.Becomes("10.0.0.1:7000 10.0.0.2:7000 [fd00::1]:7000"));
  EXPECT_TRUE(run.Leave());
}

TEST(DnsSourceTest, TakesANameThatHasAddressesOfOneFamilyOnly) {
  DnsServer dns({"--host-record=v4.test,10.0.0.1", "--host-record=v6.test,fd00::1"});
  SourceRun run(OptionsFor(dns.address(), {"v4.test", "V6.Test."}));
  EXPECT_TRUE(run.Becomes("10.0.0.1:7379 [fd00::1]:7379"));
}

TEST(DnsSourceTest, TakesServicesWithTheirPortsAndWeights) {
  DnsServer dns({"--srv-host=_gub._tcp.test,n1.test,7001,0,0",
                 "--srv-host=_gub._tcp.test,N2.test,7002,0,5",
                 "--srv-host=_gub._tcp.test,n3.test,7003,9,60000"});
  SourceRun run(OptionsFor(dns.address(), {"srv:_gub._tcp.test"}));
  EXPECT_TRUE(run.Becomes("n1.test:7001 n2.test:7002*5 n3.test:7003*1000"));
}

TEST(DnsSourceTest, UnitesAllNames) {
  DnsServer dns({"--srv-host=_gub._tcp.test,n1.test,7001", "--host-record=gub.test,10.0.0.1"});
  SourceRun run(OptionsFor(dns.address(), {"srv:_gub._tcp.test", "gub.test"}));
  EXPECT_TRUE(run.Becomes("10.0.0.1:7379 n1.test:7001"));
}

TEST(DnsSourceTest, SeesChangedRecordsWhenTheirTtlHasEnded) {
  ScratchDir dir;
  dir.Write("hosts", "10.0.0.1 gub.test\n");
  DnsServer dns({"--addn-hosts=" + dir.Path("hosts")});
  SourceRun run(OptionsFor(dns.address(), {"gub.test"}));
  EXPECT_TRUE(run.Becomes("10.0.0.1:7379"));
  dir.Write("hosts", "10.0.0.1 gub.test\n10.0.0.2 gub.test\nfd00::3 gub.test\n");
  dns.Reload();
  EXPECT_TRUE(run.Becomes("10.0.0.1:7379 10.0.0.2:7379 [fd00::3]:7379"));
  dir.Write("hosts", "10.0.0.2 gub.test\n");
  dns.Reload();
  EXPECT_TRUE(run.Becomes("10.0.0.2:7379"));
}

TEST(DnsSourceTest, SeesChangedServices) {
  DnsServer dns({"--srv-host=_gub._tcp.test,n1.test,7001"});
  SourceRun run(OptionsFor(dns.address(), {"srv:_gub._tcp.test"}));
  EXPECT_TRUE(run.Becomes("n1.test:7001"));
  dns.Restart({"--srv-host=_gub._tcp.test,n1.test,7001,0,3"});
  EXPECT_TRUE(run.Becomes("n1.test:7001*3"));
}

TEST(DnsSourceTest, HoldsAnAnswerForItsTtl) {
  DnsServer dns({"--host-record=gub.test,10.0.0.1,600", "--host-record=v6.test,fd00::1,600",
                 "--host-record=short.test,10.0.0.9"});
  SourceRun holding(OptionsFor(dns.address(), {"gub.test", "v6.test"}));
  SourceRun asking(OptionsFor(dns.address(), {"gub.test", "short.test"}));
  ASSERT_TRUE(holding.Becomes("10.0.0.1:7379 [fd00::1]:7379"));
  // The least TTL counts: the second source asks again, and again, and the first does not.
  EXPECT_TRUE(asking.ReadsAgain(2));
  EXPECT_EQ(holding.lists(), 1u);
}

TEST(DnsSourceTest, TellsOfANameThatIsGoneAndReadsItWhenItIsBack) {
  DnsServer dns({"--host-record=gub.test,10.0.0.1"});
  SourceRun run(OptionsFor(dns.address(), {"gub.test"}));
  EXPECT_TRUE(run.Becomes("10.0.0.1:7379"));
  dns.Restart({});
  EXPECT_TRUE(run.GetsTrouble("'gub.test' does not exist"));
  dns.Restart({"--host-record=gub.test,10.0.0.2"});
  EXPECT_TRUE(run.Becomes("10.0.0.2:7379"));
}

TEST(DnsSourceTest, TellsOfAnEmptyAnswer) {
  DnsServer dns({"--txt-record=gub.test,there is a name but no address"});
  SourceRun addresses(OptionsFor(dns.address(), {"gub.test"}));
  EXPECT_TRUE(addresses.GetsTrouble("'gub.test' has no such records"));
  SourceRun services(OptionsFor(dns.address(), {"srv:gub.test"}));
  EXPECT_TRUE(services.GetsTrouble("'gub.test' has no such records"));
}

TEST(DnsSourceTest, TellsOfAServerThatCouldNot) {
  FailingServer failing;
  DnsServer dns({"--server=127.0.0.1#" + std::to_string(failing.port())});
  SourceRun addresses(OptionsFor(dns.address(), {"gub.example"}));
  EXPECT_TRUE(addresses.GetsTrouble("'gub.example' could not be resolved"));
  SourceRun services(OptionsFor(dns.address(), {"srv:_gub._tcp.example"}));
  EXPECT_TRUE(services.GetsTrouble("'_gub._tcp.example' could not be resolved"));
}

TEST(DnsSourceTest, TakesNoHalfOfAList) {
  FailingServer failing;
  DnsServer dns(
      {"--host-record=gub.test,10.0.0.1", "--server=127.0.0.1#" + std::to_string(failing.port())});
  SourceRun run(OptionsFor(dns.address(), {"gub.test", "gub.example"}));
  EXPECT_TRUE(run.GetsTrouble("'gub.example' could not be resolved"));
  EXPECT_EQ(run.lists(), 0u);
}

TEST(DnsSourceTest, StartsWithoutAServerAndFindsItLater) {
  DnsServer dns({});
  dns.Stop();
  SourceRun run(OptionsFor(dns.address(), {"gub.test"}));
  EXPECT_TRUE(run.GetsTrouble("'gub.test' could not be resolved"));
  dns.Restart({"--host-record=gub.test,10.0.0.1"});
  EXPECT_TRUE(run.Becomes("10.0.0.1:7379"));
}

TEST(DnsSourceTest, TakesAnswersThatAreTooLongForOnePacket) {
  std::vector<std::string> records;
  for (int i = 1; i <= 100; ++i) {
    records.push_back("--host-record=gub.test,10.0.0." + std::to_string(i));
  }
  DnsServer dns(records);
  SourceRun run(OptionsFor(dns.address(), {"gub.test"}));
  EXPECT_TRUE(Eventually([&] { return run.lists() > 0; })) << run.LastTrouble();
  const std::string list = run.Last();
  EXPECT_EQ(std::count(list.begin(), list.end(), ' '), 99) << list;
}

}  // namespace
}  // namespace gub
