// Cluster: what a node knows of its cluster, for all its threads.
//
// Threads:  thread-safe. The table is immutable; a thread reads it through a TableView of its own.

#ifndef GUB_CLUSTER_CLUSTER_H_
#define GUB_CLUSTER_CLUSTER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "cluster/greeting.h"
#include "cluster/member.h"
#include "cluster/slot_table.h"

namespace gub {

class Cluster {
 public:
  // Until the first list the node is alone, and owns all slots.
  Cluster(Member self, std::string node_id, std::string calendar_timezone)
      : self_(std::move(self)),
        node_id_(std::move(node_id)),
        calendar_timezone_(std::move(calendar_timezone)) {
    Publish({self_});
  }

  const std::string& self() const { return self_.address; }
  const std::string& node_id() const { return node_id_; }
  PeerIdentity identity() const { return {node_id_, self_.address, digest_.load()}; }

  // Makes the table of a new list, and makes it the one that counts. REQUIRES: self is in it.
  void Publish(std::vector<Member> members) {
    const uint64_t epoch = generation_.load() + 1;
    digest_ = ViewDigest(members, calendar_timezone_);
    auto table = std::make_shared<const SlotTable>(std::move(members), epoch);
    MutexLock lock(&mu_);
    table_ = std::move(table);
    generation_.store(epoch, std::memory_order_release);
  }

  std::shared_ptr<const SlotTable> table() const {
    MutexLock lock(&mu_);
    return table_;
  }
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // A worker's link to a member is up, or no longer.
  void CountLink(const std::string& address, int change) {
    MutexLock lock(&mu_);
    links_[address] += change;
  }
  // Whether any worker's link to it is up.
  bool LinkAnswers(const std::string& address) const {
    MutexLock lock(&mu_);
    const auto found = links_.find(address);
    return found != links_.end() && found->second > 0;
  }

  // Nodes whose view was another at their last greeting.
  std::atomic<uint64_t> view_mismatches{0};

 private:
  const Member self_;
  const std::string node_id_;
  const std::string calendar_timezone_;
  std::atomic<uint64_t> digest_{0};
  std::atomic<uint64_t> generation_{0};
  mutable Mutex mu_;
  std::shared_ptr<const SlotTable> table_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, int> links_ ABSL_GUARDED_BY(mu_);
};

// The present table, and which of its members this node is.
class TableView {
 public:
  explicit TableView(const Cluster& cluster) : cluster_(cluster) { Take(); }

  // Catches up; whether there was a new table.
  bool Refresh() {
    if (cluster_.generation() == table_->epoch()) return false;
    Take();
    return true;
  }
  const SlotTable& operator*() const { return *table_; }
  const SlotTable* operator->() const { return table_.get(); }
  size_t self() const { return self_; }

 private:
  void Take() {
    table_ = cluster_.table();
    self_ = table_->Find(cluster_.self());
  }

  const Cluster& cluster_;
  std::shared_ptr<const SlotTable> table_;
  size_t self_ = 0;
};

}  // namespace gub

#endif  // GUB_CLUSTER_CLUSTER_H_
