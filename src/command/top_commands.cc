#include "command/top_commands.h"

#include <optional>

#include "base/text.h"
#include "command/context.h"
#include "fmt/format.h"

namespace gub {

namespace {

void WriteEntries(const std::vector<TopEntry>& entries, ReplyWriter* reply) {
  reply->Array(entries.size());
  for (const TopEntry& entry : entries) {
    reply->Array(4);
    reply->Bulk(entry.name);
    reply->Bulk(entry.key);
    reply->Integer(static_cast<int64_t>(entry.count));
    reply->Integer(static_cast<int64_t>(entry.error));
  }
}

}  // namespace

std::vector<TopEntry> TopOf(const Node& node, TopKeys::Kind kind, size_t most) {
  TopSum sum;
  for (const TopKeys& keys : node.top_keys) keys.AddTo(kind, &sum);
  return sum.Largest(most);
}

// GUB.TOP [n] -> a map of denied and hit, each a list of [name, key, count, error]
void TopCommand(CommandContext& context) {
  const Args args = context.args();
  const std::optional<int64_t> most = args.size() > 1 ? ParseInt64(args[1]) : kTopDefault;
  if (args.size() > 2) return context.Error("ERR syntax error");
  if (!most || *most < 1 || *most > kTopMost) {
    return context.Error(fmt::format("ERR n must be from 1 to {}", kTopMost));
  }
  if (context.config().top_keys == 0) return context.Error(kTopOff);
  ReplyWriter& reply = context.reply();
  const auto count = static_cast<size_t>(*most);
  reply.Map(2);
  reply.Bulk("denied");
  WriteEntries(TopOf(context.node(), TopKeys::Kind::kDenied, count), &reply);
  reply.Bulk("hit");
  WriteEntries(TopOf(context.node(), TopKeys::Kind::kHit, count), &reply);
}

}  // namespace gub
