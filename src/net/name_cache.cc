#include "net/name_cache.h"

#include <utility>

namespace gub {

const std::vector<std::string>* NameCache::Find(const std::string& name, int64_t now_mono_ms) {
  Entry& entry = entries_[name];
  const bool is_fresh = !entry.hosts.empty() && now_mono_ms - entry.asked_mono_ms < kFreshMs;
  if (!is_fresh && !entry.asking && resolver_ != nullptr) {
    entry.asking = true;
    entry.asked_mono_ms = now_mono_ms;
    resolver_->AskAddresses(name, [this, name](const absl::StatusOr<Resolver::Addresses>& answer) {
      OnAnswer(name, answer);
    });
  }
  return entry.hosts.empty() ? nullptr : &entry.hosts;
}

void NameCache::Await(const std::string& name, OnAddresses on_addresses) {
  entries_[name].waiting.push_back(std::move(on_addresses));
}

void NameCache::OnAnswer(const std::string& name,
                         const absl::StatusOr<Resolver::Addresses>& answer) {
  Entry& entry = entries_[name];
  entry.asking = false;
  if (answer.ok()) entry.hosts = answer->hosts;
  using Hosts = absl::StatusOr<std::vector<std::string>>;
  const Hosts hosts = answer.ok() ? Hosts(entry.hosts) : Hosts(answer.status());
  const std::vector<OnAddresses> waiting = std::exchange(entry.waiting, {});
  for (const OnAddresses& on_addresses : waiting) on_addresses(hosts);
}

}  // namespace gub
