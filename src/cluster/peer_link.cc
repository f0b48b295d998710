#include "cluster/peer_link.h"

#include <algorithm>
#include <utility>

namespace gub {

bool PeerLink::Forward(uint64_t token, const PeerRequest& request, int64_t now_us) {
  const uint64_t end_byte = queue_base_ + queue_bytes_.size();
  if (!health_.IsAsked() || queue_.size() + in_flight_requests_ >= limits_.max_requests ||
      end_byte - queue_begin_ >= limits_.max_waiting_bytes) {
    ++counts_.refused;
    return false;
  }
  if (queue_.empty()) oldest_us_ = now_us;
  AppendPeerRequest(request, &queue_bytes_);
  queue_.push_back({token, now_us + TimeoutUs(), queue_base_ + queue_bytes_.size()});
  urgent_ = urgent_ || request.request.Has(kNoBatching);
  if (state_ == State::kClosed) StartConnecting(now_us);
  const bool is_full = state_ == State::kReady && queue_.size() >= limits_.batch_limit;
  if (is_full && host_.CanWrite()) SendBatch(now_us);
  return true;
}

void PeerLink::Flush(int64_t now_us) {
  if (state_ != State::kReady) return;
  if (asks_) WriteAsk(now_us);
  while (!queue_.empty() && host_.CanWrite()) {
    const bool waited = now_us - oldest_us_ >= WaitUs();
    if (!frames_.empty() && !urgent_ && !waited && queue_.size() < limits_.batch_limit) return;
    SendBatch(now_us);
  }
}

void PeerLink::SendBatch(int64_t now_us) {
  const size_t most = std::min(queue_.size(), limits_.batch_limit);
  size_t count = 1;
  while (count < most && queue_[count].end_byte - queue_begin_ <= kMaxBatchBytes) ++count;
  Frame frame = {next_number_++, {}, 0, count};
  frame.requests.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    frame.requests.push_back({queue_[i].token, queue_[i].due_us, false});
  }
  const uint64_t end_byte = queue_[count - 1].end_byte;
  const int64_t expires_us = queue_.front().due_us + ClockOffsetUs();
  const std::string_view bytes =
      std::string_view(queue_bytes_).substr(queue_begin_ - queue_base_, end_byte - queue_begin_);
  const PeerBatch batch = {frame.number, expires_us / 1000, bytes, count};
  WriteFrame(std::move(frame), batch, now_us);
  DropQueueFront(count);
  oldest_us_ = now_us;
}

// The bytes go once they are the larger part, so that each is moved once at most.
void PeerLink::DropQueueFront(size_t count) {
  queue_begin_ = queue_[count - 1].end_byte;
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(count));
  if (queue_begin_ - queue_base_ > queue_bytes_.size() / 2) {
    queue_bytes_.erase(0, queue_begin_ - queue_base_);
    queue_base_ = queue_begin_;
  }
  if (queue_.empty()) urgent_ = false;
}

void PeerLink::WriteFrame(Frame frame, const PeerBatch& batch, int64_t now_us) {
  frame.sent_us = now_us;
  ++counts_.batches;
  counts_.requests += batch.count;
  counts_.largest_batch = std::max<uint64_t>(counts_.largest_batch, batch.count);
  in_flight_requests_ += batch.count;
  frames_.push_back(std::move(frame));
  host_.Write(batch);
}

void PeerLink::Ask(int64_t now_us) {
  if (!health_.IsAsked()) return;
  asks_ = true;
  if (state_ == State::kClosed) StartConnecting(now_us);
  if (state_ == State::kReady) WriteAsk(now_us);
}

void PeerLink::WriteAsk(int64_t now_us) {
  asks_ = false;
  Frame frame = {next_number_++, {{kNobody, now_us + TimeoutUs(), false}}, 0, 0};
  const int64_t expires_us = now_us + TimeoutUs() + ClockOffsetUs();
  const PeerBatch batch = {frame.number, expires_us / 1000, {}, 0};
  WriteFrame(std::move(frame), batch, now_us);
}

void PeerLink::StartConnecting(int64_t now_us) {
  state_ = State::kConnecting;
  connect_due_us_ = now_us + TimeoutUs();
  ++counts_.connects;
  host_.Connect();
}

void PeerLink::OnConnected(int64_t now_us) {
  if (state_ != State::kConnecting || now_us >= connect_due_us_) return;
  state_ = State::kGreeting;  // by the same deadline
  host_.Greet();
}

void PeerLink::OnGreeted(int64_t mono_ms, int64_t now_us) {
  if (state_ != State::kGreeting) return;
  state_ = State::kReady;
  clock_offset_us_ = older_clock_offset_us_ = mono_ms * 1000 - now_us;
  clock_span_start_us_ = now_us;
  health_.OnProbeSuccess();
  Flush(now_us);
}

// What was read now was written before; so the owner's clock showed at least that by now. Of all
// such bounds the highest is the best, as long as neither clock has drifted much since.
void PeerLink::LearnClock(int64_t mono_ms, int64_t now_us) {
  const int64_t offset_us = mono_ms * 1000 - now_us;
  if (now_us - clock_span_start_us_ >= kClockSpanUs) {
    older_clock_offset_us_ = std::exchange(clock_offset_us_, offset_us);
    clock_span_start_us_ = now_us;
  }
  clock_offset_us_ = std::max(clock_offset_us_, offset_us);
}

