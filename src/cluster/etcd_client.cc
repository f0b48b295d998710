#include "cluster/etcd_client.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "cluster/etcd_json.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr int64_t kConnectTimeoutMs = 1000;
constexpr int kStatusOk = 200;

// Takes the whole lines of *text off its front.
void TakeLines(std::string* text, const EtcdClient::OnLine& on_line) {
  const std::string held = std::exchange(*text, {});
  size_t begin = 0;
  for (size_t end; (end = held.find('\n', begin)) != std::string::npos; begin = end + 1) {
    on_line(std::string_view(held).substr(begin, end - begin));
  }
  *text = held.substr(begin);
}

}  // namespace

EtcdClient::EtcdClient(Loop* loop, std::vector<std::string> endpoints)
    : endpoints_(std::move(endpoints)), http_(loop) {}

HttpClient::Id EtcdClient::Ask(const Question& question, OnAnswer on_answer) {
  const std::string& endpoint = endpoints_[next_];
  return http_.Post({.url = endpoint + question.path,
                     .body = question.body,
                     .connect_timeout_ms = std::min(kConnectTimeoutMs, question.timeout_ms),
                     .timeout_ms = question.timeout_ms},
                    [this, endpoint, on_answer = std::move(on_answer)](auto reply) {
                      on_answer(Judge(endpoint, std::move(reply)));
                    });
}

HttpClient::Id EtcdClient::Watch(std::string body, OnLine on_line, OnEnd on_end) {
  const std::string& endpoint = endpoints_[next_];
  auto text = std::make_shared<std::string>();
  return http_.PostForStream(
      {.url = endpoint + "/v3/watch",
       .body = std::move(body),
       .connect_timeout_ms = kConnectTimeoutMs,
       .timeout_ms = 0},
      [text, on_line = std::move(on_line)](std::string_view piece) {
        text->append(piece);
        // A line that never ends is no line.
        if (text->size() > HttpClient::kMaxReplyBytes) text->clear();
        TakeLines(text.get(), on_line);
      },
      [this, endpoint, on_end = std::move(on_end)](auto reply) {
        const absl::Status status = Judge(endpoint, std::move(reply)).status();
        on_end(status.ok() ? absl::UnavailableError(endpoint + ": the watch has ended") : status);
      });
}

absl::StatusOr<std::string> EtcdClient::Judge(const std::string& endpoint,
                                              absl::StatusOr<HttpClient::Reply> reply) {
  if (reply.ok() && reply->status == kStatusOk) return std::move(reply->body);
  next_ = (next_ + 1) % endpoints_.size();
  if (!reply.ok()) {
    return absl::UnavailableError(fmt::format("{}: {}", endpoint, ToStd(reply.status().message())));
  }
  return absl::UnavailableError(fmt::format("{}: status {} {}", endpoint, reply->status,
                                            Escape(etcd::ReadError(reply->body))));
}

}  // namespace gub
