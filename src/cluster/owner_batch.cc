#include "cluster/owner_batch.h"

#include "store/bucket_key.h"

namespace gub {

std::optional<OwnerReply> AnswerBatch(
    std::string_view frame, int64_t expires_mono_ms, const std::function<int64_t()>& mono_ms,
    const std::function<std::optional<PeerAnswer>(const PeerRequest& request)>& apply) {
  const auto requests = ReadPeerRequests(frame, kMaxBatchRequests, BucketKey::kMaxBytes);
  if (!requests) return std::nullopt;
  OwnerReply reply;
  reply.requests = requests->size();
  reply.late = mono_ms() >= expires_mono_ms;
  if (reply.late) return reply;
  for (const PeerRequest& request : *requests) {
    const std::optional<PeerAnswer> answer = apply(request);
    if (answer) AppendPeerAnswer(*answer, &reply.answers);
    if (!answer) reply.gaps.push_back(reply.answers.size());
  }
  return reply;
}

}  // namespace gub
