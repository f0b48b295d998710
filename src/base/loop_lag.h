// LoopLag: how late a loop was for a timer of its own, the largest of late.
//
// Threads:  one writes, any read.

#ifndef GUB_BASE_LOOP_LAG_H_
#define GUB_BASE_LOOP_LAG_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace gub {

class LoopLag {
 public:
  static constexpr int64_t kSpanNs = 10'000'000'000;

  // It was late by so much.
  void Add(int64_t lag_us, int64_t now_mono_ns) {
    if (now_mono_ns - span_start_mono_ns_ >= kSpanNs) {
      before_.store(present_.load(std::memory_order_relaxed), std::memory_order_relaxed);
      present_.store(0, std::memory_order_relaxed);
      span_start_mono_ns_ = now_mono_ns;
    }
    if (lag_us > present_.load(std::memory_order_relaxed)) {
      present_.store(lag_us, std::memory_order_relaxed);
    }
  }

  // The largest of the last ten to twenty seconds.
  int64_t LargestUs() const {
    return std::max(before_.load(std::memory_order_relaxed),
                    present_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<int64_t> present_{0};
  std::atomic<int64_t> before_{0};
  int64_t span_start_mono_ns_ = 0;
};

}  // namespace gub

#endif  // GUB_BASE_LOOP_LAG_H_
