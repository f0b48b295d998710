#include "cluster/peer_frame.h"

#include "cluster/frame_codec.h"

namespace gub {

namespace {

PeerRequest ReadRequest(FrameReader* reader, size_t max_key_bytes) {
  PeerRequest read;
  Request& request = read.request;
  read.operation =
      static_cast<PeerOperation>(reader->NumberUpTo(static_cast<uint64_t>(PeerOperation::kLease)));
  if (read.operation == PeerOperation::kLeave) return read;
  if (read.operation == PeerOperation::kLease) {
    read.lease = reader->Bytes(kMaxLeaseFrameBytes);
    return read;
  }
  request.name = reader->Bytes(max_key_bytes);
  request.key = reader->Bytes(max_key_bytes - request.name.size());
  if (request.name.empty() || request.key.empty()) reader->Fail();
  if (read.operation == PeerOperation::kReset) return read;
  request.hits = reader->Signed();
  request.limit = reader->Signed();
  request.burst = reader->Signed();
  request.period = reader->Duration();
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
  answer.lease = reader->Bytes(kMaxLeaseFrameBytes);
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
  if (sent.operation == PeerOperation::kLease) return writer.Bytes(sent.lease);
  writer.Bytes(request.name);
  writer.Bytes(request.key);
  if (sent.operation == PeerOperation::kReset) return;
  writer.Signed(request.hits);
  writer.Signed(request.limit);
  writer.Signed(request.burst);
  writer.Duration(request.period);
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
  writer.Bytes(answer.lease);
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
