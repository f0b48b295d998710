// PeerClient: one worker's link to one peer: the pure PeerLink with a connection, a greeting and a
// timer around it.
//
// Threads:  loop-confined.
// Errors:   told by outcome; a peer that is refused, or refuses, is logged on both sides.

#ifndef GUB_CLUSTER_PEER_CLIENT_H_
#define GUB_CLUSTER_PEER_CLIENT_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "base/counters.h"
#include "base/live_config.h"
#include "cluster/cluster.h"
#include "cluster/greeting.h"
#include "cluster/peer_link.h"
#include "cluster/peer_wire.h"
#include "net/dialer.h"
#include "net/fine_timer.h"
#include "net/loop.h"
#include "proto/reply_parser.h"

namespace gub {

class PeerClient : private PeerLink::Host, private PeerWire::User {
 public:
  // What came of a request; nullptr: nothing is known of it, the fallback answers.
  using Outcome = std::function<void(const PeerAnswer* answer)>;

  // What the clients of one worker share.
  struct Place {
    Loop* loop;
    Cluster* cluster;
    const LiveConfig* config;
    CounterSet* counters;
    FineClock* clock = nullptr;
    NameCache* names = nullptr;  // of peers
  };

  PeerClient(const Place& place, std::string address);
  ~PeerClient() override;
  PeerClient(const PeerClient&) = delete;
  PeerClient& operator=(const PeerClient&) = delete;

  // Takes a request. False: it is not taken, the fallback answers at once, and `outcome` is not
  // called. Otherwise it is, later.
  bool Forward(const PeerRequest& request, Outcome outcome);
  // Asks what the peer sees of the cluster, and whether it lives; connects when it is not.
  void Ask();
  // The same when it is connected and has said nothing for so long.
  void AskIfSilent(int64_t silent_us);
  // Fails all that is under way, and disconnects.
  void GiveUp();
  const std::string& address() const { return address_; }
  // The process that has proved itself last; "": none has.
  const std::string& peer_id() const { return peer_id_; }
  // Whether requests are sent; otherwise the fallback answers at once.
  bool IsAsked() const { return link_.IsAsked(); }
  const PeerLink& link() const { return link_; }
  // Whether it is connected and sees the cluster as `digest` says, as it told last.
  bool SeesTheSame(uint64_t digest) const {
    return phase_ == Phase::kReady && tally_->digest == digest;
  }

 private:
  enum class Phase { kNone, kHello, kProve, kReady };

  // PeerLink::Host
  void Connect() override;
  void Greet() override;
  void Write(const PeerBatch& batch) override;
  bool CanWrite() const override;
  void Disconnect() override;
  void OnAnswered(uint64_t token, const PeerAnswer& answer) override;
  void OnFailed(uint64_t token) override;
  uint64_t Dice() override { return random_(); }

  void OnDialled(int fd, const std::string& error);

  // PeerWire::User
  size_t OnReplies(std::string_view bytes) override;
  void OnRoom() override { Soon(); }
  void OnWireClosed() override;

  // Whether the connection goes on.
  bool OnReply(const ReplyValue& reply);
  bool OnWelcome(const ReplyValue& reply);
  bool OnProof(const ReplyValue& reply);
  std::string WhyNot(int64_t version) const;
  bool OnBatchAnswer(const ReplyValue& reply);
  bool Refuse(std::string_view why);
  // Says why to the peer too.
  bool Deny(std::string_view why);
  void Send(std::initializer_list<std::string_view> command);
  void Soon();
  void Settle(uint64_t token, const PeerAnswer* answer);
  void AfterEvent();
  void OnTimer();
  void TakeConfig();
  void LogHealth();
  void NoteView(uint64_t digest);
  PeerLimits Limits() const;

  const Place& place_;
  const std::string address_;
  std::mt19937_64 random_;
  Dialer dialer_;
  FineTimer timer_;
  ConfigView config_;
  Greeting greeting_;
  std::string peer_id_;
  Phase phase_ = Phase::kNone;
  std::shared_ptr<PeerTally> tally_;
  std::unique_ptr<PeerRegistry::Presence> presence_;  // while it is connected
  PeerWire* wire_ = nullptr;
  uint64_t compared_epoch_ = 0;  // of our view, when the peer's was compared with it last
  bool differs_ = false;         // it was another one
  int64_t heard_us_ = 0;
  bool held_up_ = false;
  bool is_down_ = false;          // as was logged
  std::string trouble_;           // the last of the connection; empty: none
  std::deque<Outcome> outcomes_;  // by token, the first of them first_token_; empty: it was called
  uint64_t first_token_ = 1;
  // Set while something is to be done at the end of the loop's turn, for clients send from within
  // their own reading.
  bool soon_ = false;
  std::shared_ptr<PeerClient*> alive_ = std::make_shared<PeerClient*>(this);
  PeerLink link_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_PEER_CLIENT_H_
