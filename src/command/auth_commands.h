// AUTH, HELLO, RESET: who a client is, and which protocol it speaks.

#ifndef GUB_COMMAND_AUTH_COMMANDS_H_
#define GUB_COMMAND_AUTH_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void AuthCommand(CommandContext& context);
void HelloCommand(CommandContext& context);
void ResetCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_AUTH_COMMANDS_H_
