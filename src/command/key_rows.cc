// The rows of the command table: keys, and the cluster they are spread over. See command_spec.h.

#include "command/cluster_commands.h"
#include "command/command_rows.h"
#include "command/diagnostic_commands.h"
#include "command/key_commands.h"

namespace gub {

namespace {

using enum ArgType;

// clang-format off
constexpr ArgSpec kOneKey[] = {{.name = "key", .type = kKey}};
constexpr ArgSpec kKeys[] = {{.name = "key", .type = kKey, .multiple = true}};
constexpr ArgSpec kUsageArgs[] = {
    {.name = "key", .type = kKey},
    {.name = "count", .type = kInteger, .token = "SAMPLES", .optional = true},
};
constexpr ArgSpec kSlot[] = {{.name = "slot", .type = kInteger}};
constexpr ArgSpec kNodeId[] = {{.name = "node-id"}};

constexpr uint32_t kReads = kReadonly | kFast;
constexpr uint32_t kClustered = kSlowAnyTime | kNeedsCluster;
constexpr KeyRange kKeyIsThird = {2, 2, 1};

constexpr CommandSpec kClusterRows[] = {
    {"countkeysinslot", 3, kClustered, kNoKeys, "cluster", kFirst, kConstant,
     "Answers 0: buckets are not kept by slot.", kSlot, ClusterCountKeysCommand},
    kHelp,
    {"info", 2, kClustered, kNoKeys, "cluster", kFirst, kConstant,
     "The state of the cluster as this node sees it.", {}, ClusterInfoCommand},
    {"keyslot", 3, kClustered, kNoKeys, "cluster", kFirst, "O(N) in the bytes of the key",
     "The slot of a key.", kOneKey, ClusterKeySlotCommand},
    {"myid", 2, kClustered, kNoKeys, "cluster", kFirst, kConstant,
     "The id of this node.", {}, ClusterMyIdCommand},
    {"nodes", 2, kClustered, kNoKeys, "cluster", kFirst, "O(N) in the nodes",
     "The nodes and their slots, a line each.", {}, ClusterNodesCommand},
    {"replicas", 3, kClustered, kNoKeys, "cluster", kFirst, kConstant,
     "The replicas of a node.", kNodeId, ClusterReplicasCommand},
    {"shards", 2, kClustered, kNoKeys, "cluster", kFirst, "O(N) in the nodes",
     "The nodes and their slots, a map each.", {}, ClusterShardsCommand},
    {"slots", 2, kClustered, kNoKeys, "cluster", kFirst, "O(N) in the nodes",
     "The ranges of slots and their nodes.", {}, ClusterSlotsCommand},
};
constexpr CommandSpec kMemoryRows[] = {
    {"doctor", 2, kReadonly, kNoKeys, "server", kFirst, kConstant,
     "Says whether the memory is well.", {}, MemoryDoctorCommand},
    kHelp,
    {"usage", -3, kReadonly, kKeyIsThird, "server", kFirst, kConstant,
     "The bytes that the buckets of a key take, nil when there are none.", kUsageArgs,
     MemoryUsageCommand},
};

constexpr CommandSpec kRows[] = {
    {"asking", 1, kFast | kNeedsCluster, kNoKeys, "cluster", kFirst, kConstant,
     "Accepted from clients that were redirected.", {}, AcceptedCommand},
    {"cluster", -2, 0, kNoKeys, "cluster", kFirst, kConstant,
     "Tells about the cluster; refused by a node that is in none.", {}, nullptr, kClusterRows},
    {"del", -2, kWrite | kDeletes, kAllAreKeys, "generic", kFirst, kPerKey,
     "Forgets what CL.THROTTLE and GUB.TAKE keep of the keys.", kKeys, DeleteCommand},
    {"exists", -2, kReads, kAllAreKeys, "generic", kFirst, kPerKey,
     "How many of the keys CL.THROTTLE or GUB.TAKE keep something of.", kKeys, ExistsCommand},
    {"get", 2, kReads, kKeyIsFirst, "string", kFirst, kConstant,
     "Answers nil: buckets have no value to read.", kOneKey, GetCommand},
    {"memory", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Tells about the memory.", {}, nullptr, kMemoryRows},
    {"pttl", 2, kReads, kKeyIsFirst, "generic", kFirst, kConstant,
     "The ms until a key's buckets are whole again, -2 when there are none.", kOneKey,
     TtlMsCommand},
    {"readonly", 1, kAnyTime | kNeedsCluster, kNoKeys, "cluster", kFirst, kConstant,
     "Accepted from cluster clients.", {}, AcceptedCommand},
    {"readwrite", 1, kAnyTime | kNeedsCluster, kNoKeys, "cluster", kFirst, kConstant,
     "Accepted from cluster clients.", {}, AcceptedCommand},
    {"ttl", 2, kReads, kKeyIsFirst, "generic", kFirst, kConstant,
     "The seconds until a key's buckets are whole again, -2 when there are none.", kOneKey,
     TtlCommand},
    {"type", 2, kReads, kKeyIsFirst, "generic", kFirst, kConstant,
     "string for a key that CL.THROTTLE or GUB.TAKE keep something of, else none.", kOneKey,
     TypeCommand},
    {"unlink", -2, kWrite | kFast | kDeletes, kAllAreKeys, "generic", kFirst, kPerKey,
     "The same as DEL.", kKeys, DeleteCommand},
};
// clang-format on

}  // namespace

std::span<const CommandSpec> KeyRows() { return kRows; }

}  // namespace gub
