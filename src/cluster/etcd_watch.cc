#include "cluster/etcd_watch.h"

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
constexpr int64_t kQuestionMs = 3000;
constexpr int64_t kLogEveryMs = 60'000;

}  // namespace

EtcdWatch::EtcdWatch(Loop* loop, std::vector<std::string> endpoints, std::string prefix)
    : prefix_(std::move(prefix)),
      backoff_(kMinPauseMs, kMaxPauseMs, std::random_device()()),
      timer_(loop, [this] { OnTimer(); }),
      client_(loop, std::move(endpoints)) {}

void EtcdWatch::Start(OnMembers on_members, OnTrouble on_trouble) {
  on_members_ = std::move(on_members);
  on_trouble_ = std::move(on_trouble);
  state_ = State::kListing;
  List();
}

void EtcdWatch::Stop() {
  state_ = State::kStopped;
  timer_.Stop();
  client_.Cancel(std::exchange(list_, 0));
  client_.Cancel(std::exchange(watch_, 0));
}

void EtcdWatch::OnTimer() {
  if (state_ == State::kPausing) state_ = State::kListing;
  List();
}

void EtcdWatch::List() {
  list_is_old_ = list_ != 0;
  if (list_is_old_) return;
  list_ = client_.Ask({"/v3/kv/range", etcd::RangeBody(prefix_), kQuestionMs},
                      [this](const absl::StatusOr<std::string>& answer) {
                        list_ = 0;
                        OnList(answer);
                      });
}

void EtcdWatch::OnList(const absl::StatusOr<std::string>& answer) {
  std::optional<etcd::MemberList> list;
  if (answer.ok()) list = etcd::ReadRange(*answer, prefix_);
  if (!list) {
    Pause();
    return on_trouble_(answer.ok() ? "etcd answered no list"
                                   : std::string(ToStd(answer.status().message())));
  }
  for (const std::string& key : list->wrong_keys) {
    GUB_LOG_EVERY(kLogEveryMs, warn, "an entry in etcd is no member and is left out key=\"{}\"",
                  Escape(key));
  }
  if (state_ == State::kListing) Watch(list->revision + 1);
  timer_.Start(kRelistMs, 0);
  if (list_is_old_) List();
  on_members_(std::move(list->members));
}

void EtcdWatch::Watch(int64_t from_revision) {
  state_ = State::kWatching;
  watch_ = client_.Watch(
      etcd::WatchBody(prefix_, from_revision), [this](std::string_view line) { OnLine(line); },
      [this](const absl::Status& status) {
        watch_ = 0;
        GUB_LOG(debug, "the watch on etcd has ended reason=\"{}\"", ToStd(status.message()));
        Pause();
      });
}

// Lines may still come of a piece that had arrived before the watch was cancelled.
void EtcdWatch::OnLine(std::string_view line) {
  if (watch_ == 0) return;
  switch (etcd::ReadWatchLine(line).value_or(etcd::WatchNews::kEnd)) {
    case etcd::WatchNews::kNothing:
      return backoff_.Reset();
    case etcd::WatchNews::kChange:
      return List();
    case etcd::WatchNews::kEnd:
      return Pause();
  }
}

void EtcdWatch::Pause() {
  Stop();
  state_ = State::kPausing;
  timer_.Start(backoff_.NextMs(), 0);
}

}  // namespace gub
