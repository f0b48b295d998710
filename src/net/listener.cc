#include "net/listener.h"

#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "fmt/format.h"
#include "net/connection.h"

namespace gub {

Listener::Listener(Loop* loop, std::function<void(Listener*)> on_connection)
    : on_connection_(std::move(on_connection)), handle_(new Handle{{}, this}) {
  uv_tcp_init(loop->uv(), &handle_->tcp);
  handle_->tcp.data = handle_;
}

Listener::~Listener() {
  handle_->listener = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->tcp),
           [](uv_handle_t* handle) noexcept { delete static_cast<Handle*>(handle->data); });
}

absl::Status Listener::Start(ListenSocket socket) {
  const std::string address = socket.Address();
  // The socket listens already; libuv says so once more, with the backlog it is given.
  const int backlog = socket.backlog();
  const int fd = socket.Release();
  int error = uv_tcp_open(&handle_->tcp, fd);
  if (error != 0) {
    close(fd);
  } else {
    error = uv_listen(reinterpret_cast<uv_stream_t*>(&handle_->tcp), backlog,
                      [](uv_stream_t* stream, int status) noexcept {
                        Listener* listener = static_cast<Handle*>(stream->data)->listener;
                        if (listener != nullptr) listener->OnConnection(status);
                      });
  }
  if (error == 0) return absl::OkStatus();
  return absl::InternalError(fmt::format("cannot listen on {}: {}", address, uv_strerror(error)));
}

void Listener::OnConnection(int status) {
  if (status == 0) return on_connection_(this);
  GUB_LOG_EVERY(1000, warn, "a connection could not be accepted error={}", uv_strerror(status));
}

bool Listener::Accept(Connection* connection) {
  const int error = uv_accept(reinterpret_cast<uv_stream_t*>(&handle_->tcp), connection->stream());
  if (error == 0) return true;
  GUB_LOG_EVERY(1000, warn, "accept failed error={}", uv_strerror(error));
  return false;
}

}  // namespace gub
