// CLIENT: what clients tell about themselves, and ask about the others.

#ifndef GUB_COMMAND_CLIENT_COMMANDS_H_
#define GUB_COMMAND_CLIENT_COMMANDS_H_

#include <string_view>

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

// Names the client of this request. False: the name is refused, and that is answered.
bool SetClientName(CommandContext& context, std::string_view name);

}  // namespace gub

#endif  // GUB_COMMAND_CLIENT_COMMANDS_H_
