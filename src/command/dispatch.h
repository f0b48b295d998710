// Dispatcher: finds the command of a request, checks it as Redis does, and runs or queues it.
//
// Threads:  one per worker, loop-confined.
// Time:     the limiter's clock is read once per batch (and again after a GUB.DEBUG CLOCK).
// Errors:   one reply per request, always, and in order.

#ifndef GUB_COMMAND_DISPATCH_H_
#define GUB_COMMAND_DISPATCH_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "command/client_state.h"
#include "command/context.h"
#include "command/node.h"
#include "proto/reply_writer.h"

namespace gub {

class Dispatcher {
 public:
  // `thread` numbers the worker: whose counters to write.
  Dispatcher(Node* node, size_t thread);

  // Around the requests that one read brought.
  void BeginBatch();
  void EndBatch();

  // Answers one request. REQUIRES: between BeginBatch and EndBatch, args is not empty.
  void Run(Args args, ClientState* client, ReplyWriter* reply);

  // Runs the queue of a transaction, all of it, behind the header of its reply (EXEC).
  void RunQueued(CommandContext* exec);

 private:
  const CommandEntry* FindCommand(std::string_view name);
  // Nullptr when the request was answered by an error.
  const CommandEntry* Check(CommandContext* context);
  void Reject(CommandContext* context, const CommandEntry* entry, std::string_view text);
  void Queue(CommandContext* context);
  void Execute(CommandContext* context);
  void EndRun(int64_t mono_ns);

  Node* const node_;
  CounterSet* const counters_;
  CommandStats::Set* const stats_;

  int64_t now_ms_ = 0;

  // The command that was found last: pipelines mostly repeat it.
  std::string last_name_;
  const CommandEntry* last_command_ = nullptr;

  // The present run of one command, for its time.
  const CommandEntry* run_entry_ = nullptr;
  uint64_t run_calls_ = 0;
  int64_t run_start_mono_ns_ = 0;
};

}  // namespace gub

#endif  // GUB_COMMAND_DISPATCH_H_
