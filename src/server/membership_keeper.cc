#include "server/membership_keeper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

namespace gub {

namespace {
int64_t NowMs() { return MonotonicNs() / 1'000'000; }
}  // namespace

absl::StatusOr<std::unique_ptr<MembershipKeeper>> MembershipKeeper::Make(Loop* loop,
                                                                         Cluster* cluster,
                                                                         const LiveConfig* config,
                                                                         int port) {
  auto source = MakeSource(loop, SourceOptionsOf(*config->Get(), {cluster->self(), 1}, port));
  if (!source.ok()) return source.status();
  return std::unique_ptr<MembershipKeeper>(
      new MembershipKeeper(loop, cluster, config, *std::move(source)));
}

MembershipKeeper::MembershipKeeper(Loop* loop, Cluster* cluster, const LiveConfig* config,
                                   std::unique_ptr<MemberSource> source)
    : cluster_(cluster),
      config_(config),
      source_(std::move(source)),
      membership_(
          {cluster->self(), 1}, config->Get()->leave_grace_ms,
          {.is_self = {},
           .link_answers =
               [cluster](const std::string& address) { return cluster->LinkAnswers(address); }}),
      look_(loop, [this] {
        membership_.set_leave_grace_ms(config_->Get()->leave_grace_ms);
        Take(membership_.Look(NowMs()));
      }) {}

void MembershipKeeper::Start() {
  source_->Start(
      [this](const std::vector<Member>& list) { Take(membership_.Listed(list, NowMs())); },
      [](const std::string& reason) {
        GUB_LOG_EVERY(5000, warn, "the members cannot be read, the last list stays reason=\"{}\"",
                      Escape(reason, 300));
      });
}

void MembershipKeeper::Take(const Membership::Verdict& verdict) {
  if (verdict.changed) Publish();
  if (verdict.look_again_mono_ms) {
    look_.Start(std::max<int64_t>(*verdict.look_again_mono_ms - NowMs(), 1), 0);
  } else {
    look_.Stop();
  }
}

void MembershipKeeper::Publish() {
  cluster_->Publish(membership_.members());
  std::string list;
  for (const Member& member : membership_.members()) {
    list += (list.empty() ? "" : ",") + member.address;
  }
  GUB_LOG(info, "the members have changed epoch={} count={} members={}", cluster_->generation(),
          membership_.members().size(), list.substr(0, 1000));
}

}  // namespace gub
