// ErrorStats: how many replies were errors, by their code (the first word), as INFO errorstats
// tells.
//
// The codes are the fixed few that a node answers with, so their number is bounded.
//
// Threads:  a set is written by one thread and read by any.

#ifndef GUB_COMMAND_ERROR_STATS_H_
#define GUB_COMMAND_ERROR_STATS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <string_view>

namespace gub {

class ErrorStats {
 public:
  // The last stands for all others.
  static constexpr std::string_view kCodes[] = {"ERR",       "OOM",         "NOAUTH",   "WRONGPASS",
                                                "EXECABORT", "NOPROTO",     "NOSCRIPT", "OWNERDOWN",
                                                "MOVED",     "CLUSTERDOWN", "OTHER"};
  static constexpr size_t kCount = std::size(kCodes);

  class Set {
   public:
    void Add(std::string_view text) {
      const auto* const code =
          std::find(std::begin(kCodes), std::end(kCodes) - 1, text.substr(0, text.find(' ')));
      auto& value = values_[static_cast<size_t>(code - std::begin(kCodes))];
      value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

   private:
    friend class ErrorStats;
    std::array<std::atomic<uint64_t>, kCount> values_{};
  };

  explicit ErrorStats(size_t threads) : sets_(threads) {}

  Set& ForThread(size_t index) { return sets_[index]; }

  // Of kCodes[code], since the start or the last Reset.
  uint64_t Sum(size_t code) const {
    const uint64_t total = Total(code);
    const uint64_t before = before_reset_[code].load();
    return total > before ? total - before : 0;  // a Reset may come between the two readings
  }
  void Reset() {
    for (size_t code = 0; code < kCount; ++code) before_reset_[code].store(Total(code));
  }

 private:
  uint64_t Total(size_t code) const {
    uint64_t sum = 0;
    for (const Set& set : sets_) sum += set.values_[code].load(std::memory_order_relaxed);
    return sum;
  }

  std::deque<Set> sets_;
  std::array<std::atomic<uint64_t>, kCount> before_reset_{};
};

}  // namespace gub

#endif  // GUB_COMMAND_ERROR_STATS_H_
