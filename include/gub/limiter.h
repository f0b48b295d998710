// Limiter: the limiter of gub-server for use within a program: no sockets, no loop, no thread.
//
//   std::string error;
//   auto limiter = gub::Limiter::Create({.max_keys = 100'000}, &error);
//   gub::Decision decision = limiter->Decide(
//       {.name = "requests_per_sec", .key = "account:42", .limit = 100});
//   if (decision.status == gub::LimitStatus::kOver) Wait(decision.retry_after_ms);
//
// Threads:  thread-safe, all of it. Of two hits on one bucket one is decided wholly before the
//           other.
// Time:     Unix ms by Options::clock, read once a call and with no lock held. By default that is
// the
//           wall clock at start and monotonic time since, pulled towards the wall clock by at most
//           50 ms a second. A clock that runs back counts as standing still, for all keys alike,
//           until it is past the latest time that any call has read.
// Memory:   the table for max_keys is there from the start, 30 bytes a key (9 of them untouched);
//           a bucket takes 80 bytes more, and the length of its name and key when that is over 39.
//           Nothing ever grows beyond max_keys, and nothing stops to move house.
// Errors:   Decision::error; such a call has changed nothing. Nothing throws: where the process is
//           out of memory, or Options::clock throws, it ends.

#ifndef GUB_LIMITER_H_
#define GUB_LIMITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gub/types.h"

namespace gub {

class Limiter {
 public:
  // What gives way when there are max_keys buckets and none has lapsed.
  enum class Eviction {
    kNearestReset,  // of a few live buckets the one whose reset is nearest
    kRefuse,        // the new one: Error::kTableFull
  };

  struct Options {
    int64_t max_keys = 1'000'000;  // 1 to 2 000 000 000
    size_t max_key_bytes = 4096;   // of name and key together, 2 to 65 000
    Eviction eviction = Eviction::kNearestReset;
    std::string calendar_timezone = "UTC";     // an IANA name, for calendar periods
    std::function<int64_t()> clock = nullptr;  // Unix ms, from any thread; empty: see above
  };

  struct Counters {
    uint64_t expired_keys = 0;       // buckets that lapsed and were freed
    uint64_t evicted_live_keys = 0;  // buckets that had to give way
    uint64_t refused_keys = 0;       // hits answered kTableFull
  };

  // Null when an option is out of range or the time zone is unknown; *error says which.
  static std::unique_ptr<Limiter> Create(Options options, std::string* error) noexcept;
  ~Limiter();
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  Decision Decide(const Request& request) noexcept;

  // Each request as by Decide, in order and at one reading of the clock.
  // REQUIRES: decisions.size() >= requests.size().
  void Decide(std::span<const Request> requests, std::span<Decision> decisions) noexcept;

  // Forgets the buckets of (name, key), whatever their algorithm; how many there were (0 to 2).
  int Reset(std::string_view name, std::string_view key) noexcept;

  // Forgets all buckets.
  void Clear() noexcept;

  // How many buckets there are, lapsed ones that are not freed yet included.
  int64_t Size() const noexcept;
  Counters counters() const noexcept;

  // Decisions free lapsed buckets as they go, a few each. A program that falls silent and wants the
  // memory reused at once may call this; it frees for about max_us, in steps that hold up no other
  // thread, and tells whether there may be more. Any number will do: one that is not above 0 means
  // one step, a large one until there are none. While another thread sweeps it only returns true.
  bool Sweep(int64_t max_us) noexcept;

 private:
  class Core;
  explicit Limiter(std::unique_ptr<Core> core);
  const std::unique_ptr<Core> core_;
};

}  // namespace gub

#endif  // GUB_LIMITER_H_
