#include "base/top_keys.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/hash/hash.h"

namespace gub {

namespace {

// With the length of the name, so that ("a", "bc") and ("ab", "c") differ.
uint64_t HashOf(std::string_view name, std::string_view key) {
  return absl::Hash<std::pair<std::pair<size_t, size_t>, std::pair<size_t, size_t>>>()(
      {{name.size(), key.size()},
       {std::hash<std::string_view>()(name), std::hash<std::string_view>()(key)}});
}

}  // namespace

void SpaceSaving::Add(uint64_t hash, std::string_view name, std::string_view key, uint64_t weight) {
  const auto found = by_hash_.find(hash);
  if (found != by_hash_.end()) {
    counters_[found->second].entry.count += weight;
    return SiftDown(places_[found->second]);
  }
  uint32_t number = 0;
  if (counters_.size() < capacity_) {
    number = static_cast<uint32_t>(counters_.size());
    counters_.emplace_back();
    heap_.push_back(number);
    places_.push_back(number);
  } else {
    number = heap_.front();
    by_hash_.erase(counters_[number].hash);
  }
  Counter& counter = counters_[number];
  TopEntry& entry = counter.entry;
  entry.error = entry.count;
  entry.count += weight;
  entry.name.assign(name.substr(0, TopKeys::kShownBytes));
  entry.key.assign(key.substr(0, TopKeys::kShownBytes));
  counter.hash = hash;
  by_hash_[hash] = number;
  SiftUp(places_[number]);
  SiftDown(places_[number]);
}

void SpaceSaving::Clear() {
  counters_.clear();
  heap_.clear();
  places_.clear();
  by_hash_.clear();
}

uint64_t SpaceSaving::Least() const {
  return counters_.size() < capacity_ ? 0 : counters_[heap_.front()].entry.count;
}

void SpaceSaving::Swap(size_t a, size_t b) {
  std::swap(heap_[a], heap_[b]);
  places_[heap_[a]] = static_cast<uint32_t>(a);
  places_[heap_[b]] = static_cast<uint32_t>(b);
}

void SpaceSaving::SiftUp(size_t place) {
  const auto count = [this](size_t at) { return counters_[heap_[at]].entry.count; };
  for (; place > 0 && count(place) < count((place - 1) / 2); place = (place - 1) / 2) {
    Swap(place, (place - 1) / 2);
  }
}

void SpaceSaving::SiftDown(size_t place) {
  const auto count = [this](size_t at) { return counters_[heap_[at]].entry.count; };
  for (size_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
    if (child + 1 < heap_.size() && count(child + 1) < count(child)) ++child;
    if (count(place) <= count(child)) return;
    Swap(place, child);
    place = child;
  }
}

TopKeys::TopKeys(size_t capacity) {
  if (capacity == 0) {
    until_sample_ = std::numeric_limits<uint64_t>::max();
    return;
  }
  const MutexLock lock(&mu_);
  for (size_t i = 0; i < kGenerations; ++i) generations_.emplace_back(capacity);
}

void TopKeys::Sample(std::string_view name, std::string_view key, bool denied) {
  const uint64_t hash = HashOf(name, key);
  {
    const MutexLock lock(&mu_);
    Generation& generation = generations_[current_];
    generation.hit.Add(hash, name, key, interval_);
    if (denied) generation.denied.Add(hash, name, key, interval_);
  }
  if (++samples_ == kStep) {
    samples_ = 0;
    interval_ *= 2;
  }
  Draw();
}

// The next distance: from 1 to 2 * interval - 1, so that the mean is the interval.
void TopKeys::Draw() {
  random_ = random_ * 1664525 + 1013904223;
  const uint64_t range = 2 * interval_ - 1;
  until_sample_ = 1 + (((random_ >> 8) * range) >> 24);
}

void TopKeys::Restart() {
  interval_ = 1;
  samples_ = 0;
  until_sample_ = 1;
}

void TopKeys::Tick(int64_t now_mono_ms) {
  const MutexLock lock(&mu_);
  if (generations_.empty()) return;
  if (generation_mono_ms_ == 0) generation_mono_ms_ = now_mono_ms;
  // After a long sleep each is passed once at most.
  for (size_t i = 0; i < kGenerations && now_mono_ms - generation_mono_ms_ >= kGenerationMs; ++i) {
    generation_mono_ms_ += kGenerationMs;
    current_ = (current_ + 1) % kGenerations;
    generations_[current_].hit.Clear();
    generations_[current_].denied.Clear();
    Restart();
  }
  if (now_mono_ms - generation_mono_ms_ >= kGenerationMs) generation_mono_ms_ = now_mono_ms;
}

void TopKeys::AddTo(Kind kind, Sum* sum) const {
  const MutexLock lock(&mu_);
  for (const Generation& generation : generations_) {
    const SpaceSaving& sketch = kind == Kind::kHit ? generation.hit : generation.denied;
    for (const SpaceSaving::Counter& counter : sketch.counters()) {
      TopEntry& entry = (*sum)[counter.hash];
      if (entry.count == 0) {
        entry = counter.entry;
      } else {
        entry.count += counter.entry.count;
        entry.error += counter.entry.error;
      }
    }
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): its entries are moved from.
std::vector<TopEntry> Largest(TopKeys::Sum sum, size_t most) {
  std::vector<TopEntry> entries;
  entries.reserve(sum.size());
  for (auto& [hash, entry] : sum) entries.push_back(std::move(entry));
  const size_t kept = std::min(most, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(kept), entries.end(),
                    [](const TopEntry& a, const TopEntry& b) {
                      if (a.count != b.count) return a.count > b.count;
                      return a.name != b.name ? a.name < b.name : a.key < b.key;
                    });
  entries.resize(kept);
  return entries;
}

}  // namespace gub
