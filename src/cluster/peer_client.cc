#include "cluster/peer_client.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr size_t kMaxAnswerBytes = size_t{4} * 1024 * 1024;
constexpr ReplyLimits kReplyLimits = {.max_bulk_bytes = kMaxAnswerBytes, .max_items = 16};
constexpr Connection::Limits kWireLimits = {.max_pending_bytes = 2 * kMaxAnswerBytes,
                                            .max_unsent_bytes = size_t{64} * 1024 * 1024,
                                            .keepalive_s = 60};

int64_t NowUs() { return MonotonicNs() / 1000; }

void AppendCommand(std::initializer_list<std::string_view> words, std::string* out) {
  *out += fmt::format("*{}\r\n", words.size());
  for (std::string_view word : words) {
    *out += fmt::format("${}\r\n", word.size());
    out->append(word);
    *out += "\r\n";
  }
}

}  // namespace

// A connection and what is to be written to it. It outlives its client when it was told to close:
// libuv lets go of it later.
class PeerClient::Wire : public ConnectionHandler {
 public:
  Wire(PeerClient* client, const Place& place)
      : client_(client), connection_(place.loop, this, place.counters, kWireLimits) {}

  bool Open(int fd) {
    if (!connection_.Open(fd)) return false;
    connection_.Start();
    return true;
  }
  void Send(std::string_view bytes) { out_.Append(bytes); }
  void Pump() {
    if (!out_.empty()) connection_.Wake();
  }
  // Its client hears no more of it.
  void Drop() {
    client_ = nullptr;
    connection_.Close();
  }

  Progress OnInput(std::string_view input, ByteBuffer* replies) override {
    const size_t consumed = client_ == nullptr ? input.size() : client_->OnReplies(input);
    replies->Append(out_.view());
    out_.Clear();
    out_.Trim(kMaxAnswerBytes);
    return {consumed, client_ == nullptr ? Next::kDrop : Next::kRead};
  }
  bool HasPending() const override { return !out_.empty(); }
  void OnClosed() override {
    PeerClient* const client = std::exchange(client_, nullptr);
    if (client != nullptr) {
      client->wire_ = nullptr;  // Disconnect has nothing to drop then
      client->link_.OnClosed(NowUs());
      client->AfterEvent();
    }
    delete this;
  }

 private:
  PeerClient* client_;
  Connection connection_;
  ByteBuffer out_;
};

PeerClient::PeerClient(const Place& place, std::string address)
    : place_(place),
      address_(std::move(address)),
      random_(std::random_device()()),
      dialer_(place.loop),
      timer_(place.loop,
             [this] {
               config_.Refresh();
               link_.set_limits(Limits());
               link_.OnTick(NowUs());
               AfterEvent();
             }),
      config_(*place.config),
      link_(this, Limits()) {}

PeerClient::~PeerClient() {
  *alive_ = nullptr;
  link_.Close(NowUs());
  Disconnect();
}

PeerLimits PeerClient::Limits() const {
  return {.timeout_ms = config_->peer_timeout_ms,
          .batch_wait_us = config_->batch_wait_us,
          .batch_limit = static_cast<size_t>(config_->batch_limit)};
}

bool PeerClient::Forward(const PeerRequest& request, Outcome outcome) {
  const uint64_t token = next_token_++;
  // First, for a full batch leaves at once, and may fail at once.
  outcomes_[token] = std::move(outcome);
  if (link_.Forward(token, request, NowUs())) {
    Soon();
    return true;
  }
  outcomes_.erase(token);
  return false;
}

// At the end of the loop's turn, when all that it has brought is in the queue.
void PeerClient::Soon() {
  if (std::exchange(soon_, true)) return;
  place_.loop->Soon([alive = alive_] {
    PeerClient* const client = *alive;
    if (client == nullptr) return;
    client->soon_ = false;
    client->link_.Flush(NowUs());
    if (client->wire_ != nullptr) client->wire_->Pump();
    client->AfterEvent();
  });
}

// What is due next.
void PeerClient::AfterEvent() {
  const std::optional<int64_t> next_us = link_.NextTickUs();
  if (next_us) {
    timer_.Start(std::max<int64_t>((*next_us - NowUs() + 999) / 1000, 0), 0);
  } else {
    timer_.Stop();
  }
}

void PeerClient::Settle(uint64_t token, const PeerAnswer* answer) {
  const auto found = outcomes_.find(token);
  if (found == outcomes_.end()) return;
  const Outcome outcome = std::move(found->second);
  outcomes_.erase(found);
  outcome(answer);
}

void PeerClient::OnAnswered(uint64_t token, const PeerAnswer& answer) { Settle(token, &answer); }
void PeerClient::OnFailed(uint64_t token) { Settle(token, nullptr); }

void PeerClient::Connect() {
  const HostPort target = SplitAddress(address_);
  dialer_.Dial(target.host, target.port, [this](int fd, const std::string& error) {
    OnDialled(fd, error);
    AfterEvent();
  });
}

