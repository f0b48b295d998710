// Server: a node: its workers, its signals and its housekeeping.
//
// Threads:  one thread per worker; the housekeeping loop runs on the caller's, which is the one
//           that hears SIGTERM, SIGINT and SIGHUP.

#ifndef GUB_SERVER_SERVER_H_
#define GUB_SERVER_SERVER_H_

#include <csignal>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/config.h"
#include "command/node.h"
#include "net/thread.h"
#include "server/membership_keeper.h"
#include "server/worker.h"

namespace gub {

class Server {
 public:
  // What it hears: SIGHUP reads the options anew, the others stop it. To be held back
  // (net/signal_watch.h) before the process starts a thread.
  static constexpr std::initializer_list<int> kSignals = {SIGTERM, SIGINT, SIGHUP};

  // Reads file, environment and command line again, as at the start.
  using ReadConfig = std::function<absl::StatusOr<Config>()>;

  // A node that listens already; clients wait until Run. Errors name what is wrong: the address
  // that is taken, the time zone that is unknown.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config,
                                                       const std::string& config_file,
                                                       ReadConfig read_config);

  // Serves until SIGTERM or SIGINT, then answers what has arrived and returns. An error when the
  // system gives it too few threads.
  absl::Status Run();

  const Node& node() const { return node_; }

 private:
  Server(const Config& config, Calendar calendar, size_t threads);

  // Lapsed buckets are freed every so often, and at once again while there are more than fit into
  // the budget.
  static constexpr int64_t kSweepIntervalMs = 100;
  static constexpr int64_t kSweepBudgetNs = 5'000'000;

  void SetHooks();
  // Takes its place in the cluster that the options name.
  absl::Status JoinCluster();
  // Whether the node is alone, or follows its cluster's members; an error says why it cannot.
  absl::Status FollowMembers(Loop* housekeeping);
  // What an option needs to be true, before it is.
  absl::Status PrepareConfig(const Config& before, Config* after);
  // SIGHUP.
  void ReloadConfig();
  // Whether there may be more.
  bool Sweep();
  absl::Status StartWorkers(std::vector<std::unique_ptr<Thread>>* threads);
  // What other nodes have lent is handed back first; then `done`, on the housekeeping loop.
  void ReturnLeases(Loop* housekeeping, std::function<void()> done);
  void StopWorkers();
  // The housekeeping loop, on this thread, until a signal.
  void KeepHouse(Loop* housekeeping);
  absl::Status Listen();
  // On all addresses of `bind`. *port: the port that they share, 0: any free one, which it is then.
  absl::Status ListenFor(Worker::Protocol protocol, int* port);
  // On one; an optional one may be missing.
  absl::Status ListenOn(Worker::Protocol protocol, const std::string& bind, int* port);

  Node node_;
  ReadConfig read_config_;
  std::unique_ptr<MembershipKeeper> members_;  // while the housekeeping loop runs
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace gub

#endif  // GUB_SERVER_SERVER_H_
