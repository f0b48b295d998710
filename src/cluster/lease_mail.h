// LeaseMail: what a worker has to say of leases to other processes, gathered for a turn of the loop
// and sent as frames of many keys on the links that its forwarded requests go by.
//
// Threads:  loop-confined.
// Memory:   what is posted is copied into its frame at once. A frame is sent early when it has
//           kMostBytes or kMostItems, and the links bound what waits in them; what they do not take
//           is lost, which leases bear (lease_terms.h).

#ifndef GUB_CLUSTER_LEASE_MAIL_H_
#define GUB_CLUSTER_LEASE_MAIL_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/counters.h"
#include "cluster/lease_frame.h"
#include "cluster/router.h"
#include "net/loop.h"

namespace gub {

class LeaseMail {
 public:
  static constexpr size_t kMostBytes = size_t{128} * 1024;
  static constexpr size_t kMostItems = 5000;

  // The member at an address, and the process, or worker of it, that is to take the frame.
  struct Address {
    std::string member;
    std::string id;
    friend bool operator==(const Address&, const Address&) = default;
    friend bool operator<(const Address& a, const Address& b) {
      return a.member != b.member ? a.member < b.member : a.id < b.id;
    }
  };
  // What the other side has answered to a frame, at once; nullptr: it is not known whether it has
  // come.
  using OnReply = std::function<void(const Address& to, const std::string_view* frame)>;

  LeaseMail(Loop* loop, Router* router, CounterSet* counters, OnReply on_reply)
      : loop_(*loop), router_(*router), counters_(*counters), on_reply_(std::move(on_reply)) {}
  ~LeaseMail() { *alive_ = nullptr; }
  LeaseMail(const LeaseMail&) = delete;
  LeaseMail& operator=(const LeaseMail&) = delete;

  // `from`: how this node calls itself in a frame of that kind.
  void Post(const Address& to, std::string_view from, const LeaseReport& report);
  void Post(const Address& to, std::string_view from, const LeaseAnswer& answer);
  // Sends what is for this member now: what follows on its link is to come behind.
  void FlushTo(const std::string& member);

 private:
  struct Frame {
    std::string from;
    LeaseFrameBuilder items;
  };
  Frame* FrameTo(const Address& to, std::string_view from);
  void Posted(const Address& to, Frame* frame);
  void Send(const Address& to, Frame* frame);
  void FlushAll();

  Loop& loop_;
  Router& router_;
  CounterSet& counters_;
  const OnReply on_reply_;
  std::map<Address, Frame> frames_;  // those that wait
  bool soon_ = false;
  std::shared_ptr<LeaseMail*> alive_ = std::make_shared<LeaseMail*>(this);
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_MAIL_H_
