// MULTI, EXEC, DISCARD: requests that are run together, in order, on one connection.

#ifndef GUB_COMMAND_TRANSACTION_COMMANDS_H_
#define GUB_COMMAND_TRANSACTION_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void MultiCommand(CommandContext& context);
void ExecCommand(CommandContext& context);
void DiscardCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_TRANSACTION_COMMANDS_H_
