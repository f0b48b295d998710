// HttpClient: posts to HTTP servers, through libcurl, on a loop.
//
// A reply comes whole, or, for one that does not end, piece by piece. Connections are kept and used
// again. Proxies that the environment names are not used: discovery asks its own network.
//
// Threads:  loop-confined.
// Memory:   holds at most kMaxReplyBytes of a reply. May be destroyed at any time but inside its
//           own callbacks; nothing is called then.
// Errors:   kUnavailable: not connected, cut off or timed out. kResourceExhausted: the reply is too
//           long. A reply with any status is no error here.

#ifndef GUB_NET_HTTP_CLIENT_H_
#define GUB_NET_HTTP_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/loop.h"

namespace gub {

class HttpClient {
 public:
  static constexpr size_t kMaxReplyBytes = 16 * 1024 * 1024;

  struct Request {
    std::string url;
    std::string body;
    int64_t connect_timeout_ms;
    int64_t timeout_ms;  // of the whole; 0: none
  };
  struct Reply {
    int status = 0;
    std::string body;  // of a stream what the last piece has left: nothing
  };
  using OnReply = std::function<void(absl::StatusOr<Reply> reply)>;
  // A piece of the body of a reply with status 200, of any length.
  using OnPiece = std::function<void(std::string_view piece)>;
  using Id = uint64_t;

  explicit HttpClient(Loop* loop);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Posts a JSON text. on_reply is called once, later, unless the request is cancelled before.
  Id Post(const Request& request, OnReply on_reply);

  // The same, and the body comes in pieces while the reply lasts.
  Id PostForStream(const Request& request, OnPiece on_piece, OnReply on_end);

  // Ends a request, whose callbacks are not called any more. One that is over, or 0, is no fault.
  void Cancel(Id id);

 private:
  class Multi;

  const std::unique_ptr<Multi> multi_;
};

}  // namespace gub

#endif  // GUB_NET_HTTP_CLIENT_H_
