// Occupancy: how many buckets a node holds, and may hold, over all shards.
//
// Threads:  thread-safe.

#ifndef GUB_STORE_OCCUPANCY_H_
#define GUB_STORE_OCCUPANCY_H_

#include <atomic>
#include <cstdint>

namespace gub {

class Occupancy {
 public:
  explicit Occupancy(int64_t max) : max_(max) {}

  // Takes a place for one bucket; whether there was one. A try in vain is not to be seen: added and
  // taken back, it would let the count pass the most, and turn away one who comes to a free place.
  bool Take() {
    int64_t taken = taken_.load(std::memory_order_relaxed);
    while (taken < max_) {
      if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void GiveBack(int64_t places) { taken_.fetch_sub(places, std::memory_order_relaxed); }

  int64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  int64_t max() const { return max_; }

 private:
  const int64_t max_;
  std::atomic<int64_t> taken_{0};
};

}  // namespace gub

#endif  // GUB_STORE_OCCUPANCY_H_
