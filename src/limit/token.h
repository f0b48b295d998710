// The token bucket: a fixed window that the first hit opens.
//
// Pure: (state, request, now) -> (state, decision). What is remembered is what was used, so that
// raising and lowering a limit in flight never mints or loses anything.
//
// Threads:  plain values and pure functions.
// Time:     now_ms is the caller's, Unix; a now before the state's last hit counts as that hit's.
// Errors:   none; what would leave int64 stays at its end, what lies between is exact.

#ifndef GUB_LIMIT_TOKEN_H_
#define GUB_LIMIT_TOKEN_H_

#include <cstdint>
#include <optional>

#include "gub/types.h"
#include "limit/calendar.h"

namespace gub {

struct TokenState {
  int64_t open_ms;  // the time of the first hit
  int64_t end_ms;   // now >= end: lapsed, the same as no state
  int64_t used;     // admitted hits less refunds; below 0 when more was refunded than used
  int64_t last_ms;  // the last hit or refund that left this state
  Period period;    // of the request that set end_ms
  bool marked;      // the last word was "denied at zero"

  friend bool operator==(const TokenState&, const TokenState&) = default;
};

// Decides `request` against `*state` (nullopt: no bucket) and leaves the new state there; a peek
// leaves it as it was.
// REQUIRES: request.limit >= 0.
Decision ApplyToken(const Request& request, const Calendar& calendar, int64_t now_ms,
                    std::optional<TokenState>* state);

// The first ms at which the state is the same as none.
inline int64_t LapsesAtMs(const TokenState& state) { return state.end_ms; }

}  // namespace gub

#endif  // GUB_LIMIT_TOKEN_H_
