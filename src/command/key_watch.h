// KeyWatch: whether keys were touched since a client began to WATCH them.
//
// Every key falls into one of kCells; a hit, reset or deletion counts the cell of its key up. Two
// keys in one cell look touched together, so that an EXEC may fail for nothing, but never runs
// when it must not. While nobody watches, a hit costs one look at a flag that does not change.
//
// Threads:  thread-safe.
// Memory:   kCells counters of 8 bytes.

#ifndef GUB_COMMAND_KEY_WATCH_H_
#define GUB_COMMAND_KEY_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace gub {

class KeyWatch {
 public:
  // What a client remembers of a key.
  struct Mark {
    size_t cell;
    uint64_t count;
  };

  // A client that watches nothing yet begins to, or ends.
  void AddWatcher() { watchers_.fetch_add(1); }
  void RemoveWatcher() { watchers_.fetch_sub(1); }

  // REQUIRES: the client is a watcher.
  Mark Look(std::string_view key) const {
    const size_t cell = CellOf(key);
    return {cell, counts_[cell].load()};
  }
  bool IsUntouched(const Mark& mark) const { return counts_[mark.cell].load() == mark.count; }

  void Touch(std::string_view key) {
    if (watchers_.load() != 0) counts_[CellOf(key)].fetch_add(1);
  }
  void TouchAll() {
    for (auto& count : counts_) count.fetch_add(1);
  }

 private:
  static constexpr size_t kCells = 4096;

  static size_t CellOf(std::string_view key) { return std::hash<std::string_view>()(key) % kCells; }

  std::atomic<int64_t> watchers_{0};
  std::array<std::atomic<uint64_t>, kCells> counts_{};
};

}  // namespace gub

#endif  // GUB_COMMAND_KEY_WATCH_H_
