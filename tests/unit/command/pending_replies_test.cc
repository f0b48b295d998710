#include "command/pending_replies.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/property/seed.h"

namespace gub {
namespace {

std::string Drained(PendingReplies* pending) {
  ByteBuffer out;
  pending->Drain(&out);
  return std::string(out.view());
}

TEST(PendingRepliesTest, WhatIsBehindAReplyThatWaitsWaitsToo) {
  PendingReplies pending;
  const auto first = pending.Open();
  pending.behind()->Append("b");
  const auto second = pending.Open();
  pending.behind()->Append("d");
  EXPECT_EQ(Drained(&pending), "");
  pending.Fill(second, "c");
  EXPECT_EQ(Drained(&pending), "");
  EXPECT_EQ(pending.waiting(), 1u);
  EXPECT_EQ(pending.held_bytes(), 3u);
  pending.Fill(first, "a");
  EXPECT_EQ(Drained(&pending), "abcd");
  EXPECT_TRUE(pending.empty());
  EXPECT_EQ(pending.held_bytes(), 0u);
}

TEST(PendingRepliesTest, WhatIsReadyLeavesBeforeTheNextThatWaits) {
  PendingReplies pending;
  const auto first = pending.Open();
  pending.behind()->Append("b");
  pending.Open();
  pending.behind()->Append("d");
  pending.Fill(first, "a");
  EXPECT_EQ(Drained(&pending), "ab");
  EXPECT_FALSE(pending.empty());
  EXPECT_EQ(pending.held_bytes(), 1u);
}

TEST(PendingRepliesTest, WhatIsKeptElsewhereWeighsUntilTheReplyHasCome) {
  PendingReplies pending;
  const auto first = pending.Open(100);
  const auto second = pending.Open(1000);
  pending.Open(10'000);
  EXPECT_EQ(pending.held_bytes(), 11'100u);
  pending.Fill(second, "two");
  EXPECT_EQ(pending.held_bytes(), 10'103u);
  pending.DropFrom(second + 1, 0);
  pending.Fill(second + 1, "three");
  EXPECT_EQ(pending.held_bytes(), 103u);
  pending.Fill(first, "one");
  EXPECT_EQ(Drained(&pending), "onetwo");
  EXPECT_EQ(pending.held_bytes(), 0u);
}

TEST(PendingRepliesTest, AReplyIsFilledOnceAndAPlaceThatIsGoneIgnored) {
  PendingReplies pending;
  const auto ticket = pending.Open();
  pending.Fill(ticket, "a");
  pending.Fill(ticket, "x");
  EXPECT_EQ(Drained(&pending), "a");
  pending.Fill(ticket, "y");
  pending.Fill(ticket + 1, "z");
  EXPECT_EQ(Drained(&pending), "");
  EXPECT_EQ(pending.waiting(), 0u);
}

TEST(PendingRepliesTest, DroppedPlacesAreEmpty) {
  PendingReplies pending;
  const auto kept = pending.Open();
  const auto from = pending.next();
  const auto filled = pending.Open();
  pending.Fill(filled, "x");
  const auto later = pending.Open();
  pending.DropFrom(from, 0);
  pending.behind()->Append("b");
  pending.Fill(later, "y");
  pending.Fill(kept, "a");
  EXPECT_EQ(Drained(&pending), "ab");
  EXPECT_EQ(pending.held_bytes(), 0u);
}

TEST(PendingRepliesTest, WhateverTheOrderOfTheAnswersTheOrderOfTheRepliesIsThatOfTheRequests) {
  std::mt19937_64 random(RunSeed());
  for (int round = 0; round < 300; ++round) {
    PendingReplies pending;
    std::string expected;
    std::string got;
    ByteBuffer direct;
    std::vector<std::pair<PendingReplies::Ticket, std::string>> waiting;
    int number = 0;
    for (int step = 0; step < 200; ++step) {
      const std::string reply = std::to_string(number) + ";";
      switch (random() % 4) {
        case 0:
          waiting.emplace_back(pending.Open(), reply);
          expected += reply;
          ++number;
          break;
        case 1:
          (pending.empty() ? &direct : pending.behind())->Append(reply);
          expected += reply;
          ++number;
          break;
        case 2:
          if (!waiting.empty()) {
            std::swap(waiting[random() % waiting.size()], waiting.back());
            pending.Fill(waiting.back().first, waiting.back().second);
            waiting.pop_back();
          }
          break;
        default:
          pending.Drain(&direct);
          got += direct.view();
          direct.Clear();
      }
      if (pending.empty()) {
        got += direct.view();
        direct.Clear();
      }
    }
    for (const auto& [ticket, reply] : waiting) pending.Fill(ticket, reply);
    pending.Drain(&direct);
    ASSERT_EQ(got + std::string(direct.view()), expected);
  }
}

}  // namespace
}  // namespace gub
