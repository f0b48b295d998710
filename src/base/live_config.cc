#include "base/live_config.h"

namespace gub {

absl::Status LiveConfig::Change(const Edit& edit) {
  MutexLock lock(&mu_);
  auto changed = std::make_shared<Config>(*config_);
  const absl::Status status = edit(changed.get());
  if (!status.ok()) return status;
  config_ = std::move(changed);
  generation_.fetch_add(1, std::memory_order_release);
  return absl::OkStatus();
}

}  // namespace gub
