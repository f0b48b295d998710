// Frames: what crosses between a node and the owner of a key: many requests in one string, and as
// many answers in another.
//
// They are made of what frame_codec.h writes. A hit with a 33-byte name and key takes about 45
// bytes.
//
// Threads:  pure functions.
// Memory:   what is read borrows from the string it was read from.
// Errors:   nothing for a string that is cut, has something left over, or says what no node of this
//           version sends: of a bad frame nothing is read, so nothing of it can be applied.

#ifndef GUB_CLUSTER_PEER_FRAME_H_
#define GUB_CLUSTER_PEER_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gub/types.h"

namespace gub {

// Changes whenever a frame or the handshake does.
inline constexpr int64_t kPeerProtocol = 2;

// The most that a batch may have; batch-limit is no more.
inline constexpr size_t kMaxBatchRequests = 10'000;

enum class PeerOperation : uint8_t {
  kDecide,  // the request
  kReset,   // forget the buckets of its name and key
  kLeave,   // the sender leaves the cluster; there is no name, no key
  kLease,   // a frame of leases (lease_frame.h), and nothing else
};

// The most that a frame of leases may have.
inline constexpr size_t kMaxLeaseFrameBytes = size_t{2} * 1024 * 1024;

struct PeerRequest {
  PeerOperation operation = PeerOperation::kDecide;
  Request request = {};
  std::string_view lease = {};  // kLease
};

struct PeerAnswer {
  Decision decision;            // kDecide
  int64_t removed = 0;          // kReset: how many buckets there were
  std::string_view lease = {};  // kLease: the frame of what there was to say at once, or nothing
};

void AppendPeerRequest(const PeerRequest& request, std::string* frame);
void AppendPeerAnswer(const PeerAnswer& answer, std::string* frame);

// All requests of a frame; at most max_requests, each with a name and key of max_key_bytes
// together.
std::optional<std::vector<PeerRequest>> ReadPeerRequests(std::string_view frame,
                                                         size_t max_requests, size_t max_key_bytes);

// The answers of a frame of `count` requests: exactly that many.
std::optional<std::vector<PeerAnswer>> ReadPeerAnswers(std::string_view frame, size_t count);

}  // namespace gub

#endif  // GUB_CLUSTER_PEER_FRAME_H_
