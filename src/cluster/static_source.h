// StaticSource: the members that the options name.

#ifndef GUB_CLUSTER_STATIC_SOURCE_H_
#define GUB_CLUSTER_STATIC_SOURCE_H_

#include <functional>
#include <utility>
#include <vector>

#include "cluster/member_source.h"
#include "net/timer.h"

namespace gub {

class StaticSource : public MemberSource {
 public:
  StaticSource(Loop* loop, std::vector<Member> members)
      : members_(std::move(members)), once_(loop, [this] { on_members_(members_); }) {}

  void Start(OnMembers on_members, OnTrouble /*on_trouble*/) override {
    on_members_ = std::move(on_members);
    once_.Start(0, 0);
  }

  void Leave(std::function<void()> on_done) override {
    once_.Stop();
    on_done();
  }

 private:
  const std::vector<Member> members_;
  OnMembers on_members_;
  Timer once_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_STATIC_SOURCE_H_
