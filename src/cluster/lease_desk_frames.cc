// What a LeaseDesk makes of frames, and of what the book has to say.

#include <algorithm>
#include <utility>

#include "cluster/lease_desk.h"

namespace gub {

namespace {

constexpr LeaseFrameLimits kFrameLimits = {.max_items = 10'000,
                                           .max_key_bytes = BucketKey::kMaxBytes};

// A holder as this node's book knows it: at which member, and how it calls itself. No address has
// a space in it.
std::string HolderAt(const std::string& member, std::string_view id) {
  return member + ' ' + std::string(id);
}

// The worker in "<node id>/<worker>" when that is of this node; nothing otherwise.
std::optional<size_t> WorkerOf(std::string_view id, std::string_view node_id, size_t workers) {
  if (!id.starts_with(node_id) || id.size() < node_id.size() + 2) return std::nullopt;
  if (id[node_id.size()] != '/') return std::nullopt;
  size_t worker = 0;
  for (const char digit : id.substr(node_id.size() + 1)) {
    if (digit < '0' || digit > '9' || worker >= workers) return std::nullopt;
    worker = worker * 10 + static_cast<size_t>(digit - '0');
  }
  return worker < workers ? std::optional(worker) : std::nullopt;
}

// More workers than a node may have.
constexpr size_t kAnyWorkers = 100'000;

}  // namespace

void LeaseDesk::OnFrame(const PeerIdentity& sender, std::string_view bytes, size_t most_bytes,
                        std::string* reply) {
  const std::optional<LeaseFrame> frame = ReadLeaseFrame(bytes, kFrameLimits);
  const bool is_report = frame && frame->to == place_.node_id && frame->answers.empty() &&
                         WorkerOf(frame->from, sender.id, kAnyWorkers).has_value();
  if (is_report) return OnReports(sender, *frame, most_bytes, reply);
  const bool is_answer = frame && frame->from == sender.id && frame->reports.empty();
  const std::optional<size_t> worker =
      is_answer ? WorkerOf(frame->to, place_.node_id, place_.workers) : std::nullopt;
  if (!worker) return place_.counters->Add(Counter::kLeaseBadFrames);
  place_.post(*worker, [id = sender.id, copy = std::string(bytes)](LeaseDesk* desk) {
    desk->OnAnswers(id, copy);
  });
}

// As an owner. What is for the holder that reports goes into the reply, as far as there is room.
void LeaseDesk::OnReports(const PeerIdentity& sender, const LeaseFrame& frame, size_t most_bytes,
                          std::string* reply) {
  const ClusterView& view = place_.router->view();
  const size_t member = view.table.Find(sender.address);
  const bool is_member = member < view.is_self.size() && !view.IsOwn(member);
  const std::string holder = HolderAt(sender.address, frame.from);
  LeaseFrameBuilder answers;
  LeaseNews news;
  for (const LeaseReport& report : frame.reports) {
    const bool lends = is_member && place_.router->OwnerOf(report.key.key) == nullptr;
    const size_t known = news.letters.size();
    place_.book->OnReport({holder, lends}, report, &news);
    // The letters of this report.
    const auto answered = [&](const LeaseNews::Letter& letter) {
      const bool fits = letter.holder == holder && answers.bytes() < most_bytes;
      if (fits) answers.Add(letter.Answer());
      return fits;
    };
    const auto first = news.letters.begin() + static_cast<ptrdiff_t>(known);
    news.letters.erase(std::remove_if(first, news.letters.end(), answered), news.letters.end());
  }
  place_.counters->Add(Counter::kLeaseAnswersSent, answers.count());
  if (answers.count() > 0) *reply = answers.Take(place_.node_id, frame.from);
  Deliver(news);
}

// As a holder. nullptr: the frame may be lost.
void LeaseDesk::OnReply(const LeaseMail::Address& to, const std::string_view* frame) {
  if (frame == nullptr) return OnOwnerLost(to);
  if (!frame->empty()) OnAnswers(to.id, std::string(*frame));
}

void LeaseDesk::OnAnswers(const std::string& process_id, const std::string& bytes) {
  const std::optional<LeaseFrame> frame = ReadLeaseFrame(bytes, kFrameLimits);
  if (!frame || frame->from != process_id || frame->to != self_ || !frame->reports.empty()) {
    return place_.counters->Add(Counter::kLeaseBadFrames);
  }
  std::vector<LeaseSettled> settled;
  Process* process = nullptr;
  for (const auto& [address, known] : processes_) {
    if (address.id == process_id) process = known.get();
  }
  if (process == nullptr) return;
  for (const LeaseAnswer& answer : frame->answers) OnAnswer(process, answer, &settled);
  SettleAll(settled);
  FinishLeaving();
}

// What ends, and is of this process and key; whether there is any.
bool LeaseDesk::TellLeaving(Process* process, const LeaseAnswer& answer,
                            std::vector<LeaseSettled>* settled) {
  const LeaseMapKey at(answer.key);
  const auto leaving = leaving_.find(at.bytes());
  if (leaving == leaving_.end()) return false;
  const LeaseTime now = Now();
  bool is_taken = false;
  std::erase_if(leaving->second, [&](Held& held) {
    if (held.process != process) return false;
    is_taken = true;
    held.holder->OnAnswer(answer, now, settled);
    Collect(&held, now);
    return held.holder->IsIdle(now);
  });
  if (leaving->second.empty()) leaving_.erase(leaving);
  return is_taken;
}

void LeaseDesk::OnAnswer(Process* process, const LeaseAnswer& answer,
                         std::vector<LeaseSettled>* settled) {
  const LeaseMapKey at(answer.key);
  const LeaseTime now = Now();
  if (answer.recall && answer.number == 0) place_.counters->Add(Counter::kLeaseRecalls);
  if (TellLeaving(process, answer, settled) && left_) return;
  // What nobody asks for any more is handed back by a new holder.
  const PeerClient* const owner = place_.router->OwnerOf(answer.key.key);
  const bool is_owner = owner != nullptr && owner->address() == process->address.member &&
                        owner->peer_id() == process->address.id;
  Held* held = Find(at);
  if (held == nullptr && is_owner && answer.lent > 0) held = FindOrMake(at, answer.key, process);
  if (held == nullptr || held->process != process) return;
  held->holder->OnAnswer(answer, now, settled);
  Collect(held, now);
  Watch(at, held);
  if (!left_) return;
  const std::string key(at.bytes());
  Held ending = std::move(*held);
  held_.erase(key);
  LeaveOne(key, std::move(ending), true, settled);
}

// What waits for a process whose link is down is given up (G10).
void LeaseDesk::OnOwnerLost(const LeaseMail::Address& address) {
  PeerClient* const owner = place_.router->Find(address.member);
  if (owner != nullptr && owner->IsAsked()) return;
  // It is no member any more: the key has another owner, who is asked.
  if (owner == nullptr) {
    return LeaveThose(false, [&](const Held& held) { return held.process->address == address; });
  }
  std::vector<LeaseSettled> settled;
  for (const std::string& at : waiting_) {
    const auto found = held_.find(at);
    if (found == held_.end() || found->second.process->address != address) continue;
    found->second.holder->OnOwnerLost(&settled);
  }
  SettleAll(settled);
}

// --- the owner's side

std::optional<LeaseOwner::Result> LeaseDesk::DecideOwn(const Request& request, uint64_t token) {
  LeaseNews news;
  const std::optional<LeaseOwner::Result> result = place_.book->Decide(request, token, &news);
  Deliver(news);
  return result;
}

void LeaseDesk::OnGone(std::string_view name, std::string_view key) {
  LeaseNews news;
  place_.book->OnGone(name, key, &news);
  Deliver(news);
}

void LeaseDesk::OnGoneAll() {
  LeaseNews news;
  place_.book->OnGoneAll(&news);
  Deliver(news);
}

// Letters leave by this worker's links; hits that waited belong to the worker whose token it is,
// and are settled soon, never from within.
void LeaseDesk::Deliver(const LeaseNews& news) {
  for (const LeaseNews::Letter& letter : news.letters) PostLetter(letter);
  for (const LeaseSettled& settled : news.settled) {
    const size_t worker = (settled.token >> kWorkerShift) - 1;
    place_.post(worker, [settled](LeaseDesk* desk) { desk->SettleAll({settled}); });
  }
  if (news.next_tick_us) WakeAt(*news.next_tick_us);
}

void LeaseDesk::PostLetter(const LeaseNews::Letter& letter) {
  const size_t space = letter.holder.find(' ');
  mail_.Post({letter.holder.substr(0, space), letter.holder.substr(space + 1)}, place_.node_id,
             letter.Answer());
}

}  // namespace gub
