#include "tests/support/raw_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gub {
namespace {

using std::chrono::milliseconds;

int Connect(const std::string& host, int port, int receive_bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (receive_bytes > 0) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::perror("RawClient: connect");
    std::abort();
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

RawClient::RawClient(int port, int receive_bytes)
    : fd_(Connect("127.0.0.1", port, receive_bytes)) {}

RawClient::RawClient(const std::string& host, int port) : fd_(Connect(host, port, 0)) {}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      unread_(std::move(other.unread_)),
      reader_(std::move(other.reader_)) {}

bool RawClient::WaitFor(short events, milliseconds patience) const {
  const auto deadline = TestClock::now() + patience;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - TestClock::now()).count();
    pollfd descriptor = {fd_, events, 0};
    const int ready = poll(&descriptor, 1, left > 0 ? static_cast<int>(left) : 0);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t sent = SendSome(bytes, kPatience);
    if (sent == 0) return false;
    bytes.remove_prefix(sent);
  }
  return true;
}

size_t RawClient::SendSome(std::string_view bytes, milliseconds patience) {
  if (!WaitFor(POLLOUT, patience)) return 0;
  const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent > 0 ? static_cast<size_t>(sent) : 0;
}

void RawClient::FinishSending() { shutdown(fd_, SHUT_WR); }

void RawClient::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void RawClient::Abort() {
  const linger at_once = {1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close();
}

RawClient::ReadResult RawClient::ReadSome(milliseconds patience) {
  if (!WaitFor(POLLIN, patience)) return ReadResult::kSilent;
  std::array<char, 65536> chunk;
  const ssize_t count = recv(fd_, chunk.data(), chunk.size(), 0);
  if (count <= 0) return ReadResult::kClosed;
  unread_.append(chunk.data(), static_cast<size_t>(count));
  return ReadResult::kBytes;
}

bool RawClient::HasReplyWithin(milliseconds patience) {
  return !unread_.empty() || !reader_.empty() || ReadSome(patience) == ReadResult::kBytes;
}

std::optional<RespReply> RawClient::ReadReply() {
  while (true) {
    reader_.Feed(std::exchange(unread_, {}));
    std::optional<RespReply> reply = reader_.Next();
    if (reply || ReadSome(kPatience) != ReadResult::kBytes) return reply;
  }
}

std::vector<RespReply> RawClient::ReadReplies(size_t count) {
  std::vector<RespReply> replies;
  while (replies.size() < count) {
    std::optional<RespReply> reply = ReadReply();
    if (!reply) break;
    replies.push_back(*std::move(reply));
  }
  return replies;
}

std::optional<std::string> RawClient::ReadUntilClosed() {
  while (true) {
    switch (ReadSome(kPatience)) {
      case ReadResult::kBytes:
        break;
      case ReadResult::kClosed:
        return std::exchange(unread_, {});
      case ReadResult::kSilent:
        return std::nullopt;
    }
  }
}

std::optional<std::vector<RespReply>> RawClient::ReadRepliesUntilClosed() {
  const std::optional<std::string> bytes = ReadUntilClosed();
  if (!bytes) return std::nullopt;
  reader_.Feed(*bytes);
  std::vector<RespReply> replies;
  while (std::optional<RespReply> reply = reader_.Next()) replies.push_back(*std::move(reply));
  if (!reader_.empty()) replies.push_back(RespReply::Error("(half a reply)"));
  return replies;
}

RespReply RawClient::Run(const std::vector<std::string>& args) {
  Send(EncodeCommand(args));
  return ReadReply().value_or(RespReply::Error("(closed)"));
}

}  // namespace gub
