// HttpRequestParser: bytes -> requests of HTTP/1.0 and 1.1, across any cut.
//
// The parser of Boost.Beast reads them (http_request.cc), without any I/O. What it lets pass and
// two programs on one connection could read in two ways is refused: Content-Length beside
// Transfer-Encoding, a coding other than chunked, folded header lines, a second Host (RFC 9112,
// sections 3.2, 5.2 and 6.1).
//
//   while (parser.Next(input.substr(done)) == kRequest) { Use(parser.request()); done +=
//   parser.consumed(); }
//
// Threads:  one at a time.
// Memory:   a body that came in chunks; all else stays in the caller's input, of which nothing is
//           consumed before the request is whole. The caller holds at most MaxBytes() of it.
// Errors:   kError, with the status to answer by; the connection cannot be read on after it.

#ifndef GUB_PROTO_HTTP_REQUEST_H_
#define GUB_PROTO_HTTP_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gub {

struct HttpField {
  std::string_view name;
  std::string_view value;
};

// A request. It borrows from the parser and its input.
struct HttpRequest {
  std::string_view method;
  std::string_view path;   // as it came, percent-encoded
  std::string_view query;  // behind the '?'
  std::vector<HttpField> fields;
  std::string_view body;
  bool keep_alive = true;
  bool is_http_1_1 = true;
  bool expects_continue = false;

  // The value of the first field of that name, in any case; "" when there is none.
  std::string_view Field(std::string_view name) const;
  bool IsHead() const { return method == "HEAD"; }
};

struct HttpLimits {
  size_t max_header_bytes = size_t{16} * 1024;
  size_t max_body_bytes = size_t{1024} * 1024;
};

struct HttpError {
  int status = 0;
  std::string_view text;  // a sentence, of constant storage
};

class HttpRequestParser {
 public:
  enum class Outcome { kNeedMore, kRequest, kError };

  explicit HttpRequestParser(const HttpLimits& limits);
  ~HttpRequestParser();

  // From the next request on.
  void set_limits(const HttpLimits& limits) { limits_ = limits; }

  // Reads on. `input` begins with the first byte that was not consumed, and has all that it had in
  // the call before, which said kNeedMore.
  Outcome Next(std::string_view input);

  // After kRequest, how many bytes of the input it had.
  size_t consumed() const { return consumed_; }
  // After kRequest; and after kNeedMore when has_header(), without its body.
  const HttpRequest& request() const { return request_; }
  const HttpError& error() const { return error_; }

  // Whether a request has begun that is not whole. Empty lines before it do not begin it.
  bool IsMidway() const { return midway_; }
  bool has_header() const { return has_header_; }
  // Whether the body is longer, as far as it has come or is announced; of chunks the framing counts
  // as well. REQUIRES: has_header().
  bool HasBodyOver(size_t max_bytes) const;
  // The most that a caller has to hold for one request: of chunks the framing counts as well.
  size_t MaxBytes() const { return limits_.max_header_bytes + 2 * limits_.max_body_bytes; }
  // Bytes that it holds itself.
  size_t HeldBytes() const;

 private:
  class Reader;

  void Begin(size_t start);
  void TakeHeader(std::string_view input);
  bool CheckHeader();
  Outcome Finish(std::string_view input);
  Outcome Fail(int status, std::string_view text);

  HttpLimits limits_;
  std::unique_ptr<Reader> reader_;
  HttpRequest request_;
  HttpError error_;
  size_t parsed_ = 0;  // of the input, by the reader
  size_t came_ = 0;    // of the request
  size_t consumed_ = 0;
  bool midway_ = false;
  bool has_header_ = false;
};

}  // namespace gub

#endif  // GUB_PROTO_HTTP_REQUEST_H_
