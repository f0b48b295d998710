// LeaseLedger: what the guarantee of leases means, as an account of one bucket of one owner's life,
// written from the contract and not from the code under test. It is told of each admission when it
// happens, wherever it does, by the owner's clock at that moment.
//
// Token: within a window (or since a reset) what was admitted less what was refunded is at most the
// limit. Leaky: the admissions, as they come, fit a bucket that drains as the contract says. A
// limit that was lowered counts until what was lent under it has ended, which takes a lease's term.
// And a window that is cut short by a reset or a shorter duration may find lent what refunds had
// lifted above the limit before.

#ifndef GUB_TESTS_SIM_LEASE_LEDGER_H_
#define GUB_TESTS_SIM_LEASE_LEDGER_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "gub/types.h"
#include "limit/calendar.h"
#include "limit/leaky.h"
#include "limit/token.h"

namespace gub {

class LeaseLedger {
 public:
  explicit LeaseLedger(int64_t longest_term_ms) : longest_term_ms_(longest_term_ms) {}

  // The bucket was changed by `request`, of `size`, at the owner's now.
  void Changed(const std::optional<TokenState>& before, const std::optional<TokenState>& after,
               int64_t now_ms) {
    Expire(now_ms);
    if (before && before->open_ms == open_ms_ && (!after || after->open_ms != open_ms_)) {
      Begin(now_ms, refunded_);
    }
    if (!after) return;
    if (!open_ms_) open_ms_ = after->open_ms;
    if (open_ms_ == after->open_ms) end_ms_ = after->end_ms;
  }
  void Changed(const std::optional<LeakyState>&, const std::optional<LeakyState>& after,
               int64_t now_ms) {
    Drain(now_ms);
    if (after) rate_ = static_cast<double>(after->limit) / static_cast<double>(after->duration_ms);
  }
  void Reset(int64_t now_ms) {
    Drain(now_ms);
    Begin(now_ms, refunded_ + carried_);
  }
  // A request under these numbers was decided.
  void Seen(int64_t size, int64_t now_ms) {
    if (sizes_.empty() || sizes_.back().second != size) sizes_.emplace_back(now_ms, size);
  }

  void Admit(Algorithm algorithm, int64_t hits, int64_t now_ms) {
    algorithm == Algorithm::kToken ? Expire(now_ms) : Drain(now_ms);
    used_ += static_cast<double>(hits);
    admitted_ += hits;
    if (used_ > static_cast<double>(Bound(now_ms)) + 1e-4) ++violations_;
    worst_ = std::max(worst_, used_ - static_cast<double>(Bound(now_ms)));
  }
  void Refund(Algorithm algorithm, int64_t hits, int64_t now_ms) {
    algorithm == Algorithm::kToken ? Expire(now_ms) : Drain(now_ms);
    used_ -= static_cast<double>(hits);
    refunded_ += hits;
    if (algorithm == Algorithm::kLeaky) used_ = std::max(0.0, used_);
  }

  double used() const { return used_; }  // by what was admitted and refunded
  int64_t admitted() const { return admitted_; }
  int violations() const { return violations_; }
  double worst() const { return worst_; }

 private:
  void Begin(int64_t now_ms, int64_t carried) {
    used_ = 0;
    refunded_ = 0;
    carried_ = carried;
    begun_ms_ = now_ms;
    open_ms_.reset();
    end_ms_.reset();
  }
  void Expire(int64_t now_ms) {
    if (end_ms_ && now_ms >= *end_ms_) Begin(now_ms, 0);
  }
  void Drain(int64_t now_ms) {
    if (now_ms > drained_ms_) {
      used_ = std::max(0.0, used_ - rate_ * static_cast<double>(now_ms - drained_ms_));
    }
    drained_ms_ = std::max(drained_ms_, now_ms);
  }
  // The largest size that counts: of this era, or that leases of before it may be of.
  int64_t Bound(int64_t now_ms) {
    const int64_t since_ms = (end_ms_ || open_ms_ ? begun_ms_ : now_ms) - longest_term_ms_;
    while (sizes_.size() > 1 && sizes_[1].first < since_ms) sizes_.pop_front();
    int64_t bound = carried_;
    for (const auto& [ms, size] : sizes_) bound = std::max(bound, carried_ + size);
    return bound;
  }

  const int64_t longest_term_ms_;
  double used_ = 0;
  double rate_ = 0;
  int64_t drained_ms_ = 0;
  int64_t begun_ms_ = INT64_MIN / 2;
  std::optional<int64_t> open_ms_;
  std::optional<int64_t> end_ms_;
  std::deque<std::pair<int64_t, int64_t>> sizes_;
  int64_t refunded_ = 0;  // in this era
  int64_t carried_ = 0;   // what refunds had lifted, when a window was cut short
  int64_t admitted_ = 0;
  int violations_ = 0;
  double worst_ = 0;
};

}  // namespace gub

#endif  // GUB_TESTS_SIM_LEASE_LEDGER_H_
