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

constexpr ReplyLimits kReplyLimits = {.max_bulk_bytes = PeerWire::kMaxAnswerBytes, .max_items = 16};

int64_t NowUs() { return MonotonicNs() / 1000; }

using Type = ReplyValue::Type;

bool HasShape(const ReplyValue& reply, std::initializer_list<Type> shape) {
  return std::equal(reply.items.begin(), reply.items.end(), shape.begin(), shape.end(),
                    [](const ReplyValue& item, Type type) { return item.type == type; });
}

}  // namespace

PeerClient::PeerClient(const Place& place, std::string address)
    : place_(place),
      address_(std::move(address)),
      random_(std::random_device()()),
      dialer_(place.loop, place.names),
      timer_(place.clock, [this] { OnTimer(); }),
      config_(*place.config),
      tally_(place.cluster->peers().AddLink(address_)),
      link_(this, Limits()) {}

PeerClient::~PeerClient() {
  *alive_ = nullptr;
  link_.Close();
  Disconnect();
}

PeerLimits PeerClient::Limits() const {
  return {.timeout_ms = config_->peer_timeout_ms,
          .batch_wait_us = config_->batch_wait_us,
          .batch_limit = std::min(static_cast<size_t>(config_->batch_limit), kMaxBatchRequests)};
}

bool PeerClient::Forward(const PeerRequest& request, Outcome outcome) {
  TakeConfig();
  const uint64_t token = first_token_ + outcomes_.size();
  if (!link_.Forward(token, request, NowUs())) {
    tally_->refused.store(link_.counts().refused, std::memory_order_relaxed);
    return false;
  }
  outcomes_.push_back(std::move(outcome));
  Soon();
  return true;
}

void PeerClient::TakeConfig() {
  if (config_.Refresh()) link_.SetLimits(Limits(), NowUs());
}

// A loop that was held up first reads what has come meanwhile: an answer that is there is in time.
void PeerClient::OnTimer() {
  constexpr int64_t kHeldUpUs = 2000;
  TakeConfig();
  const std::optional<int64_t> due_us = link_.NextTickUs();
  if (due_us && NowUs() - *due_us > kHeldUpUs && !std::exchange(held_up_, true)) {
    timer_.At(NowUs() + 1);
    return;
  }
  held_up_ = false;
  link_.OnTick(NowUs());
  AfterEvent();
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
  LogHealth();
  tally_->Set(link_);
  const std::optional<int64_t> next_us = link_.NextTickUs();
  if (next_us) timer_.At(*next_us);
  if (!next_us) timer_.Stop();
}

void PeerClient::Ask() {
  link_.Ask(NowUs());
  Soon();
}

void PeerClient::AskIfSilent(int64_t silent_us) {
  if (link_.IsReady() && NowUs() - heard_us_ >= silent_us) Ask();
}

void PeerClient::GiveUp() {
  link_.Close();
  AfterEvent();
}

// When the circuit opens, and when it closes again.
void PeerClient::LogHealth() {
  const bool is_asked = link_.health() == OwnerHealth::State::kUp;
  if (link_.health() == OwnerHealth::State::kDown && !std::exchange(is_down_, true)) {
    GUB_LOG(warn,
            "a peer is down, its keys are answered by on-owner-failure address={} reason=\"{}\"",
            address_, Escape(trouble_.empty() ? "it did not answer in time" : trouble_, 200));
  } else if (is_asked && std::exchange(is_down_, false)) {
    GUB_LOG(info, "a peer is back address={}", address_);
  }
}

// The peer has told what it sees. Looked at again when it, or this node, sees something new.
void PeerClient::NoteView(uint64_t digest) {
  const uint64_t epoch = place_.cluster->epoch();
  if (digest == tally_->digest && epoch == compared_epoch_) return;
  compared_epoch_ = epoch;
  tally_->digest = digest;
  const bool differs = digest != place_.cluster->view()->digest;
  if (std::exchange(differs_, differs) || !differs) return;
  GUB_LOG_EVERY(5000, warn,
                "a peer sees another cluster, its members, weights or time zone differ address={}",
                address_);
}

void PeerClient::Settle(uint64_t token, const PeerAnswer* answer) {
  const Outcome outcome = std::exchange(outcomes_[token - first_token_], nullptr);
  while (!outcomes_.empty() && outcomes_.front() == nullptr) {
    outcomes_.pop_front();
    ++first_token_;
  }
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
    trouble_ = "it cannot be reached: " + error;
    return link_.OnClosed(NowUs());
  }
  trouble_.clear();
  wire_ = new PeerWire(this, place_.loop, place_.counters);
  if (wire_->Open(fd)) return link_.OnConnected(NowUs());
  std::exchange(wire_, nullptr)->Drop();
  link_.OnClosed(NowUs());
}

void PeerClient::Disconnect() {
  dialer_.Cancel();
  place_.cluster->peers().EndGreeting(greeting_.asker_nonce);
  presence_.reset();
  phase_ = Phase::kNone;
  if (wire_ != nullptr) std::exchange(wire_, nullptr)->Drop();
}

