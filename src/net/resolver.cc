#include "net/resolver.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"
#include "net/timer.h"

namespace gub {

namespace {

constexpr int kTimeoutMs = 2000;  // of the first try; c-ares doubles it for each further one
constexpr int kTries = 2;

bool IsAbsent(int status) { return status == ARES_ENOTFOUND || status == ARES_ENODATA; }

absl::Status Failure(const std::string& name, int status) {
  const std::string text = fmt::format("'{}' {}", name,
                                       status == ARES_ENOTFOUND ? "does not exist"
                                       : status == ARES_ENODATA ? "has no such records"
                                                                : "could not be resolved: ");
  if (IsAbsent(status)) return absl::NotFoundError(text);
  return absl::UnavailableError(text + ares_strerror(status));
}

// Reads records in the form of the wire. c-ares leaves the TTL of SRV records out.
class AnswerReader {
 public:
  explicit AnswerReader(std::span<const unsigned char> message) : message_(message) {}

  // The least TTL of the answer's records; nothing when it is cut off.
  std::optional<int64_t> LeastTtl() {
    if (message_.size() < HFIXEDSZ) return std::nullopt;
    int questions = ReadNumber(4, 2);
    int answers = ReadNumber(6, 2);
    at_ = HFIXEDSZ;
    for (; questions > 0; --questions) {
      if (!SkipName() || !Skip(QFIXEDSZ)) return std::nullopt;
    }
    std::optional<int64_t> least;
    for (; answers > 0; --answers) {
      if (!SkipName()) return std::nullopt;
      const size_t record = at_;
      if (!Skip(RRFIXEDSZ) || !Skip(static_cast<size_t>(ReadNumber(record + 8, 2)))) {
        return std::nullopt;
      }
      const int64_t ttl_s = ReadNumber(record + 4, 4);
      least = std::min(ttl_s, least.value_or(ttl_s));
    }
    return least;
  }

 private:
  uint32_t ReadNumber(size_t at, size_t bytes) const {
    uint32_t number = 0;
    for (size_t i = at; i < at + bytes; ++i) number = number << 8 | message_[i];
    return number;
  }
  bool Skip(size_t bytes) {
    at_ += bytes;
    return at_ <= message_.size();
  }
  bool SkipName() {
    char* name = nullptr;
    long bytes = 0;
    if (ares_expand_name(message_.data() + at_, message_.data(), static_cast<int>(message_.size()),
                         &name, &bytes) != ARES_SUCCESS) {
      return false;
    }
    ares_free_string(name);
    return Skip(static_cast<size_t>(bytes));
  }

  const std::span<const unsigned char> message_;
  size_t at_ = 0;
};

absl::StatusOr<Resolver::Services> ReadServices(const std::string& name,
                                                std::span<const unsigned char> message) {
  ares_srv_reply* records = nullptr;
  const int status =
      ares_parse_srv_reply(message.data(), static_cast<int>(message.size()), &records);
  if (status != ARES_SUCCESS) return Failure(name, status);
  Resolver::Services read{{}, AnswerReader(message).LeastTtl().value_or(0)};
  for (const ares_srv_reply* record = records; record != nullptr; record = record->next) {
    // The root as a host says that there is decidedly no such service.
    if (*record->host == '\0') continue;
    read.services.push_back({record->host, record->port, record->weight});
  }
  ares_free_data(records);
  if (read.services.empty()) return Failure(name, ARES_ENODATA);
  return read;
}

// Appends what c-ares found and keeps the least TTL. Addresses come without their scope.
void ReadAddresses(const ares_addrinfo& found, Resolver::Addresses* addresses) {
  const auto keep_least = [&](int ttl_s) {
    addresses->ttl_s = std::min<int64_t>(addresses->ttl_s, ttl_s);
  };
  for (const auto* name = found.cnames; name != nullptr; name = name->next) keep_least(name->ttl);
  for (const auto* node = found.nodes; node != nullptr; node = node->ai_next) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int error =
        node->ai_family == AF_INET
            ? uv_ip4_name(reinterpret_cast<sockaddr_in*>(node->ai_addr), text.data(), text.size())
            : uv_ip6_name(reinterpret_cast<sockaddr_in6*>(node->ai_addr), text.data(), text.size());
    if (error != 0) continue;
    addresses->hosts.emplace_back(text.data());
    keep_least(node->ai_ttl);
  }
}

// Two halves, A and AAAA, of which each counts down.
struct AddressQuestion {
  std::string name;
  Resolver::OnAddresses on_addresses;
  Resolver::Addresses addresses{{}, INT64_MAX};
  int open_halves = 2;
  int status = ARES_ENODATA;  // the worst of the two

