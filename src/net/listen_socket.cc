#include "net/listen_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "uv.h"

namespace gub {

namespace {

struct BoundAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

std::optional<BoundAddress> ParseAddress(const std::string& host, int port) {
  BoundAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, host == "*" ? "0.0.0.0" : host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(*v4);
    return address;
  }
  if (inet_pton(AF_INET6, host == "::*" ? "::" : host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(*v6);
    return address;
  }
  return std::nullopt;
}

absl::Status SocketError(const std::string& host, int port) {
  const int error = errno;
  const std::string place = JoinHostPort(host, port);
  if (error == EADDRINUSE) {
    return absl::AlreadyExistsError(
        fmt::format("{} is taken: another server listens there", place));
  }
  if (error == EACCES) {
    return absl::PermissionDeniedError(
        fmt::format("cannot listen on {}: {} (low ports need root or CAP_NET_BIND_SERVICE)", place,
                    uv_strerror(-error)));
  }
  std::string text = fmt::format("cannot listen on {}: {}", place, uv_strerror(-error));
  if (error == EADDRNOTAVAIL || error == EAFNOSUPPORT) return absl::UnavailableError(text);
  return absl::InternalError(text);
}

bool TurnOn(int fd, int level, int option) {
  const int on = 1;
  return setsockopt(fd, level, option, &on, sizeof(on)) == 0;
}

// Binds and listens. A claimant turns SO_REUSEPORT on only once it listens: two that are bound and
// do not listen yet are no conflict to the kernel, but the second to listen is refused.
bool BindAndListen(int fd, const BoundAddress& address, int backlog, bool claim) {
  if (!TurnOn(fd, SOL_SOCKET, SO_REUSEADDR)) return false;
  if (address.storage.ss_family == AF_INET6 && !TurnOn(fd, IPPROTO_IPV6, IPV6_V6ONLY)) return false;
  if (!claim && !TurnOn(fd, SOL_SOCKET, SO_REUSEPORT)) return false;
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0)
    return false;
  if (listen(fd, backlog) != 0) return false;
  return !claim || TurnOn(fd, SOL_SOCKET, SO_REUSEPORT);
}

int LocalPort(int fd) {
  sockaddr_storage local{};
  socklen_t size = sizeof(local);
  getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size);
  // The port stands at the same place in both families.
  return ntohs(reinterpret_cast<sockaddr_in*>(&local)->sin_port);
}

}  // namespace

std::string JoinHostPort(const std::string& host, int port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

ListenSocket::ListenSocket(int fd, std::string host, int port, int backlog)
    : fd_(fd), host_(std::move(host)), port_(port), backlog_(backlog) {}

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : fd_(other.Release()),
      host_(std::move(other.host_)),
      port_(other.port_),
      backlog_(other.backlog_) {}

ListenSocket& ListenSocket::operator=(ListenSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(host_, other.host_);
  std::swap(port_, other.port_);
  std::swap(backlog_, other.backlog_);
  return *this;
}

ListenSocket::~ListenSocket() {
  if (fd_ >= 0) close(fd_);
}

absl::StatusOr<ListenSocket> ListenSocket::Claim(const std::string& host, int port, int backlog) {
  return Open(host, port, backlog, true);
}

absl::StatusOr<ListenSocket> ListenSocket::Join(const ListenSocket& claimed) {
  return Open(claimed.host_, claimed.port_, claimed.backlog_, false);
}

absl::StatusOr<ListenSocket> ListenSocket::Open(const std::string& host, int port, int backlog,
                                                bool claim) {
  const std::optional<BoundAddress> address = ParseAddress(host, port);
  if (!address) {
    return absl::InvalidArgumentError(
        fmt::format("bind: '{}' is not an IPv4 or IPv6 address", host));
  }
  const int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return SocketError(host, port);
  ListenSocket opened(fd, host, port, backlog);
  if (!BindAndListen(fd, *address, backlog, claim)) return SocketError(host, port);
  opened.port_ = LocalPort(fd);
  return opened;
}

std::string ListenSocket::Address() const { return JoinHostPort(host_, port_); }

int ListenSocket::Release() { return std::exchange(fd_, -1); }

}  // namespace gub
