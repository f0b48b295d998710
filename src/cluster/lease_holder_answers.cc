// What a holder makes of its owner's answers.

#include <algorithm>

#include "cluster/lease_holder.h"

namespace gub {

void LeaseHolder::OnAnswer(const LeaseAnswer& answer, LeaseTime time,
                           std::vector<LeaseSettled>* settled) {
  Acknowledge(answer);
  if (answer.number == 0) return OnUnasked(answer, time);
  const std::optional<Exchange> exchange = TakeExchange(answer.number);
  // G2: what nobody asked for, or what has been answered, neither lends nor prolongs.
  if (!exchange && settings_.rules.ends_at_request) return HandBackMore(answer, time);
  if (!exchange) return TakeLease(answer, {}, time);
  // An ask that is not answered may wait at the owner, who lends for it later than for this report.
  const bool asks =
      std::any_of(open_.begin(), open_.end(), [](const Exchange& open) { return open.token != 0; });
  const bool is_newest = open_.empty() || open_.back().number < exchange->number;
  if (is_newest && !asks) unsure_since_us_.reset();
  if (asked_ && asked_->number == exchange->number) asked_.reset();
  if (answer.recall && answer.about == current_.generation) CloseLease(time.mono_us);
  TakeLease(answer, *exchange, time);
  TakeNews(answer, *exchange);
  SettleAsked(answer, exchange->token, time, settled);
  Serve(time, settled);
}

// What the owner knows of a generation. One that it does not know is over; it will not be again.
void LeaseHolder::Acknowledge(const LeaseAnswer& answer) {
  if (answer.about == 0) return;
  if (answer.about == current_.generation) {
    if (!answer.about_is_known) {
      current_ = {};
      end_us_ = 0;
      return;
    }
    current_.known_spent = std::max(current_.known_spent, answer.spent);
    current_.known_returned = std::max(current_.known_returned, answer.returned);
  }
  std::erase_if(closing_, [&](Totals& closed) {
    if (closed.generation != answer.about) return false;
    // More was lent than this node has heard of.
    if (answer.about_lent > closed.lent) {
      closed.lent = answer.about_lent;
      closed.returned = closed.lent - closed.spent;
    }
    closed.known_spent = std::max(closed.known_spent, answer.spent);
    closed.known_returned = std::max(closed.known_returned, answer.returned);
    return !answer.about_is_known || closed.IsKnown();
  });
}

void LeaseHolder::OnUnasked(const LeaseAnswer& answer, LeaseTime time) {
  if (answer.reopened) denied_until_us_ = 0;
  if (answer.recall) {
    ++counts_.recalls;
    HandBack(answer, time);
  }
}

// More than is known of was lent, and nobody asks for it any more: what a late or doubled ask was
// given goes back at once.
void LeaseHolder::HandBackMore(const LeaseAnswer& answer, LeaseTime time) {
  if (answer.generation > newest_generation_ && answer.lent > 0) return HandBack(answer, time);
  if (answer.generation == 0 || answer.generation != current_.generation) return;
  const int64_t more = answer.lent - current_.lent;
  if (more <= 0) return;
  current_.lent += more;
  current_.returned += more;
  is_due_ = true;
}

// G4: all is handed back, also what has not arrived yet. A recall of a generation that is closed
// asks for its totals again; one of a generation that is forgotten is old.
void LeaseHolder::HandBack(const LeaseAnswer& answer, LeaseTime time) {
  if (answer.generation > newest_generation_ && (!left_ || process_ends_)) {
    CloseLease(time.mono_us);
    newest_generation_ = answer.generation;
    current_.generation = answer.generation;
    current_.lent = answer.lent;
    if (left_) CloseLease(time.mono_us);
  }
  for (Totals& closed : closing_) {
    if (closed.generation != answer.generation) continue;
    closed.lent = std::max(closed.lent, answer.lent);
    closed.returned = closed.lent - closed.spent;
    is_due_ = true;
  }
  if (current_.generation != answer.generation) return;
  current_.lent = std::max(current_.lent, answer.lent);
  current_.returned = current_.lent - current_.spent;
  // Also if the owner should know it all: the report that told it may have been lost.
  current_.known_returned = std::min(current_.known_returned, current_.returned - 1);
  is_due_ = true;
}

std::optional<LeaseHolder::Exchange> LeaseHolder::TakeExchange(uint64_t number) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Exchange& exchange) {
    return exchange.number == number;
  });
  if (found == open_.end()) return std::nullopt;
  const Exchange exchange = *found;
  open_.erase(found);
  return exchange;
}

