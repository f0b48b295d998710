// PING, ECHO, QUIT, SELECT, SUBSCRIBE, UNSUBSCRIBE: the small talk of a connection.

#ifndef GUB_COMMAND_CONNECTION_COMMANDS_H_
#define GUB_COMMAND_CONNECTION_COMMANDS_H_

#include "command/client_state.h"
#include "command/command_spec.h"

namespace gub {

void PingCommand(CommandContext& context);
void EchoCommand(CommandContext& context);
void QuitCommand(CommandContext& context);
void SelectCommand(CommandContext& context);

// A subscription is accepted, counted and never served: there are no messages.
void SubscribeCommand(CommandContext& context);
void UnsubscribeCommand(CommandContext& context);

void DropSubscriptions(ClientState* client);

}  // namespace gub

#endif  // GUB_COMMAND_CONNECTION_COMMANDS_H_
