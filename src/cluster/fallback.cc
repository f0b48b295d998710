#include "cluster/fallback.h"

#include <limits>

#include "limit/calendar.h"

namespace gub {

namespace {

// When a window of the request that opened now would end.
int64_t EndOfWindow(const Calendar& calendar, const Request& request, int64_t now_ms) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  if (request.period.IsCalendar()) return calendar.EndMs(request.period.unit(), now_ms);
  const int64_t ms = request.period.ms();
  return now_ms > kEnd - ms ? kEnd : now_ms + ms;
}

// A new stand-in begins with what was used when the owner was heard last. The size is lifted for
// this: a leaky bucket's burst, for its limit is what it drains by, a window's limit.
void StartStandIn(const InStead& how, const Request& request, Store* store) {
  const BucketKind kind = {request.algorithm, BucketRole::kStandIn};
  if (how.used <= 0 || request.limit == 0 || request.Has(kResetRemaining)) return;
  if (store->LapsesAt(request.name, request.key, kind, how.now_ms)) return;
  Request used = request;
  used.hits = how.used;
  used.behavior = kBatching;
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  (request.algorithm == Algorithm::kLeaky ? used.burst : used.limit) = kAny;
  Decision decision;
  store->Decide(used, how.now_ms, &decision, {.role = BucketRole::kStandIn});
}

}  // namespace

Store::Outcome DecideInStead(const InStead& how, const Request& request, Store* store,
                             Decision* decision) {
  if (how.policy == OnFail::kLocal) {
    StartStandIn(how, request, store);
    return store->Decide(request, how.now_ms, decision, {.role = BucketRole::kStandIn});
  }
  const bool open = how.policy == OnFail::kOpen;
  const bool is_leaky = request.algorithm == Algorithm::kLeaky;
  *decision = {.status = open ? LimitStatus::kUnder : LimitStatus::kOver,
               .remaining = !open      ? 0
                            : is_leaky ? request.BucketSize()
                                       : request.limit,
               .reset_ms = EndOfWindow(store->calendar(), request, how.now_ms),
               .retry_after_ms = open ? 0 : how.retry_ms,
               .now_ms = how.now_ms};
  return Store::Outcome::kDecided;
}

}  // namespace gub
