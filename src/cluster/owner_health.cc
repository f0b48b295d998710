#include "cluster/owner_health.h"

#include <algorithm>

namespace gub {

std::string_view OwnerHealth::NameOf(State state) {
  constexpr std::string_view kNames[] = {"up", "suspect", "down", "probing"};
  return kNames[static_cast<size_t>(state)];
}

bool OwnerHealth::TakeProbe(int64_t now_mono_ms) {
  if (state_ != State::kDown || now_mono_ms < next_probe_mono_ms_) return false;
  state_ = State::kProbing;
  return true;
}

void OwnerHealth::OnSuccess() {
  if (!IsAsked()) return;
  state_ = State::kUp;
  failures_ = 0;
}

void OwnerHealth::OnProbeSuccess() {
  if (state_ != State::kProbing) return;
  state_ = State::kUp;
  failures_ = 0;
  wait_ms_ = kFirstWaitMs;
}

void OwnerHealth::OnFailure(int64_t now_mono_ms, uint64_t dice) {
  if (!IsAsked()) return;
  state_ = State::kSuspect;
  if (++failures_ >= kFailuresToOpen) Open(now_mono_ms, dice);
}

void OwnerHealth::OnProbeFailure(int64_t now_mono_ms, uint64_t dice) {
  if (state_ == State::kProbing) Open(now_mono_ms, dice);
}

void OwnerHealth::Open(int64_t now_mono_ms, uint64_t dice) {
  state_ = State::kDown;
  failures_ = 0;
  const int64_t half_ms = wait_ms_ / 2;
  next_probe_mono_ms_ =
      now_mono_ms + half_ms + static_cast<int64_t>(dice % static_cast<uint64_t>(half_ms + 1));
  wait_ms_ = std::min(wait_ms_ * 2, kLongestWaitMs);
}

}  // namespace gub
