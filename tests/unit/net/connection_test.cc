#include "net/connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "net/listener.h"

namespace gub {

namespace {

constexpr int kDeadlineS = 20;

// A blocking client socket with a deadline on every step.
class Client {
 public:
  explicit Client(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval deadline = {kDeadlineS, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof(deadline));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Client() { close(fd_); }

  void Send(const std::string& bytes) {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // Whether the other side still takes what is sent, as far as is known.
  bool IsHeard() { return send(fd_, "x", 1, MSG_NOSIGNAL) == 1; }
  void SendNoMore() { shutdown(fd_, SHUT_WR); }

  // `count` bytes, fewer only when the other side closes.
  std::string Read(size_t count) {
    std::string bytes(count, '\0');
    size_t got = 0;
    while (got < count) {
      const ssize_t n = recv(fd_, bytes.data() + got, count - got, 0);
      if (n <= 0) break;
      got += static_cast<size_t>(n);
    }
    bytes.resize(got);
    return bytes;
  }
  bool IsClosed() {
    char byte;
    return recv(fd_, &byte, 1, 0) <= 0;
  }

 private:
  int fd_;
};

// A loop on its own thread that serves one connection with a handler given as a function.
class OneConnection : public ConnectionHandler {
 public:
  using Input = std::function<Progress(std::string_view input, ByteBuffer* replies)>;

  explicit OneConnection(Input input, Connection::Limits limits = {1024 * 1024, 8 * 1024 * 1024, 0})
      : input_(std::move(input)), connection_(&loop_, this, &counters_, limits) {
    auto socket = ListenSocket::Claim("127.0.0.1", 0, 16);
    EXPECT_TRUE(socket.ok()) << socket.status();
    port_ = socket->port();
    listener_ = std::make_unique<Listener>(&loop_, [this](int fd) {
      ASSERT_TRUE(connection_.Open(fd));
      connection_.Start();
      listener_.reset();
    });
    EXPECT_TRUE(listener_->Start(*std::move(socket)).ok());
    thread_ = std::thread([this] { loop_.Run(); });
  }
  // REQUIRES: the connection was made, and closed by either side.
  ~OneConnection() override { thread_.join(); }

  Progress OnInput(std::string_view input, ByteBuffer* replies) override {
    return input_(input, replies);
  }
  void OnClosed() override { loop_.CloseMailbox(); }

  int port() const { return port_; }
  Loop& loop() { return loop_; }
  Connection& connection() { return connection_; }
  uint64_t Count(Counter id) const { return counters_.Get(id); }

 private:
  const Input input_;
  Loop loop_;
  CounterSet counters_;
  Connection connection_;
  std::unique_ptr<Listener> listener_;
  int port_ = 0;
  std::thread thread_;
};

using Next = ConnectionHandler::Next;
using Progress = ConnectionHandler::Progress;

Progress Echo(std::string_view input, ByteBuffer* replies) {
  replies->Append(input);
  return {input.size(), Next::kRead};
}

TEST(ConnectionTest, WhatIsNotConsumedComesAgainWithWhatFollows) {
  // Answers pairs of bytes, swapped.
  OneConnection server([](std::string_view input, ByteBuffer* replies) -> Progress {
    size_t i = 0;
    for (; i + 2 <= input.size(); i += 2) {
      const char swapped[] = {input[i + 1], input[i]};
      replies->Append({swapped, 2});
    }
    return {i, Next::kRead};
  });
  Client client(server.port());
  client.Send("abc");
  EXPECT_EQ(client.Read(2), "ba");
  client.Send("d");
  EXPECT_EQ(client.Read(2), "dc");
  client.Send("e");
  client.SendNoMore();
  EXPECT_TRUE(client.IsClosed());
}

TEST(ConnectionTest, AHandlerThatPausesIsCalledAgainUntilAllIsRun) {
  std::atomic<int> calls = 0;
  OneConnection server([&](std::string_view input, ByteBuffer* replies) -> Progress {
    ++calls;
    replies->Append(input.substr(0, 1));
    return {1, input.size() > 1 ? Next::kPause : Next::kRead};
  });
  Client client(server.port());
  client.Send("0123456789");
  EXPECT_EQ(client.Read(10), "0123456789");
  EXPECT_GE(calls, 10);
  client.SendNoMore();
  EXPECT_TRUE(client.IsClosed());
}

// More than the kernel holds, so that its sender is still at it when it is answered.
constexpr size_t kFlood = 32 * 1024 * 1024;

TEST(ConnectionTest, WhoIsToldTheLastWordWhileHeStillSendsGetsIt) {
  std::atomic<int> calls = 0;
  OneConnection server([&](std::string_view input, ByteBuffer* replies) -> Progress {
    ++calls;
    replies->Append("enough");
    return {input.size(), Next::kLinger};
  });
  Client client(server.port());
  client.Send(std::string(kFlood, 'x'));
  EXPECT_EQ(client.Read(6), "enough");
  client.SendNoMore();
  EXPECT_TRUE(client.IsClosed());
  EXPECT_EQ(calls, 1);
}

TEST(ConnectionTest, ThereIsAnEndToLingering) {
  OneConnection server([&](std::string_view input, ByteBuffer* replies) -> Progress {
    replies->Append("enough");
    return {input.size(), Next::kLinger};
  });
  Client client(server.port());
  client.Send("x");
  EXPECT_EQ(client.Read(7), "enough");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kDeadlineS);
  while (client.IsHeard() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(client.IsHeard());
}

// Two that both write and do not read would wait for each other for good.
TEST(ConnectionTest, OneThatReadsWhileBlockedHearsAClientThatDoesNotRead) {
  constexpr size_t kReply = 16 * 1024 * 1024;
  std::atomic<size_t> heard = 0;
  std::atomic<int> called_blocked = 0;
  std::atomic<OneConnection*> self = nullptr;
  std::atomic<bool> answered = false;
  OneConnection server(
      [&](std::string_view input, ByteBuffer* replies) -> Progress {
        heard += input.size();
        if (self.load()->connection().IsBlocked()) {
          ++called_blocked;
        } else if (!answered.exchange(true)) {
          replies->Append(std::string(kReply, 'x'));
        }
        return {input.size(), Next::kRead};
      },
      {.max_pending_bytes = 1024 * 1024,
       .max_unsent_bytes = 2 * kReply,
       .keepalive_s = 0,
       .reads_while_blocked = true});
  self = &server;
  Client client(server.port());
  // More than the kernel's buffers hold, and nothing is read here meanwhile.
  const std::string chunk(1024 * 1024, 'a');
  for (int i = 0; i < 32; ++i) client.Send(chunk);
  EXPECT_EQ(client.Read(kReply).size(), kReply);
  client.SendNoMore();
  EXPECT_TRUE(client.IsClosed());
  EXPECT_EQ(heard, 32u * chunk.size());
  EXPECT_GT(called_blocked, 0);
}

TEST(ConnectionTest, AClientThatDoesNotReadIsNotRunUntilItDoes) {
  // One byte costs a megabyte of replies.
  constexpr size_t kReply = 1024 * 1024;
  constexpr int kRequests = 64;
  std::atomic<int> answered = 0;
  OneConnection server([&](std::string_view input, ByteBuffer* replies) -> Progress {
    replies->Append(std::string(kReply, input[0]));
    ++answered;
    return {1, input.size() > 1 ? Next::kPause : Next::kRead};
  });
  Client client(server.port());
  std::string requests;
  for (int i = 0; i < kRequests; ++i) requests += static_cast<char>('0' + i);
  client.Send(requests);
  EXPECT_EQ(client.Read(1), "0");
  // What fits into the kernel's buffers on both sides, and one reply more, was run.
  EXPECT_LT(answered, kRequests / 2);
  std::string rest = client.Read(kRequests * kReply - 1);
  ASSERT_EQ(rest.size(), kRequests * kReply - 1);
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_EQ(rest[(static_cast<size_t>(i) + 1) * kReply - 2], static_cast<char>('0' + i));
  }
  EXPECT_EQ(answered, kRequests);
  client.SendNoMore();
  EXPECT_TRUE(client.IsClosed());
}

TEST(ConnectionTest, ClosesOnceTheLastReplyIsWrittenWhenTheHandlerSaysSo) {
  constexpr size_t kReply = 4 * 1024 * 1024;
  OneConnection server([](std::string_view, ByteBuffer* replies) -> Progress {
    replies->Append(std::string(kReply, 'x'));
    return {1, Next::kClose};
  });
  Client client(server.port());
  client.Send("ab");
  EXPECT_EQ(client.Read(kReply + 1).size(), kReply);
}

TEST(ConnectionTest, AnUnfinishedRequestBeyondItsBoundClosesTheConnection) {
  OneConnection server(
      [](std::string_view, ByteBuffer*) -> Progress {
        return {0, Next::kRead};
      },
      {.max_pending_bytes = 1000, .max_unsent_bytes = 1000, .keepalive_s = 0});
  Client client(server.port());
  client.Send(std::string(1001, 'x'));
  EXPECT_TRUE(client.IsClosed());
  EXPECT_EQ(server.Count(Counter::kQueryLimitDisconnections), 1u);
}

TEST(ConnectionTest, RepliesBeyondTheirBoundCloseTheConnection) {
  constexpr size_t kReply = 64 * 1024 * 1024;  // more than the kernel takes at once
  OneConnection server(
      [](std::string_view, ByteBuffer* replies) -> Progress {
        replies->Append(std::string(kReply, 'x'));
        return {1, Next::kRead};
      },
      {.max_pending_bytes = 1000, .max_unsent_bytes = 1024 * 1024, .keepalive_s = 0});
  Client client(server.port());
  client.Send("a");
  EXPECT_LT(client.Read(kReply).size(), kReply);
  EXPECT_EQ(server.Count(Counter::kOutputLimitDisconnections), 1u);
}

TEST(ConnectionTest, ADroppedClientGetsNothingMore) {
  OneConnection server([](std::string_view, ByteBuffer* replies) -> Progress {
    replies->Append("never seen");
    return {1, Next::kDrop};
  });
  Client client(server.port());
  client.Send("a");
  EXPECT_EQ(client.Read(1), "");
  EXPECT_EQ(server.Count(Counter::kOutputLimitDisconnections), 0u);
}

TEST(ConnectionTest, ADropForRepliesPastTheLimitIsCountedAsSuch) {
  OneConnection server(
      [](std::string_view, ByteBuffer* replies) -> Progress {
        replies->Append(std::string(1001, 'x'));
        return {1, Next::kDrop};
      },
      {.max_pending_bytes = 1000, .max_unsent_bytes = 1000, .keepalive_s = 0});
  Client client(server.port());
  client.Send("a");
  EXPECT_EQ(client.Read(1), "");
  EXPECT_EQ(server.Count(Counter::kOutputLimitDisconnections), 1u);
}

TEST(ConnectionTest, DrainingAnswersWhatHasArrivedAndThenCloses) {
  OneConnection server(Echo);
  Client client(server.port());
  client.Send("first");
  EXPECT_EQ(client.Read(5), "first");
  client.Send("last");
  server.loop().Post([&] { server.connection().CloseWhenDrained(); });
  EXPECT_EQ(client.Read(100), "last");
}

TEST(ConnectionTest, BytesAreCountedBothWays) {
  OneConnection server(Echo);
  Client client(server.port());
  client.Send("12345");
  EXPECT_EQ(client.Read(5), "12345");
  client.SendNoMore();
  EXPECT_TRUE(client.IsClosed());
  EXPECT_EQ(server.Count(Counter::kNetInputBytes), 5u);
  EXPECT_EQ(server.Count(Counter::kNetOutputBytes), 5u);
}

}  // namespace
}  // namespace gub
