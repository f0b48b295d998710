// KeyWatch: whether keys were touched since a client began to WATCH them.
//
// Every key falls into one of kCells; a hit, reset or deletion counts the cell of its key up. Two
// keys in one cell look touched together, so that an EXEC may fail for nothing, but never runs
// when it must not. While nobody watches, a hit costs one look at a flag that does not change;
// while somebody does, hits of several threads share a lock that an EXEC of a watcher takes for
// itself, so that nothing comes between its look and its run.
//
// Threads:  thread-safe. The lock is taken before that of a shard of the store, never after.
// Memory:   kCells counters of 8 bytes.

#ifndef GUB_COMMAND_KEY_WATCH_H_
#define GUB_COMMAND_KEY_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
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

  // Around whatever changes buckets of a key: a hit, a reset, a deletion. Touches the key at its
  // end unless it was told that nothing has changed. `in_exec`: on the thread that holds the lock
  // for its EXEC.
  class Change {
   public:
    Change(KeyWatch* watch, std::string_view key, bool in_exec)
        : watch_(watch->watchers_.load() != 0 ? watch : nullptr), key_(key) {
      if (watch_ != nullptr && !in_exec) lock_ = std::shared_lock(watch_->mu_);
    }
    ~Change() {
      if (watch_ != nullptr && touches_) watch_->counts_[CellOf(key_)].fetch_add(1);
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    void ChangesNothing() { touches_ = false; }

   private:
    KeyWatch* const watch_;
    const std::string_view key_;
    std::shared_lock<std::shared_mutex> lock_;
    bool touches_ = true;
  };

  // Keeps all others from changing what is watched, until it goes: for the EXEC of a watcher, and
  // for what changes every key.
  std::unique_lock<std::shared_mutex> LockForExec() { return std::unique_lock(mu_); }

  void TouchAll() {
    for (auto& count : counts_) count.fetch_add(1);
  }

 private:
  static constexpr size_t kCells = 4096;

  static size_t CellOf(std::string_view key) { return std::hash<std::string_view>()(key) % kCells; }

  std::atomic<int64_t> watchers_{0};
  std::shared_mutex mu_;
  std::array<std::atomic<uint64_t>, kCells> counts_{};
};

}  // namespace gub

#endif  // GUB_COMMAND_KEY_WATCH_H_
