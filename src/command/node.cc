#include "command/node.h"

namespace gub {

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