  // An address that is asked for as if it were a name comes in both halves.
  absl::StatusOr<Resolver::Addresses> Answer() {
    std::vector<std::string>& hosts = addresses.hosts;
    if (!IsAbsent(status) || hosts.empty()) return Failure(name, status);
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    return addresses;
  }
};

}  // namespace

// c-ares' channel on the loop: a poll for each of its sockets, a timer, and the answers, which are
// handed on only when c-ares is done with its own work, so that whoever gets one may ask again.
class Resolver::Channel {
 public:
  Channel(Loop* loop, std::string server)
      : loop_(loop), server_(std::move(server)), timer_(loop, [this] { Process(nullptr, 0); }) {}
  ~Channel() { Close(); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Whether c-ares takes the settings: ARES_SUCCESS, or why it does not.
  int Check() {
    const int status = Open();
    Close();
    return status;
  }
  void AskAddresses(const std::string& name, OnAddresses on_addresses);
  void AskServices(const std::string& name, OnServices on_services);

 private:
  struct Poll {
    uv_poll_t poll;
    Channel* channel;
    ares_socket_t fd;
  };
  struct AddressHalf {
    Channel* channel;
    std::shared_ptr<AddressQuestion> question;
  };
  struct ServiceQuestion {
    Channel* channel;
    std::string name;
    OnServices on_services;
  };

  // ARES_SUCCESS when it is open now.
  int Open();
  void Close();
  void Watch(ares_socket_t fd, int events);
  void Process(const Poll* poll, int events);
  void WaitForMore();
  void OnHalf(const AddressHalf& half, int status, const ares_addrinfo* found);
  void OnServiceAnswer(const ServiceQuestion& question, int status,
                       std::span<const unsigned char> message);
  void Finish(std::function<void()> hand_on);

  Loop* const loop_;
  const std::string server_;
  Timer timer_;
  ares_channel ares_ = nullptr;
  bool closing_ = false;
  size_t open_questions_ = 0;
  std::map<ares_socket_t, Poll*> polls_;
  std::vector<std::function<void()>> answers_;
};

// A name that stands for this machine wherever it is asked (RFC 6761, 6.3). c-ares 1.18 knows that
// too, but loses some memory each time.
bool IsLocalhost(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  constexpr std::string_view kName = "localhost";
  if (name.size() < kName.size()) return false;
  const std::string_view end = name.substr(name.size() - kName.size());
  const bool is_whole = end.size() == name.size() || name[name.size() - kName.size() - 1] == '.';
  return is_whole && EqualsIgnoreCase(end, kName);
}

int Resolver::Channel::Open() {
  if (ares_ != nullptr) return ARES_SUCCESS;
  ares_options options{};
  options.timeout = kTimeoutMs;
  options.tries = kTries;
  options.sock_state_cb_data = this;
  options.sock_state_cb = [](void* self, ares_socket_t fd, int readable, int writable) noexcept {
    static_cast<Channel*>(self)->Watch(
        fd, (readable != 0 ? UV_READABLE : 0) | (writable != 0 ? UV_WRITABLE : 0));
  };
  const int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  const int status = ares_init_options(&ares_, &options, mask);
  if (status != ARES_SUCCESS) {
    ares_ = nullptr;
    return status;
  }
  if (server_.empty()) return ARES_SUCCESS;
  const int server_status = ares_set_servers_ports_csv(ares_, server_.c_str());
  if (server_status != ARES_SUCCESS) Close();
  return server_status;
}

// What is still asked is answered by c-ares within ares_destroy, and heard by nobody.
void Resolver::Channel::Close() {
  if (ares_ == nullptr) return;
  closing_ = true;
  ares_destroy(std::exchange(ares_, nullptr));
  closing_ = false;
  timer_.Stop();
}

void Resolver::Channel::Watch(ares_socket_t fd, int events) {
  const auto known = polls_.find(fd);
  if (events == 0) {
    if (known == polls_.end()) return;
    uv_close(reinterpret_cast<uv_handle_t*>(&known->second->poll),
             [](uv_handle_t* handle) noexcept { delete static_cast<Poll*>(handle->data); });
    polls_.erase(known);
    return;
  }
  Poll* poll = known == polls_.end() ? nullptr : known->second;
  if (poll == nullptr) {
    poll = new Poll{{}, this, fd};
    // Of a fresh socket this fails only without memory; then the question times out.
    if (uv_poll_init(loop_->uv(), &poll->poll, fd) != 0) return delete poll;
    poll->poll.data = poll;
    polls_[fd] = poll;
  }
  uv_poll_start(&poll->poll, events, [](uv_poll_t* handle, int status, int ready) noexcept {
    const auto* const polled = static_cast<Poll*>(handle->data);
    polled->channel->Process(polled, status < 0 ? UV_READABLE | UV_WRITABLE : ready);
  });
}

void Resolver::Channel::Process(const Poll* poll, int events) {
  if (ares_ != nullptr) {
    const ares_socket_t fd = poll == nullptr ? ARES_SOCKET_BAD : poll->fd;
    ares_process_fd(ares_, (events & UV_READABLE) != 0 ? fd : ARES_SOCKET_BAD,
                    (events & UV_WRITABLE) != 0 ? fd : ARES_SOCKET_BAD);
  }
  std::vector<std::function<void()>> answers;
  answers.swap(answers_);
  for (const std::function<void()>& hand_on : answers) hand_on();
  WaitForMore();
}

void Resolver::Channel::WaitForMore() {
  if (!answers_.empty()) return timer_.Start(0, 0);
  if (open_questions_ == 0) return Close();
  timeval wait{};
  ares_timeout(ares_, nullptr, &wait);
  timer_.Start(wait.tv_sec * 1000 + wait.tv_usec / 1000 + 1, 0);
}

void Resolver::Channel::Finish(std::function<void()> hand_on) {
  --open_questions_;
  answers_.push_back(std::move(hand_on));
}

void Resolver::Channel::AskAddresses(const std::string& name, OnAddresses on_addresses) {
  auto question = std::make_shared<AddressQuestion>();
  question->name = name;
  question->on_addresses = std::move(on_addresses);
  ++open_questions_;
  if (IsLocalhost(name)) {
    question->addresses = {{"127.0.0.1", "::1"}, 0};
    Finish([question] { question->on_addresses(question->Answer()); });
    return WaitForMore();
  }
  const int open_status = Open();
  for (const int family : {AF_INET, AF_INET6}) {
    if (open_status != ARES_SUCCESS) {
      OnHalf({this, question}, open_status, nullptr);
      continue;
    }
    ares_addrinfo_hints hints{};
    hints.ai_family = family;
    // Sorting would open a socket to each address; a socket type, or each comes several times.
    hints.ai_flags = ARES_AI_NOSORT;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(
        ares_, name.c_str(), nullptr, &hints,
        [](void* data, int status, int /*timeouts*/, ares_addrinfo* found) noexcept {
          const std::unique_ptr<AddressHalf> half(static_cast<AddressHalf*>(data));
          half->channel->OnHalf(*half, status, found);
          if (found != nullptr) ares_freeaddrinfo(found);
        },
        new AddressHalf{this, question});
  }
  WaitForMore();
}

void Resolver::Channel::OnHalf(const AddressHalf& half, int status, const ares_addrinfo* found) {
  if (closing_) return;
  AddressQuestion& question = *half.question;
  if (status == ARES_SUCCESS && found != nullptr) {
    ReadAddresses(*found, &question.addresses);
  } else if (!IsAbsent(status) || (status == ARES_ENOTFOUND && IsAbsent(question.status))) {
    question.status = status;
  }
  if (--question.open_halves > 0) return;
  Finish([question = half.question] { question->on_addresses(question->Answer()); });
}

void Resolver::Channel::AskServices(const std::string& name, OnServices on_services) {
  ++open_questions_;
  std::unique_ptr<ServiceQuestion> question(
      new ServiceQuestion{this, name, std::move(on_services)});
  const int open_status = Open();
  if (open_status != ARES_SUCCESS) {
    OnServiceAnswer(*question, open_status, {});
  } else {
    ares_search(
        ares_, name.c_str(), ns_c_in, ns_t_srv,
        [](void* data, int status, int, unsigned char* message, int bytes) noexcept {
          const std::unique_ptr<ServiceQuestion> asked(static_cast<ServiceQuestion*>(data));
          asked->channel->OnServiceAnswer(*asked, status, {message, static_cast<size_t>(bytes)});
        },
        question.release());
  }
  WaitForMore();
}

void Resolver::Channel::OnServiceAnswer(const ServiceQuestion& question, int status,
                                        std::span<const unsigned char> message) {
  if (closing_) return;
  absl::StatusOr<Services> services = status == ARES_SUCCESS ? ReadServices(question.name, message)
                                                             : Failure(question.name, status);
  Finish([on_services = question.on_services, services = std::move(services)] {
    on_services(services);
  });
}

absl::StatusOr<std::unique_ptr<Resolver>> Resolver::Create(Loop* loop, const std::string& server) {
  auto channel = std::make_unique<Channel>(loop, server);
  if (const int status = channel->Check(); status != ARES_SUCCESS && !server.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("'{}' is not the address of a name server: {}", server, ares_strerror(status)));
  }
  return std::unique_ptr<Resolver>(new Resolver(std::move(channel)));
}

Resolver::Resolver(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}

Resolver::~Resolver() = default;

void Resolver::AskAddresses(const std::string& name, OnAddresses on_addresses) {
  channel_->AskAddresses(name, std::move(on_addresses));
}

void Resolver::AskServices(const std::string& name, OnServices on_services) {
  channel_->AskServices(name, std::move(on_services));
}

}  // namespace gub
