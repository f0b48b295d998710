#include "cluster/lease_bucket.h"

#include <algorithm>

#include "limit/int128.h"

namespace gub {

Request LeaseBucket::Of(const LimitNumbers& numbers, int64_t hits) const {
  return {.name = key_.name,
          .key = key_.key,
          .hits = hits,
          .limit = numbers.limit,
          .burst = numbers.burst,
          .period = numbers.period,
          .behavior = kGlobal,
          .algorithm = key_.algorithm};
}

Decision LeaseBucket::Peek(const LimitNumbers& numbers, int64_t now_ms) {
  return store_.Apply(Of(numbers, 0), now_ms);
}

// A leaky bucket is made smaller by what is held, a window's limit lower. (A limit of 0 there
// denies, and lets a DRAIN take nothing: then what is held is all that there is.)
Decision LeaseBucket::ApplyBeside(Request request, int64_t held, int64_t now_ms) {
  if (request.algorithm == Algorithm::kLeaky) {
    request.burst = std::max<int64_t>(0, request.BucketSize() - held);
  } else {
    request.limit = std::max<int64_t>(0, request.limit - held);
  }
  return store_.Apply(request, now_ms);
}

// From what a peek says, since only a hit would tell. Of a leaky bucket that is how long a rate of
// limit per period takes for what lacks, and never more than it takes to become whole.
int64_t LeaseBucket::RetryAfterMs(const LimitNumbers& numbers, int64_t hits, int64_t held,
                                  int64_t now_ms) {
  const Request request = Of(numbers, hits);
  const Decision peek = Peek(numbers, now_ms);
  if (numbers.limit == 0 || hits > request.BucketSize()) return Decision::kNever;
  const int64_t whole_ms = std::max<int64_t>(1, peek.reset_ms - peek.now_ms);
  if (key_.algorithm == Algorithm::kToken || numbers.period.IsCalendar()) return whole_ms;
  const Int128 lacks = static_cast<Int128>(hits) + held - peek.remaining;
  const Int128 ms = lacks * numbers.period.ms() / numbers.limit;
  return std::clamp<int64_t>(ClampToInt64(ms), 1, whole_ms);
}

// The size is lifted for this: a leaky bucket's burst, for its limit is what it drains by, a
// window's limit. A bucket that drains nothing admits nothing, so it drains 1 for the moment, in
// which nothing drains, and the refund of 1 hit too many gives it its limit back.
void LeaseBucket::Charge(const LimitNumbers& numbers, int64_t hits, int64_t now_ms) {
  if (hits <= 0) return;
  const bool was_marked = Peek(numbers, now_ms).status == LimitStatus::kOver;
  Request request = Of(numbers, hits);
  if (key_.algorithm == Algorithm::kToken) {
    request.limit = kInt64Max;
  } else {
    request.burst = kInt64Max;
    if (numbers.limit == 0) {
      request.limit = 1;
      ++request.hits;
    }
  }
  store_.Apply(request, now_ms);
  if (key_.algorithm == Algorithm::kLeaky && numbers.limit == 0) Refund(numbers, 1, now_ms);
  if (was_marked) Mark(numbers, now_ms);
}

void LeaseBucket::Refund(const LimitNumbers& numbers, int64_t hits, int64_t now_ms) {
  if (hits > 0) store_.Apply(Of(numbers, -hits), now_ms);
}

void LeaseBucket::Mark(const LimitNumbers& numbers, int64_t now_ms) {
  if (Peek(numbers, now_ms).remaining == 0) store_.Apply(Of(numbers, 1), now_ms);
}

bool LeaseBucket::Open(const LimitNumbers& numbers, int64_t now_ms) {
  Request request = Of(numbers, 1);
  request.limit = kInt64Max;
  if (store_.Apply(request, now_ms).error != Error::kNone) return false;
  Refund(numbers, 1, now_ms);
  return true;
}

}  // namespace gub
