#include "cluster/router.h"

#include <utility>
#include <vector>

namespace gub {

Router::Router(const PeerClient::Place& place)
    : clock_(place.loop), place_(place), view_(*place_.cluster) {
  auto resolver = Resolver::Create(place.loop, place.config->Get()->discovery_dns_server);
  names_ = std::make_unique<NameCache>(resolver.ok() ? *std::move(resolver) : nullptr);
  place_.clock = &clock_;
  place_.names = names_.get();
  by_member_.resize(view_->table.members().size());
}

void Router::KeepAlive() {
  constexpr int64_t kSilentUs = 1'500'000;  // and PeerRegistry::kHeardMs is a few times that
  for (auto& [address, peer] : peers_) peer->AskIfSilent(kSilentUs);
}

PeerClient* Router::Find(std::string_view address) {
  const size_t member = view_->table.Find(address);
  return member < view_->is_self.size() && !view_->IsOwn(member) ? PeerAt(member) : nullptr;
}

void Router::Try(std::string_view address) {
  if (PeerClient* const peer = Find(address)) peer->Ask();
}

void Router::GiveUp() {
  for (auto& [address, peer] : peers_) peer->GiveUp();
}

void Router::Refresh() {
  if (!view_.Refresh()) return;
  const SlotTable& table = view_->table;
  by_member_.assign(table.members().size(), nullptr);
  // What they give up, as they end, may ask for peers anew.
  std::vector<std::unique_ptr<PeerClient>> gone;
  for (auto it = peers_.begin(); it != peers_.end();) {
    const auto here = it++;
    if (table.Find(here->first) < table.members().size()) continue;
    gone.push_back(std::move(here->second));
    peers_.erase(here);
  }
  gone.clear();
  // They compare the new view with theirs.
  for (auto& [address, peer] : peers_) peer->Ask();
}

PeerClient* Router::MakePeerAt(size_t member) {
  const std::string& address = view_->table.members()[member].address;
  std::unique_ptr<PeerClient>& peer = peers_[address];
  if (peer == nullptr) peer = std::make_unique<PeerClient>(place_, address);
  by_member_[member] = peer.get();
  return peer.get();
}

void Router::SayLeave(std::function<void()> done) {
  // Called when the last of those who know of it is gone.
  const std::shared_ptr<void> all(nullptr, [done = std::move(done)](void*) { done(); });
  PeerRequest leave;
  leave.operation = PeerOperation::kLeave;
  leave.request.behavior = kNoBatching;
  for (size_t member = 0; member < view_->table.members().size(); ++member) {
    if (view_->IsOwn(member)) continue;
    PeerAt(member)->Forward(leave, [all](const PeerAnswer*) {});
  }
}

}  // namespace gub
