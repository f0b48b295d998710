// CommandStats: calls, time and failures per command, one set per worker thread.
//
// Time is measured over runs of one command: a pipeline of a thousand GUB.HIT costs two readings of
// the clock, and each of its commands is charged the mean. It includes parsing.
//
// Threads:  a set is written by one thread and read by any; Sum and Reset from any.

#ifndef GUB_COMMAND_COMMAND_STATS_H_
#define GUB_COMMAND_COMMAND_STATS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace gub {

class CommandStats {
 public:
  // Calls by time: cell i holds those of more than 2^(i-1) and at most 2^i us, the last all above.
  static constexpr size_t kCells = 24;
  using Histogram = std::array<uint64_t, kCells>;

  struct Totals {
    uint64_t calls = 0;
    uint64_t ns = 0;
    uint64_t rejected = 0;  // not run: wrong number of arguments and the like
    uint64_t failed = 0;    // run, and answered by an error
    Histogram by_us{};
  };

  // One thread's.
  class Set {
   public:
    explicit Set(size_t commands) : rows_(commands) {}
    void AddRun(size_t command, uint64_t calls, uint64_t ns) {
      Row& row = rows_[command];
      Add(row.calls, calls);
      Add(row.ns, ns);
      Add(row.by_us[CellOf(ns / calls)], calls);
    }
    void AddRejected(size_t command) { Add(rows_[command].rejected, 1); }
    void AddFailed(size_t command) { Add(rows_[command].failed, 1); }

   private:
    friend class CommandStats;
    using Value = std::atomic<uint64_t>;
    struct Row {
      Value calls{0}, ns{0}, rejected{0}, failed{0};
      std::array<Value, kCells> by_us{};
    };
    static void Add(Value& value, uint64_t n) {
      value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    std::vector<Row> rows_;
  };

  CommandStats(size_t threads, size_t commands) : commands_(commands), before_reset_(commands) {
    for (size_t i = 0; i < threads; ++i) sets_.emplace_back(commands);
  }

  Set& ForThread(size_t index) { return sets_[index]; }

  // Since the start or the last Reset.
  Totals Sum(size_t command) const {
    MutexLock lock(&mu_);
    Totals sum = Total(command);
    const Totals& before = before_reset_[command];
    sum.calls -= before.calls;
    sum.ns -= before.ns;
    sum.rejected -= before.rejected;
    sum.failed -= before.failed;
    for (size_t i = 0; i < kCells; ++i) sum.by_us[i] -= before.by_us[i];
    return sum;
  }

  // One command, from now on.
  void Reset(size_t command) {
    MutexLock lock(&mu_);
    before_reset_[command] = Total(command);
  }
  void ResetAll() {
    for (size_t command = 0; command < commands_; ++command) Reset(command);
  }

 private:
  static size_t CellOf(uint64_t ns) {
    const uint64_t us = (ns + 999) / 1000;
    return us <= 1 ? 0 : std::min<size_t>(std::bit_width(us - 1), kCells - 1);
  }

  Totals Total(size_t command) const {
    Totals sum;
    for (const Set& set : sets_) {
      const Set::Row& row = set.rows_[command];
      sum.calls += row.calls.load(std::memory_order_relaxed);
      sum.ns += row.ns.load(std::memory_order_relaxed);
      sum.rejected += row.rejected.load(std::memory_order_relaxed);
      sum.failed += row.failed.load(std::memory_order_relaxed);
      for (size_t i = 0; i < kCells; ++i) {
        sum.by_us[i] += row.by_us[i].load(std::memory_order_relaxed);
      }
    }
    return sum;
  }

  const size_t commands_;
  std::deque<Set> sets_;
  mutable Mutex mu_;
  std::vector<Totals> before_reset_ ABSL_GUARDED_BY(mu_);
};

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_STATS_H_
