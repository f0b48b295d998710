// CONFIG: the options of a running node.

#ifndef GUB_COMMAND_CONFIG_COMMANDS_H_
#define GUB_COMMAND_CONFIG_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void ConfigGetCommand(CommandContext& context);
void ConfigSetCommand(CommandContext& context);
void ConfigRewriteCommand(CommandContext& context);
void ConfigResetStatCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_CONFIG_COMMANDS_H_
