#include "store/shard.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"

namespace gub {

namespace {

// One way to say the same of both algorithms.
Decision Apply(const Request& request, const Calendar& calendar, int64_t now_ms,
               std::optional<TokenState>* state) {
  return ApplyToken(request, calendar, now_ms, state);
}
Decision Apply(const Request& request, const Calendar& calendar, int64_t now_ms,
               std::optional<LeakyState>* state) {
  return ApplyLeaky(request, calendar, now_ms, state);
}

template <typename State>
State Unpack(const PackedState& packed);
template <>
TokenState Unpack(const PackedState& packed) {
  return packed.UnpackToken();
}
template <>
LeakyState Unpack(const PackedState& packed) {
  return packed.UnpackLeaky();
}

// Whether `after` may lapse before `before` would have. Hits only ever put a leaky bucket's end
// off, so that the wheel need not be told of each.
bool MayLapseEarlier(const TokenState& before, const TokenState& after, const Request&) {
  return after.end_ms < before.end_ms;
}
bool MayLapseEarlier(const LeakyState& before, const LeakyState& after, const Request& request) {
  return request.hits < 0 || after.limit != before.limit || after.duration_ms != before.duration_ms;
}

}  // namespace

Shard::Shard(size_t slots, const Shared& shared)
    : shared_(shared),
      wheel_(static_cast<uint32_t>(slots)),
      pool_(static_cast<uint32_t>(slots)),
      table_(slots, &pool_) {}

Shard::Outcome Shard::Decide(Hit* hit, Decision* decision) {
  MutexLock lock(&mu_);
  wheel_.Advance(hit->now_ms);
  if (wheel_.CameUp()) Step(kStepsPerDecision);
  return hit->request.algorithm == Algorithm::kToken ? DecideWith<TokenState>(hit, decision)
                                                     : DecideWith<LeakyState>(hit, decision);
}

template <typename State>
Shard::Outcome Shard::DecideWith(Hit* hit, Decision* decision) {
  const BucketKey& key = hit->key;
  const Request& request = hit->request;
  const bool guessed = pool_.Holds(hit->guess, key.bytes());
  const uint32_t number = guessed ? hit->guess : table_.Find(key);
  const bool found = number != Table::kNone;
  if (hit->lends || (found && pool_.StateOf(number).leased())) {
    return DecideLeased<State>(hit, number, decision);
  }
  std::optional<State> state;
  if (found) state = Unpack<State>(pool_.StateOf(number));
  const std::optional<State> before = state;
  const Decision decided = Apply(request, shared_.calendar, wheel_.now_ms(), &state);

  if (found && state) {
    pool_.StateOf(number).Pack(*state);
    if (MayLapseEarlier(*before, *state, request)) {
      wheel_.Move(number, LapsesAtMs(*state));
      Earlier(LapsesAtMs(*state));
    }
  } else if (found) {
    Erase(number, key.hash());
    shared_.occupancy.GiveBack(1);
  } else if (state) {
    uint32_t seated = BucketPool::kNone;
    const Outcome outcome = Insert(hit, LapsesAtMs(*state), &seated);
    if (outcome != Outcome::kDecided) return outcome;
    pool_.StateOf(seated).Pack(*state);
    pool_.StateOf(seated).SetFlags(false, false);
  }
  *decision = decided;
  return Outcome::kDecided;
}

// What is decided of a flagged bucket, or of one that is to be: it is there whatever its state is.
template <typename State>
Shard::Outcome Shard::DecideLeased(Hit* hit, uint32_t number, Decision* decision) {
  if (!hit->lends) return Outcome::kLeased;
  if (number == Table::kNone) {
    const Outcome outcome = Insert(hit, ExpiryWheel::kNever, &number);
    if (outcome != Outcome::kDecided) return outcome;
    pool_.StateOf(number).SetFlags(true, true);
    ++leased_;
  } else if (!pool_.StateOf(number).leased()) {
    pool_.StateOf(number).SetFlags(true, false);
    ++leased_;
  }
  PackedState& packed = pool_.StateOf(number);
  std::optional<State> state;
  if (!packed.vacant()) state = Unpack<State>(packed);
  *decision = Apply(hit->request, shared_.calendar, wheel_.now_ms(), &state);
  if (state) packed.Pack(*state);
  packed.SetFlags(true, !state);
  return Outcome::kDecided;
}

// A new bucket, whose state is the caller's to set.
Shard::Outcome Shard::Insert(Hit* hit, int64_t lapses_ms, uint32_t* seated) {
  if (!hit->has_place && !shared_.occupancy.Take()) return Outcome::kNoPlace;
  const uint32_t number = Seat(hit->key);
  if (number == BucketPool::kNone) {
    if (!hit->has_place) shared_.occupancy.GiveBack(1);
    return Outcome::kNoSlot;
  }
  hit->has_place = false;
  wheel_.Insert(number, lapses_ms);
  Earlier(lapses_ms);
  *seated = number;
  return Outcome::kDecided;
}

// A new bucket in pool and table; kNone when there is no room for it.
uint32_t Shard::Seat(const BucketKey& key) {
  for (int tries = 1;; ++tries) {
    const uint32_t number = pool_.Allocate(key.bytes());
    if (number != BucketPool::kNone) {
      if (table_.Insert(number, key.hash())) return number;
      pool_.Free(number);
    }
    if (tries == kSeatTries || !MakeRoom()) return BucketPool::kNone;
  }
}

// Frees a lapsed bucket, or else, if it may, a live one.
bool Shard::MakeRoom() {
  while (wheel_.CameUp()) {
    if (Step(kStepsPerLock) > 0) return true;
  }
  if (!shared_.evict) return false;
  Eviction eviction = Evict();
  while (eviction == Eviction::kMore) eviction = Evict();
  if (eviction == Eviction::kEmpty) return false;
  shared_.occupancy.GiveBack(1);
  return true;
}

uint32_t Shard::PrefetchBucket(uint64_t hash) const {
  if (!mu_.TryLock()) return Table::kNone;
  const uint32_t number = table_.Guess(hash);
  if (number != Table::kNone) pool_.Prefetch(number);
  mu_.Unlock();
  return number;
}

bool Shard::Remove(const BucketKey& key) {
  MutexLock lock(&mu_);
  const uint32_t number = table_.Find(key);
  if (number == Table::kNone) return false;
  PackedState& packed = pool_.StateOf(number);
  if (packed.leased()) {
    const bool was_there = !packed.vacant();
    packed.SetFlags(true, true);
    return was_there;
  }
  Erase(number, key.hash());
  shared_.occupancy.GiveBack(1);
  return true;
}

void Shard::EndLease(const BucketKey& key) {
  MutexLock lock(&mu_);
  const uint32_t number = table_.Find(key);
  if (number == Table::kNone || !pool_.StateOf(number).leased()) return;
  --leased_;
  if (pool_.StateOf(number).vacant()) {
    Erase(number, key.hash());
    shared_.occupancy.GiveBack(1);
    return;
  }
  pool_.StateOf(number).SetFlags(false, false);
  const int64_t lapses_ms = StateLapsesAt(number);
  wheel_.Move(number, lapses_ms);
  lapses_ms <= wheel_.now_ms() ? LookAtWheel() : Earlier(lapses_ms);
}

std::optional<int64_t> Shard::LapsesAt(const BucketKey& key, int64_t now_ms) const {
  MutexLock lock(&mu_);
  const uint32_t number = table_.Find(key);
  if (number == Table::kNone || pool_.StateOf(number).vacant()) return std::nullopt;
  const int64_t lapses_ms = StateLapsesAt(number);
  return lapses_ms > std::max(now_ms, wheel_.now_ms()) ? std::optional(lapses_ms) : std::nullopt;
}

// The algorithm is in the key, and says which state the bucket holds.
int64_t Shard::StateLapsesAt(uint32_t number) const {
  const PackedState& state = pool_.StateOf(number);
  return BucketKey::AlgorithmOf(pool_.KeyOf(number)) == Algorithm::kToken
             ? LapsesAtMs(state.UnpackToken())
             : LapsesAtMs(state.UnpackLeaky());
}

void Shard::Erase(uint32_t number, uint64_t hash) {
  table_.Erase(number, hash);
  wheel_.Remove(number);
  pool_.Free(number);
}

// Deals with that many entries that came up at most; how many buckets it freed.
int Shard::Step(int steps) {
  const auto lapses_at = [this](uint32_t number) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return LapsesAt(number);  // the lock is held; clang does not see that into a lambda
  };
  int freed = 0;
  for (; steps > 0 && wheel_.CameUp(); --steps) {
    const uint32_t due = wheel_.Next(lapses_at);
    if (due == ExpiryWheel::kNone) continue;
    table_.Erase(due, shared_.hash(pool_.KeyOf(due)));
    pool_.Free(due);
    ++freed;
  }
  shared_.occupancy.GiveBack(freed);
  counts_.expired += static_cast<uint64_t>(freed);
  LookAtWheel();
  return freed;
}

