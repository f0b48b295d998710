// The arguments of GUB.HIT, GUB.TAKE and CL.THROTTLE -> a Request.
//
// Threads:  pure functions.
// Memory:   the Request borrows from the arguments.
// Errors:   kInvalidArgument; the message is the reply's text after "ERR " and names the argument.

#ifndef GUB_COMMAND_HIT_ARGUMENTS_H_
#define GUB_COMMAND_HIT_ARGUMENTS_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "command/context.h"
#include "gub/types.h"

namespace gub {

inline constexpr std::string_view kTakeName = "gub.take";
inline constexpr std::string_view kThrottleName = "cl.throttle";

// name key hits limit duration [algorithm [behavior]] [BURST n] [ONFAIL policy] [FULL]
// *full: whether FULL was given.
// Whose bucket a request will most likely ask for: a guess, made without a look at most of its
// arguments. fixed_name: that of GUB.TAKE and CL.THROTTLE, whose buckets are leaky; empty: the
// request is one of GUB.HIT. Nothing when its arguments are too few or wrong.
struct LikelyBucket {
  std::string_view name;
  std::string_view key;
  Algorithm algorithm;
};
std::optional<LikelyBucket> GuessBucket(Args args, std::string_view fixed_name,
                                        size_t max_key_bytes);

absl::Status ParseHit(Args args, size_t max_key_bytes, Request* request, bool* full);

// key capacity refill_per_second [cost]
absl::Status ParseTake(Args args, size_t max_key_bytes, Request* request);

// key max_burst count period [quantity]
absl::Status ParseThrottle(Args args, size_t max_key_bytes, Request* request);

// Neither empty, together at most max_key_bytes.
absl::Status CheckNameAndKey(std::string_view name, std::string_view key, size_t max_key_bytes);

}  // namespace gub

#endif  // GUB_COMMAND_HIT_ARGUMENTS_H_
