// EtcdClient: asks one endpoint of an etcd cluster, and after a fault the next.
//
// Threads:  loop-confined.
// Memory:   as HttpClient.
// Errors:   kUnavailable with the endpoint and the reason, also for an answer that is an error.

#ifndef GUB_CLUSTER_ETCD_CLIENT_H_
#define GUB_CLUSTER_ETCD_CLIENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "net/http_client.h"

namespace gub {

class EtcdClient {
 public:
  using OnAnswer = std::function<void(absl::StatusOr<std::string> body)>;
  using OnLine = std::function<void(std::string_view line)>;
  using OnEnd = std::function<void(absl::Status status)>;

  struct Question {
    const char* path;  // "/v3/kv/range"
    std::string body;
    int64_t timeout_ms;
  };

  // endpoints: URLs without a path, one or more.
  EtcdClient(Loop* loop, std::vector<std::string> endpoints);

  HttpClient::Id Ask(const Question& question, OnAnswer on_answer);
  // The lines of an answer that does not end. on_end's status is never OK.
  HttpClient::Id Watch(std::string body, OnLine on_line, OnEnd on_end);
  void Cancel(HttpClient::Id id) { http_.Cancel(id); }

  size_t endpoints() const { return endpoints_.size(); }

 private:
  absl::StatusOr<std::string> Judge(const std::string& endpoint,
                                    absl::StatusOr<HttpClient::Reply> reply);

  const std::vector<std::string> endpoints_;
  size_t next_ = 0;
  HttpClient http_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_ETCD_CLIENT_H_
