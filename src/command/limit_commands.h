// GUB.HIT and its relatives: the handlers that decide.

#ifndef GUB_COMMAND_LIMIT_COMMANDS_H_
#define GUB_COMMAND_LIMIT_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void HitCommand(CommandContext& context);
void TakeCommand(CommandContext& context);
void ThrottleCommand(CommandContext& context);
void ResetBucketCommand(CommandContext& context);  // GUB.RESET
void DebugClockCommand(CommandContext& context);   // GUB.DEBUG CLOCK
void DbSizeCommand(CommandContext& context);
void FlushAllCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_LIMIT_COMMANDS_H_
