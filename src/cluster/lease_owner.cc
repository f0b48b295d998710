#include "cluster/lease_owner.h"

#include <algorithm>
#include <utility>

#include "limit/int128.h"

namespace gub {

LeaseOwner::LeaseOwner(const LeaseKey& key, LeaseStore* store, const Shared& shared)
    : name_(key.name),
      key_(key.key),
      algorithm_(key.algorithm),
      shared_(shared),
      bucket_({name_, key_, algorithm_}, store) {}

LeaseOwner::~LeaseOwner() { shared_.room->GiveBack(static_cast<int64_t>(records_.size())); }

// --- records

LeaseOwner::Record* LeaseOwner::CurrentOf(std::string_view holder) {
  for (Record& record : records_) {
    if (!record.is_old && record.holder == holder) return &record;
  }
  return nullptr;
}

LeaseOwner::Record* LeaseOwner::MakeCurrent(std::string_view holder) {
  if (Record* const current = CurrentOf(holder)) return current;
  if (!shared_.room->Take()) return nullptr;
  records_.push_back({.holder = std::string(holder), .generation = shared_.generations->Next()});
  return &records_.back();
}

LeaseOwner::Record* LeaseOwner::Reported(std::string_view holder, uint64_t generation) {
  if (!rules().generations && generation != 0) return CurrentOf(holder);
  for (Record& record : records_) {
    if (record.generation == generation && record.holder == holder) return &record;
  }
  return nullptr;
}

int64_t LeaseOwner::Held() const {
  int64_t held = 0;
  for (const Record& record : records_) held = SaturatingAdd(held, record.held());
  return held;
}

bool LeaseOwner::IsAnyLive(LeaseTime time) const {
  return std::any_of(records_.begin(), records_.end(), [time](const Record& record) {
    return record.outstanding() > 0 && time.mono_us < record.live_until_us;
  });
}

int64_t LeaseOwner::Free(LeaseTime time) {
  if (numbers_->limit == 0) return 0;
  return std::max<int64_t>(0, bucket_.Peek(*numbers_, time.now_ms).remaining - Held());
}

bool LeaseOwner::FitsIfAllReturns(int64_t hits, LeaseTime time) {
  return numbers_->limit > 0 && hits <= bucket_.Peek(*numbers_, time.now_ms).remaining;
}

// --- time

// A window that is over takes its leases with it: their holders' terms ended before it did.
void LeaseOwner::Advance(LeaseTime time) {
  if (IsToken() && window_end_ms_ != 0 && time.now_ms >= window_end_ms_) {
    Forget([](const Record& record) { return !record.is_replaced; });
    window_end_ms_ = 0;
    recalls_ = 0;
  }
  if (!IsToken() && time.mono_us - recalled_us_ > settings().longest_denial_ms() * 1000) {
    recalls_ = 0;
  }
  Lapse(time);
  const int64_t idle_us = settings().sync_us() * kIdleIntervals;
  Forget([&](const Record& record) {
    if (record.outstanding() > 0) return false;
    return record.is_old ||
           (time.mono_us - record.wanted_us > idle_us && time.mono_us >= record.live_until_us &&
            time.mono_us >= record.told_until_us);
  });
}

// G3: what a silent holder has counts as spent.
void LeaseOwner::Lapse(LeaseTime time) {
  for (Record& record : records_) {
    if (time.mono_us < record.live_until_us || record.outstanding() == 0) continue;
    record.is_recalled = false;
    const int64_t held = record.held();
    if (!rules().silence_keeps) {
      bucket_.Refund(*numbers_, std::exchange(record.written_off, 0), time.now_ms);
      record.returned = record.lent - record.spent;
      continue;
    }
    bucket_.Charge(*numbers_, held, time.now_ms);
    record.written_off += held;
    // Nothing will be given back any more: it is as if all had been reported spent.
    if (!IsToken() || record.is_replaced) {
      record.spent = record.lent - record.returned;
      record.written_off = 0;
      record.is_old = true;
    }
  }
}

// G1: totals only grow. What the bucket counts as spent already is not charged again; and what
// returns of it, is given back.
LeaseOwner::About LeaseOwner::Settle(Record* record, const LeaseReport& report, LeaseTime time) {
  bool gave_back = false;
  if (static_cast<Int128>(report.spent) + report.returned <= record->lent) {
    const int64_t spent = std::max<int64_t>(0, report.spent - record->spent);
    const int64_t returned = std::max<int64_t>(0, report.returned - record->returned);
    const int64_t spent_before = std::min(spent, record->written_off);
    record->written_off -= spent_before;
    const int64_t given_back = std::min(returned, record->written_off);
    record->written_off -= given_back;
    record->spent += spent;
    record->returned += returned;
    bucket_.Charge(*numbers_, spent - spent_before, time.now_ms);
    if (record->is_drained) {
      bucket_.Charge(*numbers_, returned - given_back, time.now_ms);
    } else if (!IsToken() || bucket_.Peek(*numbers_, time.now_ms).reset_ms == window_end_ms_) {
      // Not to another window than the one it was taken from.
      bucket_.Refund(*numbers_, given_back, time.now_ms);
      gave_back = given_back > 0;
    }
    if (record->outstanding() == 0) record->is_recalled = false;
  }
  return {true, record->is_old, gave_back, record->spent, record->returned, record->lent};
}

// G5: what is outstanding stays held, and nothing more is lent from it.
void LeaseOwner::Replace(bool drained, LeaseTime time, LeaseOutbox* outbox) {
  Reopen(time, outbox);
  if (!rules().replaced_charged) Forget([](const Record&) { return true; });
  for (Record& record : records_) {
    record.is_old = record.is_replaced = true;
    record.is_drained = drained;
    if (record.outstanding() > 0) Recall(&record, outbox);
  }
  Forget([](const Record& record) { return record.outstanding() == 0; });
  window_end_ms_ = 0;
  recalls_ = 0;
}

// G8: those who deny by what they were told hear that something is left again.
void LeaseOwner::Reopen(LeaseTime time, LeaseOutbox* outbox) {
  for (Record& record : records_) {
    if (time.mono_us >= std::exchange(record.told_until_us, 0)) continue;
    outbox->letters.push_back({record.holder, {.key = Key(), .reopened = true}});
  }
}

// --- own hits, and those that peers forward

LeaseOwner::Result LeaseOwner::Decide(const Request& request, uint64_t token, LeaseTime time,
                                      LeaseOutbox* outbox) {
  if (!numbers_) numbers_ = LimitNumbers::Of(request);
  Advance(time);
  const auto answer = [](const Decision& decision) {
    return Result{LeaseOutcome::kAnswered, decision};
  };
  if (request.Has(kResetRemaining)) {
    const Decision decision = bucket_.Apply(request, time.now_ms);
    numbers_ = LimitNumbers::Of(request);
    OnGone(time, outbox);
    return answer(decision);
  }
  if (request.hits == 0) return answer(bucket_.Apply(request, time.now_ms));
  TakeNumbers(request, time, outbox);
  if (request.hits > 0) return DecideHit(request, token, time, outbox);
  const Decision decision = ApplyOwn(request, time);
  Reopen(time, outbox);
  Pump(time, false, outbox);
  return answer(decision);
}

// Other numbers begin a new generation (G5); who waits under the old ones is decided by them.
void LeaseOwner::TakeNumbers(const Request& request, LeaseTime time, LeaseOutbox* outbox) {
  const LimitNumbers numbers = LimitNumbers::Of(request);
  if (numbers == numbers_) return;
  Pump(time, true, outbox);
  Replace(false, time, outbox);
  numbers_ = numbers;
}

LeaseOwner::Result LeaseOwner::DecideHit(const Request& request, uint64_t token, LeaseTime time,
                                         LeaseOutbox* outbox) {
  own_hit_us_ = time.mono_us;
  Waiting hit;
  hit.token = token;
  hit.request = request;
  hit.request.name = name_;
  hit.request.key = key_;
  const bool may_wait = token != 0 && waiting_.size() < kMaxWaiting;
  if (may_wait && !waiting_.empty()) {
    Enqueue(hit);
    return {LeaseOutcome::kWaits, {}};
  }
  if (request.hits <= Free(time)) return {LeaseOutcome::kAnswered, ApplyOwn(request, time)};
  if (may_wait && FitsIfAllReturns(request.hits, time) && StartRound(time, outbox)) {
    Enqueue(hit);
    waiting_.back().had_round = true;
    return {LeaseOutcome::kWaits, {}};
  }
  return {LeaseOutcome::kAnswered, DenyOwn(request, time, outbox)};
}

Decision LeaseOwner::ApplyOwn(const Request& request, LeaseTime time) {
  const Decision decision = bucket_.Apply(request, time.now_ms);
  if (IsToken() && decision.error == Error::kNone) window_end_ms_ = decision.reset_ms;
  return decision;
}

Decision LeaseOwner::DenyOwn(const Request& request, LeaseTime time, LeaseOutbox* outbox) {
  const int64_t held = Held();
  Decision decision = bucket_.ApplyBeside(request, held, time.now_ms);
  const bool is_denied = decision.status == LimitStatus::kOver;
  if (held > 0) {
    decision.remaining = bucket_.Peek(*numbers_, time.now_ms).remaining;
    if (is_denied) {
      decision.retry_after_ms = bucket_.RetryAfterMs(*numbers_, request.hits, held, time.now_ms);
    }
  }
  if (is_denied && request.Has(kDrainOverLimit) && request.limit > 0) Replace(true, time, outbox);
  return decision;
}

void LeaseOwner::OnGone(LeaseTime time, LeaseOutbox* outbox) {
  Replace(false, time, outbox);
  Pump(time, false, outbox);
}

void LeaseOwner::OnTick(LeaseTime time, LeaseOutbox* outbox) {
  if (!numbers_) return;
  Advance(time);
  RecallLapsed(time, outbox);
  Pump(time, false, outbox);
}

// A lapsed lease may be one of which its holder never heard: a late ask, whose answer was lost.
void LeaseOwner::RecallLapsed(LeaseTime time, LeaseOutbox* outbox) {
  for (Record& record : records_) {
    const bool is_lapsed = record.written_off > 0 && time.mono_us >= record.live_until_us;
    if (!is_lapsed || record.recalls_when_lapsed >= kMaxRecallsWhenLapsed) continue;
    ++record.recalls_when_lapsed;
    Recall(&record, outbox);
    record.is_recalled = false;
  }
}

std::optional<int64_t> LeaseOwner::NextTickUs() const {
  return waiting_.empty() ? std::nullopt : std::optional(round_until_us_);
}

}  // namespace gub
