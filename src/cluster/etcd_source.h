// EtcdSource: the members that have registered themselves in etcd, this node among them.
//
// Reading and registering are apart: a node that cannot write still sees the others. When a list
// lacks this node, it registers again.

#ifndef GUB_CLUSTER_ETCD_SOURCE_H_
#define GUB_CLUSTER_ETCD_SOURCE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cluster/etcd_registration.h"
#include "cluster/etcd_watch.h"
#include "cluster/member_source.h"

namespace gub {

class EtcdSource : public MemberSource {
 public:
  // kInvalidArgument when there is no endpoint, or one that is no URL.
  static absl::StatusOr<std::unique_ptr<MemberSource>> Create(Loop* loop,
                                                              const SourceOptions& options);

  void Start(OnMembers on_members, OnTrouble on_trouble) override;
  void Leave(std::function<void()> on_done) override;
  bool LeaveTakesEffect() const override { return true; }

 private:
  EtcdSource(Loop* loop, EtcdRegistration::Options options);

  void OnList(std::vector<Member> members);

  const std::string own_address_;
  const std::string prefix_;
  OnMembers on_members_;
  OnTrouble on_trouble_;
  EtcdWatch watch_;
  EtcdRegistration registration_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_ETCD_SOURCE_H_
