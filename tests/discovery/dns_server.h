// DnsServer: a dnsmasq on a port of 127.0.0.1, for the zone "test".
//
//   DnsServer dns({"--host-record=gub.test,10.0.0.1"});
//
// Threads:  one at a time.
// Errors:   a dnsmasq that does not start fails the test.

#ifndef GUB_TESTS_DISCOVERY_DNS_SERVER_H_
#define GUB_TESTS_DISCOVERY_DNS_SERVER_H_

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/program.h"

namespace gub {

class DnsServer {
 public:
  explicit DnsServer(const std::vector<std::string>& records) : port_(FreePort()) {
    Restart(records);
  }

  // With other records, on the same port.
  void Restart(const std::vector<std::string>& records) {
    Stop();
    std::vector<std::string> command = {"/usr/sbin/dnsmasq",
                                        "--keep-in-foreground",
                                        "--log-facility=-",
                                        "--conf-file=/dev/null",
                                        "--pid-file=",
                                        "--user=",
                                        "--group=",
                                        "--no-hosts",
                                        "--no-resolv",
                                        "--bind-interfaces",
                                        "--listen-address=127.0.0.1",
                                        "--local=/test/",
                                        "--local-ttl=1",
                                        "--port=" + std::to_string(port_)};
    command.insert(command.end(), records.begin(), records.end());
    program_ = std::make_unique<Program>(command);
    EXPECT_TRUE(Eventually([this] { return IsListening(port_); })) << program_->Err();
  }

  void Stop() { program_.reset(); }

  // Reads the files of --addn-hosts again.
  void Reload() { program_->Signal(SIGHUP); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int port_;
  std::unique_ptr<Program> program_;
};

}  // namespace gub

#endif  // GUB_TESTS_DISCOVERY_DNS_SERVER_H_
