// The arguments of GUB.HIT, GUB.TAKE and CL.THROTTLE -> a Request.
//
// Threads:  pure functions.
// Memory:   the Hit borrows from the arguments. REQUIRES of it: new.
// Errors:   kInvalidArgument; the message is the reply's text after "ERR " and names the argument.

#ifndef GUB_COMMAND_HIT_ARGUMENTS_H_
#define GUB_COMMAND_HIT_ARGUMENTS_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "command/command_spec.h"
#include "command/decision_reply.h"
#include "gub/types.h"

namespace gub {

inline constexpr std::string_view kTakeName = "gub.take";
inline constexpr std::string_view kThrottleName = "cl.throttle";

// What is to be decided, and how it is answered.
struct Hit {
  Request request;
  ReplyKind reply = ReplyKind::kTriple;
};

// GUB.HIT name key hits limit duration [algorithm [behavior]] [BURST n] [ONFAIL policy] [FULL]
absl::Status ParseHit(Args args, size_t max_key_bytes, Hit* hit);

// GUB.TAKE key capacity refill_per_second [cost]
absl::Status ParseTake(Args args, size_t max_key_bytes, Hit* hit);

// CL.THROTTLE key max_burst count period [quantity]
absl::Status ParseThrottle(Args args, size_t max_key_bytes, Hit* hit);

// Neither empty, together at most max_key_bytes.
absl::Status CheckNameAndKey(std::string_view name, std::string_view key, size_t max_key_bytes);

}  // namespace gub

#endif  // GUB_COMMAND_HIT_ARGUMENTS_H_
