#include "cluster/lease_frame.h"

#include <gtest/gtest.h>

#include <string>

namespace gub {
namespace {

LeaseReport AReport() {
  return {.key = {"name", "key", Algorithm::kLeaky},
          .numbers = {100, 200, Period::Calendar(CalendarUnit::kMonth)},
          .number = 7,
          .generation = 1ull << 40,
          .newest = 3,
          .spent = 12,
          .returned = 34,
          .wanted = 56,
          .hits = 78,
          .denied = true};
}

LeaseAnswer AnAnswer() {
  return {.key = {"name", "key", Algorithm::kToken},
          .number = 7,
          .verdict = LeaseVerdict::kDenied,
          .about = 8,
          .about_is_known = true,
          .spent = 9,
          .returned = 10,
          .about_lent = 16,
          .recall = true,
          .generation = 11,
          .lent = INT64_MAX,
          .term_ms = 300,
          .remaining = 12,
          .contained = 13,
          .reset_ms = 1'700'000'000'000,
          .reset_in_ms = 14,
          .marked = true,
          .reopened = true,
          .retry_after_ms = -1,
          .denial_ms = 15};
}

std::string AFrame() {
  std::string bytes;
  AppendLeaseFrame({"from", "to", {AReport(), AReport()}, {AnAnswer()}}, &bytes);
  return bytes;
}

TEST(LeaseFrameTest, WhatIsWrittenIsRead) {
  const std::string bytes = AFrame();
  const std::optional<LeaseFrame> frame = ReadLeaseFrame(bytes, {});
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->from, "from");
  EXPECT_EQ(frame->to, "to");
  ASSERT_EQ(frame->reports.size(), 2u);
  EXPECT_EQ(frame->reports[1], AReport());
  ASSERT_EQ(frame->answers.size(), 1u);
  EXPECT_EQ(frame->answers[0], AnAnswer());
}

TEST(LeaseFrameTest, OfAFrameThatIsCutNothingIsRead) {
  const std::string bytes = AFrame();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadLeaseFrame(std::string_view(bytes).substr(0, size), {})) << size;
  }
  EXPECT_FALSE(ReadLeaseFrame(bytes + 'x', {}));
}

TEST(LeaseFrameTest, ItemsAndKeysAreBounded) {
  const std::string bytes = AFrame();
  EXPECT_TRUE(ReadLeaseFrame(bytes, {.max_items = 3, .max_key_bytes = 7}));
  EXPECT_FALSE(ReadLeaseFrame(bytes, {.max_items = 2, .max_key_bytes = 7}));
  EXPECT_FALSE(ReadLeaseFrame(bytes, {.max_items = 3, .max_key_bytes = 6}));
}

TEST(LeaseFrameTest, WhatNoNodeSendsIsNotRead) {
  const auto reads = [](const LeaseReport& report, const LeaseAnswer& answer) {
    std::string bytes;
    AppendLeaseFrame({"from", "to", {report}, {answer}}, &bytes);
    return ReadLeaseFrame(bytes, {}).has_value();
  };
  EXPECT_TRUE(reads(AReport(), AnAnswer()));
  LeaseReport report = AReport();
  report.spent = -1;
  EXPECT_FALSE(reads(report, AnAnswer()));
  report = AReport();
  report.numbers.burst = -2;
  EXPECT_FALSE(reads(report, AnAnswer()));
  report = AReport();
  report.key.name = "";
  EXPECT_FALSE(reads(report, AnAnswer()));
  LeaseAnswer answer = AnAnswer();
  answer.retry_after_ms = -2;
  EXPECT_FALSE(reads(AReport(), answer));
  answer = AnAnswer();
  answer.term_ms = Period::kMaxMs + 1;
  EXPECT_FALSE(reads(AReport(), answer));
}

TEST(LeaseFrameTest, ItemsAreShort) {
  const std::string key(33, 'k');
  LeaseReport report = AReport();
  report.key = {"n", key, Algorithm::kToken};
  LeaseAnswer answer = AnAnswer();
  answer.key = report.key;
  answer.lent = 100;
  std::string bytes;
  AppendLeaseFrame({"", "", {report}, {}}, &bytes);
  EXPECT_LE(bytes.size(), 64u);
  bytes.clear();
  AppendLeaseFrame({"", "", {}, {answer}}, &bytes);
  EXPECT_LE(bytes.size(), 70u);
}

}  // namespace
}  // namespace gub
