// What is answered in the stead of an owner that cannot be reached.
//
// Threads:  as the store.

#ifndef GUB_CLUSTER_FALLBACK_H_
#define GUB_CLUSTER_FALLBACK_H_

#include <cstdint>

#include "gub/types.h"
#include "store/store.h"

namespace gub {

// How it is answered.
struct InStead {
  OnFail policy;     // kLocal, kOpen or kClosed
  int64_t now_ms;    // of this node's clock
  int64_t retry_ms;  // after which a denied caller may try again
  int64_t used = 0;  // how much of the limit is known to be used, at the start of a stand-in
};

// kLocal: a stand-in bucket of this node decides, beside those that it owns. kOpen: admitted, as if
// the bucket were whole. kClosed: denied. Only kLocal may find the store full. (Two threads that
// start the same stand-in at once may both take off what is used.)
Store::Outcome DecideInStead(const InStead& how, const Request& request, Store* store,
                             Decision* decision);

}  // namespace gub

#endif  // GUB_CLUSTER_FALLBACK_H_
