// CLUSTER, GUB.OWNER, GUB.PEERS: who owns what.

#ifndef GUB_COMMAND_CLUSTER_COMMANDS_H_
#define GUB_COMMAND_CLUSTER_COMMANDS_H_

#include <string>

#include "command/command_spec.h"
#include "command/node.h"

namespace gub {

void OwnerCommand(CommandContext& context);     // GUB.OWNER
void PeersCommand(CommandContext& context);     // GUB.PEERS
void AcceptedCommand(CommandContext& context);  // READONLY, READWRITE, ASKING
void ClusterCountKeysCommand(CommandContext& context);
void ClusterInfoCommand(CommandContext& context);
void ClusterKeySlotCommand(CommandContext& context);
void ClusterMyIdCommand(CommandContext& context);
void ClusterNodesCommand(CommandContext& context);
void ClusterReplicasCommand(CommandContext& context);
void ClusterShardsCommand(CommandContext& context);
void ClusterSlotsCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_CLUSTER_COMMANDS_H_
