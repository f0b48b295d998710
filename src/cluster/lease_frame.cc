#include "cluster/lease_frame.h"

#include "cluster/frame_codec.h"

namespace gub {

namespace {

void WriteKey(const LeaseKey& key, FrameWriter* writer) {
  writer->Bytes(key.name);
  writer->Bytes(key.key);
  writer->Number(static_cast<uint64_t>(key.algorithm));
}

LeaseKey ReadKey(FrameReader* reader, size_t max_key_bytes) {
  LeaseKey key;
  key.name = reader->Bytes(max_key_bytes);
  key.key = reader->Bytes(max_key_bytes - key.name.size());
  constexpr auto kLast = static_cast<uint64_t>(Algorithm::kLeaky);
  key.algorithm = static_cast<Algorithm>(reader->NumberUpTo(kLast));
  if (key.name.empty() || key.key.empty()) reader->Fail();
  return key;
}

void WriteCount(int64_t count, FrameWriter* writer) {
  writer->Number(static_cast<uint64_t>(count));
}

void WriteReport(const LeaseReport& report, FrameWriter* writer) {
  WriteKey(report.key, writer);
  WriteCount(report.numbers.limit, writer);
  writer->Signed(report.numbers.burst);
  writer->Duration(report.numbers.period);
  writer->Number(report.number);
  writer->Number(report.generation);
  writer->Number(report.newest);
  WriteCount(report.spent, writer);
  WriteCount(report.returned, writer);
  WriteCount(report.wanted, writer);
  WriteCount(report.hits, writer);
  writer->Number(report.denied ? 1 : 0);
}

LeaseReport ReadReport(FrameReader* reader, size_t max_key_bytes) {
  LeaseReport report;
  report.key = ReadKey(reader, max_key_bytes);
  report.numbers.limit = reader->Count();
  report.numbers.burst = reader->Signed();
  report.numbers.period = reader->Duration();
  report.number = reader->Number();
  report.generation = reader->Number();
  report.newest = reader->Number();
  report.spent = reader->Count();
  report.returned = reader->Count();
  report.wanted = reader->Count();
  report.hits = reader->Count();
  report.denied = reader->Bool();
  if (report.numbers.burst < Request::kBurstIsLimit) reader->Fail();
  return report;
}

void WriteAnswer(const LeaseAnswer& answer, FrameWriter* writer) {
  WriteKey(answer.key, writer);
  writer->Number(answer.number);
  writer->Number(static_cast<uint64_t>(answer.verdict));
  writer->Number(answer.about);
  writer->Number(answer.about_is_known ? 1 : 0);
  WriteCount(answer.spent, writer);
  WriteCount(answer.returned, writer);
  WriteCount(answer.about_lent, writer);
  writer->Number(answer.recall ? 1 : 0);
  writer->Number(answer.generation);
  WriteCount(answer.lent, writer);
  WriteCount(answer.term_ms, writer);
  WriteCount(answer.remaining, writer);
  WriteCount(answer.contained, writer);
  WriteCount(answer.reset_ms, writer);
  WriteCount(answer.reset_in_ms, writer);
  writer->Number(answer.marked ? 1 : 0);
  writer->Number(answer.reopened ? 1 : 0);
  writer->Signed(answer.retry_after_ms);
  WriteCount(answer.denial_ms, writer);
}

LeaseAnswer ReadAnswer(FrameReader* reader, size_t max_key_bytes) {
  LeaseAnswer answer;
  answer.key = ReadKey(reader, max_key_bytes);
  answer.number = reader->Number();
  constexpr auto kLast = static_cast<uint64_t>(LeaseVerdict::kSpent);
  answer.verdict = static_cast<LeaseVerdict>(reader->NumberUpTo(kLast));
  answer.about = reader->Number();
  answer.about_is_known = reader->Bool();
  answer.spent = reader->Count();
  answer.returned = reader->Count();
  answer.about_lent = reader->Count();
  answer.recall = reader->Bool();
  answer.generation = reader->Number();
  answer.lent = reader->Count();
  answer.term_ms = reader->Count();
  answer.remaining = reader->Count();
  answer.contained = reader->Count();
  answer.reset_ms = reader->Count();
  answer.reset_in_ms = reader->Count();
  answer.marked = reader->Bool();
  answer.reopened = reader->Bool();
  answer.retry_after_ms = reader->Signed();
  answer.denial_ms = reader->Count();
  // A duration of ms is to fit into microseconds.
  constexpr int64_t kLongestMs = Period::kMaxMs;
  const bool is_possible = answer.retry_after_ms >= Decision::kNever &&
                           answer.term_ms <= kLongestMs && answer.denial_ms <= kLongestMs &&
                           answer.reset_in_ms <= kLongestMs;
  if (!is_possible) reader->Fail();
  return answer;
}

}  // namespace

void LeaseFrameBuilder::Add(const LeaseReport& report) {
  FrameWriter writer(&report_bytes_);
  WriteReport(report, &writer);
  ++reports_;
}

void LeaseFrameBuilder::Add(const LeaseAnswer& answer) {
  FrameWriter writer(&answer_bytes_);
  WriteAnswer(answer, &writer);
  ++answers_;
}

std::string LeaseFrameBuilder::Take(std::string_view from, std::string_view to) {
  std::string frame;
  FrameWriter writer(&frame);
  writer.Bytes(from);
  writer.Bytes(to);
  writer.Number(reports_);
  frame += report_bytes_;
  writer.Number(answers_);
  frame += answer_bytes_;
  *this = {};
  return frame;
}

void AppendLeaseFrame(const LeaseFrame& frame, std::string* bytes) {
  LeaseFrameBuilder builder;
  for (const LeaseReport& report : frame.reports) builder.Add(report);
  for (const LeaseAnswer& answer : frame.answers) builder.Add(answer);
  *bytes += builder.Take(frame.from, frame.to);
}

std::optional<LeaseFrame> ReadLeaseFrame(std::string_view bytes, const LeaseFrameLimits& limits) {
  FrameReader reader(bytes);
  LeaseFrame frame;
  frame.from = reader.Bytes(LeaseFrameLimits::kMaxIdBytes);
  frame.to = reader.Bytes(LeaseFrameLimits::kMaxIdBytes);
  const size_t reports = reader.NumberUpTo(limits.max_items);
  for (size_t i = 0; i < reports && !reader.failed(); ++i) {
    frame.reports.push_back(ReadReport(&reader, limits.max_key_bytes));
  }
  const size_t answers = reader.NumberUpTo(limits.max_items - frame.reports.size());
  for (size_t i = 0; i < answers && !reader.failed(); ++i) {
    frame.answers.push_back(ReadAnswer(&reader, limits.max_key_bytes));
  }
  if (reader.failed() || !reader.at_end()) return std::nullopt;
  return frame;
}

}  // namespace gub
