// Backoff: how long to wait before the next try, so that many nodes do not try in step.
//
// Threads:  one at a time.

#ifndef GUB_CLUSTER_BACKOFF_H_
#define GUB_CLUSTER_BACKOFF_H_

#include <algorithm>
#include <cstdint>
#include <random>

namespace gub {

class Backoff {
 public:
  // Two Backoffs of one seed wait alike. REQUIRES: 0 < min_ms <= max_ms.
  Backoff(int64_t min_ms, int64_t max_ms, uint64_t seed)
      : min_ms_(min_ms), max_ms_(max_ms), ceiling_ms_(min_ms), random_(seed) {}

  // Any span from min_ms to a ceiling that starts at twice min_ms and doubles with each failure,
  // up to max_ms.
  int64_t NextMs() {
    ceiling_ms_ = std::min(2 * ceiling_ms_, max_ms_);
    return std::uniform_int_distribution<int64_t>(min_ms_, ceiling_ms_)(random_);
  }

  // It worked.
  void Reset() { ceiling_ms_ = min_ms_; }

 private:
  const int64_t min_ms_;
  const int64_t max_ms_;
  int64_t ceiling_ms_;
  std::mt19937_64 random_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_BACKOFF_H_
