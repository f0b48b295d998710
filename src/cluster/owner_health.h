// OwnerHealth: whether an owner is asked, and when one that was not is tried again.
//
//   state   | what is sent to it       | failure                     | success (an answer in time)
//   --------+--------------------------+-----------------------------+----------------------------
//   up      | everything               | -> suspect                  | stays up
//   suspect | everything               | kFailuresToOpen in a row:   | -> up
//           |                          |   -> down, wait             |
//   down    | nothing; the wait over:  | stays down (of requests     | stays down (a late answer
//           |   -> probing, one probe  |   sent before)              |   of before says nothing)
//   probing | nothing but the probe    | -> down, twice the wait     | -> up, the wait starts over
//
// A failure is a connection that is refused, closed or cannot be named, and a request that was not
// answered in time: all alike. So a frozen owner is a dead one after kFailuresToOpen requests.
// A wait is between half and all of a length that doubles from kFirstWaitMs to kLongestWaitMs, by
// the caller's dice, so that the nodes of a cluster do not come back all at once.
//
// Threads:  one at a time.
// Time:     now_mono_ms is the caller's, of any one monotonic clock.

#ifndef GUB_CLUSTER_OWNER_HEALTH_H_
#define GUB_CLUSTER_OWNER_HEALTH_H_

#include <cstdint>
#include <string_view>

namespace gub {

class OwnerHealth {
 public:
  enum class State : uint8_t { kUp, kSuspect, kDown, kProbing };

  static constexpr int kFailuresToOpen = 3;
  static constexpr int64_t kFirstWaitMs = 100;
  static constexpr int64_t kLongestWaitMs = 5000;

  State state() const { return state_; }
  static std::string_view NameOf(State state);

  // Whether requests are sent. While not, they are answered at once by the fallback.
  bool IsAsked() const { return state_ == State::kUp || state_ == State::kSuspect; }

  // Whether a probe is due now: then it is on its way, and its outcome must be told.
  bool TakeProbe(int64_t now_mono_ms);
  // When the next probe is due; of no meaning unless the state is kDown.
  int64_t next_probe_mono_ms() const { return next_probe_mono_ms_; }

  void OnSuccess();
  void OnProbeSuccess();
  // `dice` is a random number.
  void OnFailure(int64_t now_mono_ms, uint64_t dice);
  void OnProbeFailure(int64_t now_mono_ms, uint64_t dice);

 private:
  void Open(int64_t now_mono_ms, uint64_t dice);

  State state_ = State::kUp;
  int failures_ = 0;  // in a row
  int64_t wait_ms_ = kFirstWaitMs;
  int64_t next_probe_mono_ms_ = 0;
};

}  // namespace gub

#endif  // GUB_CLUSTER_OWNER_HEALTH_H_
