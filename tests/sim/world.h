// World: time, chance and the network of a simulation, in one thread.
//
// Whatever happens is an event at a time; a seed replays exactly. Each operation on the network
// (a connection, a handshake, a batch, an answer) asks what becomes of it: by chance, or by a plan
// that lets the n-th fail or come late.

#ifndef GUB_TESTS_SIM_WORLD_H_
#define GUB_TESTS_SIM_WORLD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>

namespace gub {

class World {
 public:
  enum class Fate { kFine, kFails, kIsLate };

  // What becomes of operations. One in `one_in` fails and one in `one_in` is late (0: none), and
  // the operation `nth` has `fate`.
  struct Plan {
    size_t one_in = 0;
    size_t nth = SIZE_MAX;
    Fate fate = Fate::kFine;
  };

  World(uint64_t seed, Plan plan) : random_(seed), plan_(plan) {}

  int64_t now_us() const { return now_us_; }
  int64_t now_ms() const { return now_us_ / 1000; }
  uint64_t Dice() { return random_(); }
  size_t Below(size_t bound) { return static_cast<size_t>(random_() % bound); }

  Fate NextFate() {
    const size_t number = operations_++;
    if (number == plan_.nth) return plan_.fate;
    if (plan_.one_in == 0) return Fate::kFine;
    const size_t dice = Below(plan_.one_in);
    return dice == 0 ? Fate::kFails : dice == 1 ? Fate::kIsLate : Fate::kFine;
  }
  size_t operations() const { return operations_; }

  // How long something is on its way.
  int64_t DelayUs(Fate fate) {
    const auto us = static_cast<int64_t>(20 + Below(200));
    return fate == Fate::kIsLate ? us + static_cast<int64_t>(Below(250'000)) : us;
  }

  void At(int64_t us, std::function<void()> event) {
    events_.emplace(std::make_pair(std::max(us, now_us_), next_event_++), std::move(event));
  }
  void After(int64_t us, std::function<void()> event) { At(now_us_ + us, std::move(event)); }

  // Lets happen what does by then.
  void RunUntil(int64_t us) {
    while (!events_.empty() && events_.begin()->first.first <= us) {
      const auto first = events_.begin();
      now_us_ = first->first.first;
      const std::function<void()> event = std::move(first->second);
      events_.erase(first);
      event();
    }
    now_us_ = std::max(now_us_, us);
  }

 private:
  std::mt19937_64 random_;
  const Plan plan_;
  int64_t now_us_ = 1'000'000;
  size_t operations_ = 0;
  uint64_t next_event_ = 0;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> events_;
};

}  // namespace gub

#endif  // GUB_TESTS_SIM_WORLD_H_
