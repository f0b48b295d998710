// PendingReplies: a client's replies from the first one that has to wait for another node on.
//
// Replies leave in the order of their requests, so what is answered at once waits behind what is
// not. While nothing waits, this is empty and costs nothing.
//
//   auto ticket = pending.Open(bytes);  // a place for a reply that comes later
//   Write(pending.behind());            // what is answered meanwhile
//   pending.Fill(ticket, reply);        // the reply has come
//   pending.Drain(&out);                // all that may leave now
//
// Threads:  one at a time.
// Memory:   as large as what waits in it; whoever fills it must bound that (waiting, held_bytes).

#ifndef GUB_COMMAND_PENDING_REPLIES_H_
#define GUB_COMMAND_PENDING_REPLIES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "base/byte_buffer.h"

namespace gub {

class PendingReplies {
 public:
  using Ticket = uint64_t;

  bool empty() const { return places_.empty(); }

  // A place behind all that was written so far. `kept_bytes`: what is kept elsewhere until its
  // reply has come, and weighs as if it were here.
  Ticket Open(size_t kept_bytes = 0);

  // Where replies go that stand behind the last place. REQUIRES: !empty().
  ByteBuffer* behind() { return &behind_; }

  // The reply of a place; bytes may be empty. A place that is gone is ignored.
  void Fill(Ticket ticket, std::string_view bytes);

  // Drops what was and will be written to the places opened from this ticket on, and all but the
  // first `keep` bytes of behind() (CLIENT REPLY).
  void DropFrom(Ticket ticket, size_t keep);
  // The ticket that Open will give next.
  Ticket next() const { return first_ + places_.size(); }

  // Appends to *out all replies before the first one that still waits.
  void Drain(ByteBuffer* out);

  size_t waiting() const { return waiting_; }
  size_t held_bytes() const { return place_bytes_ + behind_.size(); }

 private:
  static constexpr size_t kUsualReplyBytes = 48;  // of a decision, and a little more

  struct Place {
    uint64_t begins = 0;  // how many bytes had been written to behind_ before it
    size_t kept_bytes = 0;
    bool filled = false;
    bool dropped = false;
    absl::InlinedVector<char, kUsualReplyBytes> reply;
  };

  std::deque<Place> places_;
  Ticket first_ = 0;  // of places_.front()
  ByteBuffer behind_;
  uint64_t drained_bytes_ = 0;  // of behind_, since the start
  size_t place_bytes_ = 0;      // of replies, and of what is kept for those that have not come
  size_t waiting_ = 0;
};

}  // namespace gub

#endif  // GUB_COMMAND_PENDING_REPLIES_H_
