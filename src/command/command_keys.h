// Where the keys of a request stand, as COMMAND GETKEYS tells.
//
// Threads:  pure functions.

#ifndef GUB_COMMAND_COMMAND_KEYS_H_
#define GUB_COMMAND_COMMAND_KEYS_H_

#include <string_view>
#include <vector>

#include "command/command_table.h"
#include "command/context.h"

namespace gub {

// The keys of a request of this command; none, as in Redis, when its arguments do not say.
// REQUIRES: the number of arguments fits the command's arity.
std::vector<std::string_view> KeysOf(const CommandEntry& entry, Args request);

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_KEYS_H_
