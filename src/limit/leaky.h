// The leaky bucket: what was used drains away continuously, limit per duration. It is the classic
// token bucket with refill and decides as GCRA does.
//
// Pure, as limit/token.h is. `used` is a multiple of 1/duration and kept as that integer multiple
// (used x duration, up to 105 bits), so nothing is ever rounded but by a change of duration, which
// rounds up to a multiple of 1/(new duration).
//
// Threads:  plain values and pure functions.
// Time:     now_ms is the caller's, Unix; a now before the state's last hit counts as that hit's.
// Errors:   none; what would leave int64 stays at its end, what lies between is exact.

#ifndef GUB_LIMIT_LEAKY_H_
#define GUB_LIMIT_LEAKY_H_

#include <cstdint>
#include <optional>

#include "gub/types.h"
#include "limit/calendar.h"
#include "limit/int128.h"

namespace gub {

struct LeakyState {
  Int128 used_units;    // used x duration_ms at last_ms; > 0, for 0 is the same as no state
  int64_t last_ms;      // the last hit or refund that left this state
  int64_t limit;        // drains limit units a ms
  int64_t duration_ms;  // a calendar unit counts as the length of the period that held last_ms
  bool marked;          // the last word was "denied at zero"

  friend bool operator==(const LeakyState&, const LeakyState&) = default;
};

// Decides `request` against `*state` (nullopt: an empty bucket) and leaves the new state there; a
// peek leaves it as it was.
// REQUIRES: request.limit >= 0, request.BucketSize() >= 0.
Decision ApplyLeaky(const Request& request, const Calendar& calendar, int64_t now_ms,
                    std::optional<LeakyState>* state);

// The first ms at which the state is the same as none; INT64_MAX when it never drains.
int64_t LapsesAtMs(const LeakyState& state);

}  // namespace gub

#endif  // GUB_LIMIT_LEAKY_H_
