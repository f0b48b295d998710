// PeerAnswers: the answers to one batch of a peer, some of which may come later: those of hits that
// wait until leases have been handed back. The batch is answered when all are there.
//
// Threads:  loop-confined.
// Memory:   shared by those who have an answer to give.

#ifndef GUB_COMMAND_PEER_ANSWERS_H_
#define GUB_COMMAND_PEER_ANSWERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/owner_batch.h"
#include "command/late_reply.h"

namespace gub {

// What peers are told of this node's time: it goes on while the machine is suspended, so that what
// lay in its sockets meanwhile is too late.
int64_t PeerTimeMs();

class PeerAnswers {
 public:
  PeerAnswers(const LateReply& late, int64_t number) : late_(late), number_(number) {}

  // One answer will come later; which it is.
  size_t Expect() {
    awaited_.emplace_back();
    ++missing_;
    return awaited_.size() - 1;
  }
  bool IsComplete() const { return missing_ == 0; }
  // The last one that was expected fills the reply's place. Not from within the batch.
  void Take(size_t which, const Decision& decision);

  void set_reply(OwnerReply reply) { reply_ = std::move(reply); }
  // [number, time, late, answers, digest]
  void Write(ReplyWriter* reply) const;

 private:
  std::string Joined() const;

  const LateReply late_;
  const int64_t number_;
  OwnerReply reply_;
  std::vector<PeerAnswer> awaited_;
  size_t missing_ = 0;
};

}  // namespace gub

#endif  // GUB_COMMAND_PEER_ANSWERS_H_
