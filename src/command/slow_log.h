// SlowLog: the commands that took long, the latest first, as SLOWLOG tells them.
//
// Threads:  thread-safe.
// Memory:   bounded: as many entries as the option slowlog-max-len, each of at most kMaxArgs
//           arguments of kMaxArgBytes.

#ifndef GUB_COMMAND_SLOW_LOG_H_
#define GUB_COMMAND_SLOW_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace gub {

class SlowLog {
 public:
  static constexpr size_t kMaxArgs = 32;
  static constexpr size_t kMaxArgBytes = 128;

  struct Entry {
    int64_t id = 0;
    int64_t unix_s = 0;
    int64_t us = 0;
    std::vector<std::string> args;
    std::string address;
    std::string name;
  };

  // Numbers the entry and keeps it; the oldest go when there are more than max_entries.
  void Add(Entry entry, size_t max_entries);
  // The latest, at most `count`.
  std::vector<Entry> Latest(size_t count) const;
  size_t size() const;
  void Clear();

  // Arguments as an entry shows them: long ones are cut, and say by how much, as in Redis.
  static std::vector<std::string> Shown(std::span<const std::string_view> args);

 private:
  mutable Mutex mu_;
  int64_t next_id_ ABSL_GUARDED_BY(mu_) = 0;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mu_);  // the latest in front
};

}  // namespace gub

#endif  // GUB_COMMAND_SLOW_LOG_H_
