// CommandStats: calls, time and failures per command, one set per worker thread.
//
// Time is measured over runs of one command: a pipeline of a thousand GUB.HIT costs two readings of
// the clock, and each of its commands is charged the mean. It includes parsing.
//
// Threads:  a set is written by one thread and read by any.

#ifndef GUB_COMMAND_COMMAND_STATS_H_
#define GUB_COMMAND_COMMAND_STATS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace gub {

class CommandStats {
 public:
  struct Totals {
    uint64_t calls = 0;
    uint64_t ns = 0;
    uint64_t rejected = 0;  // not run: wrong number of arguments and the like
    uint64_t failed = 0;    // run, and answered by an error
  };

  // One thread's.
  class Set {
   public:
    explicit Set(size_t commands) : rows_(commands) {}
    void AddRun(size_t command, uint64_t calls, uint64_t ns) {
      Add(rows_[command].calls, calls);
      Add(rows_[command].ns, ns);
    }
    void AddRejected(size_t command) { Add(rows_[command].rejected, 1); }
    void AddFailed(size_t command) { Add(rows_[command].failed, 1); }

   private:
    friend class CommandStats;
    using Value = std::atomic<uint64_t>;
    struct Row {
      Value calls{0}, ns{0}, rejected{0}, failed{0};
    };
    static void Add(Value& value, uint64_t n) {
      value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    std::vector<Row> rows_;
  };

  CommandStats(size_t threads, size_t commands) {
    for (size_t i = 0; i < threads; ++i) sets_.emplace_back(commands);
  }

  Set& ForThread(size_t index) { return sets_[index]; }

  Totals Sum(size_t command) const {
    Totals sum;
    for (const Set& set : sets_) {
      const Set::Row& row = set.rows_[command];
      sum.calls += row.calls.load(std::memory_order_relaxed);
      sum.ns += row.ns.load(std::memory_order_relaxed);
      sum.rejected += row.rejected.load(std::memory_order_relaxed);
      sum.failed += row.failed.load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  std::deque<Set> sets_;
};

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_STATS_H_
