#include "command/pending_replies.h"

#include <algorithm>

namespace gub {

PendingReplies::Ticket PendingReplies::Open(size_t kept_bytes) {
  Place& place = places_.emplace_back();
  place.begins = drained_bytes_ + behind_.size();
  place.kept_bytes = kept_bytes;
  place_bytes_ += kept_bytes;
  ++waiting_;
  return first_ + places_.size() - 1;
}

void PendingReplies::Fill(Ticket ticket, std::string_view bytes) {
  if (ticket < first_ || ticket >= next()) return;
  Place& place = places_[ticket - first_];
  if (place.filled) return;
  place.filled = true;
  --waiting_;
  place_bytes_ -= place.kept_bytes;
  if (place.dropped) return;
  place.reply.assign(bytes.begin(), bytes.end());
  place_bytes_ += bytes.size();
}

void PendingReplies::DropFrom(Ticket ticket, size_t keep) {
  if (keep < behind_.size()) behind_.Truncate(keep);
  for (Ticket at = ticket < first_ ? first_ : ticket; at < next(); ++at) {
    Place& place = places_[at - first_];
    place_bytes_ -= place.reply.size();
    place.reply.clear();
    place.dropped = true;
    place.begins = std::min(place.begins, drained_bytes_ + behind_.size());
  }
}

void PendingReplies::Drain(ByteBuffer* out) {
  while (!places_.empty() && places_.front().filled) {
    const auto& reply = places_.front().reply;
    out->Append({reply.data(), reply.size()});
    place_bytes_ -= reply.size();
    places_.pop_front();
    ++first_;
    const uint64_t end = places_.empty() ? drained_bytes_ + behind_.size() : places_.front().begins;
    const auto bytes = static_cast<size_t>(end - drained_bytes_);
    out->Append(behind_.view().substr(0, bytes));
    behind_.Consume(bytes);
    drained_bytes_ = end;
  }
  if (places_.empty()) behind_.Trim(0);
}

}  // namespace gub
