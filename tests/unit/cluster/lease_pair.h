// LeasePair: an owner, its bucket and one clock, for tests that hand frames over one by one.

#ifndef GUB_TESTS_UNIT_CLUSTER_LEASE_PAIR_H_
#define GUB_TESTS_UNIT_CLUSTER_LEASE_PAIR_H_

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/lease_holder.h"
#include "cluster/lease_owner.h"
#include "limit/leaky.h"
#include "limit/token.h"

namespace gub {

class LeaseTestStore : public LeaseStore {
 public:
  Decision Apply(const Request& request, int64_t now_ms) override {
    if (is_full && request.hits > 0) return {.error = Error::kTableFull};
    static const Calendar calendar;
    if (request.algorithm == Algorithm::kToken) {
      return ApplyToken(request, calendar, now_ms, &token);
    }
    return ApplyLeaky(request, calendar, now_ms, &leaky);
  }
  void Forget() {
    token.reset();
    leaky.reset();
  }

  bool is_full = false;
  std::optional<TokenState> token;
  std::optional<LeakyState> leaky;
};

// A settings of 100 ms a sync; the limit is 10 in 10 s, token.
class LeasePair : public ::testing::Test {
 protected:
  static constexpr const char* kA = "node-a";
  static constexpr const char* kB = "node-b";

  LeasePair() { request_ = {.name = "n", .key = "k", .limit = 10, .period = Period::Ms(10'000)}; }

  LeaseKey Key() const { return {request_.name, request_.key, request_.algorithm}; }
  LeaseOwner& owner() {
    if (!owner_) {
      owner_.emplace(Key(), &store_, LeaseOwner::Shared{&settings_, &generations_, &room_});
    }
    return *owner_;
  }
  LeaseHolder MakeHolder(uint64_t newest_generation = 0) {
    return {Key(), &settings_, &exchanges_, newest_generation};
  }
  void Advance(int64_t ms) {
    time_.mono_us += ms * 1000;
    time_.now_ms += ms;
  }
  Request Of(int64_t hits, uint32_t behavior = kBatching) const {
    Request request = request_;
    request.hits = hits;
    request.behavior = behavior;
    return request;
  }

  // --- at the owner
  Decision Own(int64_t hits, uint32_t behavior = kBatching) { return Own(Of(hits, behavior)); }
  Decision Own(const Request& request) {
    const LeaseOwner::Result result = owner().Decide(request, 0, time_, &outbox_);
    EXPECT_EQ(result.outcome, LeaseOutcome::kAnswered);
    return result.decision;
  }
  LeaseReport Report(uint64_t generation, int64_t spent, int64_t returned) {
    return {.key = Key(),
            .numbers = LimitNumbers::Of(request_),
            .number = exchanges_.Next(),
            .generation = generation,
            .spent = spent,
            .returned = returned};
  }
  // A report that asks for hits, `wanted` of which are used per interval.
  LeaseReport Asking(int64_t hits, int64_t wanted = 0) {
    LeaseReport report = Report(0, 0, 0);
    report.hits = hits;
    report.wanted = wanted;
    return report;
  }
  // Hands a report over; the answer to it, if there is one.
  std::optional<LeaseAnswer> Send(const char* holder, const LeaseReport& report,
                                  bool is_owner = true) {
    outbox_ = {};
    owner().OnReport({holder, is_owner}, report, time_, &outbox_);
    for (const LeaseOutbox::Letter& letter : outbox_.letters) {
      if (letter.answer.number == report.number) return letter.answer;
    }
    return std::nullopt;
  }
  LeaseAnswer Lend(const char* holder, int64_t hits) {
    const std::optional<LeaseAnswer> answer = Send(holder, Asking(hits));
    EXPECT_TRUE(answer && answer->verdict == LeaseVerdict::kLent);
    return answer.value_or(LeaseAnswer{});
  }
  // Whom the owner has told to hand back, in the last outbox.
  std::vector<std::string> Recalled() const {
    std::vector<std::string> holders;
    for (const LeaseOutbox::Letter& letter : outbox_.letters) {
      if (letter.answer.number == 0 && letter.answer.recall) holders.push_back(letter.holder);
    }
    return holders;
  }

  // --- at a holder
  LeaseReport AskBy(LeaseHolder* holder, int64_t hits, uint64_t token = 1) {
    EXPECT_EQ(holder->Decide(Of(hits), token, time_, true).outcome, LeaseOutcome::kWaits);
    return CollectOne(holder);
  }
  LeaseReport CollectOne(LeaseHolder* holder) {
    std::vector<LeaseReport> reports;
    holder->Collect(time_, &reports);
    EXPECT_EQ(reports.size(), 1u);
    return reports.empty() ? LeaseReport{} : reports.front();
  }
  std::vector<LeaseReport> SyncOf(LeaseHolder* holder) {
    std::vector<LeaseReport> reports;
    holder->Sync(time_, &reports);
    return reports;
  }
  std::vector<LeaseSettled> Hand(LeaseHolder* holder, const LeaseAnswer& answer) {
    std::vector<LeaseSettled> settled;
    holder->OnAnswer(answer, time_, &settled);
    return settled;
  }
  // An answer that lends `lent` in all.
  LeaseAnswer Lending(const LeaseReport& report, uint64_t generation, int64_t lent) const {
    return {.key = Key(),
            .number = report.number,
            .verdict = LeaseVerdict::kLent,
            .about = report.generation,
            .about_is_known = true,
            .spent = report.spent,
            .returned = report.returned,
            .generation = generation,
            .lent = lent,
            .term_ms = 300,
            .remaining = 10 - report.spent,
            .contained = report.spent,
            .reset_ms = 5'000,
            .reset_in_ms = 5'000};
  }
  LeaseOutcome OutcomeOf(LeaseHolder* holder, const Request& request, bool owner_is_up = true) {
    return holder->Decide(request, 99, time_, owner_is_up).outcome;
  }

  Request request_;
  LeaseSettings settings_;
  LeaseTestStore store_;
  LeaseNumbers generations_;
  LeaseNumbers exchanges_;
  LeaseRoom room_{100};
  LeaseTime time_ = {5'000'000, 1'700'000'000'000};
  LeaseOutbox outbox_;
  std::optional<LeaseOwner> owner_;
};

}  // namespace gub

#endif  // GUB_TESTS_UNIT_CLUSTER_LEASE_PAIR_H_
