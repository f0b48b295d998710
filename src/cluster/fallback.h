// What is answered in the stead of an owner that cannot be reached.
//
// Threads:  as the store.

#ifndef GUB_CLUSTER_FALLBACK_H_
#define GUB_CLUSTER_FALLBACK_H_

#include <cstdint>

#include "gub/types.h"
#include "store/store.h"

namespace gub {

// kLocal: a stand-in bucket of this node decides, beside those that it owns. kOpen: admitted, as if
// the bucket were whole.
// kClosed: denied, to be tried again after retry_ms. Only kLocal may find the store full.
// REQUIRES: one of these three.
Store::Outcome DecideInStead(OnFail policy, const Request& request, int64_t now_ms,
                             int64_t retry_ms, Store* store, Decision* decision);

}  // namespace gub

#endif  // GUB_CLUSTER_FALLBACK_H_