void LeaseHolder::TakeLease(const LeaseAnswer& answer, const Exchange& exchange, LeaseTime time) {
  if (answer.generation == 0) return;
  if (left_) return HandBack(answer, time);
  if (answer.generation > newest_generation_) {
    CloseLease(time.mono_us);
    newest_generation_ = answer.generation;
    current_.generation = answer.generation;
  }
  if (answer.generation != current_.generation) return;
  if (settings_.rules.totals) {
    current_.lent = std::max(current_.lent, answer.lent);
  } else {
    // "Your lease is now x": what was spent meanwhile is forgotten.
    const bool is_about = answer.about == answer.generation;
    current_.lent = answer.lent + current_.spent - (is_about ? answer.spent : 0) +
                    current_.returned - (is_about ? answer.returned : 0);
  }
  const bool counts_from_request = settings_.rules.ends_at_request;
  const int64_t from_us = counts_from_request ? exchange.sent_us - 1000 : time.mono_us;
  end_us_ = std::max(end_us_, from_us + answer.term_ms * 1000);
}

void LeaseHolder::TakeNews(const LeaseAnswer& answer, const Exchange& exchange) {
  if (answer.number < news_.number) return;
  // G8: how long the denial holds counts from the request, as a lease does. Where something is left
  // again it holds no longer: the letter that said so may have overtaken it, or be lost.
  if (answer.denial_ms == 0 && answer.remaining > 0) denied_until_us_ = 0;
  if (answer.denial_ms > 0) {
    denied_until_us_ = exchange.sent_us + answer.denial_ms * 1000 - 1000;
    denied_at_us_ = exchange.sent_us;
    denied_retry_ms_ = answer.retry_after_ms;
  }
  news_ = {.number = answer.number,
           .generation = answer.generation,
           .sent_us = exchange.sent_us,
           .remaining = answer.remaining,
           .contained = answer.contained,
           .reset_ms = answer.reset_ms,
           .reset_us = exchange.sent_us + answer.reset_in_ms * 1000,
           .marked = answer.marked};
}

// What the owner said of the hit that was asked for, if it still waits. A hit that was lent is not
// settled by that: it is served from the lease, or asked for again (G7).
void LeaseHolder::SettleAsked(const LeaseAnswer& answer, uint64_t token, LeaseTime time,
                              std::vector<LeaseSettled>* settled) {
  if (answer.verdict == LeaseVerdict::kForward) {
    forward_until_us_ = time.mono_us + settings_.sync_us();
    return SettleAll(LeaseOutcome::kForward, settled);
  }
  const auto asked = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& waiting) { return waiting.token == token; });
  if (asked == waiting_.end()) return;
  if (answer.verdict == LeaseVerdict::kDenied) {
    Decision denied = Denied(asked->hits, time);
    denied.retry_after_ms = answer.retry_after_ms;
    settled->push_back({token, LeaseOutcome::kAnswered, denied});
    waiting_.erase(asked);
  } else if (answer.verdict == LeaseVerdict::kSpent) {
    settled->push_back({token, LeaseOutcome::kAnswered, Admitted(time)});
    waiting_.erase(asked);
  }
}

// Those that wait, in order: what fits the lease is admitted, peeks have their news, and when
// nothing is left all are denied.
void LeaseHolder::Serve(LeaseTime time, std::vector<LeaseSettled>* settled) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.hits == 0) {
      if (!HasFreshNews(waiting.since_us)) return false;
      settled->push_back({waiting.token, LeaseOutcome::kAnswered, Peeked(time)});
    } else if (TrySpend(waiting.hits, time)) {
      settled->push_back({waiting.token, LeaseOutcome::kAnswered, Admitted(time)});
    } else if (IsDenialKnown(time)) {
      denied_here_ = true;
      settled->push_back({waiting.token, LeaseOutcome::kAnswered, Denied(waiting.hits, time)});
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace gub
