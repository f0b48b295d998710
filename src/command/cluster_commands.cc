#include "command/cluster_commands.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/secret.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "cluster/router.h"
#include "command/context.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr size_t kIdDigits = 40;

// A node's id as cluster clients want it: 40 hex digits that are the same on every node. That of
// the process is known only to who has greeted it, so this one is made of the address.
std::string IdOf(const std::string& address) {
  return KeyedDigest("gub-node", address).substr(0, kIdDigits);
}

// As the worst of this node's links to it fares.
std::string_view StateOf(const std::vector<PeerSummary>& links, const std::string& address) {
  for (const PeerSummary& link : links) {
    if (link.address == address) return OwnerHealth::NameOf(link.health);
  }
  return OwnerHealth::NameOf(OwnerHealth::State::kUp);  // nobody has asked it yet
}

std::vector<std::vector<SlotTable::Range>> RangesByOwner(const SlotTable& table) {
  std::vector<std::vector<SlotTable::Range>> ranges(table.members().size());
  for (const SlotTable::Range& range : table.Ranges()) ranges[range.owner].push_back(range);
  return ranges;
}

// What cluster clients are told of a node.
struct NodeName {
  explicit NodeName(const std::string& address) : place(SplitAddress(address)), id(IdOf(address)) {}

  HostPort place;
  std::string id;
};

// [host, port, id, metadata]
void WriteNode(const NodeName& node, ReplyWriter* reply) {
  reply->Array(4);
  reply->Bulk(node.place.host);
  reply->Integer(node.place.port);
  reply->Bulk(node.id);
  reply->Array(0);
}

}  // namespace

// GUB.OWNER key
void OwnerCommand(CommandContext& context) {
  Router* const router = context.worker().router;
  const PeerClient* const owner = router == nullptr ? nullptr : router->OwnerOf(context.args()[1]);
  context.reply().Bulk(owner == nullptr ? context.OwnAddress() : owner->address());
}

// GUB.PEERS: a map for each node, this one included
void PeersCommand(CommandContext& context) {
  ReplyWriter& reply = context.reply();
  const auto text = [&reply](std::string_view name, std::string_view value) {
    reply.Bulk(name);
    reply.Bulk(value);
  };
  const auto write = [&](const std::string& address, std::string_view state, int64_t slots,
                         bool self) {
    reply.Map(5);
    text("id", IdOf(address));
    text("address", address);
    text("state", state);
    reply.Bulk("slots");
    reply.Integer(slots);
    reply.Bulk("self");
    reply.Integer(self ? 1 : 0);
  };
  Router* const router = context.worker().router;
  if (router == nullptr) {
    reply.Array(1);
    return write(context.OwnAddress(), "up", kSlotCount, true);
  }
  const ClusterView& view = router->view();
  const SlotTable& table = view.table;
  const auto ranges = RangesByOwner(table);
  const std::vector<PeerSummary> links = context.node().cluster->peers().Links();
  reply.Array(table.members().size());
  for (size_t i = 0; i < table.members().size(); ++i) {
    int64_t slots = 0;
    for (const SlotTable::Range& range : ranges[i]) slots += range.last - range.first + 1;
    const std::string& address = table.members()[i].address;
    const bool self = view.IsOwn(i);
    write(address, self ? "up" : StateOf(links, address), slots, self);
  }
}

void AcceptedCommand(CommandContext& context) { context.reply().Ok(); }

// The table does not know its keys by slot.
void ClusterCountKeysCommand(CommandContext& context) {
  const std::optional<int64_t> slot = ParseInt64(context.args()[2]);
  if (!slot || *slot < 0 || *slot >= kSlotCount) return context.Error("ERR Invalid slot");
  context.reply().Integer(0);
}

