// GUB.PEER: what other nodes say. Clients may not.

#ifndef GUB_COMMAND_PEER_COMMANDS_H_
#define GUB_COMMAND_PEER_COMMANDS_H_

#include "command/command_spec.h"

namespace gub {

void PeerHelloCommand(CommandContext& context);
void PeerProveCommand(CommandContext& context);
void PeerBatchCommand(CommandContext& context);
void PeerDenyCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_PEER_COMMANDS_H_
