#include "net/dialer.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gub {

// Outlives its dialer when it was cancelled: libuv's pool may be at work on it.
struct Dialer::Lookup {
  uv_getaddrinfo_t request;
  Dialer* dialer;
};

struct Dialer::Attempt {
  uv_poll_t poll;
  Dialer* dialer;
  int fd;
};

void Dialer::Dial(const std::string& host, int port, Done done) {
  Cancel();
  done_ = std::move(done);
  lookup_ = new Lookup{{}, this};
  lookup_->request.data = lookup_;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  const auto on_resolved = [](uv_getaddrinfo_t* request, int status, addrinfo* list) noexcept {
    auto* const lookup = static_cast<Lookup*>(request->data);
    Dialer* const dialer = lookup->dialer;
    delete lookup;
    if (dialer != nullptr) dialer->OnResolved(status, list);
    uv_freeaddrinfo(list);
  };
  const int error = uv_getaddrinfo(loop_->uv(), &lookup_->request, on_resolved, host.c_str(),
                                   std::to_string(port).c_str(), &hints);
  if (error == 0) return;
  Lookup* const lookup = lookup_;
  loop_->Post([lookup, error] {
    Dialer* const dialer = lookup->dialer;
    delete lookup;
    if (dialer != nullptr) dialer->OnResolved(error, nullptr);
  });
}

void Dialer::Cancel() {
  done_ = nullptr;
  if (lookup_ != nullptr) {
    lookup_->dialer = nullptr;
    // Without effect when it runs already, or was never begun.
    if (lookup_->request.loop != nullptr) {
      uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_->request));
    }
    lookup_ = nullptr;
  }
  DropAttempt(true);
}

void Dialer::OnResolved(int status, addrinfo* list) {
  lookup_ = nullptr;
  addresses_.clear();
  next_address_ = 0;
  if (status != 0) return Finish(-1, uv_strerror(status));
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    addresses_.emplace_back(reinterpret_cast<const char*>(one->ai_addr), one->ai_addrlen);
  }
  last_error_ = "the name has no address";
  TryNext();
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
