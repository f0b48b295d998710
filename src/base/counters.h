// Counters: what a node counts, one set per worker thread, added up when somebody asks.
//
// One list (counters.cc) names and explains them; INFO and the metrics are read from it.
//
// Threads:  a CounterSet is written by one thread and read by any; Sum and Reset from any thread.

#ifndef GUB_BASE_COUNTERS_H_
#define GUB_BASE_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>

namespace gub {

enum class Counter : uint8_t {
  kConnectionsReceived,
  kConnectionsRejected,
  kConnectionsClosed,
  kCommandsProcessed,
  kErrorReplies,
  kProtocolErrors,
  kOutputLimitDisconnections,
  kQueryLimitDisconnections,
  kEvictedClients,
  kNetInputBytes,
  kNetOutputBytes,
  kHttpRequests,
  kHttpTimeouts,
  kTokenAdmitted,
  kTokenDenied,
  kTokenRefunded,
  kTokenPeeks,
  kTokenResets,
  kLeakyAdmitted,  // in the order of those of token buckets
  kLeakyDenied,
  kLeakyRefunded,
  kLeakyPeeks,
  kLeakyResets,
  kKeyResets,
  kRequestErrors,
  kForwardedRequests,
  kFallbackAnswers,
  kFallbackLocal,
  kFallbackOpen,
  kFallbackClosed,
  kFallbackError,
  kPeerBatches,
  kPeerRequests,
  kPeerLate,
  kLeaseLocalAnswers,
  kLeaseAsks,
  kLeaseForwards,
  kLeaseDegraded,
  kLeaseRecalls,
  kLeaseSyncs,
  kLeaseReportsSent,
  kLeaseAnswersSent,
  kLeaseFramesSent,
  kLeaseBytesSent,
  kLeaseBadFrames,
  kCount,
};
inline constexpr size_t kCounterCount = static_cast<size_t>(Counter::kCount);

// What counts the same of leaky buckets. REQUIRES: token is one of kTokenAdmitted … kTokenResets.
constexpr Counter LeakyCounterOf(Counter token) {
  constexpr int kApart =
      static_cast<int>(Counter::kLeakyAdmitted) - static_cast<int>(Counter::kTokenAdmitted);
  return static_cast<Counter>(static_cast<int>(token) + kApart);
}
static_assert(LeakyCounterOf(Counter::kTokenResets) == Counter::kLeakyResets);

struct CounterRow {
  Counter id;
  std::string_view section;  // of INFO: "stats", "gub", "cluster" or "global"
  std::string_view name;     // as INFO shows it
  std::string_view text;     // what it counts
};

// In the order of the enum.
std::span<const CounterRow> CounterTable();

class CounterSet {
 public:
  // By the owning thread only: a plain load and store, no locked instruction.
  void Add(Counter id, uint64_t n = 1) {
    auto& value = values_[static_cast<size_t>(id)];
    value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  uint64_t Get(Counter id) const {
    return values_[static_cast<size_t>(id)].load(std::memory_order_relaxed);
  }

 private:
  // A cache line of its own, so that threads do not slow each other.
  alignas(64) std::array<std::atomic<uint64_t>, kCounterCount> values_{};
};

// The sets of all threads.
class Counters {
 public:
  explicit Counters(size_t threads) : sets_(threads) {}
  CounterSet& ForThread(size_t index) { return sets_[index]; }
  // Since the start or the last Reset.
  uint64_t Sum(Counter id) const;
  // The sets go on; what they have counted so far is taken off from now on.
  void Reset();

 private:
  uint64_t Total(Counter id) const;

  std::deque<CounterSet> sets_;
  std::array<std::atomic<uint64_t>, kCounterCount> before_reset_{};
};

}  // namespace gub

#endif  // GUB_BASE_COUNTERS_H_
