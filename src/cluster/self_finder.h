// SelfFinder: finds this node in lists of members, by its addresses, by what names resolve to, and
// by the id that a node at some address has told.
//
// Threads:  loop-confined.
// Time:     names are asked for once; a list waits for that, kLearnMs at most.
// Memory:   may be destroyed at any time but inside its own callbacks; nothing is called then.

#ifndef GUB_CLUSTER_SELF_FINDER_H_
#define GUB_CLUSTER_SELF_FINDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/member.h"
#include "cluster/self.h"
#include "net/loop.h"
#include "net/resolver.h"
#include "net/timer.h"

namespace gub {

class SelfFinder {
 public:
  static constexpr int64_t kLearnMs = 1000;
  static constexpr int kFoundTimes = 3;

  // dns_server: as of Resolver. on_more: something is known that was not when a list was taken.
  SelfFinder(Loop* loop, OwnEndpoint own, const std::string& dns_server,
             std::function<void()> on_more);

  // Learns what the names in a list stand for, then calls done: at once when all are known. A list
  // before it that still waits is dropped.
  void Learn(const std::vector<Member>& members, std::function<void()> done);

  // The node at this address was this node itself when it was greeted; kFoundTimes in a row make it
  // a name of this node: one connection may be led astray.
  void Found(const std::string& address);
  // It was another one.
  void FoundOther(const std::string& address);

  // By what is known.
  bool IsSelf(const std::string& address) const;

 private:
  void Ask(const std::string& host);
  void Finish();

  const OwnEndpoint own_;
  const std::function<void()> on_more_;
  std::unique_ptr<Resolver> resolver_;  // nullptr: there is none, names are compared by their text
  std::map<std::string, std::vector<std::string>> addresses_;  // by name
  std::set<std::string> asking_;
  std::map<std::string, int> found_;  // how often in a row
  bool waits_ = false;                // until the deadline
  std::function<void()> done_;        // of the list that waits
  Timer deadline_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_SELF_FINDER_H_
