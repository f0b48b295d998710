#include "net/dialer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/clock.h"

namespace gub {

struct Dialer::Attempt {
  uv_poll_t poll;
  Dialer* dialer;
  int fd;
};

void Dialer::Dial(const std::string& host, int port, Done done) {
  Cancel();
  done_ = std::move(done);
  addresses_.clear();
  next_address_ = 0;
  last_error_ = "the name has no address";
  lookup_ = std::make_shared<Dialer*>(this);
  if (!Add(host, port) && !AddKnown(host, port)) return Await(host, port);
  // Never from within, so that whoever dials need not expect it.
  loop_->Soon([lookup = lookup_] {
    if (*lookup != nullptr) (*lookup)->TryNext();
  });
}

// Whether the host is an address.
bool Dialer::Add(const std::string& host, int port) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (uv_ip4_addr(host.c_str(), port, &v4) == 0) {
    addresses_.emplace_back(reinterpret_cast<const char*>(&v4), sizeof v4);
  } else if (uv_ip6_addr(host.c_str(), port, &v6) == 0) {
    addresses_.emplace_back(reinterpret_cast<const char*>(&v6), sizeof v6);
  } else {
    return false;
  }
  return true;
}

// Whether the name's addresses are known.
bool Dialer::AddKnown(const std::string& name, int port) {
  if (names_ == nullptr) return false;
  const std::vector<std::string>* const hosts = names_->Find(name, MonotonicNs() / 1'000'000);
  if (hosts == nullptr) return false;
  for (const std::string& host : *hosts) Add(host, port);
  return true;
}

void Dialer::Await(const std::string& name, int port) {
  const auto go_on = [lookup = lookup_,
                      port](const absl::StatusOr<std::vector<std::string>>& hosts) {
    if (*lookup == nullptr) return;
    Dialer& dialer = **lookup;
    if (!hosts.ok()) return dialer.Finish(-1, std::string(hosts.status().message()));
    for (const std::string& host : *hosts) dialer.Add(host, port);
    dialer.TryNext();
  };
  if (names_ != nullptr) return names_->Await(name, go_on);
  loop_->Soon([go_on] { go_on(absl::UnavailableError("names cannot be resolved")); });
}

void Dialer::Cancel() {
  done_ = nullptr;
  if (lookup_ != nullptr) *lookup_ = nullptr;
  lookup_.reset();
  DropAttempt(true);
}

void Dialer::TryNext() {
  while (next_address_ < addresses_.size()) {
    const std::string& bytes = addresses_[next_address_++];
    const auto* const address = reinterpret_cast<const sockaddr*>(bytes.data());
    const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      last_error_ = uv_strerror(uv_translate_sys_error(errno));
      continue;
    }
    if (connect(fd, address, static_cast<socklen_t>(bytes.size())) == 0) return Finish(fd, "");
    if (errno != EINPROGRESS) {
      last_error_ = uv_strerror(uv_translate_sys_error(errno));
      close(fd);
      continue;
    }
    attempt_ = new Attempt{{}, this, fd};
    uv_poll_init(loop_->uv(), &attempt_->poll, fd);
    attempt_->poll.data = attempt_;
    uv_poll_start(&attempt_->poll, UV_WRITABLE, [](uv_poll_t* poll, int, int) noexcept {
      static_cast<Attempt*>(poll->data)->dialer->OnWritable();
    });
    return;
  }
  Finish(-1, last_error_);
}

void Dialer::OnWritable() {
  const int fd = attempt_->fd;
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  DropAttempt(error != 0);
  if (error == 0) return Finish(fd, "");
  last_error_ = uv_strerror(uv_translate_sys_error(error));
  TryNext();
}

void Dialer::DropAttempt(bool close_fd) {
  if (attempt_ == nullptr) return;
  Attempt* const attempt = std::exchange(attempt_, nullptr);
  uv_poll_stop(&attempt->poll);
  const int fd = attempt->fd;
  uv_close(reinterpret_cast<uv_handle_t*>(&attempt->poll),
           [](uv_handle_t* handle) noexcept { delete static_cast<Attempt*>(handle->data); });
  if (close_fd) close(fd);
}

void Dialer::Finish(int fd, const std::string& error) {
  if (!done_) return;
  const Done done = std::exchange(done_, nullptr);
  done(fd, error);
}

}  // namespace gub
