#include "cluster/peer_registry.h"

#include <algorithm>

namespace gub {

namespace {

// From best to worst.
int RankOf(OwnerHealth::State state) {
  switch (state) {
    case OwnerHealth::State::kUp:
      return 0;
    case OwnerHealth::State::kSuspect:
      return 1;
    case OwnerHealth::State::kProbing:
      return 2;
    case OwnerHealth::State::kDown:
      return 3;
  }
  return 3;
}

void AddTo(PeerSummary* summary, const PeerTally& tally) {
  const auto get = [](const auto& value) { return value.load(std::memory_order_relaxed); };
  ++summary->links;
  summary->ready += get(tally.ready) ? 1 : 0;
  if (get(tally.ready)) summary->digest = get(tally.digest);
  const OwnerHealth::State health = get(tally.health);
  if (RankOf(health) > RankOf(summary->health)) summary->health = health;
  PeerLink::Counts& counts = summary->counts;
  counts.batches += get(tally.batches);
  counts.requests += get(tally.requests);
  counts.answered += get(tally.answered);
  counts.failed += get(tally.failed);
  counts.refused += get(tally.refused);
  counts.late_answers += get(tally.late_answers);
  counts.connects += get(tally.connects);
  counts.answered_batches += get(tally.answered_batches);
  counts.answer_us += get(tally.answer_us);
  counts.largest_batch = std::max(counts.largest_batch, get(tally.largest_batch));
  summary->waiting += get(tally.waiting);
  summary->in_flight += get(tally.in_flight);
}

}  // namespace

void PeerTally::Set(const PeerLink& link) {
  const auto set = [](auto* field, auto value) { field->store(value, std::memory_order_relaxed); };
  const PeerLink::Counts& counts = link.counts();
  set(&health, link.health());
  set(&ready, link.IsReady());
  set(&batches, counts.batches);
  set(&requests, counts.requests);
  set(&answered, counts.answered);
  set(&failed, counts.failed);
  set(&refused, counts.refused);
  set(&late_answers, counts.late_answers);
  set(&connects, counts.connects);
  set(&answered_batches, counts.answered_batches);
  set(&answer_us, counts.answer_us);
  set(&largest_batch, counts.largest_batch);
  set(&waiting, link.waiting());
  set(&in_flight, link.in_flight());
}

std::unique_ptr<PeerRegistry::Presence> PeerRegistry::Claim(const std::string& address,
                                                            const std::string& id,
                                                            int64_t now_mono_ms) {
  MutexLock lock(&mu_);
  auto& processes = processes_[address];
  for (auto& [other, process] : processes) {
    if (other == id || process.replaced) continue;
    if (now_mono_ms - process.heard_mono_ms < kHeardMs) return nullptr;
    process.replaced = true;
  }
  Process& process = processes[id];
  ++process.connections;
  process.heard_mono_ms = now_mono_ms;
  process.replaced = false;
  return std::unique_ptr<Presence>(new Presence(this, address, id, now_mono_ms));
}

PeerRegistry::Presence::~Presence() {
  MutexLock lock(&registry_->mu_);
  auto& processes = registry_->processes_[address_];
  if (--processes[id_].connections == 0) processes.erase(id_);
  if (processes.empty()) registry_->processes_.erase(address_);
}

// Looked at, and told, often enough for Claim.
bool PeerRegistry::Presence::Hear(int64_t now_mono_ms) {
  constexpr int64_t kTellMs = 1000;
  if (now_mono_ms - told_mono_ms_ < kTellMs) return true;
  told_mono_ms_ = now_mono_ms;
  MutexLock lock(&registry_->mu_);
  Process& process = registry_->processes_[address_][id_];
  if (process.replaced) return false;
  process.heard_mono_ms = now_mono_ms;
  return true;
}

std::shared_ptr<PeerTally> PeerRegistry::AddLink(const std::string& address) {
  auto tally = std::make_shared<PeerTally>(address);
  MutexLock lock(&mu_);
  std::erase_if(links_, [](const auto& link) { return link.expired(); });
  links_.push_back(tally);
  return tally;
}

std::vector<PeerSummary> PeerRegistry::Links() const {
  std::map<std::string, PeerSummary> summaries;
  MutexLock lock(&mu_);
  for (const auto& link : links_) {
    const std::shared_ptr<const PeerTally> tally = link.lock();
    if (tally == nullptr) continue;
    PeerSummary& summary = summaries[tally->address];
    summary.address = tally->address;
    AddTo(&summary, *tally);
  }
  std::vector<PeerSummary> sorted;
  for (auto& [address, summary] : summaries) sorted.push_back(std::move(summary));
  return sorted;
}

LinkState PeerRegistry::StateOf(const std::string& address) const {
  LinkState state = LinkState::kUnknown;
  MutexLock lock(&mu_);
  for (const auto& link : links_) {
    const std::shared_ptr<const PeerTally> tally = link.lock();
    if (tally == nullptr || tally->address != address) continue;
    if (tally->ready) return LinkState::kAnswers;
    const OwnerHealth::State health = tally->health;
    const bool is_open =
        health == OwnerHealth::State::kDown || health == OwnerHealth::State::kProbing;
    if (is_open) state = LinkState::kSilent;
  }
  return state;
}

void PeerRegistry::StartGreeting(const std::string& nonce) {
  MutexLock lock(&mu_);
  greetings_.emplace(nonce, false);
}

void PeerRegistry::HeardGreeting(const std::string& nonce) {
  MutexLock lock(&mu_);
  const auto found = greetings_.find(nonce);
  if (found != greetings_.end()) found->second = true;
}

bool PeerRegistry::EndGreeting(const std::string& nonce) {
  MutexLock lock(&mu_);
  const auto found = greetings_.find(nonce);
  if (found == greetings_.end()) return false;
  const bool was_heard = found->second;
  greetings_.erase(found);
  return was_heard;
}

}  // namespace gub
