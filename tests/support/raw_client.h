// RawClient: a TCP connection to 127.0.0.1, for bytes that no client library would send and for
// RESP3. Nothing blocks for longer than kPatience.
//
// Threads:  one at a time.
// Errors:   a connection that cannot be made ends the test program; what the server does to an open
//           one is told by what the functions return.

#ifndef GUB_TESTS_SUPPORT_RAW_CLIENT_H_
#define GUB_TESTS_SUPPORT_RAW_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/deadline.h"
#include "tests/support/resp_reply.h"

namespace gub {

class RawClient {
 public:
  // receive_bytes: the kernel's buffer for what the server sends; 0: as the kernel likes.
  explicit RawClient(int port, int receive_bytes = 0);
  // To another IPv4 address of this machine.
  RawClient(const std::string& host, int port);
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient(RawClient&& other) noexcept;

  // Sends all of it. False: the server has closed, or takes nothing more.
  bool Send(std::string_view bytes);
  // Sends what the kernel takes without waiting longer than `patience` for it to take anything.
  // Returns how much that was.
  size_t SendSome(std::string_view bytes, std::chrono::milliseconds patience);
  // Tells the server that no more will come; replies can still be read.
  void FinishSending();
  void Close();
  // Closes so that the server sees the connection reset.
  void Abort();

  // The next `count` replies; fewer when the server closes or falls silent.
  std::vector<RespReply> ReadReplies(size_t count);
  // The next reply; nothing when the server closes or falls silent.
  std::optional<RespReply> ReadReply();
  // Whether a reply can be read within `patience`.
  bool HasReplyWithin(std::chrono::milliseconds patience);
  // All bytes up to the end of the connection (by FIN or by reset), without those that ReadReply
  // has taken; nothing when it does not end.
  std::optional<std::string> ReadUntilClosed();
  // All replies up to the end of the connection; nothing when it does not end.
  std::optional<std::vector<RespReply>> ReadRepliesUntilClosed();

  // One command and its reply; an error reply "(closed)" when there is none.
  RespReply Run(const std::vector<std::string>& args);

 private:
  enum class ReadResult { kBytes, kClosed, kSilent };
  ReadResult ReadSome(std::chrono::milliseconds patience);
  bool WaitFor(short events, std::chrono::milliseconds patience) const;

  int fd_;
  std::string unread_;  // received, and not yet given to the reader
  ReplyReader reader_;
};

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_RAW_CLIENT_H_
