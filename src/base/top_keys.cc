#include "base/top_keys.h"

#include <algorithm>
#include <cmath>
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
  const uint32_t number = found != by_hash_.end() ? found->second : Replace(hash, name, key);
  Counter& counter = counters_[number];
  counter.entry.count += weight;
  counter.unseen += weight - 1;
  counter.variance += weight * (weight - 1);
  SiftDown(places_[number]);
}

// The counter of a new key.
uint32_t SpaceSaving::Replace(uint64_t hash, std::string_view name, std::string_view key) {
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
  const uint64_t before = counter.entry.count;
  // New strings, for one that was longer would keep its memory.
  counter = {.entry = {.name = std::string(name.substr(0, TopKeys::kShownBytes)),
                       .key = std::string(key.substr(0, TopKeys::kShownBytes)),
                       .count = before,
                       .error = before},
             .hash = hash};
  by_hash_[hash] = number;
  SiftUp(places_[number]);
  return number;
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

void TopSum::Add(const SpaceSaving& sketch) {
  const uint64_t least = sketch.Least();
  least_ += least;
  for (const SpaceSaving::Counter& counter : sketch.counters()) {
    const auto [found, is_new] = parts_.try_emplace(counter.hash, Part{counter, least});
    if (is_new) continue;
    Part& part = found->second;
    part.counter.entry.count += counter.entry.count;
    part.counter.entry.error += counter.entry.error;
    part.counter.unseen += counter.unseen;
    part.counter.variance += counter.variance;
    part.least += least;
  }
}

std::vector<TopEntry> TopSum::Largest(size_t most) const {
  std::vector<TopEntry> entries;
  entries.reserve(parts_.size());
  for (const auto& [hash, part] : parts_) {
    TopEntry& entry = entries.emplace_back(part.counter.entry);
    const uint64_t missed = least_ - part.least;  // where it is not
    const auto deviation =
        static_cast<uint64_t>(std::ceil(3 * std::sqrt(static_cast<double>(part.counter.variance))));
    entry.count += missed;
    entry.error += missed + std::min(part.counter.unseen, deviation);
  }
  const size_t kept = std::min(most, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(kept), entries.end(),
                    [](const TopEntry& a, const TopEntry& b) {
                      if (a.count != b.count) return a.count > b.count;
                      return a.name != b.name ? a.name < b.name : a.key < b.key;
                    });
  entries.resize(kept);
  return entries;
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

void TopKeys::AddTo(Kind kind, TopSum* sum) const {
  const MutexLock lock(&mu_);
  for (const Generation& generation : generations_) {
    sum->Add(kind == Kind::kHit ? generation.hit : generation.denied);
  }
}

}  // namespace gub
