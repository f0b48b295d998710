// Worker: one loop with its listeners and the sessions of the clients that came in there.
//
// Threads:  what posts (CloseClient, ConfigChanged, TryLink, SayLeave, ReturnLeases, AtDesk,
//           BeginStop) from any thread; everything else on the worker's own.

#ifndef GUB_SERVER_WORKER_H_
#define GUB_SERVER_WORKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "cluster/lease_desk.h"
#include "cluster/router.h"
#include "command/dispatch.h"
#include "command/http_front.h"
#include "command/node.h"
#include "net/listen_socket.h"
#include "net/listener.h"
#include "net/loop.h"
#include "net/timer.h"
#include "server/session.h"

namespace gub {

class Worker : private ReplySink {
 public:
  // How long clients may take to read their last replies once a stop has begun.
  static constexpr int64_t kStopDeadlineMs = 5000;
  // How long after the start of a stop clients are still taken.
  static constexpr int64_t kLastClientsMs = 20;
  // How long a client that may have more on its way must be silent then.
  static constexpr int64_t kSilenceMs = 100;

  // How many connections a node of a cluster takes at a time that may only be those of other nodes,
  // and have not proved it yet.
  static constexpr int64_t kPeerRoom = 256;
  // How many connections of the HTTP front it takes at a time that may be no clients, and may ask
  // what everybody may.
  static constexpr int64_t kProbeRoom = 16;
  // How many that were refused may linger at a time.
  static constexpr int64_t kRefusedRoom = 64;

  Worker(Node* node, size_t number);

  // What is spoken at a socket.
  enum class Protocol { kResp, kHttp };

  // Takes a listening socket. REQUIRES: before Run.
  absl::Status Listen(Protocol protocol, ListenSocket socket);

  // Serves until a stop that was begun is done.
  void Run();

  // Closes the client of this number, if it is still there.
  void CloseClient(int64_t id);

  // Lets open connections follow the options that bound them.
  void ConfigChanged();

  // Connects to a member, to see whether it lives.
  void TryLink(const std::string& address);

  // Tells the other nodes that this one leaves; `done` is called, on this worker's thread, when
  // they have heard or cannot be reached. REQUIRES: the node is in a cluster.
  void SayLeave(std::function<void()> done);

  // Hands back what other nodes have lent to this worker, and takes no more. `done` is called, on
  // this worker's thread, when they know it or cannot be reached. REQUIRES: as SayLeave.
  void ReturnLeases(std::function<void()> done);

  // Runs something at this worker's desk, unless it has stopped.
  void AtDesk(std::function<void(LeaseDesk* desk)> task);

  // Takes no more clients, answers what has arrived, and lets Run return.
  void BeginStop();

 private:
  // How often silent clients are looked for.
  static constexpr int64_t kIdleCheckMs = 1000;

  // How often the loop looks how late it is.
  static constexpr int64_t kLagCheckMs = 100;

  void OnConnection(Protocol protocol, int fd);
  Session* MakeSession(Protocol protocol);
  bool HasRoomForStranger(Protocol protocol) const;
  void Admit(Session* session);
  void Refuse(Session* session, std::string_view text);
  void OnSessionClosed(Session* session);
  void CloseIdle();
  void LookAtLag();
  void Fill(int64_t client, PendingReplies::Ticket ticket, std::string_view bytes) override;
  void WakeLater(int64_t client, int64_t delay_ms) override;
  void FlushReplies();
  void WakeClients();
  void TakeLastClients();
  void StopAccepting();
  void DrainSessions();
  void FinishIfStopped();

  Node* const node_;
  CounterSet* const counters_;
  Loop loop_;
  std::unique_ptr<Router> router_;   // nullptr: the node is in no cluster
  std::unique_ptr<LeaseDesk> desk_;  // with router_
  Dispatcher dispatcher_;
  std::vector<int64_t> to_flush_;  // clients with replies that have come later
  std::vector<std::unique_ptr<Listener>> listeners_;
  HttpFront http_;
  Session::ReadAhead read_ahead_;
  const Session::Place place_;
  absl::flat_hash_map<int64_t, std::unique_ptr<Session>> sessions_;  // by the client's number
  std::unique_ptr<Timer> wake_timer_;
  std::vector<int64_t> to_wake_;  // once it is due
  std::unique_ptr<Timer> idle_timer_;
  std::unique_ptr<Timer> lag_timer_;
  int64_t lag_due_mono_ns_ = 0;
  std::unique_ptr<Timer> stop_timer_;
  std::unique_ptr<Timer> drain_timer_;
  bool stopping_ = false;
};

}  // namespace gub

#endif  // GUB_SERVER_WORKER_H_
