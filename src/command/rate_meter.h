// RateMeter: how fast a counter has grown of late: INFO's instantaneous_ops_per_sec.
//
// Threads:  Sample from one thread, PerSecond from any.

#ifndef GUB_COMMAND_RATE_METER_H_
#define GUB_COMMAND_RATE_METER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gub {

class RateMeter {
 public:
  static constexpr int64_t kIntervalMs = 100;

  // To be called every kIntervalMs with the counter's value. A counter that was set back counts as
  // one that did not grow.
  void Sample(int64_t mono_ns, uint64_t value) {
    const Point oldest = points_[next_];
    points_[next_] = {mono_ns, value};
    next_ = (next_ + 1) % points_.size();
    if (oldest.mono_ns == 0 || mono_ns <= oldest.mono_ns) return;
    const uint64_t grown = value >= oldest.value ? value - oldest.value : 0;
    const double seconds = static_cast<double>(mono_ns - oldest.mono_ns) / 1e9;
    per_second_.store(static_cast<int64_t>(static_cast<double>(grown) / seconds));
  }

  // Over the last 16 intervals.
  int64_t PerSecond() const { return per_second_.load(); }

 private:
  struct Point {
    int64_t mono_ns = 0;
    uint64_t value = 0;
  };
  std::array<Point, 16> points_{};
  size_t next_ = 0;
  std::atomic<int64_t> per_second_{0};
};

}  // namespace gub

#endif  // GUB_COMMAND_RATE_METER_H_
