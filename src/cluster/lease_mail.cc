#include "cluster/lease_mail.h"

#include <utility>

namespace gub {

LeaseMail::Frame* LeaseMail::FrameTo(const Address& to, std::string_view from) {
  Frame& frame = frames_[to];
  if (frame.from != from) frame.from = from;
  if (!std::exchange(soon_, true)) {
    loop_.Soon([alive = alive_] {
      if (*alive == nullptr) return;
      (*alive)->soon_ = false;
      (*alive)->FlushAll();
    });
  }
  return &frame;
}

void LeaseMail::Post(const Address& to, std::string_view from, const LeaseReport& report) {
  Frame* const frame = FrameTo(to, from);
  frame->items.Add(report);
  counters_.Add(Counter::kLeaseReportsSent);
  Posted(to, frame);
}

void LeaseMail::Post(const Address& to, std::string_view from, const LeaseAnswer& answer) {
  Frame* const frame = FrameTo(to, from);
  frame->items.Add(answer);
  counters_.Add(Counter::kLeaseAnswersSent);
  Posted(to, frame);
}

void LeaseMail::Posted(const Address& to, Frame* frame) {
  if (frame->items.bytes() < kMostBytes && frame->items.count() < kMostItems) return;
  Send(to, frame);
  frames_.erase(to);
}

void LeaseMail::Send(const Address& to, Frame* frame) {
  PeerClient* const peer = router_.Find(to.member);
  if (peer == nullptr || frame->items.count() == 0) return;
  std::string bytes = frame->items.Take(frame->from, to.id);
  counters_.Add(Counter::kLeaseFramesSent);
  counters_.Add(Counter::kLeaseBytesSent, bytes.size());
  PeerRequest request;
  request.operation = PeerOperation::kLease;
  request.lease = bytes;
  const bool taken = peer->Forward(request, [alive = alive_, to](const PeerAnswer* answer) {
    if (*alive == nullptr) return;
    (*alive)->on_reply_(to, answer == nullptr ? nullptr : &answer->lease);
  });
  if (taken) return;
  // Not from within, for whoever posts is in the middle of something.
  loop_.Soon([alive = alive_, to] {
    if (*alive != nullptr) (*alive)->on_reply_(to, nullptr);
  });
}

void LeaseMail::FlushTo(const std::string& member) {
  for (auto first = frames_.lower_bound({member, ""});
       first != frames_.end() && first->first.member == member;) {
    auto mine = frames_.extract(first++);
    Send(mine.key(), &mine.mapped());
  }
}

void LeaseMail::FlushAll() {
  std::map<Address, Frame> frames;
  frames.swap(frames_);
  for (auto& [to, frame] : frames) Send(to, &frame);
}

}  // namespace gub
