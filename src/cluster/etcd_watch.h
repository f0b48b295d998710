// EtcdWatch: reads the members' entries from etcd, and again whenever one of them changes.
//
//   state    | is doing                              | leaves it when
//   ---------+---------------------------------------+---------------------------------------------
//   listing  | reads the list                        | read -> watching; fault -> pausing
//   watching | waits for changes since that list;    | the stream ends (cut off, cancelled, or
//            | after one, and every kRelistMs, reads | compacted), or a list could not be read
//            | the list again                        | -> pausing
//   pausing  | nothing, for a jittered while         | the while ends -> listing
//   stopped  | nothing                               | never
//
// A change is only a reason to read the list anew: so there is one way in which a list comes about,
// and what the stream may have missed, when it hangs on a connection that is dead, is made good.
//
// Threads:  loop-confined.
// Memory:   may be destroyed at any time but inside its own callbacks.
// Errors:   a list that could not be read is told with the reason, and tried again.

#ifndef GUB_CLUSTER_ETCD_WATCH_H_
#define GUB_CLUSTER_ETCD_WATCH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/backoff.h"
#include "cluster/etcd_client.h"
#include "cluster/member.h"
#include "net/timer.h"

namespace gub {

class EtcdWatch {
 public:
  static constexpr int64_t kRelistMs = 30'000;

  // The list may be empty.
  using OnMembers = std::function<void(std::vector<Member> members)>;
  using OnTrouble = std::function<void(std::string reason)>;

  EtcdWatch(Loop* loop, std::vector<std::string> endpoints, std::string prefix);

  void Start(OnMembers on_members, OnTrouble on_trouble);
  void Stop();

 private:
  enum class State { kListing, kWatching, kPausing, kStopped };

  void OnTimer();
  void List();
  void OnList(const absl::StatusOr<std::string>& answer);
  void Watch(int64_t from_revision);
  void OnLine(std::string_view line);
  void Pause();

  const std::string prefix_;
  OnMembers on_members_;
  OnTrouble on_trouble_;

  State state_ = State::kStopped;
  HttpClient::Id list_ = 0;   // that is being read
  HttpClient::Id watch_ = 0;  // that is open
  bool list_is_old_ = false;  // something has changed since it was asked for
  Backoff backoff_;
  Timer timer_;
  EtcdClient client_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_ETCD_WATCH_H_
