#include "cluster/lease_desk.h"

#include <algorithm>
#include <utility>

namespace gub {

LeaseDesk::LeaseDesk(Place place)
    : place_(std::move(place)),
      self_(place_.node_id + '/' + std::to_string(place_.worker)),
      config_(*place_.config),
      epoch_(place_.router->view().table.epoch()),
      mail_(place_.loop, place_.router, place_.counters,
            [this](const LeaseMail::Address& to, const std::string_view* frame) {
              OnReply(to, frame);
            }),
      tick_(place_.loop, [this] { OnTick(); }),
      sync_(place_.loop, [this] { Sync(); }),
      leave_(place_.loop, [this] { FinishLeaving(); }) {
  TakeOptions();
}

LeaseDesk::~LeaseDesk() {
  *alive_ = nullptr;
  GiveUp();
}

void LeaseDesk::TakeOptions() {
  settings_.sync_ms = config_->global_sync_ms;
  settings_.peer_timeout_ms = config_->peer_timeout_ms;
  place_.book->SetTimes(settings_.sync_ms, settings_.peer_timeout_ms);
  if (std::exchange(synced_each_ms_, settings_.sync_ms) == settings_.sync_ms) return;
  sync_.Start(settings_.sync_ms, settings_.sync_ms);
}

int64_t LeaseDesk::MaxHeld() const {
  const auto workers = static_cast<int64_t>(place_.workers);
  return (config_->global_max_leases + workers - 1) / workers;
}

// Holders of keys that another node owns now end; what they have is for the old owner (G11).
void LeaseDesk::Refresh() {
  if (config_.Refresh()) TakeOptions();
  const uint64_t epoch = place_.router->view().table.epoch();
  if (std::exchange(epoch_, epoch) == epoch) return;
  LeaveThose(false, [this](const Held& held) {
    const PeerClient* const owner = place_.router->OwnerOf(held.holder->key().key);
    return owner == nullptr || owner->address() != held.process->address.member;
  });
}

// --- holders

// Nothing: nobody has answered at this address yet, so there is no process to be lent by.
LeaseDesk::Process* LeaseDesk::ProcessAt(const PeerClient& owner) {
  if (owner.peer_id().empty()) return nullptr;
  LeaseMail::Address address = {owner.address(), owner.peer_id()};
  std::unique_ptr<Process>& process = processes_[address];
  if (process == nullptr) process = std::make_unique<Process>(Process{std::move(address)});
  return process.get();
}

bool LeaseDesk::IsGone(const Process& process) const {
  const PeerClient* const peer = place_.router->Find(process.address.member);
  return peer != nullptr && !peer->peer_id().empty() && peer->peer_id() != process.address.id;
}

// One that has only left the list may come back, and is known by its generations then.
void LeaseDesk::ForgetProcesses() {
  std::erase_if(processes_, [this](const auto& entry) {
    const Process* const process = entry.second.get();
    if (!IsGone(*process)) return false;
    const auto is_its = [process](const Held& held) { return held.process == process; };
    return std::none_of(held_.begin(), held_.end(),
                        [&](const auto& one) { return is_its(one.second); }) &&
           std::none_of(leaving_.begin(), leaving_.end(), [&](const auto& leaving) {
             return std::any_of(leaving.second.begin(), leaving.second.end(), is_its);
           });
  });
}

LeaseDesk::Held* LeaseDesk::Find(const LeaseMapKey& at) {
  const auto found = held_.find(at.bytes());
  return found == held_.end() ? nullptr : &found->second;
}

LeaseDesk::Held* LeaseDesk::FindOrMake(const LeaseMapKey& at, const LeaseKey& key,
                                       Process* process) {
  if (Held* const held = Find(at)) return held;
  if (static_cast<int64_t>(held_.size() + leaving_.size()) >= MaxHeld()) return nullptr;
  Held& held = held_[std::string(at.bytes())];
  held.process = process;
  held.holder =
      std::make_unique<LeaseHolder>(key, &settings_, &exchanges_, process->newest_generation);
  return &held;
}

LeaseHolder::Result LeaseDesk::Decide(PeerClient* owner, const Request& request, const Hit& hit) {
  const LeaseHolder::Result forward = {LeaseOutcome::kForward, {}};
  if (left_) return forward;
  const LeaseKey key = {request.name, request.key, request.algorithm};
  const LeaseMapKey at(key);
  Held* held = Find(at);
  // Another process is behind the address: what the old one lent is gone with it.
  if (held != nullptr && held->process->address.id != owner->peer_id()) {
    const Process* const gone = held->process;
    LeaveThose(false, [gone](const Held& one) { return one.process == gone; });
    held = nullptr;
  }
  if (held == nullptr) {
    Process* const process = ProcessAt(*owner);
    held = process == nullptr ? nullptr : FindOrMake(at, key, process);
    if (held == nullptr) return forward;
  }
  const LeaseTime now = {BootNs() / 1000, hit.now_ms};
  const LeaseHolder::Result result =
      held->holder->Decide(request, hit.token, now, owner->IsAsked());
  if (result.outcome == LeaseOutcome::kAnswered) {
    place_.counters->Add(Counter::kLeaseLocalAnswers);
  }
  Collect(held, now);
  if (result.outcome == LeaseOutcome::kWaits) {
    place_.counters->Add(Counter::kLeaseAsks);
    Watch(at, held);
  }
  if (result.outcome == LeaseOutcome::kForward) mail_.FlushTo(owner->address());
  return result;
}

std::optional<int64_t> LeaseDesk::KnownUsed(const Request& request) {
  const Held* const held = Find(LeaseMapKey({request.name, request.key, request.algorithm}));
  return held == nullptr ? std::nullopt : held->holder->KnownUsed(Now());
}

void LeaseDesk::Post(const Process& process, const std::vector<LeaseReport>& reports) {
  for (const LeaseReport& report : reports) mail_.Post(process.address, self_, report);
}

void LeaseDesk::Collect(Held* held, LeaseTime now) {
  held->holder->Collect(now, &reports_);
  if (reports_.empty()) return;
  Post(*held->process, reports_);
  reports_.clear();
}

// Sees to it that what waits at this holder is given up in time.
void LeaseDesk::Watch(const LeaseMapKey& at, Held* held) {
  const std::optional<int64_t> next_us = held->holder->NextTickUs();
  if (!next_us) return;
  if (!std::exchange(held->waits, true)) waiting_.emplace_back(at.bytes());
  WakeAt(*next_us);
}

void LeaseDesk::WakeAt(int64_t mono_us) {
  if (mono_us >= wake_us_) return;
  wake_us_ = mono_us;
  const int64_t delay_us = std::max<int64_t>(0, mono_us - BootNs() / 1000);
  tick_.Start(delay_us / 1000 + 1, 0);
}

void LeaseDesk::OnTick() {
  wake_us_ = INT64_MAX;
  std::vector<LeaseSettled> settled;
  TickHolders(&settled);
  LeaseNews news;
  place_.book->Tick(&news);
  Deliver(news);
  SettleAll(settled);
}

void LeaseDesk::TickHolders(std::vector<LeaseSettled>* settled) {
  const LeaseTime now = Now();
  std::vector<std::string> waiting;
  waiting.swap(waiting_);
  for (std::string& at : waiting) {
    const auto found = held_.find(at);
    if (found == held_.end()) continue;
    Held& held = found->second;
    held.waits = false;
    if (held.holder->NextTickUs().value_or(INT64_MAX) <= now.mono_us) {
      held.holder->OnTick(now, settled);
      Collect(&held, now);
    }
    const std::optional<int64_t> next_us = held.holder->NextTickUs();
    if (!next_us) continue;
    held.waits = true;
    waiting_.push_back(std::move(at));
    WakeAt(*next_us);
  }
}

void LeaseDesk::SettleAll(const std::vector<LeaseSettled>& settled) {
  for (const LeaseSettled& one : settled) {
    const auto found = awaited_.find(one.token);
    if (found == awaited_.end()) continue;
    const Settle settle = std::move(found->second);
    awaited_.erase(found);
    settle(one.outcome, one.decision);
  }
}

// --- the end of a sync interval

void LeaseDesk::Sync() {
  place_.router->Refresh();
  Refresh();
  place_.counters->Add(Counter::kLeaseSyncs);
  SyncHolders();
  LeaseNews news;
  place_.book->Sync(place_.worker, place_.workers, &news);
  Deliver(news);
  FinishLeaving();
}

// Holders that have nothing to tell are forgotten, so that what an interval costs goes by the keys
// that were used in the last few.
void LeaseDesk::SyncHolders() {
  const LeaseTime now = Now();
  const auto sync = [&](Held* held) {
    held->holder->Sync(now, &reports_);
    Post(*held->process, reports_);
    reports_.clear();
    if (!held->holder->IsIdle(now)) return false;
    uint64_t& newest = held->process->newest_generation;
    newest = std::max(newest, held->holder->newest_generation());
    return true;
  };
  for (auto it = held_.begin(); it != held_.end();) {
    const auto here = it++;
    if (sync(&here->second)) held_.erase(here);
  }
  for (auto it = leaving_.begin(); it != leaving_.end();) {
    const auto here = it++;
    std::erase_if(here->second, [&](Held& held) { return sync(&held) || IsGone(*held.process); });
    if (here->second.empty()) leaving_.erase(here);
  }
  ForgetProcesses();
}

// --- leaving

void LeaseDesk::LeaveOne(const std::string& at, Held held, bool process_ends,
                         std::vector<LeaseSettled>* settled) {
  const LeaseTime now = Now();
  held.holder->Leave(process_ends, now, settled);
  uint64_t& newest = held.process->newest_generation;
  newest = std::max(newest, held.holder->newest_generation());
  if (IsGone(*held.process)) return;
  Collect(&held, now);
  if (!held.holder->IsIdle(now)) leaving_[at].push_back(std::move(held));
}

void LeaseDesk::LeaveThose(bool process_ends, absl::FunctionRef<bool(const Held&)> is_meant) {
  std::vector<LeaseSettled> settled;
  for (auto it = held_.begin(); it != held_.end();) {
    const auto here = it++;
    if (!is_meant(here->second)) continue;
    const std::string at = here->first;
    Held held = std::move(here->second);
    held_.erase(here);
    LeaveOne(at, std::move(held), process_ends, &settled);
  }
  if (settled.empty()) return;
  // Not from within, for whoever has seen the change is in the middle of a request.
  place_.loop->Soon([alive = alive_, settled = std::move(settled)] {
    if (*alive != nullptr) (*alive)->SettleAll(settled);
  });
}

void LeaseDesk::Leave(std::function<void()> done) {
  left_ = true;
  left_done_ = std::move(done);
  leave_until_us_ = BootNs() / 1000 + kMostLeaveMs * 1000;
  leave_.Start(kMostLeaveMs + 1, 0);
  LeaveThose(true, [](const Held&) { return true; });
  FinishLeaving();
}

void LeaseDesk::FinishLeaving() {
  if (left_done_ == nullptr) return;
  const bool is_done = leaving_.empty() && held_.empty();
  if (!is_done && BootNs() / 1000 < leave_until_us_) return;
  std::exchange(left_done_, nullptr)();
}

void LeaseDesk::GiveUp() {
  std::vector<LeaseSettled> settled;
  for (const auto& [token, settle] : awaited_) {
    settled.push_back({token, LeaseOutcome::kOnFail, {}});
  }
  SettleAll(settled);
}

}  // namespace gub