void Shard::LookAtWheel() {
  earliest_ms_.store(wheel_.CameUp() ? kInt64Min : wheel_.EarliestMs(), std::memory_order_relaxed);
}

void Shard::Earlier(int64_t deadline_ms) {
  if (deadline_ms < earliest_ms_.load(std::memory_order_relaxed)) {
    earliest_ms_.store(deadline_ms, std::memory_order_relaxed);
  }
}

bool Shard::Sweep(int64_t now_ms, uint32_t epoch) {
  MutexLock lock(&mu_);
  if (epoch != epoch_) return false;
  const int64_t start_ns = MonotonicNs();
  wheel_.Advance(now_ms);
  Step(kStepsPerLock);
  counts_.longest_step_ns = std::max(counts_.longest_step_ns, MonotonicNs() - start_ns);
  return wheel_.CameUp();
}

Shard::Eviction Shard::EvictForPlace(int64_t now_ms) {
  MutexLock lock(&mu_);
  wheel_.Advance(now_ms);
  const Eviction eviction = Evict();
  LookAtWheel();
  return eviction;
}

// The place of the bucket stays taken.
Shard::Eviction Shard::Evict() {
  const auto lapses_at = [this](uint32_t number)
                             ABSL_NO_THREAD_SAFETY_ANALYSIS { return LapsesAt(number); };
  const uint32_t nearest = wheel_.Nearest(kEvictionSample, lapses_at);
  if (nearest == ExpiryWheel::kNone) return pool_.size() == 0 ? Eviction::kEmpty : Eviction::kMore;
  // Those that are flagged lie behind all that lapse some day.
  if (pool_.StateOf(nearest).leased()) return Eviction::kEmpty;
  ++(LapsesAt(nearest) > wheel_.now_ms() ? counts_.evicted : counts_.expired);
  Erase(nearest, shared_.hash(pool_.KeyOf(nearest)));
  return Eviction::kDone;
}

