// RESP's replies to requests that any node may have to answer: at once, or later in their place.
// (What becomes of a request, whoever asks: decide.h.)
//
// Threads:  loop-confined.

#ifndef GUB_COMMAND_FORWARDING_H_
#define GUB_COMMAND_FORWARDING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "command/context.h"
#include "command/decide.h"
#include "command/decision_reply.h"
#include "gub/types.h"

namespace gub {

// With cluster-redirect, "MOVED slot address" when one of the keys has another owner, to which the
// client is sent; "" otherwise, and when the owner cannot be asked, or sees another cluster: then
// the client would be sent to and fro.
std::string MovedText(CommandContext& context, Args keys);

// Decides a request that is within the contract, here or at its owner, and answers it; perhaps
// later, in its place.
void DecideAnywhere(CommandContext& context, const Routed& routed, const ReplyShape& shape);

// Forgets the buckets of (name, key) for each of these names and keys, here or at their owners, and
// answers how many there were; or, with `keys_only`, of how many keys.
void ResetAnywhere(CommandContext& context, Args names, Args keys, bool keys_only);

}  // namespace gub

#endif  // GUB_COMMAND_FORWARDING_H_
