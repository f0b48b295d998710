// PING, ECHO, QUIT, HELLO, SELECT, CLIENT: what clients say about the connection itself.

#ifndef GUB_COMMAND_CONNECTION_COMMANDS_H_
#define GUB_COMMAND_CONNECTION_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void PingCommand(CommandContext& context);
void EchoCommand(CommandContext& context);
void QuitCommand(CommandContext& context);
void HelloCommand(CommandContext& context);
void SelectCommand(CommandContext& context);
void ClientIdCommand(CommandContext& context);
void ClientGetNameCommand(CommandContext& context);
void ClientSetNameCommand(CommandContext& context);
void ClientSetInfoCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_CONNECTION_COMMANDS_H_
