#include "cluster/member.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr size_t kMaxNameBytes = 253;  // of a DNS name, and of one label
constexpr size_t kMaxLabelBytes = 63;
constexpr int kMaxPort = 65535;

// A text in its three parts; `port` and `weight` are empty when they are missing.
struct Parts {
  std::string_view host;
  std::optional<std::string_view> port;
  std::optional<std::string_view> weight;
  bool bracketed = false;
};

absl::Status Refuse(std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(fmt::format("'{}' is no member: {}", Escape(text), reason));
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool IsLabel(std::string_view label) {
  return !label.empty() && label.size() <= kMaxLabelBytes && label.front() != '-' &&
         label.back() != '-' && std::all_of(label.begin(), label.end(), IsNameByte);
}

// A name whose last label is a number would be taken for an IPv4 address by some and not by others.
bool IsName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  std::string_view label;
  for (size_t begin = 0; begin <= name.size(); begin += label.size() + 1) {
    label = name.substr(begin, name.find('.', begin) - begin);
    if (!IsLabel(label)) return false;
  }
  return label.find_first_not_of("0123456789") != std::string_view::npos;
}

// What inet_ntop makes of it; nothing when it is no address of that family. glibc's keeps RFC 5952.
std::optional<std::string> CanonicalIp(int family, const std::string& host) {
  in6_addr bytes;
  std::array<char, INET6_ADDRSTRLEN> text;
  if (inet_pton(family, host.c_str(), &bytes) != 1) return std::nullopt;
  return inet_ntop(family, &bytes, text.data(), text.size());
}

// Why `host` (lower case, without brackets) is none, or "" with its canonical form in *canonical.
std::string_view ReadHost(std::string host, std::string* canonical) {
  if (host.find('\0') != std::string::npos) return "its host is neither an address nor a name";
  if (host.find(':') != std::string::npos) {
    const std::optional<std::string> v6 = CanonicalIp(AF_INET6, host);
    if (!v6) return "its host is not an IPv6 address";
    if (*v6 == "::") return "nobody can be reached at the address that stands for all";
    *canonical = "[" + *v6 + "]";
    return "";
  }
  if (CanonicalIp(AF_INET, host)) {
    if (host == "0.0.0.0") return "nobody can be reached at the address that stands for all";
    *canonical = std::move(host);
    return "";
  }
  if (host.ends_with('.')) host.pop_back();
  if (!IsName(host)) return "its host is neither an address nor a name";
  *canonical = std::move(host);
  return "";
}

// Why it cannot be cut into parts, or "".
std::string_view Cut(std::string_view text, Parts* parts) {
  if (const size_t star = text.find('*'); star != std::string_view::npos) {
    parts->weight = text.substr(star + 1);
    text = text.substr(0, star);
  }
  size_t host_end = text.find(':');
  parts->bracketed = text.starts_with('[');
  if (parts->bracketed) {
    const size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return "a ']' is missing";
    parts->host = text.substr(1, bracket - 1);
    host_end = bracket + 1;
  } else {
    parts->host = text.substr(0, host_end);
  }
  if (host_end >= text.size()) return "";
  if (text[host_end] != ':') return "only a port may follow the ']'";
  parts->port = text.substr(host_end + 1);
  if (parts->port->find(':') != std::string_view::npos) return "IPv6 must stand in [brackets]";
  return "";
}

std::optional<int> ReadNumber(std::string_view text, int max) {
  const std::optional<int64_t> number = ParseInt64(text);
  if (!number || *number < 1 || *number > max) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

absl::StatusOr<Member> ParseMember(std::string_view text, int default_port) {
  Parts parts;
  if (const std::string_view reason = Cut(text, &parts); !reason.empty()) {
    return Refuse(text, reason);
  }
  if (parts.bracketed && parts.host.find(':') == std::string_view::npos) {
    return Refuse(text, "only IPv6 stands in [brackets]");
  }
  std::string host;
  if (const std::string_view reason = ReadHost(ToLower(parts.host), &host); !reason.empty()) {
    return Refuse(text, reason);
  }
  if (!parts.port && default_port == 0) return Refuse(text, "its port is missing");
  const std::optional<int> port = parts.port ? ReadNumber(*parts.port, kMaxPort) : default_port;
  if (!port) return Refuse(text, "its port must be from 1 to 65535");
  const std::optional<int> weight = parts.weight ? ReadNumber(*parts.weight, kMaxMemberWeight) : 1;
  if (!weight) return Refuse(text, "its weight must be from 1 to 1000");
  return Member{fmt::format("{}:{}", host, *port), *weight};
}

absl::StatusOr<std::vector<Member>> ParseMembers(std::string_view text, int default_port) {
  constexpr std::string_view kBetween = " ,\t\r\n";
  std::vector<Member> members;
  for (size_t end = 0;;) {
    const size_t begin = text.find_first_not_of(kBetween, end);
    if (begin == std::string_view::npos) return MergeMembers(std::move(members));
    end = std::min(text.find_first_of(kBetween, begin), text.size());
    absl::StatusOr<Member> member = ParseMember(text.substr(begin, end - begin), default_port);
    if (!member.ok()) return member.status();
    members.push_back(*std::move(member));
  }
}

absl::StatusOr<std::vector<Member>> MergeMembers(std::vector<Member> members) {
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.address < b.address; });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const auto twice =
      std::adjacent_find(members.begin(), members.end(),
                         [](const Member& a, const Member& b) { return a.address == b.address; });
  if (twice == members.end()) return members;
  return absl::InvalidArgumentError(fmt::format("'{}' has two weights, {} and {}", twice->address,
                                                twice->weight, std::next(twice)->weight));
}

absl::StatusOr<std::string> CanonicalAddress(std::string_view host, int port) {
  std::string canonical;
  const std::string text = fmt::format("{}:{}", host, port);
  if (const std::string_view reason = ReadHost(ToLower(host), &canonical); !reason.empty()) {
    return Refuse(text, reason);
  }
  if (port < 1 || port > kMaxPort) return Refuse(text, "its port must be from 1 to 65535");
  return fmt::format("{}:{}", canonical, port);
}

HostPort SplitAddress(std::string_view address) {
  const size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {std::string(host), static_cast<int>(*ParseInt64(address.substr(colon + 1)))};
}

}  // namespace gub
