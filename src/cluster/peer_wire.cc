#include "cluster/peer_wire.h"

#include <utility>

#include "fmt/format.h"

namespace gub {

namespace {

constexpr Connection::Limits kLimits = {.max_pending_bytes = 2 * PeerWire::kMaxAnswerBytes,
                                        .max_unsent_bytes = size_t{64} * 1024 * 1024,
                                        .keepalive_s = 60,
                                        .reads_while_blocked = true};

}  // namespace

PeerWire::PeerWire(User* user, Loop* loop, CounterSet* counters)
    : user_(user), connection_(loop, this, counters, kLimits) {}

bool PeerWire::Open(int fd) {
  if (!connection_.Open(fd)) return false;
  connection_.Start();
  return true;
}

void PeerWire::Send(std::initializer_list<std::string_view> command) {
  out_.Append(fmt::format("*{}\r\n", command.size()));
  for (std::string_view word : command) {
    out_.Append(fmt::format("${}\r\n", word.size()));
    out_.Append(word);
    out_.Append("\r\n");
  }
}

void PeerWire::Drop() {
  user_ = nullptr;
  connection_.Close();
}

void PeerWire::Finish(std::initializer_list<std::string_view> command) {
  user_ = nullptr;
  finishes_ = true;
  Send(command);
}

ConnectionHandler::Progress PeerWire::OnInput(std::string_view input, ByteBuffer* replies) {
  const size_t consumed = user_ == nullptr ? input.size() : user_->OnReplies(input);
  if (connection_.IsBlocked()) return {consumed, user_ == nullptr ? Next::kDrop : Next::kRead};
  const bool had_room = HasRoom();
  replies->Append(out_.view());
  out_.Clear();
  out_.Trim(kMaxAnswerBytes);
  if (user_ == nullptr) return {consumed, finishes_ ? Next::kClose : Next::kDrop};
  if (!had_room) user_->OnRoom();
  return {consumed, Next::kRead};
}

void PeerWire::OnClosed() {
  User* const user = std::exchange(user_, nullptr);
  if (user != nullptr) user->OnWireClosed();
  delete this;
}

}  // namespace gub
