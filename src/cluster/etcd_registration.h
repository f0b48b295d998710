// EtcdRegistration: keeps this node's own entry in etcd, under a lease that this node keeps alive.
// A node that dies is gone when its lease has run out.
//
//   state    | is doing                             | leaves it when
//   ---------+--------------------------------------+--------------------------------------------
//   granting | asks for a lease                     | granted -> putting; fault -> pausing
//   putting  | puts the entry under the lease       | done -> kept; fault -> pausing
//   kept     | keeps the lease alive, every third   | the lease is lost -> granting
//            | of it, or sooner after a fault       | the entry is missing -> putting
//   pausing  | nothing, for a jittered while        | the while ends -> granting
//   leaving  | gives the lease back                 | done, or the deadline -> gone
//   gone     | nothing                              | never
//
// Threads:  loop-confined.
// Memory:   may be destroyed at any time but inside its own callbacks; the lease then runs out.
// Errors:   are logged, and tried again until it works.

#ifndef GUB_CLUSTER_ETCD_REGISTRATION_H_
#define GUB_CLUSTER_ETCD_REGISTRATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cluster/backoff.h"
#include "cluster/etcd_client.h"
#include "cluster/member.h"
#include "net/timer.h"

namespace gub {

class EtcdRegistration {
 public:
  // Within which a node that leaves gives its lease back.
  static constexpr int64_t kLeaveMs = 1000;

  struct Options {
    std::vector<std::string> endpoints;
    std::string prefix;
    int64_t lease_s;
    Member self;
  };

  EtcdRegistration(Loop* loop, Options options);

  // on_first_try is called once: when the entry stands, or at the first fault.
  void Start(std::function<void()> on_first_try);

  // The entry was not there. One that is being made anyhow is not made twice.
  void Renew();

  // Gives the lease back, within kLeaveMs or not at all; then on_done is called.
  void Leave(std::function<void()> on_done);

 private:
  enum class State { kGranting, kPutting, kKept, kPausing, kLeaving, kGone };

  void Ask(const char* path, std::string body,
           void (EtcdRegistration::*on_answer)(const std::string&));
  void OnTimer();
  void Grant();
  void OnGrant(const std::string& body);
  void Put();
  void OnPut(const std::string& body);
  void KeepAlive();
  void OnKeepAlive(const std::string& body);
  void Revoke();
  void Gone();
  void OnFault(const absl::Status& status);
  void TriedOnce();

  const Options options_;
  std::function<void()> on_first_try_;
  std::function<void()> on_gone_;

  State state_ = State::kGone;
  std::string lease_id_;
  int64_t lease_ttl_ms_ = 0;
  size_t revoke_tries_ = 0;
  HttpClient::Id asked_ = 0;  // the question that is not answered yet
  Backoff backoff_;
  Timer timer_;
  EtcdClient client_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_ETCD_REGISTRATION_H_
