#include "cluster/self_finder.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace gub {

SelfFinder::SelfFinder(Loop* loop, OwnEndpoint own, const std::string& dns_server,
                       std::function<void()> on_more)
    : own_(std::move(own)), on_more_(std::move(on_more)), deadline_(loop, [this] { Finish(); }) {
  auto resolver = Resolver::Create(loop, dns_server);
  if (resolver.ok()) resolver_ = *std::move(resolver);
}

void SelfFinder::Learn(const std::vector<Member>& members, std::function<void()> done) {
  done_ = std::move(done);
  // Of a name that is gone nothing is remembered.
  std::erase_if(found_, [&members](const auto& found) {
    return std::none_of(members.begin(), members.end(),
                        [&found](const Member& member) { return member.address == found.first; });
  });
  for (const Member& member : members) {
    const HostPort place = SplitAddress(member.address);
    if (place.port == own_.port && !IsSelf(member.address)) Ask(place.host);
  }
  if (asking_.empty()) return Finish();
  // Lists that come one after the other do not put it off.
  if (!std::exchange(waits_, true)) deadline_.Start(kLearnMs, 0);
}

void SelfFinder::Ask(const std::string& host) {
  if (resolver_ == nullptr || IsIp(host) || addresses_.contains(host)) return;
  if (!asking_.insert(host).second) return;
  resolver_->AskAddresses(host, [this, host](const absl::StatusOr<Resolver::Addresses>& answer) {
    asking_.erase(host);
    // A name that nobody knew now is asked for with the next list.
    if (answer.ok()) addresses_[host] = answer->hosts;
    if (done_ == nullptr) return on_more_();
    if (asking_.empty()) Finish();
  });
}

void SelfFinder::Finish() {
  deadline_.Stop();
  waits_ = false;
  const std::function<void()> done = std::exchange(done_, nullptr);
  if (done != nullptr) done();
}

void SelfFinder::Found(const std::string& address) {
  if (++found_[address] != kFoundTimes) return;
  GUB_LOG(warn, "this node is known by another name too address={}", Escape(address, 300));
  on_more_();
}

void SelfFinder::FoundOther(const std::string& address) {
  const auto found = found_.find(address);
  if (found == found_.end()) return;
  const bool was_self = found->second >= kFoundTimes;
  found_.erase(found);
  if (was_self) on_more_();
}

bool SelfFinder::IsSelf(const std::string& address) const {
  const auto found = found_.find(address);
  if (found != found_.end() && found->second >= kFoundTimes) return true;
  const HostPort place = SplitAddress(address);
  const auto known = addresses_.find(place.host);
  return gub::IsSelf(place, known == addresses_.end() ? std::vector<std::string>{} : known->second,
                     own_);
}

}  // namespace gub