void ClusterInfoCommand(CommandContext& context) {
  const SlotTable& table = context.worker().router->view().table;
  std::string text;
  const auto field = [&text](std::string_view name, const auto& value) {
    text += fmt::format("{}:{}\r\n", name, value);
  };
  field("cluster_state", "ok");
  field("cluster_slots_assigned", kSlotCount);
  field("cluster_slots_ok", kSlotCount);
  field("cluster_slots_pfail", 0);
  field("cluster_slots_fail", 0);
  field("cluster_known_nodes", table.members().size());
  field("cluster_size", table.members().size());
  field("cluster_current_epoch", table.epoch());
  field("cluster_my_epoch", table.epoch());
  field("cluster_stats_messages_sent", 0);
  field("cluster_stats_messages_received", 0);
  context.reply().VerbatimText(text);
}

void ClusterKeySlotCommand(CommandContext& context) {
  context.reply().Integer(SlotOf(context.args()[2]));
}

void ClusterMyIdCommand(CommandContext& context) {
  context.reply().Bulk(IdOf(context.OwnAddress()));
}

void ClusterNodesCommand(CommandContext& context) {
  const SlotTable& table = context.worker().router->view().table;
  const auto ranges = RangesByOwner(table);
  std::string text;
  for (size_t i = 0; i < table.members().size(); ++i) {
    const std::string& address = table.members()[i].address;
    const HostPort node = SplitAddress(address);
    const bool self = context.worker().router->view().IsOwn(i);
    text += fmt::format("{} {}:{}@{} {}master - 0 0 {} connected", IdOf(address), node.host,
                        node.port, node.port + 10'000, self ? "myself," : "", table.epoch());
    for (const SlotTable::Range& range : ranges[i]) {
      text += range.first == range.last ? fmt::format(" {}", range.first)
                                        : fmt::format(" {}-{}", range.first, range.last);
    }
    text += '\n';
  }
  context.reply().VerbatimText(text);
}

void ClusterReplicasCommand(CommandContext& context) {
  for (const Member& member : context.worker().router->view().table.members()) {
    if (IdOf(member.address) == context.args()[2]) return context.reply().Array(0);
  }
  context.Error(fmt::format("ERR Unknown node {}", Escape(context.args()[2])));
}

// A map for each node: slots, then nodes
void ClusterShardsCommand(CommandContext& context) {
  const SlotTable& table = context.worker().router->view().table;
  const auto ranges = RangesByOwner(table);
  ReplyWriter& reply = context.reply();
  const auto text = [&reply](std::string_view name, std::string_view value) {
    reply.Bulk(name);
    reply.Bulk(value);
  };
  reply.Array(table.members().size());
  for (size_t i = 0; i < table.members().size(); ++i) {
    const std::string& address = table.members()[i].address;
    const HostPort node = SplitAddress(address);
    reply.Map(2);
    reply.Bulk("slots");
    reply.Array(ranges[i].size() * 2);
    for (const SlotTable::Range& range : ranges[i]) {
      reply.Integer(range.first);
      reply.Integer(range.last);
    }
    reply.Bulk("nodes");
    reply.Array(1);
    reply.Map(7);
    text("id", IdOf(address));
    reply.Bulk("port");
    reply.Integer(node.port);
    text("ip", node.host);
    text("endpoint", node.host);
    text("role", "master");
    reply.Bulk("replication-offset");
    reply.Integer(0);
    text("health", "online");
  }
}

void ClusterSlotsCommand(CommandContext& context) {
  const SlotTable& table = context.worker().router->view().table;
  const std::vector<SlotTable::Range> ranges = table.Ranges();
  // There are thousands of ranges, and an id is a digest: so each is made once.
  std::vector<NodeName> nodes;
  for (const Member& member : table.members()) nodes.emplace_back(member.address);
  ReplyWriter& reply = context.reply();
  reply.Array(ranges.size());
  for (const SlotTable::Range& range : ranges) {
    reply.Array(3);
    reply.Integer(range.first);
    reply.Integer(range.last);
    WriteNode(nodes[range.owner], &reply);
  }
}

}  // namespace gub