void PeerClient::Greet() {
  greeting_ = {place_.cluster->identity(), {}, RandomHex(kNonceBytes), ""};
  place_.cluster->peers().StartGreeting(greeting_.asker_nonce);
  phase_ = Phase::kHello;
  const PeerIdentity& self = greeting_.asker;
  Send({"GUB.PEER", "HELLO", std::to_string(kPeerProtocol), self.id, self.address,
        std::to_string(static_cast<int64_t>(self.digest)), greeting_.asker_nonce, address_});
}

void PeerClient::Write(const PeerBatch& batch) {
  Send({"GUB.PEER", "BATCH", std::to_string(batch.number), std::to_string(batch.expires_mono_ms),
        batch.requests});
}

void PeerClient::Send(std::initializer_list<std::string_view> command) {
  if (wire_ == nullptr) return;
  wire_->Send(command);
  Soon();
}

void PeerClient::OnWireClosed() {
  wire_ = nullptr;  // Disconnect has nothing to drop then
  trouble_ = "it has closed the connection";
  link_.OnClosed(NowUs());
  AfterEvent();
}

bool PeerClient::CanWrite() const { return wire_ != nullptr && wire_->HasRoom(); }

size_t PeerClient::OnReplies(std::string_view bytes) {
  held_up_ = false;
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
      return OnProof(reply);
    case Phase::kReady:
      return OnBatchAnswer(reply);
    case Phase::kNone:
      return false;
  }
  return false;
}

bool PeerClient::Refuse(std::string_view why) {
  trouble_ = why;
  GUB_LOG_EVERY(5000, warn, "a peer and this node do not agree address={} reason=\"{}\"", address_,
                Escape(why, 200));
  return false;
}

bool PeerClient::Deny(std::string_view why) {
  if (wire_ != nullptr) std::exchange(wire_, nullptr)->Finish({"GUB.PEER", "DENY", why});
  return Refuse(why);
}

// [version, id, address, digest, nonce]
bool PeerClient::OnWelcome(const ReplyValue& reply) {
  if (!HasShape(reply, {Type::kInteger, Type::kBulk, Type::kBulk, Type::kInteger, Type::kBulk})) {
    return Refuse("it does not greet as a node of Gub does");
  }
  const auto& items = reply.items;
  PeerIdentity& peer = greeting_.answerer;
  peer = {std::string(items[1].text), std::string(items[2].text),
          static_cast<uint64_t>(items[3].integer)};
  greeting_.answerer_nonce = items[4].text;
  if (place_.cluster->peers().EndGreeting(greeting_.asker_nonce)) {
    place_.cluster->hooks.found_self(address_);
  }
  const std::string why_not = WhyNot(items[0].integer);
  if (!why_not.empty()) return Deny(why_not);
  phase_ = Phase::kProve;
  Send({"GUB.PEER", "PROVE", AskerProof(greeting_, config_->cluster_secret)});
  return true;
}

// Why the node that answers is not taken for the peer at this address; "" when it is.
std::string PeerClient::WhyNot(int64_t version) const {
  const PeerIdentity& peer = greeting_.answerer;
  std::string why_not = WhyNoPeer(version, greeting_.asker, peer);
  if (!why_not.empty()) return why_not;
  if (config_->cluster_secret.empty() && !wire_->IsLocal()) {
    return "without a cluster-secret only nodes of one machine are peers";
  }
  // It may know itself by another name than the list does, but not by that of another member.
  const SlotTable& table = place_.cluster->view()->table;
  if (peer.address != address_ && table.Find(peer.address) != table.members().size()) {
    return fmt::format("the node at {} claims the address {}", address_, peer.address);
  }
  return "";
}

// [proof, time]
bool PeerClient::OnProof(const ReplyValue& reply) {
  if (!HasShape(reply, {Type::kBulk, Type::kInteger}) || !IsPeerTime(reply.items[1].integer)) {
    return Refuse("it does not greet as a node of Gub does");
  }
  const std::string proof = AnswererProof(greeting_, config_->cluster_secret);
  if (!IsSecret(reply.items[0].text, proof)) return Deny("the cluster-secret is another");
  const PeerIdentity& peer = greeting_.answerer;
  presence_ = place_.cluster->peers().Claim(peer.address, peer.id, NowUs() / 1000);
  if (presence_ == nullptr) return Deny(RivalText(peer.address));
  phase_ = Phase::kReady;
  peer_id_ = peer.id;
  place_.cluster->hooks.found_other(address_);
  NoteView(peer.digest);
  GUB_LOG(info, "a peer is connected address={} id={}", address_, Escape(peer.id, 100));
  link_.OnGreeted(reply.items[1].integer, NowUs());
  return true;
}

// [number, time, late, answers, digest]
bool PeerClient::OnBatchAnswer(const ReplyValue& reply) {
  if (!HasShape(reply,
                {Type::kInteger, Type::kInteger, Type::kInteger, Type::kBulk, Type::kInteger}) ||
      !IsPeerTime(reply.items[1].integer)) {
    return Refuse("it answers out of step");
  }
  const auto& items = reply.items;
  NoteView(static_cast<uint64_t>(items[4].integer));
  heard_us_ = NowUs();
  if (!presence_->Hear(heard_us_ / 1000)) return Deny(RivalText(greeting_.answerer.address));
  link_.OnAnswer({static_cast<uint64_t>(items[0].integer), items[1].integer, items[3].text,
                  items[2].integer != 0},
                 heard_us_);
  return true;
}

}  // namespace gub
