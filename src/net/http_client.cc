#include "net/http_client.h"

#include <curl/curl.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "net/timer.h"

namespace gub {

namespace {

constexpr int kStatusOk = 200;

// A connection whose other end is gone without a word is found by the kernel after about a minute.
constexpr long kProbeAfterS = 10;
constexpr long kProbeEveryS = 5;

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// libcurl's own start, which is once in a process.
void StartCurl() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Fails only without memory.
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) std::abort();
  });
}

}  // namespace

// libcurl's multi handle on the loop: a poll for each of its sockets and a timer. What it brings is
// handed on only when libcurl is done with its own work, since it may not be called from within.
class HttpClient::Multi {
 public:
  explicit Multi(Loop* loop);
  ~Multi();
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  Id Add(const Request& request, OnPiece on_piece, OnReply on_reply);
  void Cancel(Id id);

 private:
  struct Poll {
    uv_poll_t poll;
    Multi* multi;
    curl_socket_t fd;
  };
  struct Transfer {
    Id id;
    std::unique_ptr<CURL, EasyDeleter> easy;
    std::unique_ptr<curl_slist, ListDeleter> headers;
    std::string request_body;
    OnPiece on_piece;  // empty: the body is kept until the end
    OnReply on_reply;
    std::string body;
    bool too_long = false;
    std::array<char, CURL_ERROR_SIZE> error{};

    size_t Take(std::string_view piece);
    int Status() const;
    absl::StatusOr<Reply> Result(CURLcode code);
  };

  void SetUp(Transfer* transfer, const Request& request);
  void Watch(curl_socket_t fd, int what, Poll* poll);
  void Work(curl_socket_t fd, int events);
  void HandOnPieces();
  void HandOnReplies();

  Loop* const loop_;
  Timer timer_;
  CURLM* const multi_;
  Id last_id_ = 0;
  std::map<Id, std::unique_ptr<Transfer>> transfers_;
};

HttpClient::Multi::Multi(Loop* loop)
    : loop_(loop),
      timer_(loop, [this] { Work(CURL_SOCKET_TIMEOUT, 0); }),
      multi_((StartCurl(), curl_multi_init())) {
  if (multi_ == nullptr) std::abort();
  using OnSocket = int (*)(CURL*, curl_socket_t, int, void*, void*);
  using OnTimer = int (*)(CURLM*, long, void*);
  const OnSocket on_socket = [](CURL*, curl_socket_t fd, int what, void* self,
                                void* poll) noexcept {
    static_cast<Multi*>(self)->Watch(fd, what, static_cast<Poll*>(poll));
    return 0;
  };
  const OnTimer on_timer = [](CURLM*, long ms, void* self) noexcept {
    Timer& timer = static_cast<Multi*>(self)->timer_;
    ms < 0 ? timer.Stop() : timer.Start(ms, 0);
    return 0;
  };
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

HttpClient::Multi::~Multi() {
  while (!transfers_.empty()) Cancel(transfers_.begin()->first);
  curl_multi_cleanup(multi_);
}

// How much of the piece is taken; less than all of it ends the transfer.
size_t HttpClient::Multi::Transfer::Take(std::string_view piece) {
  too_long = piece.size() > kMaxReplyBytes - body.size();
  if (too_long) return 0;
  body.append(piece);
  return piece.size();
}

int HttpClient::Multi::Transfer::Status() const {
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

absl::StatusOr<HttpClient::Reply> HttpClient::Multi::Transfer::Result(CURLcode code) {
  if (too_long) return absl::ResourceExhaustedError("the reply is too long");
  if (code == CURLE_OK) return Reply{Status(), std::move(body)};
  return absl::UnavailableError(error[0] != '\0' ? error.data() : curl_easy_strerror(code));
}

HttpClient::Id HttpClient::Multi::Add(const Request& request, OnPiece on_piece, OnReply on_reply) {
  auto transfer = std::make_unique<Transfer>();
  transfer->id = ++last_id_;
  transfer->request_body = request.body;
  transfer->on_piece = std::move(on_piece);
  transfer->on_reply = std::move(on_reply);
  transfer->easy.reset(curl_easy_init());
  if (transfer->easy == nullptr) std::abort();
  SetUp(transfer.get(), request);
  curl_multi_add_handle(multi_, transfer->easy.get());
  transfers_[last_id_] = std::move(transfer);
  return last_id_;
}

void HttpClient::Multi::SetUp(Transfer* transfer, const Request& request) {
  CURL* const easy = transfer->easy.get();
  using OnBody = size_t (*)(char*, size_t, size_t, void*);
  const OnBody on_body = [](char* piece, size_t /*one*/, size_t bytes, void* data) noexcept {
    return static_cast<Transfer*>(data)->Take({piece, bytes});
  };
  transfer->headers.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
  // Else a body of over a kilobyte waits for a server that seldom says "go on".
  curl_slist_append(transfer->headers.get(), "Expect:");
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->request_body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(transfer->request_body.size()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers.get());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error.data());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout_ms));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout_ms));
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Or ending a request whose name is still looked up, on a thread of libcurl's, waits for that.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kProbeAfterS);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kProbeEveryS);
}

