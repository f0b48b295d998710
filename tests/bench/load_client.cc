// A load for one server, and how long its replies took.
//
//   load_client --port N [--connections 50] [--pipeline 1] [--seconds 3] [--requests 0] [--rate 0]
//               [--keys 100000] [--reply-lines 4] COMMAND [ARGUMENT...]
//
// In an argument `%k` stands for twelve digits of 0 to --keys - 1, at random, and `%n` for the same
// in turn, so that --requests K --keys K meets each once. --reply-lines is how many lines a reply
// has (GUB.HIT 4, PING 1). The load ends after --seconds, or after --requests when that is not 0.
//
// With --rate 0 each connection sends its next pipeline when the replies to the last are there
// (closed loop). With --rate R, R requests a second are sent in all, each at its time, whether
// replies have come or not, and a latency counts from when its request was due (open loop): a
// server that stalls is not spared the requests that came meanwhile. Nor those that it never
// answers: they count with the 5 s that are waited for them.
//
// Prints one line: requests=N per_second=N p50_us=N p99_us=N p999_us=N max_us=N unanswered=N. One
// thread.
// Exit codes: 0 measured, 1 the server closed or answered with an error, 2 wrong arguments.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace gub {
namespace {

struct Options {
  std::map<std::string, int64_t, std::less<>> numbers = {
      {"port", 0},     {"connections", 50}, {"pipeline", 1},   {"seconds", 3},
      {"requests", 0}, {"rate", 0},         {"keys", 100'000}, {"reply-lines", 4}};
  std::vector<std::string> command;

  int64_t operator[](const char* name) const { return numbers.at(name); }
};

[[noreturn]] void Fail(int status, const char* what) {
  std::fprintf(stderr, "load_client: %s\n", what);
  std::exit(status);
}

Options ReadOptions(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at + 1 < argc && std::strncmp(argv[at], "--", 2) == 0; at += 2) {
    const auto row = options.numbers.find(std::string_view(argv[at] + 2));
    const std::string_view text = argv[at + 1];
    if (row == options.numbers.end()) Fail(2, "unknown option");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row->second);
    if (error != std::errc() || end != text.data() + text.size()) Fail(2, "not a number");
  }
  options.command.assign(argv + at, argv + argc);
  if (options["port"] == 0 || options.command.empty()) Fail(2, "--port and a command are needed");
  return options;
}

// One request after the other: always the same bytes but for the digits of the keys.
class Requests {
 public:
  Requests(const std::vector<std::string>& words, int64_t keys)
      : bytes_("*" + std::to_string(words.size()) + "\r\n"), keys_(static_cast<uint64_t>(keys)) {
    for (std::string word : words) {
      const size_t at = std::min(word.find("%k"), word.find("%n"));
      const bool has_key = at != std::string::npos;
      const bool in_turn = has_key && word[at + 1] == 'n';
      if (has_key) word.replace(at, 2, kDigits, '0');
      bytes_ += "$" + std::to_string(word.size()) + "\r\n";
      if (has_key) places_.push_back({bytes_.size() + at, in_turn});
      bytes_ += word + "\r\n";
    }
  }

  // Valid until the next call.
  std::string_view Next() {
    for (const Place& place : places_) {
      uint64_t number = (place.in_turn ? turn_ : random_()) % keys_;
      for (size_t digit = kDigits; digit-- > 0; number /= 10) {
        bytes_[place.at + digit] = static_cast<char>('0' + number % 10);
      }
    }
    ++turn_;
    return bytes_;
  }

 private:
  struct Place {
    size_t at;
    bool in_turn;
  };
  static constexpr size_t kDigits = 12;

  std::string bytes_;
  std::vector<Place> places_;
  const uint64_t keys_;
  uint64_t turn_ = 0;
  std::minstd_rand random_{1};
};

int64_t NowNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

class Connection {
 public:
  explicit Connection(int64_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
      Fail(1, "cannot connect");
    }
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    fcntl(fd_, F_SETFL, O_NONBLOCK);
  }

  int fd() const { return fd_; }
  // When the requests without a reply were due.
  const std::deque<int64_t>& waiting() const { return due_ns_; }

  // Adds a request that was due then to what Flush sends.
  void Add(std::string_view request, int64_t due_ns) {
    unsent_ += request;
    due_ns_.push_back(due_ns);
  }

  void Flush() {
    while (!unsent_.empty()) {
      const ssize_t n = send(fd_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) Fail(1, "the server closed the connection");
      unsent_.erase(0, static_cast<size_t>(n));
    }
  }

