// SocketAddress: an end of a TCP connection.
//
// Threads:  a plain value.

#ifndef GUB_NET_SOCKET_ADDRESS_H_
#define GUB_NET_SOCKET_ADDRESS_H_

#include <sys/socket.h>

#include <string>

#include "uv.h"

namespace gub {

class SocketAddress {
 public:
  explicit SocketAddress(const sockaddr_storage& address) : address_(address) {}

  // Of the two ends of a connection; neither IPv4 nor IPv6 when it is gone.
  static SocketAddress OfPeer(const uv_tcp_t* tcp);
  static SocketAddress OfSocket(const uv_tcp_t* tcp);

  // "127.0.0.1:7379", "[::1]:7379"; "?:0" for neither.
  std::string ToString() const;

  // 127.0.0.0/8 and ::1, also as IPv4 mapped to IPv6.
  bool IsLoopback() const;

 private:
  sockaddr_storage address_;
};

}  // namespace gub

#endif  // GUB_NET_SOCKET_ADDRESS_H_
