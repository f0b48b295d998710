// HttpSession: a client that speaks HTTP: parser, front and answers over one connection.
//
// It closes after a request that says so, or cannot be read, or is late, and after the last one
// that has come to a node that stops; and then it lingers.
//
// A stranger is whoever is no client: one of another machine under protected-mode, or one more than
// maxclients. It has kStrangerMs, and is answered one request for an open route.
//
// Threads:  confined to the loop of its worker.
// Time:     a header must be whole within kHeaderMs of its first byte, a request within kRequestMs;
//           the option `timeout` ends connections that are silent between two requests.
// Memory:   bounded: a header by kMaxHeaderBytes, a body by client-query-buffer-limit, that of an
//           open route by kOpenBodyBytes.

#ifndef GUB_SERVER_HTTP_SESSION_H_
#define GUB_SERVER_HTTP_SESSION_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/http_request.h"
#include "server/session.h"

namespace gub {

class HttpSession : public Session {
 public:
  static constexpr size_t kMaxHeaderBytes = size_t{16} * 1024;
  static constexpr int64_t kHeaderMs = 10'000;
  static constexpr int64_t kRequestMs = 30'000;
  static constexpr int64_t kStrangerMs = 2000;
  static constexpr size_t kOpenBodyBytes = size_t{4} * 1024;

  explicit HttpSession(const Place& place);

  void Start() override;
  void ApplyConfig(const Config& config) override;
  void Refuse(std::string_view text, bool lingers) override;
  void TakeStranger(std::string_view refusal) override {
    refusal_ = refusal;
    Count(ClientRecord::Standing::kProbe);
  }
  void Look(int64_t now_mono_ns) override;

  Progress OnInput(std::string_view input, ByteBuffer* replies) override;

 private:
  static HttpLimits ParserLimits(const Config& config);
  static Connection::Limits ConnectionLimits(const Config& config);
  Next RunRequests(std::string_view input, ByteBuffer* replies, size_t* consumed);
  void Run(bool is_last, ByteBuffer* out);
  void TellToContinue(ByteBuffer* out);
  // Why a request whose header is there is not waited for, nor run.
  std::optional<HttpResponse> Objection();
  std::optional<HttpResponse> ObjectionMidway();
  Next RefuseLast(const HttpResponse& response, ByteBuffer* out);
  void NoteTime();
  bool IsLate(int64_t now_mono_ns) const;
  // Where an answer that is known goes now.
  ByteBuffer* Out(ByteBuffer* replies) {
    return client_.pending.empty() ? replies : client_.pending.behind();
  }

  HttpRequestParser parser_;
  bool told_continue_ = false;
  bool late_ = false;
  std::string_view refusal_;   // of a stranger; empty: it is a client
  int64_t began_mono_ns_ = 0;  // a request that is not whole; 0: there is none
};

}  // namespace gub

#endif  // GUB_SERVER_HTTP_SESSION_H_
