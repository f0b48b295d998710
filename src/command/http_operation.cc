// What operators and their machines ask: metrics, the keys that are hit most, alive, ready.

#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "command/http_handlers.h"
#include "command/metrics.h"
#include "command/top_commands.h"
#include "fmt/format.h"
#include "proto/gubernator_json.h"
#include "proto/query_string.h"

namespace gub {

namespace {

std::string EntriesJson(const std::vector<TopEntry>& entries) {
  std::string text;
  for (const TopEntry& entry : entries) {
    text += fmt::format("{}{{\"name\":{},\"key\":{},\"count\":{},\"error\":{}}}",
                        text.empty() ? "" : ",", JsonQuoted(entry.name), JsonQuoted(entry.key),
                        entry.count, entry.error);
  }
  return "[" + text + "]";
}

// n of ?n=20; nothing when there is something else.
std::optional<int64_t> CountOf(std::string_view query) {
  const std::optional<std::vector<QueryParameter>> parameters = ReadQuery(query);
  if (!parameters || parameters->size() > 1) return std::nullopt;
  if (parameters->empty()) return kTopDefault;
  return parameters->front().name == "n" ? ParseInt64(parameters->front().value) : std::nullopt;
}

}  // namespace

std::string_view WhyNotReady(const Node& node) {
  return node.stopping ? "this node is stopping" : "this node is starting";
}

void HttpMetrics(HttpCall& call) {
  call.Respond(
      {.type = "text/plain; version=0.0.4; charset=utf-8", .body = MetricsText(call.node())});
}

void HttpTop(HttpCall& call) {
  const std::optional<int64_t> most = CountOf(call.request().query);
  if (!most || *most < 1 || *most > kTopMost) {
    return call.Fail(400, fmt::format("n must be from 1 to {}", kTopMost));
  }
  if (call.config().top_keys == 0) return call.Fail(503, kTopOff.substr(4));
  const auto count = static_cast<size_t>(*most);
  call.Respond({.type = kJsonType,
                .body = fmt::format("{{\"denied\":{},\"hit\":{}}}\n",
                                    EntriesJson(TopOf(call.node(), TopKeys::Kind::kDenied, count)),
                                    EntriesJson(TopOf(call.node(), TopKeys::Kind::kHit, count)))});
}

void HttpAlive(HttpCall& call) {
  call.Respond({.type = kJsonType, .body = "{\"status\":\"alive\"}\n"});
}

// Ready as long as this node serves. What is wrong elsewhere stands in `notes`, for people: a node
// that cannot reach another still answers for its own keys, and by fallback for the rest.
void HttpReady(HttpCall& call) {
  Node& node = call.node();
  const bool ready = node.serving;
  std::string notes;
  const auto note = [&notes](const std::string& text) {
    notes += (notes.empty() ? "" : ",") + JsonQuoted(text);
  };
  if (node.cluster != nullptr) {
    for (const PeerSummary& peer : node.cluster->peers().Links()) {
      if (peer.health == OwnerHealth::State::kUp) continue;
      note(fmt::format("peer {} is {}", peer.address, OwnerHealth::NameOf(peer.health)));
    }
    if (node.cluster->ViewMismatches() > 0) note("a peer sees other members than this node");
    if (node.cluster->view()->table.members().size() == 1) note("this node is alone");
  }
  const std::string_view status = ready ? "ready" : node.stopping ? "stopping" : "starting";
  call.Respond({.status = ready ? 200 : 503,
                .type = kJsonType,
                .body = fmt::format("{{\"status\":\"{}\",\"reasons\":[{}],\"notes\":[{}]}}\n",
                                    status, ready ? "" : JsonQuoted(WhyNotReady(node)), notes),
                .error = ready ? "" : "ERR"});
}

}  // namespace gub
