#include "server/membership_keeper.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "server/own_address.h"

namespace gub {

namespace {
int64_t NowMs() { return MonotonicNs() / 1'000'000; }
}  // namespace

absl::StatusOr<std::unique_ptr<MembershipKeeper>> MembershipKeeper::Make(Loop* loop, Node* node,
                                                                         TryLink try_link) {
  const Member self = node->cluster->self();
  auto source = MakeSource(loop, SourceOptionsOf(*node->config.Get(), self, node->port));
  if (!source.ok()) return source.status();
  return std::unique_ptr<MembershipKeeper>(
      new MembershipKeeper(loop, node, *std::move(source), std::move(try_link)));
}

MembershipKeeper::MembershipKeeper(Loop* loop, Node* node, std::unique_ptr<MemberSource> source,
                                   TryLink try_link)
    : loop_(loop),
      node_(node),
      source_(std::move(source)),
      self_(loop, OwnEndpointOf(*node->config.Get(), node->port, node->cluster->self().address),
            node->config.Get()->discovery_dns_server, [this] { Take(Current().Look(NowMs())); }),
      membership_(node->cluster->self(), node->config.Get()->leave_grace_ms,
                  {.is_self = [this](const std::string& address) { return self_.IsSelf(address); },
                   .link =
                       [node](const std::string& address) {
                         return node->cluster->peers().StateOf(address);
                       },
                   .try_link = std::move(try_link)}),
      look_(loop, [this] { Take(Current().Look(NowMs())); }),
      leave_timer_(loop, [this] { said_ ? AwaitSilence() : AfterSaid(); }) {}

void MembershipKeeper::Start() {
  source_->Start(
      [this](const std::vector<Member>& list) {
        self_.Learn(list, [this, list] { Take(Current().Listed(list, NowMs())); });
      },
      [](const std::string& reason) {
        GUB_LOG_EVERY(5000, warn, "the members cannot be read, the last list stays reason=\"{}\"",
                      Escape(reason, 300));
      });
}

void MembershipKeeper::MemberLeaves(const std::string& address) {
  GUB_LOG(info, "a member says that it leaves address={}", Escape(address, 300));
  Take(Current().MemberLeaves(address, NowMs()));
}

Membership& MembershipKeeper::Current() {
  membership_.set_leave_grace_ms(node_->config.Get()->leave_grace_ms);
  return membership_;
}

void MembershipKeeper::Take(const Membership::Verdict& verdict) {
  if (verdict.changed || !KnowsItselfAsPublished()) Publish();
  if (verdict.look_again_mono_ms) {
    look_.Start(std::max<int64_t>(*verdict.look_again_mono_ms - NowMs(), 1), 0);
  } else {
    look_.Stop();
  }
}

// Whether the members that are this node are those of the published view.
bool MembershipKeeper::KnowsItselfAsPublished() const {
  const std::shared_ptr<const ClusterView> view = node_->cluster->view();
  const std::vector<Member>& members = view->table.members();
  for (size_t i = 0; i < members.size(); ++i) {
    if (view->IsOwn(i) != membership_.IsSelf(members[i].address)) return false;
  }
  return true;
}

void MembershipKeeper::Publish() {
  Cluster& cluster = *node_->cluster;
  cluster.Publish(membership_.members(),
                  [this](const std::string& address) { return membership_.IsSelf(address); });
  std::string list;
  for (const Member& member : membership_.members()) {
    list += (list.empty() ? "" : ",") + member.address;
  }
  GUB_LOG(info, "the members have changed epoch={} count={} self={} members={}", cluster.epoch(),
          membership_.members().size(), cluster.view()->address, list.substr(0, 1000));
}

void MembershipKeeper::Leave(SayLeave say_leave, std::function<void()> done) {
  left_ = std::move(done);
  source_->Leave([this, say_leave = std::move(say_leave)] {
    leave_timer_.Start(kSayLeaveMs, 0);
    say_leave([loop = loop_, alive = alive_] {
      loop->Post([alive] {
        if (*alive != nullptr) (*alive)->AfterSaid();
      });
    });
  });
}

void MembershipKeeper::AfterSaid() {
  if (std::exchange(said_, true)) return;
  leave_timer_.Stop();
  if (!source_->LeaveTakesEffect()) return left_();
  // From here on this node's clients are answered by the new owners of what was its own.
  Take(membership_.Leave(NowMs()));
  silent_since_mono_ms_ = NowMs();
  leave_until_mono_ms_ = NowMs() + kLastRequestsMs;
  AwaitSilence();
}

void MembershipKeeper::AwaitSilence() {
  constexpr int64_t kLookMs = 20;
  const uint64_t requests = node_->counters.Sum(Counter::kPeerRequests);
  if (requests != std::exchange(heard_requests_, requests)) silent_since_mono_ms_ = NowMs();
  const bool is_silent = NowMs() - silent_since_mono_ms_ >= kSilenceMs;
  if (is_silent || NowMs() >= leave_until_mono_ms_) return left_();
  leave_timer_.Start(kLookMs, 0);
}

}  // namespace gub
