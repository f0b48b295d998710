// COMMAND and its subcommands: the command table as clients read it.

#ifndef GUB_COMMAND_COMMAND_COMMANDS_H_
#define GUB_COMMAND_COMMAND_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void CommandCommand(CommandContext& context);
void CommandCountCommand(CommandContext& context);
void CommandInfoCommand(CommandContext& context);
void CommandDocsCommand(CommandContext& context);

// HELP of any container: its subcommands and what they do, from their rows.
void CommandListCommand(CommandContext& context);
void CommandGetKeysCommand(CommandContext& context);
void CommandGetKeysAndFlagsCommand(CommandContext& context);
void HelpCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_COMMANDS_H_
