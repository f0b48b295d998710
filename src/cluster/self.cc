#include "cluster/self.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace gub {

namespace {

// An address as IPv6, IPv4 mapped into it.
std::optional<in6_addr> ReadIp(const std::string& text) {
  in6_addr ip;
  if (inet_pton(AF_INET6, text.c_str(), &ip) == 1) return ip;
  if (inet_pton(AF_INET6, ("::ffff:" + text).c_str(), &ip) == 1) return ip;
  return std::nullopt;
}

bool IsAny(const in6_addr& ip) {
  constexpr size_t kV4At = 12;
  const bool no_v4 =
      std::all_of(ip.s6_addr + kV4At, std::end(ip.s6_addr), [](uint8_t byte) { return byte == 0; });
  return IN6_IS_ADDR_UNSPECIFIED(&ip) || (IN6_IS_ADDR_V4MAPPED(&ip) && no_v4);
}

bool IsLoopback(const in6_addr& ip) {
  constexpr uint8_t kLoopbackNet = 127;
  constexpr size_t kV4At = 12;
  return IN6_IS_ADDR_LOOPBACK(&ip) ||
         (IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[kV4At] == kLoopbackNet);
}

bool IsOwnIp(const in6_addr& ip, const OwnEndpoint& own) {
  if (IsAny(ip)) return true;
  bool bound_to_any = false;
  bool bound_to_loopback = false;
  for (const std::string& host : own.hosts) {
    const std::optional<in6_addr> own_ip = ReadIp(host);
    if (!own_ip) continue;
    if (IN6_ARE_ADDR_EQUAL(&ip, &*own_ip)) return true;
    bound_to_any = bound_to_any || IsAny(*own_ip);
    bound_to_loopback = bound_to_loopback || IsLoopback(*own_ip);
  }
  return IsLoopback(ip) && (bound_to_any || !bound_to_loopback);
}

bool IsOwnHost(const std::string& host, const OwnEndpoint& own) {
  if (const std::optional<in6_addr> ip = ReadIp(host); ip) return IsOwnIp(*ip, own);
  return std::any_of(own.hosts.begin(), own.hosts.end(),
                     [&](const std::string& own_host) { return EqualsIgnoreCase(own_host, host); });
}

}  // namespace

bool IsIp(const std::string& host) { return ReadIp(host).has_value(); }

bool IsSelf(const HostPort& member, std::span<const std::string> resolved, const OwnEndpoint& own) {
  if (member.port != own.port) return false;
  if (IsOwnHost(member.host, own)) return true;
  return std::any_of(resolved.begin(), resolved.end(),
                     [&](const std::string& ip) { return IsOwnHost(ip, own); });
}

}  // namespace gub