void PeerLink::SetLimits(const PeerLimits& limits, int64_t now_us) {
  limits_ = limits;
  const int64_t latest_us = now_us + TimeoutUs();
  for (Frame& frame : frames_) {
    for (InFlight& request : frame.requests) request.due_us = std::min(request.due_us, latest_us);
  }
  for (Waiting& waiting : queue_) waiting.due_us = std::min(waiting.due_us, latest_us);
}

void PeerLink::OnAnswer(const PeerBatchAnswer& answer, int64_t now_us) {
  if (state_ != State::kReady) return;
  if (frames_.empty() || frames_.front().number != answer.number) return OnClosed(now_us);
  std::optional<std::vector<PeerAnswer>> answers;
  if (!answer.late) {
    answers = ReadPeerAnswers(answer.answers, frames_.front().answers);
    if (!answers) return OnClosed(now_us);
  }
  LearnClock(answer.mono_ms, now_us);
  // What has not been given up is answered, also when its time has just passed: a denial that is
  // here is not turned into an admission.
  const Frame frame = std::move(frames_.front());
  frames_.pop_front();
  in_flight_requests_ -= frame.answers;
  ++counts_.answered_batches;
  counts_.answer_us += static_cast<uint64_t>(std::max<int64_t>(now_us - frame.sent_us, 0));
  const bool in_time = std::any_of(frame.requests.begin(), frame.requests.end(),
                                   [](const InFlight& request) { return !request.given_up; });
  if (in_time && !answer.late) health_.OnSuccess();
  if (in_time && answer.late) CountFailure(now_us);
  for (size_t i = 0; i < frame.requests.size(); ++i) {
    const InFlight& request = frame.requests[i];
    if (request.token == kNobody) continue;
    if (request.given_up) {
      ++counts_.late_answers;
    } else if (answer.late) {
      ++counts_.failed;
      host_.OnFailed(request.token);
    } else {
      ++counts_.answered;
      host_.OnAnswered(request.token, (*answers)[i]);
    }
  }
  if (!health_.IsAsked()) return Drop();
  GiveUpLate(now_us);
  Flush(now_us);
}

void PeerLink::OnClosed(int64_t now_us) {
  if (state_ == State::kClosed) return;
  CountFailure(now_us);
  Drop();
}

void PeerLink::Close() { Drop(); }

void PeerLink::CountFailure(int64_t now_us) {
  health_.OnProbeFailure(now_us / 1000, host_.Dice());
  health_.OnFailure(now_us / 1000, host_.Dice());
}

void PeerLink::Drop() {
  if (state_ != State::kClosed) host_.Disconnect();
  state_ = State::kClosed;
  FailAll();
}

void PeerLink::FailAll() {
  std::vector<uint64_t> failed;
  for (const Frame& frame : frames_) {
    for (const InFlight& request : frame.requests) {
      if (!request.given_up) failed.push_back(request.token);
    }
  }
  for (const Waiting& waiting : queue_) failed.push_back(waiting.token);
  frames_.clear();
  if (!queue_.empty()) DropQueueFront(queue_.size());
  in_flight_requests_ = 0;
  asks_ = false;
  Fail(failed);
}

// Told last: whoever hears of it may come back with more.
void PeerLink::Fail(const std::vector<uint64_t>& tokens) {
  for (uint64_t token : tokens) {
    if (token == kNobody) continue;
    ++counts_.failed;
    host_.OnFailed(token);
  }
}

void PeerLink::OnTick(int64_t now_us) {
  if (health_.TakeProbe(now_us / 1000)) StartConnecting(now_us);
  const bool is_late = state_ == State::kConnecting || state_ == State::kGreeting;
  if (is_late && now_us >= connect_due_us_) return OnClosed(now_us);
  GiveUpLate(now_us);
  Flush(now_us);
}

// Each is due when it came plus the time-out, and those that came first are due first.
void PeerLink::GiveUpLate(int64_t now_us) {
  std::vector<uint64_t> failed;
  for (Frame& frame : frames_) {
    for (; frame.next_due < frame.requests.size(); ++frame.next_due) {
      InFlight& request = frame.requests[frame.next_due];
      if (request.due_us > now_us) break;
      request.given_up = true;
      failed.push_back(request.token);
    }
    // One that asks only has been sent later than what was behind it in the queue has come.
    if (frame.next_due < frame.requests.size() && frame.answers > 0) break;
  }
  size_t waited = 0;
  while (waited < queue_.size() && queue_[waited].due_us <= now_us) {
    failed.push_back(queue_[waited++].token);
  }
  if (waited > 0) DropQueueFront(waited);
  if (failed.empty()) return;
  CountFailure(now_us);
  Fail(failed);
  // An open circuit sends nothing, and waits for nothing.
  if (!health_.IsAsked()) Drop();
}

std::optional<int64_t> PeerLink::NextTickUs() const {
  std::optional<int64_t> next;
  const auto at = [&next](int64_t us) { next = next ? std::min(*next, us) : us; };
  if (health_.state() == OwnerHealth::State::kDown) at(health_.next_probe_mono_ms() * 1000);
  if (state_ == State::kConnecting || state_ == State::kGreeting) at(connect_due_us_);
  for (const Frame& frame : frames_) {
    if (frame.next_due == frame.requests.size()) continue;
    at(frame.requests[frame.next_due].due_us);
    if (frame.answers > 0) break;
  }
  if (!queue_.empty()) at(queue_.front().due_us);
  const bool may_send = state_ == State::kReady && !queue_.empty() && host_.CanWrite();
  if (may_send) at(oldest_us_ + WaitUs());
  return next;
}

}  // namespace gub
