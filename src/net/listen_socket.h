// ListenSocket: a bound and listening TCP socket, not yet on any loop.
//
// Several workers listen on one address through SO_REUSEPORT, and the kernel spreads the
// connections. By itself that would let a second server start on the port and take a share of the
// clients without a word. So an address is claimed by one socket that is bound and listens without
// SO_REUSEPORT, which fails when anything else listens there; only then is SO_REUSEPORT turned on,
// for it and for those that join it. There is no gap in which a second server could slip in.
//
// Errors:   absl::Status that names the address: kAlreadyExists when the port is taken,
//           kUnavailable when this machine has no such address, kInvalidArgument for no address.

#ifndef GUB_NET_LISTEN_SOCKET_H_
#define GUB_NET_LISTEN_SOCKET_H_

#include <string>

#include "absl/status/statusor.h"

namespace gub {

class ListenSocket {
 public:
  // Claims host:port for this process. `host` is an IPv4 or IPv6 address, "*" (all of IPv4)
  // or "::*" (all of IPv6); port 0 takes any free one.
  static absl::StatusOr<ListenSocket> Claim(const std::string& host, int port, int backlog);

  // One more socket on the address of `claimed`.
  static absl::StatusOr<ListenSocket> Join(const ListenSocket& claimed);

  ListenSocket(ListenSocket&& other) noexcept;
  ListenSocket& operator=(ListenSocket&& other) noexcept;
  ~ListenSocket();

  int port() const { return port_; }
  int backlog() const { return backlog_; }
  // "127.0.0.1:7379", "[::1]:7379"
  std::string Address() const;

  // Gives the descriptor away.
  int Release();

 private:
  ListenSocket(int fd, std::string host, int port, int backlog);
  static absl::StatusOr<ListenSocket> Open(const std::string& host, int port, int backlog,
                                           bool claim);

  int fd_;
  std::string host_;
  int port_;
  int backlog_;
};

// "host:port", with brackets around an IPv6 address.
std::string JoinHostPort(const std::string& host, int port);

}  // namespace gub

#endif  // GUB_NET_LISTEN_SOCKET_H_