void HttpClient::Multi::Cancel(Id id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  curl_multi_remove_handle(multi_, found->second->easy.get());
  transfers_.erase(found);
}

void HttpClient::Multi::Watch(curl_socket_t fd, int what, Poll* poll) {
  if (what == CURL_POLL_REMOVE) {
    if (poll == nullptr) return;
    curl_multi_assign(multi_, fd, nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&poll->poll),
             [](uv_handle_t* handle) noexcept { delete static_cast<Poll*>(handle->data); });
    return;
  }
  if (poll == nullptr) {
    poll = new Poll{{}, this, fd};
    // Of a fresh socket this fails only without memory; then the request times out.
    if (uv_poll_init(loop_->uv(), &poll->poll, fd) != 0) return delete poll;
    poll->poll.data = poll;
    curl_multi_assign(multi_, fd, poll);
  }
  const int events = ((what & CURL_POLL_IN) != 0 ? UV_READABLE : 0) |
                     ((what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0);
  uv_poll_start(&poll->poll, events, [](uv_poll_t* handle, int status, int ready) noexcept {
    const auto* const polled = static_cast<Poll*>(handle->data);
    const int work = ((ready & UV_READABLE) != 0 ? CURL_CSELECT_IN : 0) |
                     ((ready & UV_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0);
    polled->multi->Work(polled->fd, status < 0 ? CURL_CSELECT_ERR : work);
  });
}

void HttpClient::Multi::Work(curl_socket_t fd, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, events, &running);
  HandOnPieces();
  HandOnReplies();
}

// A callback may end any transfer, so each is looked up by its id.
void HttpClient::Multi::HandOnPieces() {
  std::vector<Id> ready;
  for (const auto& [id, transfer] : transfers_) {
    if (transfer->on_piece && !transfer->body.empty()) ready.push_back(id);
  }
  for (const Id id : ready) {
    const auto found = transfers_.find(id);
    if (found == transfers_.end() || found->second->Status() != kStatusOk) continue;
    const std::string piece = std::exchange(found->second->body, {});
    const OnPiece on_piece = found->second->on_piece;
    on_piece(piece);
  }
}

void HttpClient::Multi::HandOnReplies() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    absl::StatusOr<Reply> reply = transfer->Result(message->data.result);
    const OnReply on_reply = std::move(transfer->on_reply);
    Cancel(transfer->id);
    on_reply(std::move(reply));
  }
}

HttpClient::HttpClient(Loop* loop) : multi_(std::make_unique<Multi>(loop)) {}

HttpClient::~HttpClient() = default;

HttpClient::Id HttpClient::Post(const Request& request, OnReply on_reply) {
  return multi_->Add(request, nullptr, std::move(on_reply));
}

HttpClient::Id HttpClient::PostForStream(const Request& request, OnPiece on_piece, OnReply on_end) {
  return multi_->Add(request, std::move(on_piece), std::move(on_end));
}

void HttpClient::Cancel(Id id) { multi_->Cancel(id); }

}  // namespace gub
