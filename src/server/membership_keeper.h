// MembershipKeeper: follows who is in the cluster, and publishes the view that comes of it.
//
// Threads:  confined to the housekeeping loop, which also makes the table: the workers never wait
//           for one.
// Memory:   may be destroyed at any time but inside its own callbacks.

#ifndef GUB_SERVER_MEMBERSHIP_KEEPER_H_
#define GUB_SERVER_MEMBERSHIP_KEEPER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cluster/member_source.h"
#include "cluster/membership.h"
#include "cluster/self_finder.h"
#include "command/node.h"
#include "net/loop.h"
#include "net/timer.h"

namespace gub {

class MembershipKeeper {
 public:
  // How long the others may take to hear that this node leaves, and then to ask it no more.
  static constexpr int64_t kSayLeaveMs = 1000;
  static constexpr int64_t kLastRequestsMs = 2000;
  // For how long nobody must have asked, then.
  static constexpr int64_t kSilenceMs = 150;

  // Connects to a member, on some worker.
  using TryLink = std::function<void(const std::string& address)>;

  // Errors: those of the source's options. REQUIRES: the node is in a cluster, and listens.
  static absl::StatusOr<std::unique_ptr<MembershipKeeper>> Make(Loop* loop, Node* node,
                                                                TryLink try_link);

  // The same with this source.
  MembershipKeeper(Loop* loop, Node* node, std::unique_ptr<MemberSource> source, TryLink try_link);
  ~MembershipKeeper() { *alive_ = nullptr; }
  MembershipKeeper(const MembershipKeeper&) = delete;
  MembershipKeeper& operator=(const MembershipKeeper&) = delete;

  // Follows the source from now on.
  void Start();

  // What the workers have heard, on this loop.
  void FoundSelf(const std::string& address) { self_.Found(address); }
  void FoundOther(const std::string& address) { self_.FoundOther(address); }
  void MemberLeaves(const std::string& address);

  // Leaves the cluster: discovery first, then whoever is a member hears it by say_leave, then this
  // node's own requests go to the others, and theirs are answered until they ask no more. `done` is
  // called when that is done, or has taken too long. say_leave may call back from any thread.
  using SayLeave = std::function<void(std::function<void()> said)>;
  void Leave(SayLeave say_leave, std::function<void()> done);

 private:
  void Take(const Membership::Verdict& verdict);
  // With the options as they are now.
  Membership& Current();
  void Publish();
  bool KnowsItselfAsPublished() const;
  void AfterSaid();
  void AwaitSilence();

  Loop* const loop_;
  Node* const node_;
  std::unique_ptr<MemberSource> source_;
  SelfFinder self_;
  Membership membership_;
  Timer look_;

  std::function<void()> left_;  // once it leaves
  bool said_ = false;           // the others have heard, or had their time
  int64_t silent_since_mono_ms_ = 0;
  int64_t leave_until_mono_ms_ = 0;
  uint64_t heard_requests_ = 0;
  Timer leave_timer_;
  std::shared_ptr<MembershipKeeper*> alive_ = std::make_shared<MembershipKeeper*>(this);
};

}  // namespace gub

#endif  // GUB_SERVER_MEMBERSHIP_KEEPER_H_
