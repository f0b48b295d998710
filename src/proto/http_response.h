// HttpResponse: an answer, and its bytes.
//
// Threads:  pure but for the buffer; an HttpDate belongs to one thread.

#ifndef GUB_PROTO_HTTP_RESPONSE_H_
#define GUB_PROTO_HTTP_RESPONSE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_buffer.h"

namespace gub {

inline constexpr std::string_view kJsonType = "application/json";

struct HttpResponse {
  int status = 200;
  std::string_view type = {};  // of the body, of constant storage; "": there is none
  std::string fields = {};     // further header lines, each ended by CRLF
  std::string body = {};
  // Not sent: the code that this counts as among errors, of constant storage; "": it is none.
  std::string_view error = {};

  // REQUIRES: neither has a CR or LF.
  void AddField(std::string_view name, std::string_view value);
};

// The present time as in a Date field, made once a second.
class HttpDate {
 public:
  std::string_view At(int64_t unix_s);

 private:
  int64_t unix_s_ = -1;
  std::string text_;
};

// How it has to be written.
struct HttpReplyStyle {
  bool keep_alive = true;
  bool is_http_1_1 = true;
  bool is_head = false;  // without the body, whose length is told all the same
};

void WriteHttpResponse(const HttpResponse& response, const HttpReplyStyle& style,
                       std::string_view date, ByteBuffer* out);

// "Too Many Requests"; "" for a status that we do not send.
std::string_view HttpReason(int status);

}  // namespace gub

#endif  // GUB_PROTO_HTTP_RESPONSE_H_
