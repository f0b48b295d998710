#include "cluster/lease_book.h"

#include <algorithm>
#include <utility>

namespace gub {

LeaseBook::LeaseBook(Store* store, const LimiterClock* clock, int64_t max_leases)
    : store_(*store), clock_(*clock), buckets_(store), room_(max_leases), parts_(kParts) {}

Decision LeaseBook::Buckets::Apply(const Request& request, int64_t now_ms) {
  Decision decision;
  if (store_.Decide(request, now_ms, &decision, {.lends = true}) == Store::Outcome::kFull) {
    decision.error = Error::kTableFull;
  }
  return decision;
}

void LeaseBook::TakeTimes(Part* part) {
  part->settings.sync_ms = sync_ms_.load(std::memory_order_relaxed);
  part->settings.peer_timeout_ms = peer_timeout_ms_.load(std::memory_order_relaxed);
}

LeaseBook::Entry* LeaseBook::EntryOf(Part* part, const LeaseMapKey& at, const LeaseReport& report) {
  const auto found = part->entries.find(at.bytes());
  if (found != part->entries.end()) return &found->second;
  // From here on the bucket is flagged, and there, as long as the entry is.
  const Request look = LeaseBucket(report.key, &buckets_).Of(report.numbers, 0);
  if (buckets_.Apply(look, clock_.NowMs()).error != Error::kNone) return nullptr;
  keys_.fetch_add(1, std::memory_order_relaxed);
  Entry& entry = part->entries[std::string(at.bytes())];
  entry.owner = std::make_unique<LeaseOwner>(
      report.key, &buckets_, LeaseOwner::Shared{&part->settings, &generations_, &room_});
  return &entry;
}

void LeaseBook::Append(LeaseOutbox* outbox, LeaseNews* news) {
  for (LeaseOutbox::Letter& letter : outbox->letters) {
    news->letters.push_back({std::move(letter.holder), std::string(letter.answer.key.name),
                             std::string(letter.answer.key.key), letter.answer});
  }
  news->settled.insert(news->settled.end(), outbox->settled.begin(), outbox->settled.end());
  outbox->letters.clear();
  outbox->settled.clear();
}

bool LeaseBook::Close(Part* part, std::string_view at, LeaseOutbox* outbox, LeaseNews* news) {
  Append(outbox, news);
  const auto found = part->entries.find(at);
  Entry& entry = found->second;
  if (entry.owner->IsIdle()) {
    const LeaseKey key = entry.owner->Key();
    store_.EndLease(key.name, key.key, key.algorithm);
    part->entries.erase(found);
    keys_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
  const std::optional<int64_t> next_us = entry.owner->NextTickUs();
  if (!next_us) return false;
  news->next_tick_us = std::min(news->next_tick_us.value_or(*next_us), *next_us);
  if (std::exchange(entry.waits, true)) return false;
  part->waiting.emplace_back(at);
  return false;
}

std::optional<LeaseOwner::Result> LeaseBook::Decide(const Request& request, uint64_t token,
                                                    LeaseNews* news) {
  const LeaseMapKey at({request.name, request.key, request.algorithm});
  Part& part = PartOf(at);
  MutexLock lock(&part.mu);
  const auto found = part.entries.find(at.bytes());
  if (found == part.entries.end()) return std::nullopt;
  TakeTimes(&part);
  LeaseOutbox outbox;
  const LeaseOwner::Result result = found->second.owner->Decide(request, token, Now(), &outbox);
  Close(&part, at.bytes(), &outbox, news);
  return result;
}

void LeaseBook::OnReport(const LeaseOwner::Sender& sender, const LeaseReport& report,
                         LeaseNews* news) {
  const LeaseMapKey at(report.key);
  Part& part = PartOf(at);
  MutexLock lock(&part.mu);
  TakeTimes(&part);
  Entry* const entry = EntryOf(&part, at, report);
  if (entry == nullptr) {
    const LeaseAnswer answer = {.key = report.key,
                                .number = report.number,
                                .verdict = LeaseVerdict::kForward,
                                .about = report.generation};
    news->letters.push_back({std::string(sender.holder), std::string(report.key.name),
                             std::string(report.key.key), answer});
    return;
  }
  LeaseOutbox outbox;
  entry->owner->OnReport(sender, report, Now(), &outbox);
  Close(&part, at.bytes(), &outbox, news);
}

void LeaseBook::OnGone(std::string_view name, std::string_view key, LeaseNews* news) {
  for (const Algorithm algorithm : {Algorithm::kToken, Algorithm::kLeaky}) {
    const LeaseMapKey at({name, key, algorithm});
    Part& part = PartOf(at);
    MutexLock lock(&part.mu);
    const auto found = part.entries.find(at.bytes());
    if (found == part.entries.end()) continue;
    TakeTimes(&part);
    LeaseOutbox outbox;
    found->second.owner->OnGone(Now(), &outbox);
    Close(&part, at.bytes(), &outbox, news);
  }
}

// The keys are taken down first, for Close may take entries away.
void LeaseBook::OnGoneAll(LeaseNews* news) {
  for (Part& part : parts_) {
    MutexLock lock(&part.mu);
    TakeTimes(&part);
    std::vector<std::string> keys;
    for (const auto& [at, entry] : part.entries) keys.push_back(at);
    for (const std::string& at : keys) {
      LeaseOutbox outbox;
      part.entries.find(at)->second.owner->OnGone(Now(), &outbox);
      Close(&part, at, &outbox, news);
    }
  }
}

void LeaseBook::Tick(LeaseNews* news) {
  for (Part& part : parts_) {
    MutexLock lock(&part.mu);
    std::vector<std::string> waiting;
    waiting.swap(part.waiting);
    for (const std::string& at : waiting) {
      const auto found = part.entries.find(at);
      if (found == part.entries.end()) continue;
      Entry& entry = found->second;
      LeaseOutbox outbox;
      const LeaseTime now = Now();
      if (entry.owner->NextTickUs().value_or(INT64_MAX) <= now.mono_us) {
        entry.owner->OnTick(now, &outbox);
      }
      entry.waits = false;
      Close(&part, at, &outbox, news);
    }
  }
}

void LeaseBook::Sync(size_t part, size_t parts, LeaseNews* news) {
  for (size_t i = part; i < kParts; i += parts) {
    Part& mine = parts_[i];
    MutexLock lock(&mine.mu);
    TakeTimes(&mine);
    std::vector<std::string> idle;
    for (auto& [at, entry] : mine.entries) {
      LeaseOutbox outbox;
      entry.owner->OnTick(Now(), &outbox);
      Append(&outbox, news);
      if (entry.owner->IsIdle()) idle.push_back(at);
    }
    LeaseOutbox nothing;
    for (const std::string& at : idle) Close(&mine, at, &nothing, news);
  }
}

}  // namespace gub
