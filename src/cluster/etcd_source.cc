#include "cluster/etcd_source.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr int kEtcdPort = 2379;

// "host:port" or a URL as a URL without a path.
absl::StatusOr<std::string> ReadEndpoint(std::string_view text) {
  std::string_view scheme = "http://";
  std::string_view rest = text;
  for (const std::string_view known : {"http://", "https://"}) {
    if (!rest.starts_with(known)) continue;
    scheme = known;
    rest.remove_prefix(known.size());
    break;
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const absl::StatusOr<Member> place = ParseMember(rest, kEtcdPort);
  if (!place.ok() || rest.find('*') != std::string_view::npos) {
    return absl::InvalidArgumentError(
        fmt::format("'{}' is no endpoint of etcd; it should be host:port", Escape(text)));
  }
  return fmt::format("{}{}", scheme, place->address);
}

}  // namespace

absl::StatusOr<std::unique_ptr<MemberSource>> EtcdSource::Create(Loop* loop,
                                                                 const SourceOptions& options) {
  EtcdRegistration::Options registration{
      {}, options.etcd_prefix, options.etcd_lease_s, options.self};
  for (const std::string& text : options.etcd_endpoints) {
    absl::StatusOr<std::string> endpoint = ReadEndpoint(text);
    if (!endpoint.ok()) return endpoint.status();
    registration.endpoints.push_back(*std::move(endpoint));
  }
  if (registration.endpoints.empty()) {
    return absl::InvalidArgumentError("discovery etcd needs an endpoint");
  }
  // Or "/gub" would also hold what is kept under "/gub2".
  if (!registration.prefix.ends_with('/')) registration.prefix += '/';
  return std::unique_ptr<MemberSource>(new EtcdSource(loop, std::move(registration)));
}

EtcdSource::EtcdSource(Loop* loop, EtcdRegistration::Options options)
    : own_address_(options.self.address),
      prefix_(options.prefix),
      watch_(loop, options.endpoints, options.prefix),
      registration_(loop, std::move(options)) {}

// The first list is read when this node is in it, or cannot be.
void EtcdSource::Start(OnMembers on_members, OnTrouble on_trouble) {
  on_members_ = std::move(on_members);
  on_trouble_ = std::move(on_trouble);
  registration_.Start([this] {
    watch_.Start([this](std::vector<Member> members) { OnList(std::move(members)); },
                 [this](std::string reason) { on_trouble_(std::move(reason)); });
  });
}

void EtcdSource::OnList(std::vector<Member> members) {
  const bool has_self = std::any_of(members.begin(), members.end(), [&](const Member& member) {
    return member.address == own_address_;
  });
  if (!has_self) registration_.Renew();
  if (members.empty()) {
    return on_trouble_(fmt::format("etcd has no member under '{}'", Escape(prefix_)));
  }
  on_members_(std::move(members));
}

void EtcdSource::Leave(std::function<void()> on_done) {
  watch_.Stop();
  registration_.Leave(std::move(on_done));
}

}  // namespace gub
