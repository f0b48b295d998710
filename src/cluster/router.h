// Router: which peer of a worker has to be asked about a key.
//
// Threads:  loop-confined; one per worker.

#ifndef GUB_CLUSTER_ROUTER_H_
#define GUB_CLUSTER_ROUTER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/peer_client.h"

namespace gub {

class Router {
 public:
  explicit Router(PeerClient::Place place) : place_(std::move(place)), table_(*place_.cluster) {}

  // Takes over a new table, and ends the links to who is no longer in it: what they had on the way
  // is answered by its fallback. To be called when no request is being forwarded.
  void Refresh();

  // The link to the owner of a key; nullptr: the owner is this node.
  PeerClient* OwnerOf(std::string_view key);

  const SlotTable& table() const { return *table_; }
  // The links that there are.
  std::vector<const PeerClient*> peers() const;

 private:
  const PeerClient::Place place_;
  TableView table_;
  std::map<std::string, std::unique_ptr<PeerClient>, std::less<>> peers_;  // by address
};

}  // namespace gub

#endif  // GUB_CLUSTER_ROUTER_H_
