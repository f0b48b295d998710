// ClientState: what a node remembers of one client between two requests.
//
// Threads:  confined to the loop of the client's connection; the record is what others see of it.

#ifndef GUB_COMMAND_CLIENT_STATE_H_
#define GUB_COMMAND_CLIENT_STATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/greeting.h"
#include "cluster/peer_registry.h"
#include "command/client_registry.h"
#include "command/key_watch.h"
#include "command/pending_replies.h"
#include "proto/reply_writer.h"

namespace gub {

// The requests between MULTI and EXEC.
struct Transaction {
  bool open = false;
  bool aborted = false;  // a request could not be queued: EXEC will run nothing
  size_t bytes = 0;      // held by `queued`, with what the containers cost
  std::vector<std::vector<std::string>> queued;
};

// Which replies are written (CLIENT REPLY).
enum class ReplyMode : uint8_t {
  kOn,
  kSkipNext,  // CLIENT REPLY SKIP itself
  kSkip,      // the command after it
  kOff,
};

// What a connection of another node has said of itself (GUB.PEER).
struct PeerSession {
  bool is_local = false;  // it comes from this machine
  // What is answered to whoever does not greet as a node first; empty: anybody may come.
  std::string_view refusal;
  bool proven = false;
  std::optional<Greeting> greeting;
  std::unique_ptr<PeerRegistry::Presence> presence;  // once it is proven
};

struct ClientState {
  RespVersion version = RespVersion::k2;
  bool authenticated = true;  // or there was no password when it came
  ReplyMode reply_mode = ReplyMode::kOn;
  PendingReplies pending;
  PeerSession peer;
  Transaction transaction;
  std::vector<KeyWatch::Mark> watches;
  std::set<std::string> channels;
  size_t channel_bytes = 0;
  bool close = false;  // after the replies so far
  bool drop = false;   // at once, without them
  bool retry = false;  // the request was not run; it is again when the session wakes

  std::shared_ptr<ClientRecord> record = std::make_shared<ClientRecord>();

  int64_t id() const { return record->id; }
  bool IsSubscribed() const { return !channels.empty(); }
  // Whether nothing is in the way of a request, nor of its answer.
  bool IsPlain() const {
    return authenticated && reply_mode == ReplyMode::kOn && !transaction.open && !IsSubscribed() &&
           peer.refusal.empty();
  }
  // Of what commands have left in memory.
  size_t HeldBytes() const {
    return transaction.bytes + channel_bytes + watches.size() * sizeof(KeyWatch::Mark) +
           pending.held_bytes();
  }
};

}  // namespace gub

#endif  // GUB_COMMAND_CLIENT_STATE_H_