  // Calls done(latency_ns) for each reply that has come.
  template <typename Done>
  void Read(int64_t reply_lines, const Done& done) {
    char bytes[65536];
    while (true) {
      const ssize_t n = recv(fd_, bytes, sizeof(bytes), 0);
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) Fail(1, "the server closed the connection");
      const int64_t now_ns = NowNs();
      const std::string_view got(bytes, static_cast<size_t>(n));
      if (lines_ == 0 && got[0] == '-') Fail(1, std::string(got.substr(0, 200)).c_str());
      for (size_t end = got.find('\n'); end != got.npos; end = got.find('\n', end + 1)) {
        if (++lines_ < reply_lines) continue;
        lines_ = 0;
        done(now_ns - due_ns_.front());
        due_ns_.pop_front();
      }
    }
  }

 private:
  const int fd_;
  std::string unsent_;
  std::deque<int64_t> due_ns_;  // of the requests without a reply
  int64_t lines_ = 0;           // of the reply that is coming in
};

class Load {
 public:
  explicit Load(const Options& options)
      : options_(options),
        epoll_(epoll_create1(0)),
        requests_(options.command, std::max<int64_t>(options["keys"], 1)) {
    for (int64_t i = 0; i < options["connections"]; ++i) {
      connections_.emplace_back(options["port"]);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = static_cast<uint64_t>(i);
      epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_.back().fd(), &event);
    }
  }

  void Run() {
    start_ns_ = NowNs();
    end_ns_ = start_ns_ + options_["seconds"] * 1'000'000'000;
    if (options_["rate"] > 0) {
      SendOnTime();
    } else {
      for (Connection& connection : connections_) SendPipeline(&connection);
      while (!IsOver()) Poll(100);
    }
    per_second_ =
        static_cast<double>(latencies_ns_.size()) * 1e9 / static_cast<double>(NowNs() - start_ns_);
    const int64_t give_up_ns = NowNs() + kPatienceNs;
    closing_ = true;
    while (Waiting() && NowNs() < give_up_ns) Poll(10);
    for (const Connection& connection : connections_) {
      for (const int64_t due_ns : connection.waiting()) latencies_ns_.push_back(NowNs() - due_ns);
      unanswered_ += connection.waiting().size();
    }
  }

  void Report() {
    std::sort(latencies_ns_.begin(), latencies_ns_.end());
    if (latencies_ns_.empty()) Fail(1, "there was no reply");
    const auto at = [this](double share) {
      const double index = share * static_cast<double>(latencies_ns_.size() - 1);
      return static_cast<double>(latencies_ns_[static_cast<size_t>(index)]) / 1000;
    };
    std::printf(
        "requests=%zu per_second=%.0f p50_us=%.1f p99_us=%.1f p999_us=%.1f max_us=%.1f "
        "unanswered=%zu\n",
        latencies_ns_.size(), per_second_, at(0.5), at(0.99), at(0.999), at(1), unanswered_);
  }

 private:
  static constexpr int64_t kPatienceNs = 5'000'000'000;

  bool IsOver() const {
    const int64_t requests = options_["requests"];
    return requests > 0 ? sent_ >= requests : NowNs() >= end_ns_;
  }

  bool Waiting() const {
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const Connection& one) { return !one.waiting().empty(); });
  }

  void SendOnTime() {
    const double interval_ns = 1e9 / static_cast<double>(options_["rate"]);
    while (!IsOver()) {
      while (true) {
        const int64_t due_ns =
            start_ns_ + static_cast<int64_t>(static_cast<double>(sent_) * interval_ns);
        if (due_ns > NowNs() || IsOver()) break;
        Connection& connection = connections_[static_cast<size_t>(sent_) % connections_.size()];
        connection.Add(requests_.Next(), due_ns);
        connection.Flush();
        ++sent_;
      }
      Poll(0);
    }
  }

  void SendPipeline(Connection* connection) {
    const int64_t now_ns = NowNs();
    for (int64_t i = options_["pipeline"]; i > 0; --i) connection->Add(requests_.Next(), now_ns);
    sent_ += options_["pipeline"];
    connection->Flush();
  }

  void Poll(int timeout_ms) {
    epoll_event events[64];
    const int count = epoll_wait(epoll_, events, 64, timeout_ms);
    for (int i = 0; i < count; ++i) {
      Connection& connection = connections_[events[i].data.u64];
      connection.Read(options_["reply-lines"],
                      [this](int64_t latency_ns) { latencies_ns_.push_back(latency_ns); });
      connection.Flush();
      const bool goes_on = options_["rate"] == 0 && !closing_ && !IsOver();
      if (goes_on && connection.waiting().empty()) SendPipeline(&connection);
    }
  }

  const Options& options_;
  const int epoll_;
  std::deque<Connection> connections_;
  Requests requests_;
  std::vector<int64_t> latencies_ns_;
  int64_t start_ns_ = 0;
  int64_t end_ns_ = 0;
  int64_t sent_ = 0;
  bool closing_ = false;
  size_t unanswered_ = 0;
  double per_second_ = 0;
};

}  // namespace
}  // namespace gub

int main(int argc, char** argv) {
  const gub::Options options = gub::ReadOptions(argc, argv);
  gub::Load load(options);
  load.Run();
  load.Report();
  return 0;
}
