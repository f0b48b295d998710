// Dispatcher: finds the command of a request, checks it as Redis does, and runs or queues it.
//
// Threads:  one per worker, loop-confined.
// Time:     the limiter's clock and the options are read once per batch (and again after a
//           GUB.DEBUG CLOCK or a CONFIG SET).
// Errors:   one reply per request, always, and in order (CLIENT REPLY aside).

#ifndef GUB_COMMAND_DISPATCH_H_
#define GUB_COMMAND_DISPATCH_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "command/client_state.h"
#include "command/context.h"
#include "command/expected_hits.h"
#include "command/node.h"
#include "proto/reply_writer.h"
#include "proto/request_parser.h"

namespace gub {

// How a worker of a cluster's node comes by what others decide.
struct WayToPeers {
  Router* router = nullptr;
  LeaseDesk* desk = nullptr;
  ReplySink* sink = nullptr;
};

class Dispatcher {
 public:
  // From this many us of slowlog-log-slower-than on, commands of constant time are measured in
  // runs; below, each by itself.
  static constexpr int64_t kRunsFromUs = 1000;

  // `thread` numbers the worker: whose counters to write.
  // peers: of a node in a cluster.
  Dispatcher(Node* node, size_t thread, const WayToPeers& peers = {});

  // Around the requests that one read of one client brought.
  void BeginBatch(ClientState* client);
  void EndBatch();

  // The most requests that Expect looks at.
  static constexpr size_t kMostExpected = ExpectedHits::kMost;
  // Tells what will be run next, so that waits for memory pass at the same time; the bytes must
  // stay where they are until ExpectNothing.
  void Expect(std::span<const ShortRequest> requests);
  void ExpectNothing() { expected_.Clear(); }
  // Answers the i-th request that was expected; whether it could. Otherwise nothing has happened,
  // and it is for Run. REQUIRES: as Run; those before it were run.
  bool RunExpected(size_t i, ClientState* client, ReplyWriter* reply);

  // Answers one request. REQUIRES: between BeginBatch and EndBatch, args is not empty.
  void Run(Args args, ClientState* client, ReplyWriter* reply);

  // Runs the queue of a transaction, all of it, behind the header of its reply (EXEC).
  void RunQueued(CommandContext* exec);

  // For a front that asks without commands.
  CommandContext::Worker& worker() { return worker_; }

  // The options as of the last batch, or the last RefreshConfig.
  const Config& config() const { return *worker_.config; }
  bool RefreshConfig() { return worker_.config.Refresh(); }

 private:
  // One or several calls of a command and the time they took.
  struct Span {
    const CommandEntry* entry;
    uint64_t calls;
    int64_t ns;
  };

  const CommandEntry* FindCommand(std::string_view name);
  // Nullptr when the request was answered by an error.
  const CommandEntry* Check(CommandContext* context);
  bool MayRun(const CommandContext& context, const CommandEntry& entry) const;
  std::string WhyNot(const CommandContext& context, const CommandEntry& entry) const;
  void RejectUnknown(CommandContext* context);
  void Reject(CommandContext* context, const CommandEntry* entry, std::string_view text);
  bool OnlyAnswers(Args args);
  void Queue(CommandContext* context);
  void Execute(CommandContext* context);
  void ExecuteAlone(CommandContext* context);
  void CountCall(const CommandEntry* entry);
  void EndRun(int64_t mono_ns);
  void Account(const Span& span, const ClientState& client, Args args);

  Node* const node_;
  CommandStats::Set* const stats_;
  CommandContext::Worker worker_;
  ExpectedHits expected_;

  // The command that was found last: pipelines mostly repeat it.
  std::string last_name_;
  const CommandEntry* last_command_ = nullptr;

  // The present run of one command, for its time.
  const CommandEntry* run_entry_ = nullptr;
  uint64_t run_calls_ = 0;
  int64_t run_start_mono_ns_ = 0;
  ClientState* batch_client_ = nullptr;
  bool times_runs_ = true;
};

}  // namespace gub

#endif  // GUB_COMMAND_DISPATCH_H_
