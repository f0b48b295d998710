// TopKeys: the (name, key) pairs that were hit and denied most in the last minute, in bounded
// memory.
//
// Two sketches of each ten seconds, one of hits and one of denials, by the algorithm Space-Saving
// (Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data
// Streams, ICDT 2005): of `capacity` counters the smallest gives way to a new key, which starts
// where that one stood. Whoever has more than one in `capacity` is there.
//
// A hit must cost nearly nothing, so not all are looked at: in each ten seconds the first kStep
// are, then every second of twice as many, then every fourth, and so on, at distances that vary by
// chance, and each stands for those that were passed over.
//
// What a count is worth, where `hits` is how many there were. While all were looked at, it holds
// that count - error <= hits <= count: the error is what others may have left in the key's counters
// and, for each full sketch in which it is not, all that it may have had there, which is as much as
// the smallest counter and counts too. Once some were passed over, the count is an estimate and may
// be too low as well; the error then has three standard deviations of it more, or all that was not
// looked at if that is less, and hits < count - error about once in a thousand.
//
// Threads:  one writes, any read.
// Time:     monotonic ms.
// Memory:   2 * 6 sketches of `capacity` counters of 150 to 220 bytes each, and of names and keys
//           that are longer than 15 bytes at most kShownBytes each; longer ones are told apart by
//           their hash and shown cut.

#ifndef GUB_BASE_TOP_KEYS_H_
#define GUB_BASE_TOP_KEYS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"

namespace gub {

struct TopEntry {
  std::string name;
  std::string key;
  uint64_t count = 0;
  uint64_t error = 0;  // by how much the count may be too high
};

// Space-Saving over (name, key). An entry's error is what was there before it. Not thread-safe.
class SpaceSaving {
 public:
  // REQUIRES: capacity >= 1.
  explicit SpaceSaving(size_t capacity) : capacity_(capacity) {}

  // `hash` is that of the whole name and key. `weight`: for how many hits this one stands.
  void Add(uint64_t hash, std::string_view name, std::string_view key, uint64_t weight);
  void Clear();

  struct Counter {
    TopEntry entry;
    uint64_t hash = 0;
    uint64_t unseen = 0;    // of its own count, what others stood for
    uint64_t variance = 0;  // of its own count
  };
  const std::vector<Counter>& counters() const { return counters_; }
  // What a key that is not there may have at most.
  uint64_t Least() const;

 private:
  uint32_t Replace(uint64_t hash, std::string_view name, std::string_view key);
  void SiftDown(size_t place);
  void SiftUp(size_t place);
  void Swap(size_t a, size_t b);

  const size_t capacity_;
  std::vector<Counter> counters_;
  // A heap of the counters' numbers, the smallest count first; places_ says where each stands.
  std::vector<uint32_t> heap_;
  std::vector<uint32_t> places_;
  absl::flat_hash_map<uint64_t, uint32_t> by_hash_;
};

// What several sketches of different hits know together. Not thread-safe.
class TopSum {
 public:
  void Add(const SpaceSaving& sketch);
  // The `most` largest, the largest first; of equal ones the names and keys decide.
  std::vector<TopEntry> Largest(size_t most) const;

 private:
  struct Part {
    SpaceSaving::Counter counter;
    uint64_t least = 0;  // together, of the sketches that have it
  };

  absl::flat_hash_map<uint64_t, Part> parts_;
  uint64_t least_ = 0;  // together, of all sketches
};

class TopKeys {
 public:
  static constexpr int64_t kGenerationMs = 10'000;
  static constexpr size_t kGenerations = 6;
  static constexpr uint32_t kStep = 128;
  static constexpr size_t kShownBytes = 256;

  // capacity 0: off.
  explicit TopKeys(size_t capacity);

  // Counts a request with a cost. Inline, for it is on the way of each.
  void Add(std::string_view name, std::string_view key, bool denied) {
    if (--until_sample_ != 0) return;
    Sample(name, key, denied);
  }
  // Lets old hits go. To be called by the writer every second or so.
  void Tick(int64_t now_mono_ms);

  enum class Kind { kHit, kDenied };
  // Adds what this one knows of the last minute to *sum.
  void AddTo(Kind kind, TopSum* sum) const;

 private:
  struct Generation {
    explicit Generation(size_t capacity) : hit(capacity), denied(capacity) {}
    SpaceSaving hit;
    SpaceSaving denied;
  };

  void Sample(std::string_view name, std::string_view key, bool denied);
  void Restart();
  void Draw();

  // The writer's own.
  uint64_t until_sample_ = 1;
  uint64_t interval_ = 1;  // the mean distance of two that are looked at
  uint32_t samples_ = 0;   // at this interval
  uint32_t random_ = 0x9e3779b9;
  int64_t generation_mono_ms_ = 0;

  mutable Mutex mu_;
  size_t current_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<Generation> generations_ ABSL_GUARDED_BY(mu_);
};

}  // namespace gub

#endif  // GUB_BASE_TOP_KEYS_H_
