#include "cluster/cluster.h"

#include <algorithm>

namespace gub {

Cluster::Cluster(Member self, std::string node_id, std::string calendar_timezone)
    : self_(std::move(self)),
      node_id_(std::move(node_id)),
      calendar_timezone_(std::move(calendar_timezone)) {
  Publish({self_}, [this](const std::string& address) { return address == self_.address; });
}

PeerIdentity Cluster::identity() const {
  const std::shared_ptr<const ClusterView> seen = view();
  return {node_id_, seen->address, seen->digest};
}

void Cluster::Publish(std::vector<Member> members, const IsSelf& is_self) {
  const uint64_t epoch = epoch_.load() + 1;
  const uint64_t digest = ViewDigest(members, calendar_timezone_);
  auto made = std::make_shared<ClusterView>(
      ClusterView{SlotTable(std::move(members), epoch), {}, "", digest});
  for (const Member& member : made->table.members()) {
    made->is_self.push_back(is_self(member.address));
    // The first, unless the list has the name that it was given.
    const bool first = made->is_self.back() && made->address.empty();
    if (first || member.address == self_.address) made->address = member.address;
  }
  if (made->address.empty()) made->address = self_.address;
  MutexLock lock(&mu_);
  view_ = std::move(made);
  epoch_.store(epoch, std::memory_order_release);
}

std::shared_ptr<const ClusterView> Cluster::view() const {
  MutexLock lock(&mu_);
  return view_;
}

int64_t Cluster::ViewMismatches() const {
  const uint64_t digest = view()->digest;
  const std::vector<PeerSummary> links = peers_.Links();
  return std::count_if(links.begin(), links.end(), [digest](const PeerSummary& link) {
    return link.ready > 0 && link.digest != digest;
  });
}

}  // namespace gub
