#include "net/connection.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "net/socket_address.h"

namespace gub {

namespace {
// Room for the rest of a request that came in pieces.
constexpr size_t kPieceBytes = 16 * 1024;
// A write buffer that has grown beyond this is given back when it is empty.
constexpr size_t kMaxIdleBytes = 1024 * 1024;

Connection* ConnectionOf(void* data) { return static_cast<Connection*>(data); }
}  // namespace

Connection::Connection(Loop* loop, ConnectionHandler* handler, CounterSet* counters, Limits limits)
    : loop_(loop), handler_(handler), counters_(counters), limits_(limits) {
  uv_tcp_init(loop->uv(), &tcp_);
  tcp_.data = write_.data = shutdown_.data = this;
}

bool Connection::Open(int fd) {
  const int error = uv_tcp_open(&tcp_, fd);
  if (error == 0) return true;
  GUB_LOG_EVERY(1000, warn, "a connection could not be opened error={}", uv_strerror(error));
  ::close(fd);
  return false;
}

void Connection::Start() {
  uv_tcp_nodelay(&tcp_, 1);
  if (limits_.keepalive_s > 0) SetKeepalive();
  StartReading();
}

void Connection::set_limits(const Limits& limits) {
  const bool keepalive_changed = limits.keepalive_s != limits_.keepalive_s;
  limits_ = limits;
  if (keepalive_changed) SetKeepalive();
}

void Connection::SetKeepalive() {
  uv_tcp_keepalive(&tcp_, limits_.keepalive_s > 0 ? 1 : 0,
                   static_cast<unsigned>(limits_.keepalive_s));
}

std::string Connection::PeerAddress() const { return SocketAddress::OfPeer(&tcp_).ToString(); }

std::string Connection::LocalAddress() const { return SocketAddress::OfSocket(&tcp_).ToString(); }

bool Connection::IsFromLoopback() const { return SocketAddress::OfPeer(&tcp_).IsLoopback(); }

int Connection::fd() const {
  int fd = -1;
  return uv_fileno(reinterpret_cast<const uv_handle_t*>(&tcp_), &fd) == 0 ? fd : -1;
}

// Capacities, not contents: what is there is what has to be bounded.
void Connection::ReportHeld() {
  const size_t pending = pending_.capacity();
  const size_t unsent = unsent_.capacity();
  if (pending == reported_pending_bytes_ && unsent == reported_unsent_bytes_) return;
  reported_pending_bytes_ = pending;
  reported_unsent_bytes_ = unsent;
  handler_->OnHeld(pending, unsent);
}

void Connection::StartReading() {
  const auto allocate = [](uv_handle_t* handle, size_t, uv_buf_t* buffer) noexcept {
    Connection* self = ConnectionOf(handle->data);
    // What follows a piece must stand behind it; everything else is read into the loop's buffer.
    *buffer = self->pending_.empty()
                  ? uv_buf_init(self->loop_->read_buffer(), Loop::kReadBytes)
                  : uv_buf_init(self->pending_.Reserve(kPieceBytes), kPieceBytes);
  };
  const auto on_read = [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) noexcept {
    ConnectionOf(stream->data)->OnRead(count);
  };
  reading_ = true;
  if (uv_read_start(stream(), allocate, on_read) != 0) Close();
}

void Connection::StopReading() {
  reading_ = false;
  uv_read_stop(stream());
}

void Connection::ReadOn() {
  if (state_ == State::kOpen && !waiting_ && !ended_ && !reading_) StartReading();
}

void Connection::Wake() {
  if (state_ != State::kOpen) return;  // OnSent will look
  RunBatches(pending_.view(), true);
  ReadOn();
  if (state_ != State::kClosed) ReportHeld();
}

void Connection::OnRead(ssize_t count) {
  if (count == 0) return;
  if (state_ == State::kLingering) {
    if (count < 0) Close();
    return;
  }
  if (count < 0) return OnEnd();
  const auto bytes = static_cast<size_t>(count);
  heard_ = true;
  last_read_bytes_ = bytes;
  counters_->Add(Counter::kNetInputBytes, bytes);
  std::string_view input = {loop_->read_buffer(), bytes};
  if (!pending_.empty()) {
    pending_.Commit(bytes);
    input = pending_.view();
  }
  state_ == State::kBlocked ? RunBlocked(input) : RunBatches(input, false);
  if (state_ != State::kClosed) ReportHeld();
}

void Connection::OnEnd() {
  // Everything that was whole has been run: reading stops while answers wait to be written.
  if (!handler_->HasPending()) return CloseGracefully();
  ended_ = true;
  StopReading();
}

void Connection::RunBatches(std::string_view input, bool woken) {
  auto next =
      input.empty() && !woken ? ConnectionHandler::Next::kRead : ConnectionHandler::Next::kPause;
  while (state_ == State::kOpen && next == ConnectionHandler::Next::kPause) {
    ByteBuffer& replies = loop_->write_buffer();
    const ConnectionHandler::Progress progress = handler_->OnInput(input, &replies);
    next = progress.next;
    if (next == ConnectionHandler::Next::kDrop) {
      if (replies.size() > limits_.max_unsent_bytes) {
        CloseUnread(replies.size());
      } else {
        Close();
      }
      replies.Clear();
      return replies.Trim(kMaxIdleBytes);
    }
    lingers_ = next == ConnectionHandler::Next::kLinger;
    close_after_ = lingers_ || next == ConnectionHandler::Next::kClose;
    KeepRest(input, progress.consumed);
    Send(&replies);
    replies.Clear();
    replies.Trim(kMaxIdleBytes);
    input = pending_.view();
  }
  if (state_ != State::kOpen) return;
  if (close_after_) return CloseGracefully();
  waiting_ = next == ConnectionHandler::Next::kWait;
  if (waiting_) return StopReading();
  if (ended_ && !handler_->HasPending()) return CloseGracefully();
  if (pending_.size() > limits_.max_pending_bytes) {
    counters_->Add(Counter::kQueryLimitDisconnections);
    GUB_LOG_EVERY(1000, warn, "closing a client, its request is too large pending_bytes={}",
                  pending_.size());
    return Close();
  }
  if (draining_) FinishIfDrained();
}

void Connection::RunBlocked(std::string_view input) {
  ByteBuffer nothing;
  const ConnectionHandler::Progress progress = handler_->OnInput(input, &nothing);
  if (state_ != State::kBlocked) return;
  if (progress.next != ConnectionHandler::Next::kRead) return Close();
  KeepRest(input, progress.consumed);
  if (pending_.size() > limits_.max_pending_bytes) Close();
}

void Connection::KeepRest(std::string_view input, size_t consumed) {
  if (pending_.empty()) {
    pending_.Append(input.substr(consumed));
  } else {
    pending_.Consume(consumed);
    pending_.Trim(kPieceBytes);
  }
}

void Connection::Send(ByteBuffer* replies) {
  if (replies->empty()) return;
  counters_->Add(Counter::kNetOutputBytes, replies->size());
  uv_buf_t buffer =
      uv_buf_init(const_cast<char*>(replies->data()), static_cast<unsigned>(replies->size()));
  const int written = uv_try_write(stream(), &buffer, 1);
  if (written < 0 && written != UV_EAGAIN) return Close();
  if (written > 0) replies->Consume(static_cast<size_t>(written));
  if (replies->empty()) return;
  if (replies->size() > limits_.max_unsent_bytes) return CloseUnread(replies->size());
  std::swap(unsent_, *replies);
  buffer = uv_buf_init(const_cast<char*>(unsent_.data()), static_cast<unsigned>(unsent_.size()));
  const auto on_written = [](uv_write_t* request, int status) noexcept {
    ConnectionOf(request->data)->OnSent(status);
  };
  if (uv_write(&write_, stream(), &buffer, 1, on_written) != 0) return Close();
  state_ = State::kBlocked;
  if (!limits_.reads_while_blocked) StopReading();
}

void Connection::CloseUnread(size_t unsent_bytes) {
  counters_->Add(Counter::kOutputLimitDisconnections);
  GUB_LOG_EVERY(1000, warn,
                "closing a client, its replies are past client-output-buffer-limit unsent_bytes={}",
                unsent_bytes);
  Close();
}

void Connection::OnSent(int status) {
  if (state_ != State::kBlocked) return;
  if (status < 0) return Close();
  unsent_.Clear();
  unsent_.Trim(0);
  heard_ = true;
  state_ = State::kOpen;
  if (close_after_) return CloseGracefully();
  RunBatches(pending_.view(), handler_->HasPending());
  ReadOn();
  if (state_ != State::kClosed) ReportHeld();
}

void Connection::CloseWhenDrained() {
  const bool silent = draining_ && !heard_;
  draining_ = true;
  heard_ = false;
  if (state_ != State::kOpen) return;
  if (handler_->HasPending()) return;
  if (silent && !KernelHasInput()) return CloseGracefully();
  FinishIfDrained();
}

void Connection::FinishIfDrained() {
  if (!KernelHasInput() && !ExpectsMore() && !handler_->HasPending()) CloseGracefully();
}

// After half a request, or as much as only a long pipeline brings at once.
bool Connection::ExpectsMore() const {
  return !pending_.empty() || last_read_bytes_ >= kPieceBytes;
}

bool Connection::KernelHasInput() const {
  int unread = 0;
  return fd() >= 0 && ioctl(fd(), FIONREAD, &unread) == 0 && unread > 0;
}

void Connection::Refuse(std::string_view text, bool lingers) {
  loop_->write_buffer().Append(text);
  close_after_ = true;
  lingers_ = lingers;
  Send(&loop_->write_buffer());
  loop_->write_buffer().Clear();
  if (state_ == State::kOpen) CloseGracefully();
}

void Connection::CloseGracefully() {
  if (state_ != State::kOpen && state_ != State::kBlocked) return;
  state_ = State::kClosing;
  StopReading();
  const auto on_shutdown = [](uv_shutdown_t* request, int status) noexcept {
    Connection* const self = ConnectionOf(request->data);
    if (status != 0 || !self->lingers_) return self->Close();
    self->Linger();
  };
  if (uv_shutdown(&shutdown_, stream(), on_shutdown) != 0) Close();
}

void Connection::Linger() {
  if (state_ != State::kClosing) return;
  state_ = State::kLingering;
  pending_.Clear();
  pending_.Trim(0);
  ReportHeld();
  linger_timer_ = std::make_unique<Timer>(loop_, [this] { Close(); });
  linger_timer_->Start(kLingerMs, 0);
  StartReading();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  uv_close(reinterpret_cast<uv_handle_t*>(&tcp_),
           [](uv_handle_t* handle) noexcept { ConnectionOf(handle->data)->handler_->OnClosed(); });
}

}  // namespace gub
