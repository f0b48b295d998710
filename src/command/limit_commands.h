// GUB.HIT and its relatives: the handlers that decide.

#ifndef GUB_COMMAND_LIMIT_COMMANDS_H_
#define GUB_COMMAND_LIMIT_COMMANDS_H_

#include <string_view>

#include "command/command_spec.h"

namespace gub {

// What FCALL and EVALSHA call GUB.HIT: the SHA-1 of the name, so that it can be computed.
inline constexpr std::string_view kHitFunction = "gub.hit";
inline constexpr std::string_view kHitSha = "6e367ccc4a0289f36d50babce3af3880ff7cd0a6";

void DecideCommand(CommandContext& context);        // by parse_hit of its row
void ResetBucketCommand(CommandContext& context);   // GUB.RESET
void DebugClockCommand(CommandContext& context);    // GUB.DEBUG CLOCK
void DebugStallCommand(CommandContext& context);    // GUB.DEBUG STALL
void FunctionCallCommand(CommandContext& context);  // FCALL gub.hit
void EvalShaCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_LIMIT_COMMANDS_H_
