#include "cluster/peer_frame.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/property/seed.h"

namespace gub {
namespace {

constexpr size_t kMaxKeyBytes = 4096;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

bool Same(const PeerRequest& a, const PeerRequest& b) {
  const Request& x = a.request;
  const Request& y = b.request;
  return a.operation == b.operation && x.name == y.name && x.key == y.key && x.hits == y.hits &&
         x.limit == y.limit && x.burst == y.burst && x.period == y.period &&
         x.behavior == y.behavior && x.algorithm == y.algorithm;
}

std::string FrameOf(const std::vector<PeerRequest>& requests) {
  std::string frame;
  for (const PeerRequest& request : requests) AppendPeerRequest(request, &frame);
  return frame;
}

TEST(PeerFrameTest, AHitHasTheseBytes) {
  const PeerRequest hit = {PeerOperation::kDecide,
                           {.name = "n",
                            .key = "k:1",
                            .hits = 1,
                            .limit = 100,
                            .period = Period::Ms(1000),
                            .algorithm = Algorithm::kLeaky}};
  EXPECT_EQ(FrameOf({hit}),
            std::string("\x00\x01n\x03k:1\x02\xc8\x01\x01\x00\xe8\x07\x00\x01", 16));
  const PeerRequest reset = {PeerOperation::kReset, {.name = "n", .key = "k"}};
  EXPECT_EQ(FrameOf({reset}), std::string("\x01\x01n\x01k", 5));
}

TEST(PeerFrameTest, EveryValueComesBack) {
  std::mt19937_64 random(RunSeed());
  const int64_t edges[] = {0, 1, -1, 63, 64, -64, -65, kMax, kMin, kMax - 1};
  const auto number = [&] {
    return random() % 3 == 0 ? static_cast<int64_t>(random() >> random() % 64)
                             : edges[random() % std::size(edges)];
  };
  const auto not_negative = [&] { return number() & kMax; };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> texts;
    for (int i = 0; i < 6; ++i) {
      std::string text(1 + random() % (round % 50 == 0 ? 2000 : 40), '\0');
      for (char& c : text) c = static_cast<char>(random());
      texts.push_back(text);
    }
    std::vector<PeerRequest> sent;
    for (size_t i = 0; i + 1 < texts.size(); i += 2) {
      PeerRequest request = {random() % 4 == 0 ? PeerOperation::kReset : PeerOperation::kDecide,
                             {.name = texts[i], .key = texts[i + 1]}};
      if (request.operation == PeerOperation::kDecide) {
        request.request.hits = number();
        request.request.limit = not_negative();
        request.request.burst = random() % 2 == 0 ? Request::kBurstIsLimit : not_negative();
        request.request.period =
            random() % 2 == 0
                ? Period::Calendar(static_cast<CalendarUnit>(random() % 6))
                : Period::Ms(
                      1 + static_cast<int64_t>(random() % static_cast<uint64_t>(Period::kMaxMs)));
        request.request.behavior = static_cast<uint32_t>(random() % (kAllBehaviors + 1));
        request.request.algorithm = static_cast<Algorithm>(random() % 2);
      }
      sent.push_back(request);
    }
    const std::string frame = FrameOf(sent);
    const auto read = ReadPeerRequests(frame, 10, kMaxKeyBytes);
    ASSERT_TRUE(read.has_value());
    ASSERT_EQ(read->size(), sent.size());
    for (size_t i = 0; i < sent.size(); ++i) ASSERT_TRUE(Same((*read)[i], sent[i]));
    // Cut anywhere within a request it is nothing.
    const size_t whole_two = FrameOf({sent[0], sent[1]}).size();
    const size_t whole_one = FrameOf({sent[0]}).size();
    const size_t cut = random() % frame.size();
    if (cut != 0 && cut != whole_one && cut != whole_two) {
      ASSERT_FALSE(ReadPeerRequests(frame.substr(0, cut), 10, kMaxKeyBytes).has_value());
    }

    PeerAnswer answer;
    answer.decision = {static_cast<LimitStatus>(random() % 2),
                       not_negative(),
                       not_negative(),
                       static_cast<int64_t>(random() % 1000) - 1,
                       not_negative(),
                       static_cast<Error>(random() % 10)};
    answer.removed = not_negative();
    std::string answers;
    AppendPeerAnswer(answer, &answers);
    const auto read_answers = ReadPeerAnswers(answers, 1);
    ASSERT_TRUE(read_answers.has_value());
    ASSERT_EQ(read_answers->front().decision, answer.decision);
    ASSERT_EQ(read_answers->front().removed, answer.removed);
  }
}

TEST(PeerFrameTest, WhatNoNodeSendsIsNotRead) {
  const auto refused = [](std::string frame) {
    return !ReadPeerRequests(frame, 10, kMaxKeyBytes).has_value();
  };
  const std::string good = std::string("\x00\x01n\x01k\x02\x02\x01\x00\x01\x00\x00", 12);
  EXPECT_FALSE(refused(good));
  EXPECT_FALSE(refused(""));
  const auto with = [&good](size_t at, char byte) {
    std::string frame = good;
    frame[at] = byte;
    return frame;
  };
  EXPECT_TRUE(refused(with(0, 2)));    // operation
  EXPECT_TRUE(refused(with(1, 0)));    // an empty name, and then nothing fits
  EXPECT_TRUE(refused(with(6, 1)));    // limit -1
  EXPECT_TRUE(refused(with(7, 3)));    // burst -2
  EXPECT_TRUE(refused(with(8, 2)));    // neither ms nor a unit
  EXPECT_TRUE(refused(with(9, 0)));    // 0 ms
  EXPECT_TRUE(refused(with(10, 64)));  // an unknown behavior
  EXPECT_TRUE(refused(with(11, 2)));   // an unknown algorithm
  EXPECT_TRUE(refused(good + '\0'));
  EXPECT_TRUE(refused(std::string("\x00\x80\x00n", 4)));  // a number with a zero behind it
  EXPECT_TRUE(refused("\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f"));  // longer than all there is
}

TEST(PeerFrameTest, BoundsHold) {
  const PeerRequest one = {PeerOperation::kReset, {.name = "name", .key = "key"}};
  const std::string frame = FrameOf({one, one, one});
  EXPECT_TRUE(ReadPeerRequests(frame, 3, 7).has_value());
  EXPECT_FALSE(ReadPeerRequests(frame, 2, 7).has_value());
  EXPECT_FALSE(ReadPeerRequests(frame, 3, 6).has_value());
}

TEST(PeerFrameTest, ThereMustBeAsManyAnswersAsRequests) {
  std::string frame;
  AppendPeerAnswer({}, &frame);
  AppendPeerAnswer({}, &frame);
  EXPECT_TRUE(ReadPeerAnswers(frame, 2).has_value());
  EXPECT_FALSE(ReadPeerAnswers(frame, 1).has_value());
  EXPECT_FALSE(ReadPeerAnswers(frame, 3).has_value());
  EXPECT_FALSE(ReadPeerAnswers("", 1).has_value());
  EXPECT_TRUE(ReadPeerAnswers("", 0).has_value());
}

// Reset is subtracted from now, remaining is shown: of a peer that lies neither may do harm.
TEST(PeerFrameTest, AnAnswerThatNoStoreGivesIsNotRead) {
  const Decision whole = {.remaining = 1, .reset_ms = 2000, .now_ms = 1000};
  const auto is_read = [](const Decision& decision, int64_t removed = 0) {
    std::string frame;
    AppendPeerAnswer({decision, removed}, &frame);
    return ReadPeerAnswers(frame, 1).has_value();
  };
  EXPECT_TRUE(is_read(whole));
  Decision wrong = whole;
  wrong.remaining = -1;
  EXPECT_FALSE(is_read(wrong));
  wrong = whole;
  wrong.reset_ms = -1;
  EXPECT_FALSE(is_read(wrong));
  wrong = whole;
  wrong.now_ms = INT64_MIN;
  EXPECT_FALSE(is_read(wrong));
  wrong = whole;
  wrong.retry_after_ms = -2;
  EXPECT_FALSE(is_read(wrong));
  EXPECT_FALSE(is_read(whole, -1));
}

TEST(PeerFrameTest, OneThatLeavesHasNoNameAndNoKey) {
  std::string frame;
  PeerRequest leave;
  leave.operation = PeerOperation::kLeave;
  AppendPeerRequest(leave, &frame);
  EXPECT_EQ(frame, "\x02");
  const auto read = ReadPeerRequests(frame, 1, 10);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->front().operation, PeerOperation::kLeave);
}

}  // namespace
}  // namespace gub
