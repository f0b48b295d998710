#include "limit/leaky.h"

#include <algorithm>
#include <cassert>

namespace gub {
namespace {

// What follows counts use in units of 1/duration: x whole hits are x * duration_ms units, and a
// bucket drains `limit` units a ms. All of it is whole, and all of it fits: hits and burst have 63
// bits and a duration 42, which makes 105 and a sum of two 106.

// REQUIRES: dividend >= 0, divisor > 0.
Int128 DivideRoundingUp(Int128 dividend, Int128 divisor) {
  const Int128 quotient = dividend / divisor;
  return quotient + (quotient * divisor != dividend ? 1 : 0);  // a second division costs more
}

// A calendar unit stands for the length of the period that contains now.
int64_t DurationMs(Period period, const Calendar& calendar, int64_t now_ms) {
  return period.IsCalendar() ? calendar.LengthMs(period.unit(), now_ms) : period.ms();
}

// Rule 1, first half: what is left at now_ms of what was used, by the stored limit and in units of
// the stored duration. `elapsed` is kept in 64 bits so that its product with a limit has 126.
Int128 DrainedUnits(const LeakyState& state, int64_t now_ms) {
  const Int128 elapsed_ms = ClampToInt64(static_cast<Int128>(now_ms) - state.last_ms);
  return std::max<Int128>(0, state.used_units - elapsed_ms * state.limit);
}

// Rule 1, second half: units of another duration, rounded up so that a change of duration never
// hands out anything. units * to_ms would need 147 bits; whole hits and the rest apart do not.
Int128 Rescale(Int128 units, int64_t from_ms, int64_t to_ms) {
  if (from_ms == to_ms) return units;
  return units / from_ms * to_ms + DivideRoundingUp(units % from_ms * to_ms, from_ms);
}

LeakyState EmptyBucket(const Request& request, int64_t duration_ms, int64_t now_ms) {
  return {.used_units = 0,
          .last_ms = now_ms,
          .limit = request.limit,
          .duration_ms = duration_ms,
          .marked = false};
}

// Rule 1: the bucket as this request finds it, under the request's limit and duration. What has
// drained away is the same as none and has no mark.
LeakyState FindBucket(const Request& request, int64_t duration_ms, int64_t now_ms,
                      const std::optional<LeakyState>& state) {
  LeakyState bucket = EmptyBucket(request, duration_ms, now_ms);
  if (!state.has_value()) return bucket;
  const Int128 left = DrainedUnits(*state, now_ms);
  bucket.used_units = Rescale(left, state->duration_ms, duration_ms);
  bucket.marked = state->marked && left > 0;
  return bucket;
}

Int128 Units(int64_t hits, const LeakyState& bucket) {
  return static_cast<Int128>(hits) * bucket.duration_ms;
}

// Rule 2.
int64_t Remaining(const Request& request, const LeakyState& bucket) {
  const Int128 free_units = Units(request.BucketSize(), bucket) - bucket.used_units;
  return free_units > 0 ? ClampToInt64(free_units / bucket.duration_ms) : 0;
}

// Rule 2, the question, as the number of units by which the hit would overflow the bucket; none
// when it fits.
Int128 Overflow(const Request& request, const LeakyState& bucket) {
  const Int128 wanted = bucket.used_units + Units(request.hits, bucket);
  return std::max<Int128>(0, wanted - Units(request.BucketSize(), bucket));
}

// Rule 2, what a positive hit leaves behind. Limit 0 denies every hit, even when the burst has room
// for it. A denied hit consumes nothing, but with DRAIN all that remains; under limit 0 not even
// that.
LimitStatus Take(const Request& request, LeakyState* bucket) {
  if (request.limit > 0 && Overflow(request, *bucket) == 0) {
    bucket->used_units += Units(request.hits, *bucket);
    bucket->marked = false;
    return LimitStatus::kUnder;
  }
  bucket->marked = Remaining(request, *bucket) == 0;
  if (request.Has(kDrainOverLimit) && request.limit > 0) {
    bucket->used_units = std::max(bucket->used_units, Units(request.BucketSize(), *bucket));
  }
  return LimitStatus::kOver;
}

// Rule 2: a refund is never denied, and never lifts the bucket above its size. What it finds
// remaining it also leaves, so the mark needs only one look.
LimitStatus Refund(const Request& request, LeakyState* bucket) {
  bucket->used_units = std::max<Int128>(0, bucket->used_units + Units(request.hits, *bucket));
  if (Remaining(request, *bucket) > 0) bucket->marked = false;
  return LimitStatus::kUnder;
}

// A peek repeats the bucket's last word, as long as it is still true.
LimitStatus Peek(const Request& request, const LeakyState& bucket) {
  return bucket.marked && Remaining(request, bucket) == 0 ? LimitStatus::kOver
                                                          : LimitStatus::kUnder;
}

// Rule 3: the first whole ms at which nothing is used any more. A bucket that does not drain is
// given its duration.
int64_t ResetMs(const LeakyState& bucket) {
  if (bucket.used_units == 0) return bucket.last_ms;
  if (bucket.limit == 0) return SaturatingAdd(bucket.last_ms, bucket.duration_ms);
  return LapsesAtMs(bucket);
}

// Rule 3, for a denied hit: it passes once what it lacks has drained away, or never.
int64_t RetryAfterMs(const Request& request, const LeakyState& bucket) {
  if (request.limit == 0 || request.hits > request.BucketSize()) return Decision::kNever;
  return ClampToInt64(DivideRoundingUp(Overflow(request, bucket), bucket.limit));
}

// Rule 3, from what is left after the hit.
Decision Answer(const Request& request, const LeakyState& bucket, LimitStatus status) {
  const bool denied_hit = status == LimitStatus::kOver && request.hits > 0;
  return {.status = status,
          .remaining = Remaining(request, bucket),
          .reset_ms = ResetMs(bucket),
          .retry_after_ms = denied_hit ? RetryAfterMs(request, bucket) : 0,
          .now_ms = bucket.last_ms};
}

}  // namespace

Decision ApplyLeaky(const Request& request, const Calendar& calendar, int64_t now_ms,
                    std::optional<LeakyState>* state) {
  assert(request.limit >= 0 && request.BucketSize() >= 0);
  // RESET_REMAINING comes first: the bucket is forgotten and the hits are ignored, which leaves a
  // peek at an empty bucket. Its last hit is forgotten too: on a clock that ran back the answer is
  // for the clock's now, as it will be for the next hit.
  const bool reset = request.Has(kResetRemaining);
  if (reset) state->reset();
  if (state->has_value()) now_ms = std::max(now_ms, (*state)->last_ms);

  const int64_t duration_ms = DurationMs(request.period, calendar, now_ms);
  LeakyState bucket = FindBucket(request, duration_ms, now_ms, *state);
  if (reset || request.hits == 0) return Answer(request, bucket, Peek(request, bucket));

  const LimitStatus status = request.hits > 0 ? Take(request, &bucket) : Refund(request, &bucket);
  *state = bucket.used_units > 0 ? std::optional(bucket) : std::nullopt;
  return Answer(request, bucket, status);
}

int64_t LapsesAtMs(const LeakyState& state) {
  if (state.limit == 0) return kInt64Max;
  return ClampToInt64(state.last_ms + DivideRoundingUp(state.used_units, state.limit));
}

}  // namespace gub
