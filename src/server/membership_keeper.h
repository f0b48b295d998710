// MembershipKeeper: follows who is in the cluster, and publishes the table that comes of it.
//
// Threads:  confined to the housekeeping loop, which also makes the table: the workers never wait
//           for one.

#ifndef GUB_SERVER_MEMBERSHIP_KEEPER_H_
#define GUB_SERVER_MEMBERSHIP_KEEPER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "base/live_config.h"
#include "cluster/cluster.h"
#include "cluster/member_source.h"
#include "cluster/membership.h"
#include "net/loop.h"
#include "net/timer.h"

namespace gub {

class MembershipKeeper {
 public:
  // Errors: those of the source's options.
  static absl::StatusOr<std::unique_ptr<MembershipKeeper>> Make(Loop* loop, Cluster* cluster,
                                                                const LiveConfig* config, int port);

  // Follows the source from now on.
  void Start();

  // Tells the others that this node leaves; done is called when that is done, or cannot be.
  void Leave(std::function<void()> done) { source_->Leave(std::move(done)); }

 private:
  MembershipKeeper(Loop* loop, Cluster* cluster, const LiveConfig* config,
                   std::unique_ptr<MemberSource> source);

  void Take(const Membership::Verdict& verdict);
  void Publish();

  Cluster* const cluster_;
  const LiveConfig* const config_;
  std::unique_ptr<MemberSource> source_;
  Membership membership_;
  Timer look_;
};

}  // namespace gub

#endif  // GUB_SERVER_MEMBERSHIP_KEEPER_H_
