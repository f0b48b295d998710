#include "net/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/log.h"
#include "fmt/format.h"

namespace gub {

namespace {

// What the next connection would meet as well.
bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Listener::Listener(Loop* loop, std::function<void(int fd)> on_connection)
    : loop_(loop), handle_(new Handle{{}, std::move(on_connection), this}) {}

Listener::~Listener() {
  handle_->listener = nullptr;
  if (handle_->fd < 0) {
    delete handle_;
    return;
  }
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->poll), [](uv_handle_t* poll) noexcept {
    auto* const handle = static_cast<Handle*>(poll->data);
    close(handle->fd);
    delete handle;
  });
}

absl::Status Listener::Start(ListenSocket socket) {
  const std::string address = socket.Address();
  const int fd = socket.Release();
  int error = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0
                  ? uv_poll_init(loop_->uv(), &handle_->poll, fd)
                  : uv_translate_sys_error(errno);
  if (error != 0) {
    close(fd);
  } else {
    handle_->fd = fd;
    handle_->poll.data = handle_;
    error = StartPolling();
  }
  if (error == 0) return absl::OkStatus();
  return absl::InternalError(fmt::format("cannot listen on {}: {}", address, uv_strerror(error)));
}

int Listener::StartPolling() {
  return uv_poll_start(&handle_->poll, UV_READABLE, [](uv_poll_t* poll, int, int) noexcept {
    AcceptAll(static_cast<Handle*>(poll->data));
  });
}

void Listener::AcceptAll(Handle* handle) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    const int fd = accept4(handle->fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      handle->on_connection(fd);
      if (handle->listener == nullptr) return;
      continue;
    }
    if (errno == EAGAIN) return;
    if (IsShortage(errno)) return handle->listener->Pause(errno);
    // It went away before it was taken.
    GUB_LOG_EVERY(1000, warn, "a connection could not be accepted error=\"{}\"",
                  uv_strerror(uv_translate_sys_error(errno)));
  }
}

void Listener::Pause(int error) {
  GUB_LOG_EVERY(1000, warn, "no more connections can be accepted now, others wait error=\"{}\"",
                uv_strerror(uv_translate_sys_error(error)));
  uv_poll_stop(&handle_->poll);
  if (pause_ == nullptr) pause_ = std::make_unique<Timer>(loop_, [this] { StartPolling(); });
  pause_->Start(kPauseMs, 0);
}

}  // namespace gub
