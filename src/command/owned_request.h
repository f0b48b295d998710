// OwnedRequest: a request whose name and key outlive the bytes they came in; usual ones lie within
// itself.
//
// Threads:  a plain value.

#ifndef GUB_COMMAND_OWNED_REQUEST_H_
#define GUB_COMMAND_OWNED_REQUEST_H_

#include <cstddef>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "gub/types.h"

namespace gub {

class OwnedRequest {
 public:
  explicit OwnedRequest(const Request& request) : request_(request) {
    bytes_.reserve(request.name.size() + request.key.size());
    bytes_.insert(bytes_.end(), request.name.begin(), request.name.end());
    bytes_.insert(bytes_.end(), request.key.begin(), request.key.end());
  }
  // About how much memory one takes that waits for its decision.
  static size_t BytesFor(const Request& request) {
    return sizeof(OwnedRequest) + request.name.size() + request.key.size();
  }
  // Borrows from this.
  Request Get() const {
    const std::string_view bytes(bytes_.data(), bytes_.size());
    Request request = request_;
    request.name = bytes.substr(0, request_.name.size());
    request.key = bytes.substr(request_.name.size());
    return request;
  }

 private:
  static constexpr size_t kUsualBytes = 64;

  Request request_;  // of its name only the size is used, of its key nothing
  absl::InlinedVector<char, kUsualBytes> bytes_;
};

}  // namespace gub

#endif  // GUB_COMMAND_OWNED_REQUEST_H_
