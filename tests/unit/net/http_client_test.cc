#include "net/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace gub {

namespace {

// Answers each request on each connection, one connection at a time.
class HttpServer {
 public:
  // What to send for a request; "" closes the connection.
  using Answer = std::function<std::string(const std::string& request)>;

  explicit HttpServer(Answer answer)
      : answer_(std::move(answer)), fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    listen(fd_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~HttpServer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/path"; }
  int connections() const { return connections_; }

 private:
  void Serve() {
    for (int fd; (fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(fd)) {
      ++connections_;
      while (AnswerOne(fd)) continue;
    }
  }
  bool AnswerOne(int fd) {
    const std::string request = ReadRequest(fd);
    const std::string reply = request.empty() ? "" : answer_(request);
    return !reply.empty() &&
           send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(reply.size());
  }
  // Up to the end of the body, which in these tests is a '}'.
  static std::string ReadRequest(int fd) {
    std::string request;
    std::array<char, 4096> chunk;
    while (!request.ends_with('}')) {
      const ssize_t count = recv(fd, chunk.data(), chunk.size(), 0);
      if (count <= 0) return "";
      request.append(chunk.data(), static_cast<size_t>(count));
    }
    return request;
  }

  const Answer answer_;
  const int fd_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

std::string ReplyOf(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

// One piece of a body that says nothing of its length.
std::string Chunk(const std::string& text) {
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
  return size.data() + text + "\r\n";
}

class HttpClientTest : public ::testing::Test {
 protected:
  HttpClient::Request To(const std::string& url, int64_t timeout_ms = 20'000) {
    return {.url = url, .body = "{1}", .connect_timeout_ms = 20'000, .timeout_ms = timeout_ms};
  }
  // Ends Run.
  void Finish() {
    loop_.Post([this] {
      client_.reset();
      loop_.CloseMailbox();
    });
  }
  // The reply to one request.
  absl::StatusOr<HttpClient::Reply> Post(const HttpClient::Request& request) {
    absl::StatusOr<HttpClient::Reply> got = absl::UnknownError("no reply");
    client_->Post(request, [&](absl::StatusOr<HttpClient::Reply> reply) {
      got = std::move(reply);
      Finish();
    });
    loop_.Run();
    return got;
  }

  Loop loop_;
  std::unique_ptr<HttpClient> client_ = std::make_unique<HttpClient>(&loop_);
};

TEST_F(HttpClientTest, PostsJsonAndBringsTheReply) {
  std::string asked;
  HttpServer server([&](const std::string& request) {
    asked = request;
    return ReplyOf("200 OK", "{2}");
  });
  const absl::StatusOr<HttpClient::Reply> reply = Post(To(server.url()));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "{2}");
  EXPECT_TRUE(asked.starts_with("POST /path HTTP/1.1\r\n")) << asked;
  EXPECT_NE(asked.find("\r\nContent-Type: application/json\r\n"), std::string::npos) << asked;
  EXPECT_TRUE(asked.ends_with("\r\n\r\n{1}")) << asked;
}

TEST_F(HttpClientTest, TakesAnyStatusForAReply) {
  HttpServer server([](const std::string&) { return ReplyOf("404 Not Found", "{no}"); });
  const absl::StatusOr<HttpClient::Reply> reply = Post(To(server.url()));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->body, "{no}");
}

TEST_F(HttpClientTest, UsesAConnectionAgain) {
  HttpServer server([](const std::string&) { return ReplyOf("200 OK", "{2}"); });
  int replies = 0;
  std::function<void()> post = [&] {
    client_->Post(To(server.url()), [&](const absl::StatusOr<HttpClient::Reply>& reply) {
      EXPECT_TRUE(reply.ok()) << reply.status();
      ++replies < 3 ? post() : Finish();
    });
  };
  post();
  loop_.Run();
  EXPECT_EQ(replies, 3);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientTest, IgnoresTheProxyOfTheEnvironment) {
  HttpServer server([](const std::string&) { return ReplyOf("200 OK", "{2}"); });
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  EXPECT_TRUE(Post(To(server.url())).ok());
  unsetenv("http_proxy");
}

TEST_F(HttpClientTest, TellsThatNobodyListens) {
  const absl::StatusOr<HttpClient::Reply> reply = Post(To("http://127.0.0.1:1/"));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable) << reply.status();
}

TEST_F(HttpClientTest, TellsThatTheConnectionWasCut) {
  HttpServer server([](const std::string&) { return ""; });
  const absl::StatusOr<HttpClient::Reply> reply = Post(To(server.url()));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable) << reply.status();
}

TEST_F(HttpClientTest, GivesUpWhenTheTimeIsOver) {
  HttpServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\n"; });
  const absl::StatusOr<HttpClient::Reply> reply = Post(To(server.url(), 30));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable) << reply.status();
}

TEST_F(HttpClientTest, TakesNoOtherProtocol) {
  EXPECT_EQ(Post(To("file:///etc/hostname")).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(HttpClientTest, RefusesAReplyThatIsTooLong) {
  HttpServer server([](const std::string&) {
    return ReplyOf("200 OK", std::string(HttpClient::kMaxReplyBytes + 1, 'x'));
  });
  const absl::StatusOr<HttpClient::Reply> reply = Post(To(server.url()));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kResourceExhausted) << reply.status();
}

TEST_F(HttpClientTest, BringsAStreamInPiecesAndThenItsEnd) {
  HttpServer server([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("one ") + Chunk("two ") +
           Chunk("three") + "0\r\n\r\n";
  });
  std::string text;
  client_->PostForStream(
      To(server.url(), 0), [&](std::string_view piece) { text += piece; },
      [&](const absl::StatusOr<HttpClient::Reply>& reply) {
        EXPECT_TRUE(reply.ok()) << reply.status();
        EXPECT_EQ(text, "one two three");
        Finish();
      });
  loop_.Run();
}

TEST_F(HttpClientTest, TakesTheBodyOfAnErrorForNoPiece) {
  HttpServer server([](const std::string&) { return ReplyOf("503 Unavailable", "{no}"); });
  client_->PostForStream(
      To(server.url(), 0), [](std::string_view piece) { FAIL() << piece; },
      [&](const absl::StatusOr<HttpClient::Reply>& reply) {
        ASSERT_TRUE(reply.ok()) << reply.status();
        EXPECT_EQ(reply->status, 503);
        EXPECT_EQ(reply->body, "{no}");
        Finish();
      });
  loop_.Run();
}

TEST_F(HttpClientTest, CancelsAStreamFromWithinItsPiece) {
  HttpServer server([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("one");
  });
  int pieces = 0;
  HttpClient::Id id = 0;
  id = client_->PostForStream(
      To(server.url(), 0),
      [&](std::string_view) {
        ++pieces;
        client_->Cancel(id);
        client_->Cancel(id);
        Finish();
      },
      [](const absl::StatusOr<HttpClient::Reply>&) { FAIL() << "it was cancelled"; });
  loop_.Run();
  EXPECT_EQ(pieces, 1);
}

TEST_F(HttpClientTest, CallsNobodyOnceItIsGone) {
  HttpServer server([](const std::string&) { return ReplyOf("200 OK", "{2}"); });
  client_->Post(To(server.url()), [](const auto&) { FAIL() << "a destroyed client has called"; });
  Finish();
  loop_.Run();
}

}  // namespace
}  // namespace gub
