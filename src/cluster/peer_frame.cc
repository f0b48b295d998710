#include "cluster/peer_frame.h"

#include <limits>

namespace gub {

namespace {

constexpr int kCalendar = 1;  // in front of a period: a unit follows, not ms

uint64_t Fold(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
int64_t Unfold(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

class FrameWriter {
 public:
  explicit FrameWriter(std::string* out) : out_(*out) {}

  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  void Signed(int64_t value) { Number(Fold(value)); }
  void Bytes(std::string_view bytes) {
    Number(bytes.size());
    out_.append(bytes);
  }

 private:
  std::string& out_;
};

// Once something was wrong everything that is read is 0, and failed() says so.
class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }
  void Fail() { failed_ = true; }

  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      const uint64_t bits = byte & 0x7f;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (byte < 0x80) {
        // A number has one form: no zeros at its end.
        if (byte == 0 && shift > 0) break;
        return value;
      }
    }
    Fail();
    return 0;
  }
  uint64_t NumberUpTo(uint64_t most) {
    const uint64_t value = Number();
    if (value > most) Fail();
    return value > most ? 0 : value;
  }
  int64_t Signed() { return Unfold(Number()); }
  std::string_view Bytes(size_t most) {
    const uint64_t size = NumberUpTo(most);
    if (size > bytes_.size()) {
      Fail();
      return {};
    }
    const std::string_view read = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return read;
  }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

Period ReadPeriod(FrameReader* reader) {
  if (reader->NumberUpTo(kCalendar) == kCalendar) {
    constexpr auto kLast = static_cast<uint64_t>(CalendarUnit::kYear);
    return Period::Calendar(static_cast<CalendarUnit>(reader->NumberUpTo(kLast)));
  }
  const uint64_t ms = reader->NumberUpTo(static_cast<uint64_t>(Period::kMaxMs));
  if (ms == 0) reader->Fail();
  return Period::Ms(ms == 0 ? 1 : static_cast<int64_t>(ms));
}

PeerRequest ReadRequest(FrameReader* reader, size_t max_key_bytes) {
  PeerRequest read;
  Request& request = read.request;
  read.operation =
      static_cast<PeerOperation>(reader->NumberUpTo(static_cast<uint64_t>(PeerOperation::kLeave)));
  if (read.operation == PeerOperation::kLeave) return read;
  request.name = reader->Bytes(max_key_bytes);
  request.key = reader->Bytes(max_key_bytes - request.name.size());
  if (request.name.empty() || request.key.empty()) reader->Fail();
  if (read.operation == PeerOperation::kReset) return read;
  request.hits = reader->Signed();
  request.limit = reader->Signed();
  request.burst = reader->Signed();
  request.period = ReadPeriod(reader);
  request.behavior = static_cast<uint32_t>(reader->NumberUpTo(kAllBehaviors));
  request.algorithm =
      static_cast<Algorithm>(reader->NumberUpTo(static_cast<uint64_t>(Algorithm::kLeaky)));
  if (request.limit < 0 || request.burst < Request::kBurstIsLimit) reader->Fail();
  return read;
}

PeerAnswer ReadAnswer(FrameReader* reader) {
  PeerAnswer answer;
  Decision& decision = answer.decision;
  decision.status =
      static_cast<LimitStatus>(reader->NumberUpTo(static_cast<uint64_t>(LimitStatus::kOver)));
  decision.error = static_cast<Error>(reader->NumberUpTo(static_cast<uint64_t>(Error::kTableFull)));
  decision.remaining = reader->Signed();
  decision.reset_ms = reader->Signed();
  decision.retry_after_ms = reader->Signed();
  decision.now_ms = reader->Signed();
  answer.removed = reader->Signed();
  const bool is_possible = decision.remaining >= 0 && decision.reset_ms >= 0 &&
                           decision.retry_after_ms >= Decision::kNever && decision.now_ms >= 0 &&
                           answer.removed >= 0;
  if (!is_possible) reader->Fail();
  return answer;
}

}  // namespace

void AppendPeerRequest(const PeerRequest& sent, std::string* frame) {
  FrameWriter writer(frame);
  const Request& request = sent.request;
  writer.Number(static_cast<uint64_t>(sent.operation));
  if (sent.operation == PeerOperation::kLeave) return;
  writer.Bytes(request.name);
  writer.Bytes(request.key);
  if (sent.operation == PeerOperation::kReset) return;
  writer.Signed(request.hits);
  writer.Signed(request.limit);
  writer.Signed(request.burst);
  const bool calendar = request.period.IsCalendar();
  writer.Number(calendar ? kCalendar : 0);
  writer.Number(calendar ? static_cast<uint64_t>(request.period.unit())
                         : static_cast<uint64_t>(request.period.ms()));
  writer.Number(request.behavior);
  writer.Number(static_cast<uint64_t>(request.algorithm));
}

void AppendPeerAnswer(const PeerAnswer& answer, std::string* frame) {
  FrameWriter writer(frame);
  const Decision& decision = answer.decision;
  writer.Number(static_cast<uint64_t>(decision.status));
  writer.Number(static_cast<uint64_t>(decision.error));
  writer.Signed(decision.remaining);
  writer.Signed(decision.reset_ms);
  writer.Signed(decision.retry_after_ms);
  writer.Signed(decision.now_ms);
  writer.Signed(answer.removed);
}

std::optional<std::vector<PeerRequest>> ReadPeerRequests(std::string_view frame,
                                                         size_t max_requests,
                                                         size_t max_key_bytes) {
  FrameReader reader(frame);
  std::vector<PeerRequest> requests;
  while (!reader.at_end()) {
    if (requests.size() == max_requests) return std::nullopt;
    requests.push_back(ReadRequest(&reader, max_key_bytes));
    if (reader.failed()) return std::nullopt;
  }
  return requests;
}

std::optional<std::vector<PeerAnswer>> ReadPeerAnswers(std::string_view frame, size_t count) {
  FrameReader reader(frame);
  std::vector<PeerAnswer> answers;
  for (size_t i = 0; i < count && !reader.failed(); ++i) answers.push_back(ReadAnswer(&reader));
  if (reader.failed() || !reader.at_end()) return std::nullopt;
  return answers;
}

}  // namespace gub
