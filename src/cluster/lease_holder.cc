#include "cluster/lease_holder.h"

#include <algorithm>
#include <utility>

#include "limit/int128.h"

namespace gub {

namespace {

// A lost ask is sent again after this part of peer-timeout-ms (G7: it may be).
constexpr int64_t kAskAgain = 2;
// More is not told, so that the owner can add it up.
constexpr int64_t kMostWanted = INT64_MAX / 1024;
// What is not answered is reported for so many intervals.
constexpr int64_t kClosingIntervals = 100;

}  // namespace

LeaseHolder::LeaseHolder(const LeaseKey& key, const LeaseSettings* settings,
                         LeaseNumbers* exchanges, uint64_t newest_generation)
    : name_(key.name),
      key_(key.key),
      algorithm_(key.algorithm),
      settings_(*settings),
      exchanges_(*exchanges),
      newest_generation_(newest_generation) {}

LeaseHolder::Result LeaseHolder::Decide(const Request& request, uint64_t token, LeaseTime time,
                                        bool owner_is_up) {
  const bool is_for_owner = left_ || request.hits < 0 || request.limit == 0 ||
                            request.Has(kResetRemaining) || !TakeNumbers(request, time);
  if (request.hits > 0) wanted_ = std::min(SaturatingAdd(wanted_, request.hits), kMostWanted);
  Result result = {LeaseOutcome::kForward, {}};
  if (is_for_owner) {
    if (!owner_is_up) result.outcome = LeaseOutcome::kOnFail;
  } else if (request.hits == 0) {
    result = DecidePeek(token, time, owner_is_up);
  } else {
    result = DecideHit(request, token, time, owner_is_up);
  }
  if (result.outcome == LeaseOutcome::kForward) is_due_ |= !left_ && !current_.IsTold();
  if (result.outcome == LeaseOutcome::kAnswered) ++counts_.local;
  return result;
}

// Whether the request has the lease's numbers, or there are none yet. Others are for the owner, and
// are the lease's from the next hit on: but for a peek, which changes nothing, and not while hits
// wait that were asked under the old ones.
bool LeaseHolder::TakeNumbers(const Request& request, LeaseTime time) {
  const LimitNumbers numbers = LimitNumbers::Of(request);
  if (numbers_ == numbers) return true;
  const bool is_first = !numbers_.has_value();
  if (!is_first && (request.hits == 0 || !waiting_.empty())) return false;
  numbers_ = numbers;
  if (is_first) interval_us_ = time.mono_us;
  if (is_first) return true;
  CloseLease(time.mono_us);
  news_ = {};
  denied_until_us_ = 0;
  return false;
}

LeaseHolder::Result LeaseHolder::DecideHit(const Request& request, uint64_t token, LeaseTime time,
                                           bool owner_is_up) {
  if (TrySpend(request.hits, time)) return {LeaseOutcome::kAnswered, Admitted(time)};
  if (owner_is_up && request.Has(kDrainOverLimit)) return {LeaseOutcome::kForward, {}};
  if (IsDenialKnown(time)) {
    denied_here_ = true;
    return {LeaseOutcome::kAnswered, Denied(request.hits, time)};
  }
  if (!owner_is_up) return {LeaseOutcome::kOnFail, {}};
  if (time.mono_us < forward_until_us_) return {LeaseOutcome::kForward, {}};
  return Wait({token, request.hits, time.mono_us});
}

LeaseHolder::Result LeaseHolder::DecidePeek(uint64_t token, LeaseTime time, bool owner_is_up) {
  if (HasFreshNews(time.mono_us - settings_.sync_us())) {
    return {LeaseOutcome::kAnswered, Peeked(time)};
  }
  if (!owner_is_up) return {LeaseOutcome::kOnFail, {}};
  return Wait({token, 0, time.mono_us});
}

LeaseHolder::Result LeaseHolder::Wait(const Waiting& waiting) {
  if (waiting_.size() >= kMaxWaiting) return {LeaseOutcome::kForward, {}};
  waiting_.push_back(waiting);
  return {LeaseOutcome::kWaits, {}};
}

// G1: the one place where hits are admitted.
bool LeaseHolder::TrySpend(int64_t hits, LeaseTime time) {
  if (hits > Left(time)) return false;
  current_.spent += hits;
  return true;
}

int64_t LeaseHolder::Left(LeaseTime time) const {
  return time.mono_us < end_us_ ? std::max<int64_t>(0, current_.left()) : 0;
}

// G8: the owner's news, less what was spent here since.
int64_t LeaseHolder::ShownRemaining() const {
  int64_t unknown =
      news_.generation == current_.generation ? current_.spent - news_.contained : current_.spent;
  for (const Totals& closed : closing_) unknown += closed.spent - closed.known_spent;
  return std::max<int64_t>(0, news_.remaining - unknown);
}

bool LeaseHolder::HasFreshNews(int64_t asked_us) const {
  return news_.number != 0 && news_.sent_us >= asked_us;
}

Decision LeaseHolder::Admitted(LeaseTime time) const {
  return {.status = LimitStatus::kUnder,
          .remaining = ShownRemaining(),
          .reset_ms = news_.reset_ms,
          .now_ms = time.now_ms};
}

Decision LeaseHolder::Denied(int64_t hits, LeaseTime time) const {
  const int64_t size =
      numbers_->burst == Request::kBurstIsLimit ? numbers_->limit : numbers_->burst;
  const int64_t waited_ms = (time.mono_us - denied_at_us_) / 1000;
  return {.status = LimitStatus::kOver,
          .remaining = ShownRemaining(),
          .reset_ms = news_.reset_ms,
          .retry_after_ms =
              hits > size ? Decision::kNever : std::max<int64_t>(1, denied_retry_ms_ - waited_ms),
          .now_ms = time.now_ms};
}

Decision LeaseHolder::Peeked(LeaseTime time) const {
  Decision decision = Admitted(time);
  const bool is_marked = news_.marked || (denied_here_ && IsDenialKnown(time));
  if (is_marked && decision.remaining == 0) decision.status = LimitStatus::kOver;
  return decision;
}

// Hits per interval: as many as in the last one, or more if this one goes on as it began.
int64_t LeaseHolder::Wanted(LeaseTime time) const {
  const int64_t elapsed_us = std::max(time.mono_us - interval_us_, settings_.sync_us() / 10);
  const int64_t scaled =
      ClampToInt64(static_cast<Int128>(wanted_) * settings_.sync_us() / elapsed_us);
  return std::max({wanted_before_, wanted_, scaled});
}

std::optional<int64_t> LeaseHolder::KnownUsed(LeaseTime time) const {
  if (!numbers_ || news_.number == 0 || time.mono_us >= news_.reset_us) return std::nullopt;
  const int64_t size =
      numbers_->burst == Request::kBurstIsLimit ? numbers_->limit : numbers_->burst;
  return std::max<int64_t>(0, size - ShownRemaining());
}

// --- what leaves

void LeaseHolder::CloseLease(int64_t now_us) {
  if (current_.generation != 0) {
    current_.returned = current_.lent - current_.spent;
    current_.closed_us = now_us;
    if (closing_.size() == kMaxClosing) closing_.erase(closing_.begin());
    closing_.push_back(current_);
    is_due_ = true;
  }
  current_ = {};
  end_us_ = 0;
}

// G1: what is returned is spent no more, before anyone hears of it.
void LeaseHolder::HandBackIfOver(LeaseTime time) {
  if (time.mono_us >= end_us_) current_.returned = current_.lent - current_.spent;
}

LeaseReport LeaseHolder::Report(Totals* totals, LeaseTime time, uint64_t asks_for) {
  const uint64_t number = exchanges_.Next();
  // The answer to an ask is always waited for.
  if (open_.size() == kMaxOpen) {
    const bool is_asked = asked_ && open_.front().number == asked_->number;
    open_.erase(open_.begin() + (is_asked ? 1 : 0));
  }
  open_.push_back({number, time.mono_us, asks_for});
  if (!unsure_since_us_) unsure_since_us_ = time.mono_us;
  ++counts_.reports;
  totals->told_spent = totals->spent;
  totals->told_returned = totals->returned;
  return {.key = {name_, key_, algorithm_},
          .numbers = numbers_.value_or(LimitNumbers{}),
          .number = number,
          .generation = totals->generation,
          .newest = totals->generation == 0 ? newest_generation_ : 0,
          .spent = totals->spent,
          .returned = totals->returned,
          .wanted = Wanted(time),
          .hits = 0,
          .denied = false};
}

// A report of the lease, which also asks for the first hit that waits.
LeaseReport LeaseHolder::ReportCurrent(LeaseTime time) {
  HandBackIfOver(time);
  const auto asking = std::find_if(waiting_.begin(), waiting_.end(),
                                   [](const Waiting& waiting) { return waiting.hits > 0; });
  const bool asks = asking != waiting_.end() && !asked_.has_value();
  LeaseReport report = Report(&current_, time, asks ? asking->token : 0);
  if (asks) report.hits = asking->hits;
  if (asks) ++counts_.asks;
  if (!waiting_.empty() && !asked_) asked_ = open_.back();
  report.denied = std::exchange(denied_here_, false);
  return report;
}

void LeaseHolder::ReportClosing(LeaseTime time, std::vector<LeaseReport>* reports) {
  for (Totals& closed : closing_) {
    reports->push_back(Report(&closed, time, 0));
    reports->back().wanted = 0;
  }
}

// Whether a report left so short a time ago that its answer may still come.
bool LeaseHolder::IsAnswerNear(LeaseTime time) const {
  const int64_t soon_us = settings_.peer_timeout_ms * 1000 / kAskAgain;
  return !open_.empty() && open_.back().sent_us + soon_us > time.mono_us;
}

void LeaseHolder::Collect(LeaseTime time, std::vector<LeaseReport>* reports) {
  const bool asks = !waiting_.empty() && !asked_.has_value();
  const bool is_low = current_.generation != 0 && renewals_ < kMaxRenewals && !IsAnswerNear(time) &&
                      wanted_ > 0 && Left(time) * 10 < Wanted(time) * 3 && news_.remaining > 0 &&
                      current_.left() < current_.lent;
  if (!asks && !is_due_ && !is_low) return;
  if (!asks && !is_due_) ++renewals_;
  if (is_due_) ReportClosing(time, reports);
  const bool has_news = asks || is_low || !current_.IsKnown();
  if (has_news && !left_) reports->push_back(ReportCurrent(time));
  is_due_ = false;
}

bool LeaseHolder::IsUnsure(int64_t now_us) const {
  return unsure_since_us_ && now_us - *unsure_since_us_ <= kClosingIntervals * settings_.sync_us();
}

// What the owner does not know yet, or a lease that is used and would end.
bool LeaseHolder::IsSyncDue() const {
  return !current_.IsKnown() || denied_here_ || (current_.left() > 0 && wanted_before_ > 0);
}

void LeaseHolder::Sync(LeaseTime time, std::vector<LeaseReport>* reports) {
  if (wanted_ == 0) current_.returned = current_.lent - current_.spent;
  HandBackIfOver(time);
  wanted_before_ = std::exchange(wanted_, 0);
  interval_us_ = time.mono_us;
  renewals_ = 0;
  std::erase_if(closing_, [&](const Totals& closed) {
    return time.mono_us - closed.closed_us > kClosingIntervals * settings_.sync_us();
  });
  // What comes so late would lend nothing any more.
  std::erase_if(open_, [&](const Exchange& exchange) {
    return time.mono_us - exchange.sent_us > settings_.longest_term_ms() * 1000;
  });
  ReportClosing(time, reports);
  const bool is_due = !left_ && IsSyncDue();
  const bool is_unsure = IsUnsure(time.mono_us) && (!left_ || process_ends_);
  if (is_due || is_unsure) reports->push_back(ReportCurrent(time));
  is_due_ = false;
}

bool LeaseHolder::IsIdle(LeaseTime time) const {
  const bool has_nothing = closing_.empty() && waiting_.empty();
  if (left_) return has_nothing && !(process_ends_ && IsUnsure(time.mono_us));
  return has_nothing && current_.left() <= 0 && current_.IsKnown() && !denied_here_ &&
         wanted_ + wanted_before_ == 0 && !IsUnsure(time.mono_us) && !IsDenialKnown(time) &&
         time.mono_us - news_.sent_us > settings_.sync_us();
}

// --- what waits

void LeaseHolder::OnTick(LeaseTime time, std::vector<LeaseSettled>* settled) {
  const int64_t timeout_us = settings_.peer_timeout_ms * 1000;
  while (!waiting_.empty() && waiting_.front().since_us + timeout_us <= time.mono_us) {
    settled->push_back({waiting_.front().token, LeaseOutcome::kOnFail, {}});
    waiting_.pop_front();
  }
  if (asked_ && asked_->sent_us + timeout_us / kAskAgain <= time.mono_us) asked_.reset();
}

std::optional<int64_t> LeaseHolder::NextTickUs() const {
  if (waiting_.empty()) return std::nullopt;
  const int64_t timeout_us = settings_.peer_timeout_ms * 1000;
  const int64_t given_up_us = waiting_.front().since_us + timeout_us;
  if (!asked_) return given_up_us;
  return std::min(given_up_us, asked_->sent_us + timeout_us / kAskAgain);
}

void LeaseHolder::SettleAll(LeaseOutcome outcome, std::vector<LeaseSettled>* settled) {
  for (const Waiting& waiting : waiting_) settled->push_back({waiting.token, outcome, {}});
  waiting_.clear();
  asked_.reset();
}

void LeaseHolder::OnOwnerLost(std::vector<LeaseSettled>* settled) {
  SettleAll(LeaseOutcome::kOnFail, settled);
  // The reports that were on the way are lost.
  current_.told_spent = current_.known_spent;
  current_.told_returned = current_.known_returned;
}

void LeaseHolder::Leave(bool process_ends, LeaseTime time, std::vector<LeaseSettled>* settled) {
  SettleAll(LeaseOutcome::kForward, settled);
  CloseLease(time.mono_us);
  left_ = true;
  process_ends_ = process_ends;
}

}  // namespace gub
