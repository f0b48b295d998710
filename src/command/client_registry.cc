#include "command/client_registry.h"

#include <algorithm>
#include <utility>

namespace gub {

void ClientRegistry::Add(const std::shared_ptr<ClientRecord>& record) {
  MutexLock lock(&mu_);
  records_.emplace(record->id, record);
}

void ClientRegistry::Remove(int64_t id) {
  MutexLock lock(&mu_);
  records_.erase(id);
}

ClientRegistry::Records ClientRegistry::All() const {
  Records records;
  {
    MutexLock lock(&mu_);
    records.reserve(records_.size());
    for (const auto& [id, record] : records_) records.push_back(record);
  }
  std::sort(records.begin(), records.end(),
            [](const auto& a, const auto& b) { return a->id < b->id; });
  return records;
}

void ClientMemory::Set(ClientRecord* client, std::atomic<int64_t>* field, int64_t bytes) {
  MutexLock lock(&client->held_mu);
  const int64_t before = field->exchange(bytes);
  if (!client->uncounted) total_.fetch_add(bytes - before);
}

void ClientMemory::Forget(ClientRecord* client) {
  MutexLock lock(&client->held_mu);
  if (!std::exchange(client->uncounted, true)) total_.fetch_sub(client->HeldBytes());
}

ClientRegistry::Records ClientMemory::Evict(const ClientRegistry& clients, int64_t max_bytes) {
  ClientRegistry::Records evicted;
  if (total() <= max_bytes || MonotonicNs() < futile_until_mono_ns_) return evicted;
  std::vector<std::pair<int64_t, std::shared_ptr<ClientRecord>>> by_bytes;
  for (auto& record : clients.All()) {
    const int64_t bytes = record->HeldBytes();
    const bool stays = record->no_evict || record->IsPeer();
    if (bytes > 0 && !stays && !record->evicted) by_bytes.emplace_back(bytes, record);
  }
  std::make_heap(by_bytes.begin(), by_bytes.end());
  while (total() > max_bytes && !by_bytes.empty()) {
    std::pop_heap(by_bytes.begin(), by_bytes.end());
    Forget(by_bytes.back().second.get());
    by_bytes.back().second->evicted = true;
    evicted.push_back(std::move(by_bytes.back().second));
    by_bytes.pop_back();
  }
  // Another thread may have evicted enough in between: that is no futility.
  if (evicted.empty() && total() > max_bytes) futile_until_mono_ns_ = MonotonicNs() + kFutileNs;
  return evicted;
}

}  // namespace gub
