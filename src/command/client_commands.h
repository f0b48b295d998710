// CLIENT: what clients tell about themselves, and ask about the others.

#ifndef GUB_COMMAND_CLIENT_COMMANDS_H_
#define GUB_COMMAND_CLIENT_COMMANDS_H_

#include <string>
#include <string_view>

#include "command/client_state.h"
#include "command/command_spec.h"

namespace gub {

void ClientGetNameCommand(CommandContext& context);
void ClientIdCommand(CommandContext& context);
void ClientInfoCommand(CommandContext& context);
void ClientKillCommand(CommandContext& context);
void ClientListCommand(CommandContext& context);
void ClientNoEvictCommand(CommandContext& context);
void ClientNoTouchCommand(CommandContext& context);
void ClientReplyCommand(CommandContext& context);
void ClientSetInfoCommand(CommandContext& context);
void ClientSetNameCommand(CommandContext& context);

// The error for a name that a client cannot have; "" when it can.
std::string WhyNoClientName(std::string_view name);
// REQUIRES: there is no error for it.
void SetClientName(ClientState* client, std::string_view name);

}  // namespace gub

#endif  // GUB_COMMAND_CLIENT_COMMANDS_H_
