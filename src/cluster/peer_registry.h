// PeerRegistry: what the threads of a node know together of its peers: how each link fares, and
// which process answers to which address.
//
// An address belongs to one process at a time. Whoever says that an address is his while another
// process of that address is heard is refused (Claim): two nodes that were given one address would
// both decide for its keys. A process that has ended is forgotten with its last connection, so that
// its successor is taken at once; of one that is silent, as after a cut of the power, kHeardMs are
// waited; and when it comes to life again after that, it is he who is refused (Hear).
//
// Threads:  thread-safe. A tally is written by one thread and read by any.

#ifndef GUB_CLUSTER_PEER_REGISTRY_H_
#define GUB_CLUSTER_PEER_REGISTRY_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "cluster/owner_health.h"
#include "cluster/peer_link.h"

namespace gub {

// What the links of a node say of a peer.
enum class LinkState : uint8_t {
  kAnswers,
  kSilent,   // its circuit is open
  kUnknown,  // it is not connected, or not tried yet
};

// How one worker's link to a peer fares.
struct PeerTally {
  explicit PeerTally(std::string peer_address) : address(std::move(peer_address)) {}

  const std::string address;
  std::atomic<OwnerHealth::State> health{OwnerHealth::State::kUp};
  std::atomic<bool> ready{false};   // connected, and greeted
  std::atomic<uint64_t> digest{0};  // of the peer's view, as it told last
  std::atomic<uint64_t> batches{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> answered{0};
  std::atomic<uint64_t> failed{0};
  std::atomic<uint64_t> refused{0};
  std::atomic<uint64_t> late_answers{0};
  std::atomic<uint64_t> connects{0};
  std::atomic<uint64_t> answered_batches{0};
  std::atomic<uint64_t> answer_us{0};
  std::atomic<uint64_t> largest_batch{0};
  std::atomic<uint64_t> waiting{0};
  std::atomic<uint64_t> in_flight{0};

  void Set(const PeerLink& link);
};

// The links of all workers to one peer.
struct PeerSummary {
  std::string address;
  int links = 0;
  int ready = 0;
  uint64_t digest = 0;  // of the peer's view, as it told last on a link that is ready
  OwnerHealth::State health = OwnerHealth::State::kUp;  // of the one that fares worst
  PeerLink::Counts counts;
  uint64_t waiting = 0;
  uint64_t in_flight = 0;
};

class PeerRegistry {
 public:
  static constexpr int64_t kHeardMs = 5000;

  // A connection to or from a process, which answers to an address.
  class Presence {
   public:
    ~Presence();
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

    // It was heard. False: another process has taken its address over.
    bool Hear(int64_t now_mono_ms);

   private:
    friend class PeerRegistry;
    Presence(PeerRegistry* registry, std::string address, std::string id, int64_t now_mono_ms)
        : registry_(registry),
          address_(std::move(address)),
          id_(std::move(id)),
          told_mono_ms_(now_mono_ms) {}

    PeerRegistry* const registry_;
    const std::string address_;
    const std::string id_;
    int64_t told_mono_ms_;
  };

  // The process `id` answers to `address`; nullptr: another one does, and was heard a short while
  // ago.
  std::unique_ptr<Presence> Claim(const std::string& address, const std::string& id,
                                  int64_t now_mono_ms);

  // For a new link; it is forgotten when the caller lets go of it.
  std::shared_ptr<PeerTally> AddLink(const std::string& address);

  // The links that there are, by address.
  std::vector<PeerSummary> Links() const;
  // What the links to an address say: that it answers, if one does.
  LinkState StateOf(const std::string& address) const;

  // This node greets another with this nonce. When its own answering side hears it (HeardGreeting),
  // the other is this node itself: EndGreeting tells. A greeting that has ended is forgotten.
  void StartGreeting(const std::string& nonce);
  void HeardGreeting(const std::string& nonce);
  bool EndGreeting(const std::string& nonce);

 private:
  struct Process {
    int connections = 0;
    int64_t heard_mono_ms = 0;
    bool replaced = false;  // another process has taken its address over
  };

  mutable Mutex mu_;
  std::vector<std::weak_ptr<PeerTally>> links_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::map<std::string, Process>> processes_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, bool> greetings_ ABSL_GUARDED_BY(mu_);  // by nonce: whether it was heard
};

}  // namespace gub

#endif  // GUB_CLUSTER_PEER_REGISTRY_H_
