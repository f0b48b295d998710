// What an owner does with a batch that a peer has sent, as pure code, so that the simulation runs
// what the server runs.
//
// Threads:  pure functions; what `apply` touches is the caller's affair.
// Errors:   nothing for a frame that cannot be read, of which nothing was applied then.

#ifndef GUB_CLUSTER_OWNER_BATCH_H_
#define GUB_CLUSTER_OWNER_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/peer_frame.h"

namespace gub {

struct OwnerReply {
  bool late = false;    // it was read after its expiry: nothing was applied, there are no answers
  std::string answers;  // one for each request, but for those that come later
  std::vector<size_t> gaps;  // where these belong, before which byte of `answers`
  size_t requests = 0;
};

// Reads a whole frame, then applies its requests one after the other, unless it has expired:
// mono_ms() is this node's monotonic time, read when the frame has been. Where `apply` returns
// nothing, the answer comes later and a gap is left.
std::optional<OwnerReply> AnswerBatch(
    std::string_view frame, int64_t expires_mono_ms, const std::function<int64_t()>& mono_ms,
    const std::function<std::optional<PeerAnswer>(const PeerRequest& request)>& apply);

}  // namespace gub

#endif  // GUB_CLUSTER_OWNER_BATCH_H_
