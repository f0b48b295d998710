#include "cluster/dns_source.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr std::string_view kServicePrefix = "srv:";
constexpr int64_t kMsPerS = 1000;
constexpr int64_t kMinPauseMs = 1000;
constexpr int64_t kMaxPauseMs = 10'000;

}  // namespace

absl::StatusOr<std::unique_ptr<MemberSource>> DnsSource::Create(Loop* loop,
                                                                const SourceOptions& options) {
  std::vector<Name> names;
  for (const std::string& text : options.dns_names) {
    absl::StatusOr<Name> name = ReadName(text, options.default_port);
    if (!name.ok()) return name.status();
    names.push_back(*std::move(name));
  }
  if (names.empty()) return absl::InvalidArgumentError("discovery dns needs a name to ask for");
  absl::StatusOr<std::unique_ptr<Resolver>> resolver = Resolver::Create(loop, options.dns_server);
  if (!resolver.ok()) return resolver.status();
  return std::unique_ptr<MemberSource>(new DnsSource(loop, std::move(names), *std::move(resolver)));
}

DnsSource::DnsSource(Loop* loop, std::vector<Name> names, std::unique_ptr<Resolver> resolver)
    : names_(std::move(names)),
      backoff_(kMinPauseMs, kMaxPauseMs, std::random_device()()),
      next_(loop, [this] { Ask(); }),
      resolver_(std::move(resolver)) {}

absl::StatusOr<DnsSource::Name> DnsSource::ReadName(const std::string& text, int default_port) {
  const bool is_service = text.starts_with(kServicePrefix);
  // A name is written as a member is, but for the weight; a service's records have the port.
  const std::string_view name =
      std::string_view(text).substr(is_service ? kServicePrefix.size() : 0);
  constexpr int kAnyPort = 1;
  const absl::StatusOr<Member> member = ParseMember(name, is_service ? kAnyPort : default_port);
  if (!member.ok() || name.find('*') != std::string_view::npos ||
      (is_service && name.find(':') != std::string_view::npos)) {
    return absl::InvalidArgumentError(fmt::format(
        "'{}' is no name to ask for; it should be name, name:port or srv:name", Escape(text)));
  }
  HostPort parts = SplitAddress(member->address);
  return Name{std::move(parts.host), is_service ? 0 : parts.port};
}

void DnsSource::Start(OnMembers on_members, OnTrouble on_trouble) {
  on_members_ = std::move(on_members);
  on_trouble_ = std::move(on_trouble);
  next_.Start(0, 0);
}

// What is still asked is answered to nobody.
void DnsSource::Leave(std::function<void()> on_done) {
  stopped_ = true;
  next_.Stop();
  on_done();
}

void DnsSource::Ask() {
  reading_ = Reading();
  reading_.open_names = names_.size();
  for (const Name& name : names_) {
    if (name.port == 0) {
      resolver_->AskServices(name.name, [this](const auto& services) { OnServices(services); });
    } else {
      resolver_->AskAddresses(name.name, [this, port = name.port](const auto& addresses) {
        OnAddresses(port, addresses);
      });
    }
  }
}

void DnsSource::OnAddresses(int port, const absl::StatusOr<Resolver::Addresses>& addresses) {
  if (!addresses.ok()) return OnAnswer(addresses.status(), kMaxTtlS);
  for (const std::string& host : addresses->hosts) Add(host, port, 1);
  OnAnswer(absl::OkStatus(), addresses->ttl_s);
}

// A weight of 0 means in SRV that the service is seldom to be used; here that no weights are given.
void DnsSource::OnServices(const absl::StatusOr<Resolver::Services>& services) {
  if (!services.ok()) return OnAnswer(services.status(), kMaxTtlS);
  for (const Resolver::Service& service : services->services) {
    Add(service.host, service.port, std::clamp(service.weight, 1, kMaxMemberWeight));
  }
  OnAnswer(absl::OkStatus(), services->ttl_s);
}

void DnsSource::Add(const std::string& host, int port, int weight) {
  absl::StatusOr<std::string> address = CanonicalAddress(host, port);
  if (address.ok()) {
    // Of two records of one place the heavier counts, whichever comes first.
    const auto twice = std::find_if(reading_.members.begin(), reading_.members.end(),
                                    [&](const Member& m) { return m.address == *address; });
    if (twice != reading_.members.end()) {
      twice->weight = std::max(twice->weight, weight);
    } else {
      reading_.members.push_back({*std::move(address), weight});
    }
  } else {
    reading_.status.Update(address.status());
  }
}

void DnsSource::OnAnswer(const absl::Status& status, int64_t ttl_s) {
  reading_.status.Update(status);
  reading_.ttl_s = std::min(reading_.ttl_s, ttl_s);
  if (--reading_.open_names == 0 && !stopped_) Finish();
}

void DnsSource::Finish() {
  absl::StatusOr<std::vector<Member>> members = MergeMembers(std::move(reading_.members));
  reading_.status.Update(members.status());
  if (!reading_.status.ok()) {
    next_.Start(backoff_.NextMs(), 0);
    return on_trouble_(std::string(ToStd(reading_.status.message())));
  }
  backoff_.Reset();
  next_.Start(std::max(reading_.ttl_s, kMinTtlS) * kMsPerS, 0);
  on_members_(*std::move(members));
}

}  // namespace gub
