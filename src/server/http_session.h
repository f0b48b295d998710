// HttpSession: a client that speaks HTTP: parser, front and answers over one connection.
//
//   state    | what comes is            | leaves it when
//   ---------+--------------------------+-------------------------------------------------
//   open     | read and answered        | a request says close, or cannot be read, or is late
//   closing  | not read                 | the answers have left
//   lingering| thrown away              | the client closes, or kLingerMs have passed
//
// It lingers after a refusal that left something unread: closed at once, the kernel would tell the
// client of a broken connection, and not hand it the answer (RFC 9112, section 9.6).
//
// Threads:  confined to the loop of its worker.
// Time:     a header must be whole within kHeaderMs of its first byte, a request within kRequestMs;
//           the option `timeout` ends connections that are silent between two requests.
// Memory:   bounded: a header by kMaxHeaderBytes, a body by client-query-buffer-limit.

#ifndef GUB_SERVER_HTTP_SESSION_H_
#define GUB_SERVER_HTTP_SESSION_H_

#include <cstdint>
#include <string_view>

#include "proto/http_request.h"
#include "server/session.h"

namespace gub {

class HttpSession : public Session {
 public:
  static constexpr size_t kMaxHeaderBytes = size_t{16} * 1024;
  static constexpr int64_t kHeaderMs = 10'000;
  static constexpr int64_t kRequestMs = 30'000;
  static constexpr int64_t kLingerMs = 1000;

  explicit HttpSession(const Place& place);

  void Start() override;
  void ApplyConfig(const Config& config) override;
  void Refuse(std::string_view text) override;
  void Look(int64_t now_mono_ns) override;

  Progress OnInput(std::string_view input, ByteBuffer* replies) override;

 private:
  static HttpLimits ParserLimits(const Config& config);
  static Connection::Limits ConnectionLimits(const Config& config);
  Next RunRequests(std::string_view input, ByteBuffer* replies, size_t* consumed);
  // What a request that is not whole yet must be told; whether it is refused.
  bool RefusesMidway(ByteBuffer* out);
  void RefuseLast(const HttpResponse& response, ByteBuffer* out);
  void NoteTime();
  bool IsLate(int64_t now_mono_ns) const;
  // Where an answer that is known goes now.
  ByteBuffer* Out(ByteBuffer* replies) {
    return client_.pending.empty() ? replies : client_.pending.behind();
  }

  HttpRequestParser parser_;
  bool told_continue_ = false;
  bool late_ = false;
  bool lingers_ = false;
  int64_t began_mono_ns_ = 0;  // a request that is not whole; 0: there is none
  int64_t lingers_since_mono_ns_ = 0;
};

}  // namespace gub

#endif  // GUB_SERVER_HTTP_SESSION_H_
