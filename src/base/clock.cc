#include "base/clock.h"

#include <time.h>

#include <algorithm>
#include <cassert>
#include <thread>

namespace gub {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kSegmentNs = LimiterClock::kPullIntervalMs * kNsPerMs;
constexpr int64_t kMaxCorrectionNs = kSegmentNs / 20;  // 5 %: 50 ms a second

int64_t ReadNs(clockid_t id) {
  timespec now{};
  [[maybe_unused]] const int result = clock_gettime(id, &now);
  assert(result == 0);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class LinuxTimeSource final : public TimeSource {
 public:
  int64_t WallNs() const override { return ReadNs(CLOCK_REALTIME); }
  int64_t BootNs() const override { return ReadNs(CLOCK_BOOTTIME); }
};

}  // namespace

const TimeSource& SystemTimeSource() {
  static const LinuxTimeSource source;
  return source;
}

int64_t MonotonicNs() { return ReadNs(CLOCK_MONOTONIC); }
int64_t BootNs() { return ReadNs(CLOCK_BOOTTIME); }

LimiterClock::LimiterClock(const TimeSource& source) : source_(source) {
  start_boot_ns_.store(source_.BootNs(), std::memory_order_relaxed);
  start_now_ns_.store(source_.WallNs(), std::memory_order_relaxed);
}

int64_t LimiterClock::NowMs() const {
  const int64_t frozen_ms = frozen_ms_.load(std::memory_order_relaxed);
  if (frozen_ms != kNotFrozen) return frozen_ms;
  return RunningNs() / kNsPerMs;
}

// The correction is spread over kSegmentNs; a segment that lasts longer goes on without one.
int64_t LimiterClock::Segment::At(int64_t boot_ns) const {
  const int64_t elapsed_ns = std::max<int64_t>(boot_ns - start_boot_ns, 0);
  const int64_t corrected_ns = std::min(elapsed_ns, kSegmentNs);
  return start_now_ns + elapsed_ns + correction_ns * corrected_ns / kSegmentNs;
}

// The loads are acquire and the last look at the sequence comes after them: whoever has seen one
// word of a newer segment, or a boot time later than the one Pull read, sees the sequence changed
// and starts again. So a segment is never asked for a time behind its end.
int64_t LimiterClock::RunningNs() const {
  while (true) {
    const uint32_t sequence = sequence_.load(std::memory_order_acquire);
    if (sequence % 2 == 0) {
      const Segment segment = {start_boot_ns_.load(std::memory_order_acquire),
                               start_now_ns_.load(std::memory_order_acquire),
                               correction_ns_.load(std::memory_order_acquire)};
      const int64_t boot_ns = source_.BootNs();
      if (sequence_.load(std::memory_order_acquire) == sequence) return segment.At(boot_ns);
    }
    std::this_thread::yield();  // Pull is at work, perhaps without a processor
  }
}

// The sequence is odd before the boot time is read (see RunningNs); fetch_add, because nothing
// after it may move before it. The words are stored with release so that whoever sees one of them
// sees the odd sequence too.
void LimiterClock::Pull() {
  const Segment ending = {start_boot_ns_.load(std::memory_order_relaxed),
                          start_now_ns_.load(std::memory_order_relaxed),
                          correction_ns_.load(std::memory_order_relaxed)};
  const uint32_t sequence = sequence_.fetch_add(1, std::memory_order_acq_rel);
  assert(sequence % 2 == 0);

  const int64_t boot_ns = source_.BootNs();
  const int64_t now_ns = ending.At(boot_ns);
  const int64_t behind_ns = source_.WallNs() - now_ns;
  start_boot_ns_.store(boot_ns, std::memory_order_release);
  start_now_ns_.store(now_ns, std::memory_order_release);
  correction_ns_.store(std::clamp(behind_ns, -kMaxCorrectionNs, kMaxCorrectionNs),
                       std::memory_order_release);
  sequence_.store(sequence + 2, std::memory_order_release);
}

void LimiterClock::Freeze(int64_t now_ms) {
  assert(now_ms >= 0);
  frozen_ms_.store(now_ms, std::memory_order_relaxed);
}

std::optional<int64_t> LimiterClock::Advance(int64_t ms) {
  int64_t frozen_ms = frozen_ms_.load(std::memory_order_relaxed);
  while (true) {
    const int64_t from_ms = frozen_ms == kNotFrozen ? NowMs() : frozen_ms;
    int64_t to_ms = 0;
    if (__builtin_add_overflow(from_ms, ms, &to_ms) || to_ms < 0) return std::nullopt;
    if (frozen_ms_.compare_exchange_weak(frozen_ms, to_ms, std::memory_order_relaxed)) return to_ms;
  }
}

void LimiterClock::Unfreeze() { frozen_ms_.store(kNotFrozen, std::memory_order_relaxed); }

}  // namespace gub
