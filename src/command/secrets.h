// What of a request must not be shown: passwords, in SLOWLOG.
//
// Threads:  pure functions.

#ifndef GUB_COMMAND_SECRETS_H_
#define GUB_COMMAND_SECRETS_H_

#include <string_view>
#include <vector>

#include "command/command_table.h"
#include "command/context.h"

namespace gub {

// The arguments with "(redacted)" in the place of every password.
std::vector<std::string_view> WithoutSecrets(const CommandEntry& entry, Args args);

}  // namespace gub

#endif  // GUB_COMMAND_SECRETS_H_
