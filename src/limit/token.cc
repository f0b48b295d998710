#include "limit/token.h"

#include <algorithm>
#include <cassert>

#include "limit/int128.h"

namespace gub {
namespace {

// The end of a window of the request's period that opened at open_ms, as seen at now_ms.
int64_t WindowEndMs(const Request& request, const Calendar& calendar, int64_t open_ms,
                    int64_t now_ms) {
  if (request.period.IsCalendar()) return calendar.EndMs(request.period.unit(), now_ms);
  return SaturatingAdd(open_ms, request.period.ms());
}

// Rule 1: the open window that this request finds, its own duration applied. A window whose end has
// passed, the stored one or the one that the new duration gives, is the same as none.
std::optional<TokenState> FindWindow(const Request& request, const Calendar& calendar,
                                     int64_t now_ms, const std::optional<TokenState>& state) {
  if (!state.has_value() || now_ms >= state->end_ms) return std::nullopt;
  TokenState window = *state;
  if (window.period != request.period) {
    window.period = request.period;
    window.end_ms = WindowEndMs(request, calendar, window.open_ms, now_ms);
    if (now_ms >= window.end_ms) return std::nullopt;
  }
  return window;
}

// Rule 2: without state a window opens now.
TokenState OpenWindow(const Request& request, const Calendar& calendar, int64_t now_ms) {
  return {.open_ms = now_ms,
          .end_ms = WindowEndMs(request, calendar, now_ms, now_ms),
          .used = 0,
          .last_ms = now_ms,
          .period = request.period,
          .marked = false};
}

// Rule 3. Refunds can have pushed `used` far below 0, so the difference needs more than 64 bits.
int64_t Remaining(const Request& request, const TokenState& window) {
  return ClampToInt64(std::max<Int128>(0, static_cast<Int128>(request.limit) - window.used));
}

// Rule 4, the question. Limit 0 denies every hit, even when refunds have lifted what remains.
bool Admits(const Request& request, const TokenState& window) {
  return request.limit > 0 && window.used <= request.limit - request.hits;
}

// Rule 4, what a positive hit leaves behind. A denied one consumes nothing, but with DRAIN all that
// remains; under limit 0 not even that.
LimitStatus Take(const Request& request, TokenState* window) {
  if (Admits(request, *window)) {
    window->used += request.hits;
    window->marked = false;
    return LimitStatus::kUnder;
  }
  window->marked = Remaining(request, *window) == 0;
  if (request.Has(kDrainOverLimit) && request.limit > 0) {
    window->used = std::max(window->used, request.limit);
  }
  return LimitStatus::kOver;
}

// Rule 5: a refund is never denied. What it finds remaining it also leaves, so the mark needs only
// one look.
LimitStatus Refund(const Request& request, TokenState* window) {
  window->used = SaturatingAdd(window->used, request.hits);
  if (Remaining(request, *window) > 0) window->marked = false;
  return LimitStatus::kUnder;
}

// A peek repeats the window's last word, as long as it is still true.
LimitStatus Peek(const Request& request, const TokenState& window) {
  return window.marked && Remaining(request, window) == 0 ? LimitStatus::kOver
                                                          : LimitStatus::kUnder;
}

// Rule 6, for a denied hit: it passes when the next window opens, or never.
int64_t RetryAfterMs(const Request& request, const TokenState& window, int64_t now_ms) {
  if (request.hits > request.limit) return Decision::kNever;
  return ClampToInt64(static_cast<Int128>(window.end_ms) - now_ms);
}

// Rule 6.
Decision Answer(const Request& request, const TokenState& window, int64_t now_ms,
                LimitStatus status) {
  const bool denied_hit = status == LimitStatus::kOver && request.hits > 0;
  return {.status = status,
          .remaining = Remaining(request, window),
          .reset_ms = window.end_ms,
          .retry_after_ms = denied_hit ? RetryAfterMs(request, window, now_ms) : 0,
          .now_ms = now_ms};
}

}  // namespace

Decision ApplyToken(const Request& request, const Calendar& calendar, int64_t now_ms,
                    std::optional<TokenState>* state) {
  assert(request.limit >= 0);
  // RESET_REMAINING comes first: the bucket is forgotten and the hits are ignored, which leaves a
  // peek at an empty bucket. Its last hit is forgotten too: on a clock that ran back the answer is
  // for the clock's now, at which the next hit will open the window.
  const bool reset = request.Has(kResetRemaining);
  if (reset) state->reset();
  if (state->has_value()) now_ms = std::max(now_ms, (*state)->last_ms);

  const std::optional<TokenState> found = FindWindow(request, calendar, now_ms, *state);
  TokenState window = found.has_value() ? *found : OpenWindow(request, calendar, now_ms);
  if (reset || request.hits == 0) return Answer(request, window, now_ms, Peek(request, window));

  const LimitStatus status = request.hits > 0 ? Take(request, &window) : Refund(request, &window);
  window.last_ms = now_ms;
  // A new window of which nothing was used is a first hit denied: it leaves no state.
  const bool opened_in_vain = !found.has_value() && window.used == 0;
  *state = opened_in_vain ? std::nullopt : std::optional(window);
  return Answer(request, window, now_ms, status);
}

}  // namespace gub