void PeerClient::OnDialled(int fd, const std::string& error) {
  if (fd < 0) {
    GUB_LOG_EVERY(5000, warn, "a peer cannot be reached address={} error=\"{}\"", address_, error);
    return link_.OnClosed(NowUs());
  }
  wire_ = new Wire(this, place_);
  if (wire_->Open(fd)) return link_.OnConnected(NowUs());
  std::exchange(wire_, nullptr)->Drop();
  link_.OnClosed(NowUs());
}

void PeerClient::Disconnect() {
  dialer_.Cancel();
  if (phase_ == Phase::kReady) place_.cluster->CountLink(address_, -1);
  phase_ = Phase::kNone;
  if (wire_ != nullptr) std::exchange(wire_, nullptr)->Drop();
}

void PeerClient::Greet() {
  greeting_ = {place_.cluster->identity(), {}, RandomHex(kNonceBytes), ""};
  phase_ = Phase::kHello;
  const PeerIdentity& self = greeting_.asker;
  std::string hello;
  AppendCommand({"GUB.PEER", "HELLO", std::to_string(kPeerProtocol), self.id, self.address,
                 std::to_string(self.digest), greeting_.asker_nonce},
                &hello);
  Send(hello);
}

void PeerClient::Write(const PeerBatch& batch) {
  std::string command;
  AppendCommand({"GUB.PEER", "BATCH", std::to_string(batch.number),
                 std::to_string(batch.expires_mono_ms), batch.requests},
                &command);
  Send(command);
}

void PeerClient::Send(std::string_view bytes) {
  if (wire_ == nullptr) return;
  wire_->Send(bytes);
  Soon();
}

size_t PeerClient::OnReplies(std::string_view bytes) {
  size_t done = 0;
  while (wire_ != nullptr) {
    ReplyValue reply;
    size_t consumed = 0;
    const ReplyOutcome outcome = ReadReply(bytes.substr(done), kReplyLimits, &reply, &consumed);
    if (outcome == ReplyOutcome::kNeedMore) break;
    const bool goes_on = outcome == ReplyOutcome::kValue && OnReply(reply);
    done += consumed;
    if (!goes_on) link_.OnClosed(NowUs());
  }
  AfterEvent();
  return wire_ == nullptr ? bytes.size() : done;
}

bool PeerClient::OnReply(const ReplyValue& reply) {
  if (reply.type == ReplyValue::Type::kError) return Refuse(reply.text);
  switch (phase_) {
    case Phase::kHello:
      return OnWelcome(reply);
    case Phase::kProve:
      if (reply.type != ReplyValue::Type::kSimple) return Refuse("it answers out of step");
      phase_ = Phase::kReady;
      place_.cluster->CountLink(address_, 1);
      GUB_LOG(info, "a peer is connected address={} id={}", address_, greeting_.answerer.id);
      return true;
    case Phase::kReady:
      return OnBatchAnswer(reply);
    case Phase::kNone:
      return false;
  }
  return false;
}

bool PeerClient::Refuse(std::string_view why) {
  GUB_LOG_EVERY(5000, warn, "a peer and this node do not agree address={} reason=\"{}\"", address_,
                Escape(why, 200));
  return false;
}

bool PeerClient::OnWelcome(const ReplyValue& reply) {
  using Type = ReplyValue::Type;
  const auto& items = reply.items;
  const bool has_shape = items.size() == 7 && items[0].type == Type::kInteger &&
                         items[6].type == Type::kInteger &&
                         std::all_of(items.begin() + 1, items.end() - 1,
                                     [](const auto& item) { return item.type == Type::kBulk; });
  if (!has_shape) return Refuse("it does not greet as a node of Gub does");
  PeerIdentity& peer = greeting_.answerer;
  peer = {std::string(items[1].text), std::string(items[2].text), 0};
  greeting_.answerer_nonce = items[4].text;
  const std::string why_not = WhyNoPeer(items[0].integer, greeting_.asker, peer);
  if (!why_not.empty()) return Refuse(why_not);
  if (!IsSecret(items[5].text, AnswererProof(greeting_, config_->cluster_secret))) {
    return Refuse("its cluster-secret is another");
  }
  same_view_ = items[3].text == std::to_string(greeting_.asker.digest);
  if (!same_view_) {
    place_.cluster->view_mismatches.fetch_add(1);
    GUB_LOG_EVERY(
        5000, warn,
        "a peer sees another cluster, its members, weights or time zone differ address={}",
        address_);
  }
  std::string prove;
  AppendCommand({"GUB.PEER", "PROVE", AskerProof(greeting_, config_->cluster_secret)}, &prove);
  phase_ = Phase::kProve;
  Send(prove);
  link_.OnGreeted(items[6].integer, NowUs());
  return true;
}

// [number, time, late, answers]
bool PeerClient::OnBatchAnswer(const ReplyValue& reply) {
  using Type = ReplyValue::Type;
  const auto& items = reply.items;
  const bool has_shape = items.size() == 4 && items[0].type == Type::kInteger &&
                         items[1].type == Type::kInteger && items[2].type == Type::kInteger &&
                         items[3].type == Type::kBulk;
  if (!has_shape) return Refuse("it answers out of step");
  link_.OnAnswer({static_cast<uint64_t>(items[0].integer), items[1].integer, items[3].text,
                  items[2].integer != 0},
                 NowUs());
  return true;
}

}  // namespace gub
