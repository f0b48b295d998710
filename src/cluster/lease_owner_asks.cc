// What an owner makes of reports: it lends, recalls, denies.

#include <algorithm>
#include <utility>

#include "cluster/lease_owner.h"
#include "limit/int128.h"

namespace gub {

void LeaseOwner::OnReport(const Sender& sender, const LeaseReport& report, LeaseTime time,
                          LeaseOutbox* outbox) {
  if (!numbers_) numbers_ = report.numbers;
  Advance(time);
  Waiting asking;
  asking.holder = sender.holder;
  asking.report = report;
  asking.report.key = Key();
  asking.is_for_owner = sender.is_owner;
  if (Record* const record = Reported(sender.holder, report.generation)) {
    asking.about = Settle(record, report, time);
    Forget([](const Record& r) { return r.is_old && r.outstanding() == 0; });
    if (asking.about.gave_back) Reopen(time, outbox);
  }
  if (report.denied && report.numbers == numbers_) bucket_.Mark(*numbers_, time.now_ms);
  RetireDone(asking);
  NoteUse(&asking, time);
  Pump(time, false, outbox);
  if (asking.report.hits > 0 && sender.is_owner) return Ask(asking, time, outbox);
  const auto verdict = asking.report.hits > 0 ? LeaseVerdict::kForward : LeaseVerdict::kNone;
  outbox->letters.push_back({asking.holder, Answer(asking, verdict, time)});
}

// How much the holder uses, by its newest report; one that was overtaken is not lent for.
void LeaseOwner::NoteUse(Waiting* asking, LeaseTime time) {
  Record* const current = CurrentOf(asking->holder);
  if (current == nullptr) return;
  LeaseReport& report = asking->report;
  asking->is_overtaken = report.number <= current->number;
  if (asking->is_overtaken) {
    report.hits = 0;
    return;
  }
  current->number = report.number;
  current->wanted = report.wanted;
  if (report.wanted > 0) current->wanted_us = time.mono_us;
}

// A holder that was forgotten and made anew knows nothing of its generation, and must not get into
// it again: its totals would begin at 0.
void LeaseOwner::RetireDone(const Waiting& asking) {
  Record* const record = CurrentOf(asking.holder);
  if (record == nullptr || asking.report.generation != 0) return;
  if (record->generation > asking.report.newest) return;
  record->is_old = true;
  Forget([](const Record& r) { return r.is_old && r.outstanding() == 0; });
}

void LeaseOwner::Ask(const Waiting& asking, LeaseTime time, LeaseOutbox* outbox) {
  if (!MayLend(asking.report, time)) {
    outbox->letters.push_back({asking.holder, Answer(asking, LeaseVerdict::kForward, time)});
    return;
  }
  // A round that others wait for is theirs first.
  if (!waiting_.empty() && waiting_.size() < kMaxWaiting) return Enqueue(asking);
  if (TryServe(asking, time, outbox)) return;
  if (FitsIfAllReturns(asking.report.hits, time) && StartRound(time, outbox)) {
    Enqueue(asking);
    waiting_.back().had_round = true;
    return;
  }
  DenyAsk(asking, time, outbox);
}

// Asks never change numbers. Those of a bucket that is whole, and lent to no one, are as good as
// any.
bool LeaseOwner::MayLend(const LeaseReport& report, LeaseTime time) {
  if (report.numbers.limit == 0) return false;
  if (report.numbers == numbers_) return true;
  if (!IsIdle()) return false;
  const Request request = bucket_.Of(report.numbers, 0);
  if (bucket_.Apply(request, time.now_ms).remaining != request.BucketSize()) return false;
  numbers_ = report.numbers;
  window_end_ms_ = 0;
  return true;
}

// G7: what is asked for is lent, and spent when it arrives.
LeaseVerdict LeaseOwner::Lend(const Waiting& asking, LeaseTime time) {
  Record* const record = MakeCurrent(asking.holder);
  if (record == nullptr || record->lent > kMostLent - asking.report.hits) {
    return LeaseVerdict::kForward;
  }
  if (!OpenWindow(time)) return LeaseVerdict::kForward;
  record->wanted = asking.report.wanted;
  record->wanted_us = time.mono_us;
  if (rules().asked_is_lent) {
    Grow(record, asking.report.hits, time);
    return LeaseVerdict::kLent;
  }
  bucket_.Apply(bucket_.Of(*numbers_, asking.report.hits), time.now_ms);
  return LeaseVerdict::kSpent;
}

// A lease opens the window as a hit does.
bool LeaseOwner::OpenWindow(LeaseTime time) {
  if (!IsToken() || window_end_ms_ != 0) return true;
  if (!bucket_.Open(*numbers_, time.now_ms)) return false;
  window_end_ms_ = bucket_.Peek(*numbers_, time.now_ms).reset_ms;
  return true;
}

void LeaseOwner::Grow(Record* record, int64_t hits, LeaseTime time) {
  record->lent += hits;
  if (!rules().hole_stays && !IsToken()) {
    bucket_.Charge(*numbers_, hits, time.now_ms);
    record->written_off += hits;
  }
}

// How much more than what was asked for is lent: a share of what is left that halves with each
// recall, so that little has to come back when little is left.
int64_t LeaseOwner::TopUp(const Record& record, int64_t free, LeaseTime time) const {
  if (record.wanted < 1 || !waiting_.empty()) return 0;
  const int64_t recent_us = time.mono_us - settings().sync_us() * 5 / 2;
  int64_t nodes = own_hit_us_ >= recent_us ? 1 : 0;
  for (const Record& other : records_) {
    if (!other.is_old && other.wanted > 0 && other.wanted_us >= recent_us) ++nodes;
  }
  const int64_t have = record.outstanding();
  const Int128 share =
      (static_cast<Int128>(free) + have) >> (1 + std::min(recalls_, kMaxRecallsCounted));
  const int64_t fair = ClampToInt64(share / std::max<int64_t>(1, nodes));
  const int64_t target = std::min(SaturatingAdd(record.wanted, record.wanted), fair);
  const int64_t more = std::min<int64_t>({target - have, free, kMostLent - record.lent});
  return more >= 2 ? more : 0;
}

// G2. The owner's now is up to 1 ms later than its whole ms, and while it makes up for a step of
// the system's clock, its limiter's runs faster than the holder's by up to a twentieth
// (LimiterClock).
int64_t LeaseOwner::TermMs(LeaseTime time) const {
  const int64_t longest_ms = settings().longest_term_ms();
  if (!IsToken()) return longest_ms;
  const int64_t left_ms = std::max<int64_t>(0, window_end_ms_ - time.now_ms - 1);
  return std::min(left_ms * 20 / 21, longest_ms);
}

// Every answer lends what the holder is likely to need, and prolongs what it has.
LeaseAnswer LeaseOwner::Answer(const Waiting& asking, LeaseVerdict verdict, LeaseTime time) {
  const LeaseReport& report = asking.report;
  const About& about = asking.about;
  LeaseAnswer answer = {.key = Key(),
                        .number = report.number,
                        .verdict = verdict,
                        .about = report.generation,
                        .about_is_known = about.is_known,
                        .spent = about.spent,
                        .returned = about.returned,
                        .about_lent = about.lent,
                        .recall = about.is_old};
  Record* const record = CurrentOf(asking.holder);
  const bool is_of_holder = record != nullptr && !asking.is_overtaken &&
                            (report.generation == record->generation || report.generation == 0 ||
                             verdict != LeaseVerdict::kNone);
  const bool lends = asking.is_for_owner && is_of_holder && report.numbers == numbers_ &&
                     verdict != LeaseVerdict::kForward && (!IsToken() || window_end_ms_ != 0);
  if (lends) {
    record->number = std::max(record->number, report.number);
    const int64_t more = TopUp(*record, Free(time), time);
    if (more > 0) Grow(record, more, time);
    answer.generation = record->generation;
    answer.lent = record->lent;
    if (record->generation == answer.about) answer.about_lent = record->lent;
    answer.term_ms = TermMs(time);
    record->live_until_us = std::max(record->live_until_us, time.mono_us + answer.term_ms * 1000);
    answer.contained = record->spent;
  }
  const Decision news = bucket_.Peek(report.numbers, time.now_ms);
  answer.remaining = news.remaining;
  answer.reset_ms = news.reset_ms;
  answer.reset_in_ms = std::clamp<int64_t>(news.reset_ms - news.now_ms, 0, Period::kMaxMs);
  answer.marked = news.status == LimitStatus::kOver;
  return answer;
}

void LeaseOwner::DenyAsk(const Waiting& asking, LeaseTime time, LeaseOutbox* outbox) {
  const int64_t held = Held();
  const Decision denied =
      bucket_.ApplyBeside(bucket_.Of(*numbers_, asking.report.hits), held, time.now_ms);
  LeaseAnswer answer = Answer(asking, LeaseVerdict::kDenied, time);
  answer.retry_after_ms =
      held == 0 ? denied.retry_after_ms
                : bucket_.RetryAfterMs(*numbers_, asking.report.hits, held, time.now_ms);
  if (answer.remaining == 0 && !IsAnyLive(time)) {
    answer.denial_ms = TellDenied(MakeCurrent(asking.holder), time);
  }
  outbox->letters.push_back({asking.holder, answer});
}

// G8: how long the holder may deny by itself. Only one that can be told when something is left
// again may.
int64_t LeaseOwner::TellDenied(Record* record, LeaseTime time) {
  if (record == nullptr) return 0;
  const Decision one = bucket_.ApplyBeside(bucket_.Of(*numbers_, 1), 0, time.now_ms);
  if (one.status == LimitStatus::kUnder || one.retry_after_ms <= 0) return 0;
  const int64_t denial_ms = std::min(one.retry_after_ms, settings().longest_denial_ms());
  record->wanted_us = time.mono_us;
  record->told_until_us = std::max(record->told_until_us, time.mono_us + denial_ms * 1000);
  return denial_ms;
}

// --- rounds of recalls

void LeaseOwner::Recall(Record* record, LeaseOutbox* outbox) {
  record->is_recalled = true;
  outbox->letters.push_back({record->holder,
                             {.key = Key(),
                              .about = record->generation,
                              .about_is_known = true,
                              .spent = record->spent,
                              .returned = record->returned,
                              .about_lent = record->lent,
                              .recall = true,
                              .generation = record->generation,
                              .lent = record->lent}});
}

// Recalls all live leases; whether there are any, or there is a round already.
bool LeaseOwner::StartRound(LeaseTime time, LeaseOutbox* outbox) {
  if (!waiting_.empty() && !IsRoundOver(time)) return true;
  bool any = false;
  for (Record& record : records_) {
    if (record.outstanding() == 0 || time.mono_us >= record.live_until_us) continue;
    Recall(&record, outbox);
    any = true;
  }
  if (!any) return false;
  round_until_us_ = time.mono_us + settings().recall_us();
  recalled_us_ = time.mono_us;
  ++recalls_;
  for (Waiting& waiting : waiting_) waiting.had_round = true;
  return true;
}

bool LeaseOwner::IsRoundOver(LeaseTime time) const {
  if (time.mono_us >= round_until_us_) return true;
  return std::none_of(records_.begin(), records_.end(),
                      [](const Record& record) { return record.is_recalled; });
}

// An ask that is sent again takes the place of the one before.
void LeaseOwner::Enqueue(const Waiting& waiting) {
  for (Waiting& other : waiting_) {
    if (waiting.holder.empty() || other.holder != waiting.holder) continue;
    const bool had_round = other.had_round;
    other = waiting;
    other.had_round = had_round;
    return;
  }
  waiting_.push_back(waiting);
}

// Decides what waits, in order, as far as it can be decided; `at_once`: all of it.
void LeaseOwner::Pump(LeaseTime time, bool at_once, LeaseOutbox* outbox) {
  while (!waiting_.empty()) {
    const Waiting front = waiting_.front();
    waiting_.pop_front();
    if (TryServe(front, time, outbox)) continue;
    waiting_.push_front(front);
    if (!at_once) {
      if (!IsRoundOver(time)) return;
      const bool may_fit = !front.had_round && FitsIfAllReturns(front.hits(), time);
      if (may_fit && StartRound(time, outbox)) return;
    }
    waiting_.pop_front();
    Deny(front, time, outbox);
  }
}

bool LeaseOwner::TryServe(const Waiting& waiting, LeaseTime time, LeaseOutbox* outbox) {
  if (waiting.hits() > Free(time)) return false;
  if (waiting.holder.empty()) {
    outbox->settled.push_back(
        {waiting.token, LeaseOutcome::kAnswered, ApplyOwn(waiting.request, time)});
    return true;
  }
  const LeaseVerdict verdict = Lend(waiting, time);
  outbox->letters.push_back({waiting.holder, Answer(waiting, verdict, time)});
  return true;
}

void LeaseOwner::Deny(const Waiting& waiting, LeaseTime time, LeaseOutbox* outbox) {
  if (!waiting.holder.empty()) return DenyAsk(waiting, time, outbox);
  const Decision denied = DenyOwn(waiting.request, time, outbox);
  outbox->settled.push_back({waiting.token, LeaseOutcome::kAnswered, denied});
}

}  // namespace gub
