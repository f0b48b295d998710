// TestCluster: several gub-servers of this build that are one cluster, on free ports of 127.0.0.1.

#ifndef GUB_TESTS_SUPPORT_TEST_CLUSTER_H_
#define GUB_TESTS_SUPPORT_TEST_CLUSTER_H_

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {

class TestCluster {
 public:
  // options: beside those that make the cluster. What is not answered within timeout_ms, which is
  // long, so that a stall of the machine is no dead owner, is an error unless they say otherwise.
  explicit TestCluster(size_t nodes, std::vector<std::string> options = {}, int timeout_ms = 10'000)
      : options_(std::move(options)), timeout_ms_(timeout_ms) {
    for (size_t i = 0; i < nodes; ++i) ports_.push_back(FreePort());
    servers_.resize(nodes);
    for (size_t i = 0; i < nodes; ++i) Start(i);
  }

  size_t size() const { return servers_.size(); }
  int port(size_t node) const { return ports_[node]; }
  std::string AddressOf(size_t node) const { return "127.0.0.1:" + std::to_string(ports_[node]); }
  ServerProcess& server(size_t node) { return *servers_[node]; }

  void Start(size_t node) {
    std::vector<std::string> options = {
        "--port", std::to_string(ports_[node]), "--threads", "2", "--advertise", AddressOf(node),
        "--peers"};
    for (size_t i = 0; i < ports_.size(); ++i) options.push_back(AddressOf(i));
    options.insert(options.end(),
                   {"--cluster-enabled", "yes", "--peer-timeout-ms", std::to_string(timeout_ms_)});
    if (std::find(options_.begin(), options_.end(), "--on-owner-failure") == options_.end()) {
      options.insert(options.end(), {"--on-owner-failure", "error"});
    }
    options.insert(options.end(), options_.begin(), options_.end());
    servers_[node] = std::make_unique<ServerProcess>(options);
    EXPECT_NE(servers_[node]->WaitForLog("the members have changed"), "");
  }
  void Kill(size_t node) {
    servers_[node]->Signal(SIGKILL);
    EXPECT_EQ(servers_[node]->WaitForExit(), 128 + SIGKILL);
  }

  // The node that owns a key, asked of the node `of`.
  size_t OwnerOf(const std::string& key, size_t of = 0) {
    const std::string owner = RespClient(ports_[of]).Run({"GUB.OWNER", key}).text;
    for (size_t i = 0; i < size(); ++i) {
      if (AddressOf(i) == owner) return i;
    }
    ADD_FAILURE() << "no owner: " << owner;
    return 0;
  }
  // A key that `node` owns; another for each number.
  std::string KeyOf(size_t node, int number = 0) {
    for (int i = 0;; ++i) {
      const std::string key = "key:" + std::to_string(i);
      if (OwnerOf(key) == node && number-- == 0) return key;
    }
  }

 private:
  const std::vector<std::string> options_;
  const int timeout_ms_;
  std::vector<int> ports_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;
};

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_TEST_CLUSTER_H_
