// Router: which peer of a worker has to be asked about a key.
//
// Threads:  loop-confined; one per worker.

#ifndef GUB_CLUSTER_ROUTER_H_
#define GUB_CLUSTER_ROUTER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/peer_client.h"
#include "cluster/slot.h"
#include "net/fine_timer.h"
#include "net/name_cache.h"

namespace gub {

class Router {
 public:
  // place: without clock and names, which are the router's own.
  explicit Router(const PeerClient::Place& place);

  // Takes over a new view, and ends the links to who is no longer in it: what they had on the way
  // is answered by its fallback. To be called when no request is being forwarded.
  void Refresh();

  // Looks whether peers live that have been silent for a while. To be called every second or so.
  void KeepAlive();

  // Connects to a member, if it is none of this node's own addresses, to see whether it lives.
  void Try(std::string_view address);

  // Gives up all that was forwarded: its fallback answers.
  void GiveUp();

  // Tells every other member that this node leaves. `done` is called once, when all have heard or
  // cannot be reached.
  void SayLeave(std::function<void()> done);

  // The link to a member; nullptr: there is none at this address, or it is this node.
  PeerClient* Find(std::string_view address);

  // The link to the owner of a key, good until the next Refresh; nullptr: the owner is this node.
  PeerClient* OwnerOf(std::string_view key) {
    const size_t owner = view_->table.OwnerOf(SlotOf(key));
    return view_->IsOwn(owner) ? nullptr : PeerAt(owner);
  }

  const ClusterView& view() const { return *view_; }

 private:
  PeerClient* PeerAt(size_t member) {
    PeerClient* const known = by_member_[member];
    return known != nullptr ? known : MakePeerAt(member);
  }
  PeerClient* MakePeerAt(size_t member);

  FineClock clock_;
  std::unique_ptr<NameCache> names_;
  PeerClient::Place place_;
  ViewCache view_;
  std::map<std::string, std::unique_ptr<PeerClient>, std::less<>> peers_;  // by address
  std::vector<PeerClient*> by_member_;  // of the view; nullptr: not asked for since it came
};

}  // namespace gub

#endif  // GUB_CLUSTER_ROUTER_H_
