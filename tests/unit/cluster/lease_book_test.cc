#include "cluster/lease_book.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster/lease_holder.h"
#include "tests/support/printers.h"

namespace gub {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

Request Of(int64_t hits, int64_t limit, std::string_view key = "k") {
  return {.name = "n", .key = key, .hits = hits, .limit = limit, .period = Period::Ms(3'600'000)};
}

// A book, and holders that get its letters.
class LeaseBookTest : public ::testing::Test {
 protected:
  LeaseBookTest() {
    clock_.Freeze(kNowMs);
    book_.SetTimes(100, 100'000);
  }
  // As the node decides a hit of its own clients.
  std::optional<Decision> Own(int64_t hits, int64_t limit, uint64_t token = 0,
                              std::string_view key = "k") {
    Decision decision;
    const Request request = Of(hits, limit, key);
    if (store_.Decide(request, kNowMs, &decision) != Store::Outcome::kLeased) return decision;
    const auto result = book_.Decide(request, token, &news_);
    if (!result) return Own(hits, limit, token, key);
    if (result->outcome == LeaseOutcome::kWaits) return std::nullopt;
    return result->decision;
  }
  LeaseReport Asks(int64_t hits, int64_t limit, std::string_view key = "k") {
    return {.key = {"n", key, Algorithm::kToken},
            .numbers = LimitNumbers::Of(Of(hits, limit)),
            .number = ++number_,
            .wanted = 10,
            .hits = hits};
  }
  // The answer that a holder gets to a report; one that knows nothing if there is none.
  LeaseAnswer Report(const std::string& holder, const LeaseReport& report, bool is_owner = true) {
    news_.letters.clear();
    book_.OnReport({holder, is_owner}, report, &news_);
    for (const LeaseNews::Letter& letter : news_.letters) {
      if (letter.holder == holder && letter.answer.number == report.number) return letter.Answer();
    }
    return {};
  }

  LimiterClock clock_;
  Store store_{{.max_keys = 100, .evict = false}};
  LeaseBook book_{&store_, &clock_, 10};
  LeaseNews news_;
  uint64_t number_ = 0;
};

TEST_F(LeaseBookTest, LendsWhatIsLeftAndDeniesTheRest) {
  EXPECT_EQ(Own(4, 10)->remaining, 6);
  const LeaseAnswer answer = Report("a", Asks(3, 10));
  EXPECT_EQ(answer.verdict, LeaseVerdict::kLent);
  EXPECT_EQ(answer.key, (LeaseKey{"n", "k", Algorithm::kToken}));
  EXPECT_GE(answer.lent, 3);
  EXPECT_EQ(book_.keys(), 1);
  EXPECT_EQ(book_.leases(), 1);
  EXPECT_EQ(Own(6 - answer.lent + 1, 10)->status, LimitStatus::kOver);
  EXPECT_EQ(Own(6 - answer.lent, 10)->status, LimitStatus::kUnder);
}

TEST_F(LeaseBookTest, FlagsTheBucketBeforeTheLeaseIsGivenAndNotAfterItsEnd) {
  const LeaseAnswer answer = Report("a", Asks(3, 10));
  Decision decision;
  EXPECT_EQ(store_.Decide(Of(1, 10), kNowMs, &decision), Store::Outcome::kLeased);
  // All is spent, and known to be.
  LeaseReport report = Asks(0, 10);
  report.generation = answer.generation;
  report.spent = answer.lent;
  report.hits = 0;
  report.wanted = 0;
  Report("a", report);
  EXPECT_EQ(book_.leases(), 1) << "remembered for a while";
  clock_.Advance(3'600'001);
  for (size_t part = 0; part < 3; ++part) book_.Sync(part, 3, &news_);
  EXPECT_EQ(book_.keys(), 0);
  EXPECT_EQ(book_.leases(), 0);
  EXPECT_EQ(store_.Decide(Of(1, 10), kNowMs + 3'600'001, &decision), Store::Outcome::kDecided);
}

TEST_F(LeaseBookTest, KeepsNothingOfAKeyThatWasOnlyAskedAbout) {
  LeaseReport peek = Asks(0, 10);
  const LeaseAnswer answer = Report("a", peek);
  EXPECT_EQ(answer.remaining, 10);
  EXPECT_EQ(book_.keys(), 0);
  EXPECT_EQ(store_.Size(), 0);
}

TEST_F(LeaseBookTest, LendsNothingOfAKeyThatAnotherNodeOwns) {
  EXPECT_EQ(Report("a", Asks(1, 10), false).verdict, LeaseVerdict::kForward);
  EXPECT_EQ(book_.leases(), 0);
}

TEST_F(LeaseBookTest, AsksToForwardWhereTheStoreOrItselfIsFull) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Report("a", Asks(1, 10, "k" + std::to_string(i))).verdict, LeaseVerdict::kLent);
  }
  EXPECT_EQ(Report("a", Asks(1, 10, "one more")).verdict, LeaseVerdict::kForward);
  EXPECT_EQ(book_.keys(), 10);
  for (int i = 0; i < 90; ++i) Own(1, 10, 0, "other" + std::to_string(i));
  EXPECT_EQ(Report("a", Asks(1, 10, "another")).verdict, LeaseVerdict::kForward);
  EXPECT_EQ(store_.Size(), 100);
}

