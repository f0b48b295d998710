// Cluster: what a node knows of its cluster, for all its threads.
//
// Threads:  thread-safe. A view is immutable; a thread reads it through a ViewCache of its own.

#ifndef GUB_CLUSTER_CLUSTER_H_
#define GUB_CLUSTER_CLUSTER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "cluster/greeting.h"
#include "cluster/member.h"
#include "cluster/peer_registry.h"
#include "cluster/slot_table.h"

namespace gub {

// The members as this node sees them, and which of them it is itself: one as a rule; several when
// the list names it more than once; none when it has left.
struct ClusterView {
  SlotTable table;
  std::vector<bool> is_self;  // by place in table.members()
  std::string address;        // by which the others know this node
  uint64_t digest = 0;

  bool IsOwn(size_t member) const { return is_self[member]; }
};

class Cluster {
 public:
  // Whether a member of the list is this node.
  using IsSelf = std::function<bool(const std::string& address)>;

  // Until the first list the node is alone, and owns all slots.
  Cluster(Member self, std::string node_id, std::string calendar_timezone);

  const std::string& node_id() const { return node_id_; }
  // As it knows itself, when no list says otherwise.
  const Member& self() const { return self_; }
  PeerIdentity identity() const;

  // Makes the table of a new list, and makes it the one that counts. REQUIRES: at least one member.
  void Publish(std::vector<Member> members, const IsSelf& is_self);

  std::shared_ptr<const ClusterView> view() const;
  // Which view that is: rises with each.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  // How many peers see another cluster than this node does, as they told last.
  int64_t ViewMismatches() const;

  PeerRegistry& peers() { return peers_; }
  const PeerRegistry& peers() const { return peers_; }

  // What the threads tell whoever keeps the list; to be set before they run.
  struct Hooks {
    // The node at this address has the id of this one.
    std::function<void(const std::string& address)> found_self = [](const std::string&) {};
    // The node at this address is another one.
    std::function<void(const std::string& address)> found_other = [](const std::string&) {};
    // The node at this address leaves.
    std::function<void(const std::string& address)> member_leaves = [](const std::string&) {};
  };
  Hooks hooks;

 private:
  const Member self_;
  const std::string node_id_;
  const std::string calendar_timezone_;
  PeerRegistry peers_;
  std::atomic<uint64_t> epoch_{0};
  mutable Mutex mu_;
  std::shared_ptr<const ClusterView> view_ ABSL_GUARDED_BY(mu_);
};

// The present view, for one thread.
class ViewCache {
 public:
  explicit ViewCache(const Cluster& cluster) : cluster_(cluster), view_(cluster.view()) {}

  // Catches up; whether there was a new one.
  bool Refresh() {
    if (cluster_.epoch() == view_->table.epoch()) return false;
    view_ = cluster_.view();
    return true;
  }
  const ClusterView& operator*() const { return *view_; }
  const ClusterView* operator->() const { return view_.get(); }

 private:
  const Cluster& cluster_;
  std::shared_ptr<const ClusterView> view_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_CLUSTER_H_
