// SLOWLOG, LATENCY, MEMORY DOCTOR: what was slow.

#ifndef GUB_COMMAND_DIAGNOSTIC_COMMANDS_H_
#define GUB_COMMAND_DIAGNOSTIC_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void SlowLogGetCommand(CommandContext& context);
void SlowLogLenCommand(CommandContext& context);
void SlowLogResetCommand(CommandContext& context);
void LatencyLatestCommand(CommandContext& context);
void LatencyHistogramCommand(CommandContext& context);
void LatencyResetCommand(CommandContext& context);
void MemoryDoctorCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_DIAGNOSTIC_COMMANDS_H_
