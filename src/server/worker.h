// Worker: one loop with its listeners and the sessions of the clients that came in there.
//
// Threads:  Start and BeginStop from any thread; everything else on the worker's own.

#ifndef GUB_SERVER_WORKER_H_
#define GUB_SERVER_WORKER_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "command/dispatch.h"
#include "command/node.h"
#include "net/listen_socket.h"
#include "net/listener.h"
#include "net/loop.h"
#include "net/timer.h"
#include "server/resp_session.h"

namespace gub {

class Worker {
 public:
  // How long clients may take to read their last replies once a stop has begun.
  static constexpr int64_t kStopDeadlineMs = 5000;
  // How long after the start of a stop clients are still taken.
  static constexpr int64_t kLastClientsMs = 20;
  // How long a client that may have more on its way must be silent then.
  static constexpr int64_t kSilenceMs = 100;

  Worker(Node* node, size_t number);

  // Takes a listening socket. REQUIRES: before Run.
  absl::Status Listen(ListenSocket socket);

  // Serves until a stop that was begun is done.
  void Run();

  // Takes no more clients, answers what has arrived, and lets Run return.
  void BeginStop();

 private:
  void OnConnection(Listener* listener);
  void OnSessionClosed(RespSession* session);
  void TakeLastClients();
  void StopAccepting();
  void DrainSessions();
  void FinishIfStopped();

  Node* const node_;
  CounterSet* const counters_;
  Loop loop_;
  Dispatcher dispatcher_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  absl::flat_hash_map<RespSession*, std::unique_ptr<RespSession>> sessions_;
  std::unique_ptr<Timer> stop_timer_;
  std::unique_ptr<Timer> drain_timer_;
  bool stopping_ = false;
};

}  // namespace gub

#endif  // GUB_SERVER_WORKER_H_
