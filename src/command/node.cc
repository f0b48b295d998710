#include "command/node.h"

namespace gub {

void Node::Count(ClientRecord* client, std::optional<ClientRecord::Standing> standing) {
  using enum ClientRecord::Standing;
  const auto count_of = [this](ClientRecord::Standing of) -> std::atomic<int64_t>& {
    if (of == kPeer) return connected_peers;
    if (of == kProbe) return connected_probes;
    if (of == kRefused) return connected_refused;
    return of == kCandidate ? connected_candidates : connected_clients;
  };
  count_of(client->standing).fetch_sub(1);
  if (!standing) return;
  client->standing = *standing;
  count_of(*standing).fetch_add(1);
  // What other nodes send and are sent is bounded by itself, and must not drive clients out.
  if (*standing == kPeer) client_memory.Forget(client);
}

absl::Status ChangeConfig(Node* node, const LiveConfig::Edit& edit) {
  const absl::Status status = node->config.Change([&](Config* config) {
    const Config before = *config;
    const absl::Status edited = edit(config);
    return edited.ok() ? node->hooks.prepare_config(before, config) : edited;
  });
  if (status.ok()) node->hooks.config_changed();
  return status;
}

}  // namespace gub
