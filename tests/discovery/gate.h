// Gate: passes TCP connections on to a port of 127.0.0.1, and can hold back or cut those whose
// first bytes contain a text.
//
// Threads:  one at a time; a thread of its own passes the bytes on.

#ifndef GUB_TESTS_DISCOVERY_GATE_H_
#define GUB_TESTS_DISCOVERY_GATE_H_

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/deadline.h"

namespace gub {

class Gate {
 public:
  explicit Gate(int to_port) : to_port_(to_port), listener_(Socket()) {
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof(address);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~Gate() {
    {
      const std::lock_guard lock(mu_);
      stop_ = true;
    }
    thread_.join();
    for (const Pair& pair : pairs_) Close(pair);
    close(listener_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // From now on, bytes towards the port that contain `text` wait, and all that follow them.
  void Hold(const std::string& text) {
    const std::lock_guard lock(mu_);
    held_text_ = text;
  }
  // Whether something waits.
  bool Holds() {
    return Eventually([this] {
      const std::lock_guard lock(mu_);
      return holding_;
    });
  }
  void Release() { Hold(""); }

  // Cuts every connection that there is.
  void Cut() {
    {
      const std::lock_guard lock(mu_);
      cut_ = true;
    }
    Eventually([this] {
      const std::lock_guard lock(mu_);
      return !cut_;
    });
  }

 private:
  struct Pair {
    int client;
    int server;
    std::string unsent = {};  // towards the server
  };

  static int Socket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
  static sockaddr_in Loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static void Close(const Pair& pair) {
    close(pair.client);
    close(pair.server);
  }

  void Run() {
    for (;;) {
      std::vector<pollfd> fds = {{listener_, POLLIN, 0}};
      for (const Pair& pair : pairs_) {
        fds.push_back({pair.client, POLLIN, 0});
        fds.push_back({pair.server, POLLIN, 0});
      }
      poll(fds.data(), fds.size(), 5);
      const std::lock_guard lock(mu_);
      if (stop_) return;
      if (std::exchange(cut_, false)) {
        for (const Pair& pair : pairs_) Close(pair);
        pairs_.clear();
        continue;
      }
      holding_ = false;
      size_t at = 1;
      for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
        const bool open = PassOn(&*pair, fds[at].revents != 0, fds[at + 1].revents != 0);
        if (!open) Close(*pair);
        pair = open ? std::next(pair) : pairs_.erase(pair);
      }
      if (fds[0].revents != 0) Accept();
    }
  }

  void Accept() {
    const Pair pair{accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), Socket()};
    const sockaddr_in address = Loopback(to_port_);
    if (connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      return Close(pair);
    }
    pairs_.push_back(pair);
  }

  // False when one side has closed.
  bool PassOn(Pair* pair, bool from_client, bool from_server) {
    std::array<char, 16384> chunk;
    if (from_server) {
      const ssize_t count = read(pair->server, chunk.data(), chunk.size());
      if (count <= 0) return false;
      send(pair->client, chunk.data(), static_cast<size_t>(count), MSG_NOSIGNAL);
    }
    if (from_client) {
      const ssize_t count = read(pair->client, chunk.data(), chunk.size());
      if (count <= 0) return false;
      pair->unsent.append(chunk.data(), static_cast<size_t>(count));
    }
    if (!held_text_.empty() && pair->unsent.find(held_text_) != std::string::npos) {
      holding_ = true;
      return true;
    }
    send(pair->server, pair->unsent.data(), pair->unsent.size(), MSG_NOSIGNAL);
    pair->unsent.clear();
    return true;
  }

  const int to_port_;
  const int listener_;
  int port_ = 0;
  std::list<Pair> pairs_;  // of the gate's thread

  std::mutex mu_;
  bool stop_ = false;      // guarded by mu_
  bool cut_ = false;       // guarded by mu_
  bool holding_ = false;   // guarded by mu_
  std::string held_text_;  // guarded by mu_

  std::thread thread_;
};

}  // namespace gub

#endif  // GUB_TESTS_DISCOVERY_GATE_H_
