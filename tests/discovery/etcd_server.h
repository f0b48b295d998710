// EtcdServer: an etcd on ports of 127.0.0.1, whose data outlive it.
//
// Threads:  one at a time.
// Errors:   an etcd that does not become ready, or does not answer 200, fails the test.

#ifndef GUB_TESTS_DISCOVERY_ETCD_SERVER_H_
#define GUB_TESTS_DISCOVERY_ETCD_SERVER_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "tests/discovery/scratch_dir.h"
#include "tests/support/free_port.h"
#include "tests/support/program.h"
#include "tests/support/raw_client.h"

namespace gub {

class EtcdServer {
 public:
  EtcdServer() : port_(FreePort()), peer_port_(FreePort()) { Start(); }

  void Start() {
    const std::string url = "http://127.0.0.1:" + std::to_string(port_);
    const std::string peer_url = "http://127.0.0.1:" + std::to_string(peer_port_);
    // A proxy of the environment is not for it.
    etcd_ = std::make_unique<Program>(
        std::vector<std::string>{"etcd", "--data-dir", data_.Path("etcd"), "--listen-client-urls",
                                 url, "--advertise-client-urls", url, "--listen-peer-urls",
                                 peer_url, "--initial-advertise-peer-urls", peer_url,
                                 "--initial-cluster", "default=" + peer_url, "--heartbeat-interval",
                                 "20", "--election-timeout", "200"},
        std::vector<std::string>{"NO_PROXY=*", "no_proxy=*"});
    EXPECT_FALSE(etcd_->WaitForErr("ready to serve client requests").empty()) << etcd_->Err();
  }
  // As by a power cut.
  void Stop() { etcd_.reset(); }

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // The body of the answer.
  std::string Ask(const std::string& path, const std::string& body) {
    RawClient client(port_);
    client.Send("POST " + path +
                " HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string answer = client.ReadUntilClosed().value_or("");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << path << ' ' << body << ": " << answer;
    return answer.substr(std::min(answer.find("\r\n\r\n"), answer.size()));
  }

  void Put(const std::string& key, const std::string& value) {
    Ask("/v3/kv/put", R"({"key":")" + absl::Base64Escape(key) + R"(","value":")" +
                          absl::Base64Escape(value) + R"("})");
  }
  void Delete(const std::string& key) {
    Ask("/v3/kv/deleterange", R"({"key":")" + absl::Base64Escape(key) + R"("})");
  }

  // The number behind `name` in what is known of a key: "lease", "mod_revision"; "" when the key is
  // not there.
  std::string FieldOf(const std::string& key, const std::string& name) {
    return Field(Ask("/v3/kv/range", R"({"key":")" + absl::Base64Escape(key) + R"("})"), name);
  }
  static std::string Field(const std::string& answer, const std::string& name) {
    const std::string before = "\"" + name + "\":\"";
    const size_t begin = answer.find(before);
    if (begin == std::string::npos) return "";
    const size_t end = answer.find('"', begin + before.size());
    return answer.substr(begin + before.size(), end - begin - before.size());
  }

 private:
  const ScratchDir data_;
  const int port_;
  const int peer_port_;
  std::unique_ptr<Program> etcd_;
};

}  // namespace gub

#endif  // GUB_TESTS_DISCOVERY_ETCD_SERVER_H_