void Shard::Clear() {
  MutexLock lock(&mu_);
  if (leased_ > 0) return ClearUnleased();
  shared_.occupancy.GiveBack(pool_.size());
  table_.Clear();
  pool_.Clear();
  wheel_.Clear();
  earliest_ms_.store(ExpiryWheel::kNever, std::memory_order_relaxed);
}

void Shard::ClearUnleased() {
  for (uint32_t number = 0; number < pool_.used_once(); ++number) {
    const std::string_view key = pool_.KeyOf(number);
    if (key.empty()) continue;  // it is free
    if (pool_.StateOf(number).leased()) {
      pool_.StateOf(number).SetFlags(true, true);
      continue;
    }
    Erase(number, shared_.hash(key));
    shared_.occupancy.GiveBack(1);
  }
  LookAtWheel();
}

void Shard::Rewind(int64_t now_ms, uint32_t epoch) {
  MutexLock lock(&mu_);
  if (epoch <= epoch_) return;
  epoch_ = epoch;
  wheel_.Rewind(now_ms);
  LookAtWheel();
}

Shard::Counts Shard::counts() const {
  MutexLock lock(&mu_);
  return counts_;
}

void Shard::ResetCounts() {
  MutexLock lock(&mu_);
  counts_ = Counts();
}

Shard::Bytes Shard::bytes() const {
  MutexLock lock(&mu_);
  return {.blocks = pool_.BlockBytes(), .long_keys = pool_.LongKeyBytes()};
}

}  // namespace gub
