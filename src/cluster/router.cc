#include "cluster/router.h"

namespace gub {

void Router::Refresh() {
  if (!table_.Refresh()) return;
  std::erase_if(peers_, [this](const auto& entry) {
    return table_->Find(entry.first) == table_->members().size();
  });
}

PeerClient* Router::OwnerOf(std::string_view key) {
  const size_t owner = table_->OwnerOf(SlotOf(key));
  if (owner == table_.self()) return nullptr;
  std::unique_ptr<PeerClient>& peer = peers_[table_->members()[owner].address];
  if (peer == nullptr) {
    peer = std::make_unique<PeerClient>(place_, table_->members()[owner].address);
  }
  return peer.get();
}

std::vector<const PeerClient*> Router::peers() const {
  std::vector<const PeerClient*> peers;
  for (const auto& [address, peer] : peers_) peers.push_back(peer.get());
  return peers;
}

}  // namespace gub