TEST_F(LeaseBookTest, LetsAHitWaitUntilAllHaveHandedBackAndSettlesIt) {
  const LeaseAnswer answer = Report("a", Asks(8, 10));
  ASSERT_GE(answer.lent, 8);
  news_ = {};
  EXPECT_EQ(Own(5, 10, 77), std::nullopt);
  ASSERT_TRUE(news_.next_tick_us.has_value());
  ASSERT_EQ(news_.letters.size(), 1u);
  EXPECT_EQ(news_.letters[0].holder, "a");
  EXPECT_TRUE(news_.letters[0].answer.recall);
  EXPECT_EQ(news_.letters[0].Answer().key.key, "k");
  LeaseReport report = Asks(0, 10);
  report.generation = answer.generation;
  report.spent = 2;
  report.returned = answer.lent - 2;
  news_ = {};
  book_.OnReport({"a", true}, report, &news_);
  ASSERT_EQ(news_.settled.size(), 1u);
  EXPECT_EQ(news_.settled[0].token, 77u);
  EXPECT_EQ(news_.settled[0].decision.status, LimitStatus::kUnder);
  EXPECT_EQ(news_.settled[0].decision.remaining, 3);
}

TEST_F(LeaseBookTest, DecidesWhatWaitsWhenTheRoundIsOver) {
  book_.SetTimes(100, 1);  // a quarter of it, for a round
  ASSERT_GE(Report("a", Asks(8, 10)).lent, 8);
  news_ = {};
  ASSERT_EQ(Own(5, 10, 77), std::nullopt);
  const int64_t due_us = *news_.next_tick_us;
  while (BootNs() / 1000 < due_us) std::this_thread::yield();
  news_ = {};
  book_.Tick(&news_);
  ASSERT_EQ(news_.settled.size(), 1u);
  EXPECT_EQ(news_.settled[0].token, 77u);
  EXPECT_EQ(news_.settled[0].decision.status, LimitStatus::kOver);
  EXPECT_EQ(news_.next_tick_us, std::nullopt);
}

TEST_F(LeaseBookTest, RecallsWhatIsLentOfABucketThatWasForgotten) {
  const LeaseAnswer answer = Report("a", Asks(8, 10));
  for (const bool all : {false, true}) {
    EXPECT_EQ(store_.Reset("n", "k"), all ? 0 : 1);
    news_ = {};
    all ? book_.OnGoneAll(&news_) : book_.OnGone("n", "k", &news_);
    ASSERT_EQ(news_.letters.size(), 1u);
    EXPECT_TRUE(news_.letters[0].answer.recall);
    EXPECT_EQ(news_.letters[0].answer.generation, answer.generation);
  }
  EXPECT_EQ(Own(10 - answer.lent + 1, 10)->status, LimitStatus::kOver) << "it stays charged";
  EXPECT_EQ(Own(10 - answer.lent, 10)->status, LimitStatus::kUnder);
}

// Threads that hit a key of the node's own while holders lease it, each on a thread of its own:
// never more than the limit is admitted, and all of it in the end.
TEST_F(LeaseBookTest, StaysExactWhenOwnHitsRaceWithLeases) {
  constexpr int64_t kLimit = 3000;
  constexpr int kHolders = 3;
  std::atomic<int64_t> admitted = 0;
  const auto own = [&] {
    for (int i = 0; i < 4000; ++i) {
      Decision decision;
      const Request request = Of(1, kLimit);
      if (store_.Decide(request, kNowMs, &decision) == Store::Outcome::kLeased) {
        LeaseNews news;
        const auto result = book_.Decide(request, 0, &news);
        if (!result) continue;
        decision = result->decision;
      }
      if (decision.status == LimitStatus::kUnder) ++admitted;
    }
  };
  const LeaseSettings settings = {.sync_ms = 100, .peer_timeout_ms = 100'000};
  const auto hold = [&](const std::string& id) {
    LeaseNumbers exchanges;
    LeaseHolder holder({"n", "k", Algorithm::kToken}, &settings, &exchanges);
    const auto now = [] { return LeaseTime{BootNs() / 1000, kNowMs}; };
    std::vector<LeaseReport> reports;
    std::vector<LeaseSettled> settled;
    const auto talk = [&] {
      LeaseNews news;
      for (const LeaseReport& report : reports) book_.OnReport({id, true}, report, &news);
      reports.clear();
      for (const LeaseNews::Letter& letter : news.letters) {
        if (letter.holder == id) holder.OnAnswer(letter.Answer(), now(), &settled);
      }
    };
    for (int i = 0; i < 4000; ++i) {
      const LeaseHolder::Result result = holder.Decide(Of(1, kLimit), 1 + i, now(), true);
      const bool is_under = result.decision.status == LimitStatus::kUnder;
      if (result.outcome == LeaseOutcome::kAnswered && is_under) ++admitted;
      i % 50 == 0 ? holder.Sync(now(), &reports) : holder.Collect(now(), &reports);
      talk();
    }
    holder.Leave(true, now(), &settled);
    holder.Sync(now(), &reports);
    talk();
    for (const LeaseSettled& one : settled) {
      const bool is_under = one.decision.status == LimitStatus::kUnder;
      if (one.outcome == LeaseOutcome::kAnswered && is_under) ++admitted;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back(own);
  for (int i = 0; i < kHolders; ++i) threads.emplace_back(hold, "holder" + std::to_string(i));
  for (std::thread& thread : threads) thread.join();
  while (Own(1, kLimit)->status == LimitStatus::kUnder) ++admitted;
  EXPECT_EQ(admitted, kLimit);
}

}  // namespace
}  // namespace gub
