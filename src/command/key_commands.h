// DEL, EXISTS, TTL and the like: the habits of whoever kept limits as keys of a Redis.
//
// A key stands for the buckets that CL.THROTTLE and GUB.TAKE keep under it. What GUB.HIT keeps has
// a name besides, and is forgotten by GUB.RESET.

#ifndef GUB_COMMAND_KEY_COMMANDS_H_
#define GUB_COMMAND_KEY_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void DeleteCommand(CommandContext& context);  // DEL, UNLINK
void ExistsCommand(CommandContext& context);
void GetCommand(CommandContext& context);  // always nil
void MemoryUsageCommand(CommandContext& context);
void TtlCommand(CommandContext& context);
void TtlMsCommand(CommandContext& context);  // PTTL
void TypeCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_KEY_COMMANDS_H_
