// MULTI, EXEC, DISCARD, WATCH, UNWATCH: transactions.

#ifndef GUB_COMMAND_TRANSACTION_COMMANDS_H_
#define GUB_COMMAND_TRANSACTION_COMMANDS_H_

#include "command/client_state.h"
#include "command/command_spec.h"

namespace gub {

void MultiCommand(CommandContext& context);
void ExecCommand(CommandContext& context);
void DiscardCommand(CommandContext& context);
void WatchCommand(CommandContext& context);
void UnwatchCommand(CommandContext& context);

// Forgets what a client has queued and watches.
void EndTransaction(ClientState* client, KeyWatch* watch);
void EndWatches(ClientState* client, KeyWatch* watch);

}  // namespace gub

#endif  // GUB_COMMAND_TRANSACTION_COMMANDS_H_
