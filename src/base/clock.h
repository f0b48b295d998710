// LimiterClock: the node's clock in Unix ms, by which all buckets, replies and calendar periods go.
//
// It is the wall clock at start plus monotonic time since (CLOCK_BOOTTIME, so a suspended machine's
// sleep counts), pulled towards the wall clock by at most 50 ms a second: a step of the wall clock
// neither mints nor takes tokens. It never runs back, but by Freeze (GUB.DEBUG CLOCK).
//
// How: time is a chain of segments. Pull() ends one and starts the next at the very same reading,
// with a correction of at most 5 % of the segment's length spread evenly over it; a reader
// evaluates the present segment. So time is continuous and its slope lies between 0.95 and 1.05.
//
// A reading that comes after another, in whatever threads, is never the smaller one, as far as the
// source itself keeps this: processors' clocks may differ by some ns, and so may what they read.
//
// Threads:  NowMs from any thread, without a lock; Pull from one thread; Freeze/Unfreeze from any.

#ifndef GUB_BASE_CLOCK_H_
#define GUB_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>
#include <optional>

namespace gub {

// Where a LimiterClock gets its time from; tests bring their own.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual int64_t WallNs() const = 0;  // Unix, may step
  virtual int64_t BootNs() const = 0;  // since some start, never runs back, counts sleep
};

// CLOCK_REALTIME and CLOCK_BOOTTIME.
const TimeSource& SystemTimeSource();

class LimiterClock {
 public:
  // How often Pull is to be called.
  static constexpr int64_t kPullIntervalMs = 100;

  explicit LimiterClock(const TimeSource& source = SystemTimeSource());

  int64_t NowMs() const;

  // Starts the next segment. Late or missing calls cost only the correction's pace.
  void Pull();

  // Stops the clock at now_ms; it stays there until Unfreeze or another Freeze.
  // REQUIRES: now_ms >= 0.
  void Freeze(int64_t now_ms);
  // Moves the clock by ms and stops it there; the new time. Nothing when that would be before 0 or
  // leave int64: then nothing has changed.
  std::optional<int64_t> Advance(int64_t ms);
  // Lets it run again, at the time it would have had.
  void Unfreeze();

 private:
  static constexpr int64_t kNotFrozen = -1;

  // A plain copy of one segment.
  struct Segment {
    int64_t start_boot_ns;
    int64_t start_now_ns;
    int64_t correction_ns;

    int64_t At(int64_t boot_ns) const;
  };

  int64_t RunningNs() const;

  const TimeSource& source_;
  std::atomic<int64_t> frozen_ms_{kNotFrozen};

  // The segment, published by a sequence lock: odd while it is being written.
  std::atomic<uint32_t> sequence_{0};
  std::atomic<int64_t> start_boot_ns_{0};
  std::atomic<int64_t> start_now_ns_{0};
  std::atomic<int64_t> correction_ns_{0};
};

// Monotonic ns for measuring spans (CLOCK_MONOTONIC); never Unix time.
int64_t MonotonicNs();
// The same, but it goes on while the machine is suspended.
int64_t BootNs();

}  // namespace gub

#endif  // GUB_BASE_CLOCK_H_
