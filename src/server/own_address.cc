#include "server/own_address.h"

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "net/interfaces.h"

namespace gub {

namespace {

absl::Status ErrorOf(std::string_view option, const absl::Status& status) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", option, std::string(status.message())));
}

std::string WithoutDash(const std::string& bind) {
  return bind.starts_with('-') ? bind.substr(1) : bind;
}

}  // namespace

bool IsWildcard(const std::string& host) {
  return host == "*" || host == "0.0.0.0" || host == "::" || host == "::*";
}

absl::StatusOr<Member> OwnMember(const Config& config) {
  const int port = static_cast<int>(config.port);
  if (!config.advertise.empty()) {
    absl::StatusOr<Member> self = ParseMember(config.advertise, port);
    return self.ok() ? self : ErrorOf("advertise", self.status());
  }
  if (port == 0) {
    return absl::InvalidArgumentError("port: a node of a cluster must have one of its own, not 0");
  }
  std::string host = WithoutDash(config.bind.front());
  if (IsWildcard(host)) {
    const std::vector<std::string> addresses = InterfaceAddresses();
    if (addresses.empty()) {
      return absl::InvalidArgumentError("advertise: this machine tells no address of its own");
    }
    host = addresses.front();
  }
  const absl::StatusOr<std::string> address = CanonicalAddress(host, port);
  if (!address.ok()) return ErrorOf("bind", address.status());
  return Member{*address, 1};
}

OwnEndpoint OwnEndpointOf(const Config& config, int port, const std::string& advertised) {
  OwnEndpoint own = {{SplitAddress(advertised).host}, port};
  bool all = false;
  for (const std::string& bind : config.bind) {
    const std::string host = WithoutDash(bind);
    all = all || IsWildcard(host);
    own.hosts.push_back(host == "*" ? "0.0.0.0" : host == "::*" ? "::" : host);
  }
  if (!all) return own;
  for (std::string& address : InterfaceAddresses()) own.hosts.push_back(std::move(address));
  return own;
}

}  // namespace gub
