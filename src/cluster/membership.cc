#include "cluster/membership.h"

#include <algorithm>
#include <utility>

namespace gub {

Membership::Membership(Member self, int64_t leave_grace_ms, Knowledge knowledge)
    : self_(std::move(self)),
      knowledge_(std::move(knowledge)),
      leave_grace_ms_(leave_grace_ms),
      members_{self_} {}

Membership::Verdict Membership::Listed(const std::vector<Member>& list, int64_t now_mono_ms) {
  if (list.empty()) return Settle(now_mono_ms);
  std::map<std::string, Entry> listed;
  for (const Member& member : list) {
    int& weight = listed.try_emplace(member.address, Entry{member.weight, {}}).first->second.weight;
    // Of two weights every node takes the same, in whatever order they come.
    weight = std::max(weight, member.weight);
  }
  for (const auto& [address, entry] : entries_) {
    const int64_t dropped_mono_ms = entry.dropped_mono_ms.value_or(now_mono_ms);
    listed.try_emplace(address, Entry{entry.weight, dropped_mono_ms});
  }
  entries_ = std::move(listed);
  return Settle(now_mono_ms);
}

Membership::Verdict Membership::Look(int64_t now_mono_ms) { return Settle(now_mono_ms); }

Membership::Verdict Membership::MemberLeaves(const std::string& address, int64_t now_mono_ms) {
  if (entries_.contains(address)) said_leave_mono_ms_[address] = now_mono_ms;
  return Settle(now_mono_ms);
}

Membership::Verdict Membership::Leave(int64_t now_mono_ms) {
  left_ = true;
  return Settle(now_mono_ms);
}

bool Membership::IsSelf(const std::string& address) const {
  return address == self_.address || (knowledge_.is_self && knowledge_.is_self(address));
}

LinkState Membership::Link(const std::string& address) const {
  if (IsSelf(address)) return LinkState::kAnswers;
  return knowledge_.link ? knowledge_.link(address) : LinkState::kSilent;
}

bool Membership::IsRecent(int64_t mono_ms, int64_t now_mono_ms) const {
  return now_mono_ms - mono_ms < leave_grace_ms_;
}

// When a dropped member goes, if nothing changes.
int64_t Membership::RemovalTime(const std::string& address, int64_t dropped_mono_ms,
                                LinkState link) const {
  if (said_leave_mono_ms_.contains(address)) return dropped_mono_ms;
  if (link != LinkState::kSilent) return dropped_mono_ms + leave_grace_ms_;
  const auto removed = removed_mono_ms_.find(address);
  return removed == removed_mono_ms_.end() ? dropped_mono_ms : removed->second + leave_grace_ms_;
}

void Membership::RemoveDropped(Verdict* verdict, int64_t now_mono_ms) {
  std::erase_if(entries_, [&](const auto& item) {
    const auto& [address, entry] = item;
    if (!entry.dropped_mono_ms) return false;
    const LinkState link = Link(address);
    const int64_t removal = RemovalTime(address, *entry.dropped_mono_ms, link);
    if (removal <= now_mono_ms) {
      if (said_leave_mono_ms_.erase(address) == 0) removed_mono_ms_[address] = now_mono_ms;
      return true;
    }
    int64_t next = removal;
    if (link == LinkState::kAnswers) next = std::min(removal, now_mono_ms + kLookMs);
    if (link == LinkState::kUnknown) {
      next = std::min(removal, now_mono_ms + kTryMs);
      if (knowledge_.try_link) knowledge_.try_link(address);
    }
    verdict->look_again_mono_ms = std::min(next, verdict->look_again_mono_ms.value_or(next));
    return false;
  });
}

Membership::Verdict Membership::Settle(int64_t now_mono_ms) {
  const auto is_old = [&](const auto& item) { return !IsRecent(item.second, now_mono_ms); };
  std::erase_if(said_leave_mono_ms_, is_old);
  std::erase_if(removed_mono_ms_, is_old);
  Verdict verdict;
  RemoveDropped(&verdict, now_mono_ms);
  std::vector<Member> members = Compose();
  verdict.changed = members != members_;
  members_ = std::move(members);
  return verdict;
}

std::vector<Member> Membership::Compose() const {
  std::vector<Member> members;
  bool has_self = false;
  for (const auto& [address, entry] : entries_) {
    members.push_back({address, entry.weight});
    has_self = has_self || IsSelf(address);
  }
  if (left_) {
    std::vector<Member> others = members;
    std::erase_if(others, [this](const Member& member) { return IsSelf(member.address); });
    if (!others.empty()) return others;
  }
  if (has_self) return members;
  const auto at = std::find_if(members.begin(), members.end(), [&](const Member& member) {
    return member.address > self_.address;
  });
  members.insert(at, self_);
  return members;
}

}  // namespace gub
