#include "net/socket_address.h"

#include <netinet/in.h>

#include <array>
#include <cstring>

#include "net/listen_socket.h"

namespace gub {

namespace {

constexpr unsigned char kLoopbackNet = 127;

}  // namespace

SocketAddress SocketAddress::OfPeer(const uv_tcp_t* tcp) {
  sockaddr_storage address{};
  int size = sizeof(address);
  if (uv_tcp_getpeername(tcp, reinterpret_cast<sockaddr*>(&address), &size) != 0) address = {};
  return SocketAddress(address);
}

SocketAddress SocketAddress::OfSocket(const uv_tcp_t* tcp) {
  sockaddr_storage address{};
  int size = sizeof(address);
  if (uv_tcp_getsockname(tcp, reinterpret_cast<sockaddr*>(&address), &size) != 0) address = {};
  return SocketAddress(address);
}

std::string SocketAddress::ToString() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (address_.ss_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&address_);
    uv_ip4_name(v4, host.data(), host.size());
    return JoinHostPort(host.data(), ntohs(v4->sin_port));
  }
  if (address_.ss_family == AF_INET6) {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&address_);
    uv_ip6_name(v6, host.data(), host.size());
    return JoinHostPort(host.data(), ntohs(v6->sin6_port));
  }
  return "?:0";
}

bool SocketAddress::IsLoopback() const {
  if (address_.ss_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&address_);
    return ntohl(v4->sin_addr.s_addr) >> 24 == kLoopbackNet;
  }
  if (address_.ss_family != AF_INET6) return false;
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(&address_)->sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return v6.s6_addr[12] == kLoopbackNet;
  return IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace gub
