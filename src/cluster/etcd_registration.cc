#include "cluster/etcd_registration.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cluster/etcd_json.h"

namespace gub {

namespace {

constexpr int64_t kMinPauseMs = 100;
constexpr int64_t kMaxPauseMs = 5000;
constexpr int64_t kMaxQuestionMs = 3000;
constexpr int64_t kMsPerS = 1000;
constexpr int64_t kLogEveryMs = 10'000;

}  // namespace

EtcdRegistration::EtcdRegistration(Loop* loop, Options options)
    : options_(std::move(options)),
      lease_ttl_ms_(options_.lease_s * kMsPerS),
      backoff_(kMinPauseMs, kMaxPauseMs, std::random_device()()),
      timer_(loop, [this] { OnTimer(); }),
      client_(loop, options_.endpoints) {}

void EtcdRegistration::Start(std::function<void()> on_first_try) {
  on_first_try_ = std::move(on_first_try);
  Grant();
}

void EtcdRegistration::Renew() {
  if (state_ == State::kKept) Put();
}

void EtcdRegistration::Leave(std::function<void()> on_done) {
  const bool has_lease = !lease_id_.empty();
  on_gone_ = std::move(on_done);
  client_.Cancel(std::exchange(asked_, 0));
  state_ = State::kLeaving;
  if (!has_lease) return Gone();
  timer_.Start(kLeaveMs, 0);
  Revoke();
}

// A question is given up before the next try to keep the lease would be due.
void EtcdRegistration::Ask(const char* path, std::string body,
                           void (EtcdRegistration::*on_answer)(const std::string&)) {
  client_.Cancel(asked_);
  const int64_t timeout_ms = std::min(kMaxQuestionMs, lease_ttl_ms_ / 3);
  asked_ = client_.Ask({path, std::move(body), timeout_ms},
                       [this, on_answer](const absl::StatusOr<std::string>& answer) {
                         asked_ = 0;
                         if (!answer.ok()) return OnFault(answer.status());
                         (this->*on_answer)(*answer);
                       });
}

void EtcdRegistration::OnTimer() {
  switch (state_) {
    case State::kKept:
      return KeepAlive();
    case State::kPausing:
      return Grant();
    case State::kLeaving:
      return Gone();
    case State::kGranting:
    case State::kPutting:
    case State::kGone:
      return;
  }
}

void EtcdRegistration::Grant() {
  state_ = State::kGranting;
  timer_.Stop();
  lease_id_.clear();
  Ask("/v3/lease/grant", etcd::GrantBody(options_.lease_s), &EtcdRegistration::OnGrant);
}

void EtcdRegistration::OnGrant(const std::string& body) {
  std::optional<etcd::Lease> lease = etcd::ReadGrant(body);
  if (!lease) return OnFault(absl::InternalError("etcd answered no lease"));
  lease_id_ = std::move(lease->id);
  // etcd may grant a longer one than it was asked for.
  lease_ttl_ms_ = lease->ttl_s * kMsPerS;
  Put();
}

void EtcdRegistration::Put() {
  state_ = State::kPutting;
  timer_.Stop();
  Ask("/v3/kv/put", etcd::PutBody(options_.prefix, options_.self, lease_id_),
      &EtcdRegistration::OnPut);
}

void EtcdRegistration::OnPut(const std::string& /*body*/) {
  GUB_LOG(info, "registered with etcd address={} lease={}", options_.self.address, lease_id_);
  state_ = State::kKept;
  backoff_.Reset();
  timer_.Start(lease_ttl_ms_ / 3, 0);
  TriedOnce();
}

void EtcdRegistration::KeepAlive() {
  Ask("/v3/lease/keepalive", etcd::LeaseBody(lease_id_), &EtcdRegistration::OnKeepAlive);
}

void EtcdRegistration::OnKeepAlive(const std::string& body) {
  const std::optional<int64_t> left_s = etcd::ReadKeepAlive(body);
  if (!left_s) return OnFault(absl::InternalError("etcd answered nothing about the lease"));
  if (*left_s == 0) {
    GUB_LOG(warn, "the lease is lost, registering with etcd again lease={}", lease_id_);
    return Grant();
  }
  backoff_.Reset();
  timer_.Start(lease_ttl_ms_ / 3, 0);
}

void EtcdRegistration::Revoke() {
  ++revoke_tries_;
  asked_ = client_.Ask({"/v3/lease/revoke", etcd::LeaseBody(lease_id_), kLeaveMs},
                       [this](const absl::StatusOr<std::string>& answer) {
                         asked_ = 0;
                         if (answer.ok() || revoke_tries_ >= client_.endpoints()) return Gone();
                         Revoke();
                       });
}

void EtcdRegistration::Gone() {
  state_ = State::kGone;
  timer_.Stop();
  client_.Cancel(std::exchange(asked_, 0));
  on_gone_();
}

// A lease that could not be kept alive once may still be: only etcd can tell. Everything else
// begins anew, with a lease of its own.
void EtcdRegistration::OnFault(const absl::Status& status) {
  GUB_LOG_EVERY(kLogEveryMs, warn, "cannot register with etcd, trying again reason=\"{}\"",
                ToStd(status.message()));
  int64_t pause_ms = backoff_.NextMs();
  if (state_ == State::kKept) {
    pause_ms = std::min(pause_ms, lease_ttl_ms_ / 3);
  } else {
    state_ = State::kPausing;
  }
  timer_.Start(pause_ms, 0);
  TriedOnce();
}

void EtcdRegistration::TriedOnce() {
  if (on_first_try_) std::exchange(on_first_try_, nullptr)();
}

}  // namespace gub
