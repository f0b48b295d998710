// INFO, TIME, ROLE, SHUTDOWN and the like: what is asked of the node itself.

#ifndef GUB_COMMAND_SERVER_COMMANDS_H_
#define GUB_COMMAND_SERVER_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void InfoCommand(CommandContext& context);
void TimeCommand(CommandContext& context);
void DbSizeCommand(CommandContext& context);
void FlushAllCommand(CommandContext& context);
void RoleCommand(CommandContext& context);
void ShutdownCommand(CommandContext& context);
void AclWhoAmICommand(CommandContext& context);
void ModuleListCommand(CommandContext& context);
// There are no functions to flush.
void FunctionFlushCommand(CommandContext& context);
// Refused, with the reason.
void MonitorCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_SERVER_COMMANDS_H_
