// CommandContext: one request on its way through a handler.
//
// A handler reads args(), appends exactly one reply to reply(), and returns. An error is a reply
// too; then it has changed nothing.
//
// Threads:  loop-confined.

#ifndef GUB_COMMAND_CONTEXT_H_
#define GUB_COMMAND_CONTEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "command/client_state.h"
#include "command/node.h"
#include "proto/reply_writer.h"

namespace gub {

class Dispatcher;

// The name, perhaps a subcommand, and what follows.
using Args = std::span<const std::string_view>;

class CommandContext {
 public:
  CommandContext(Node* node, CounterSet* counters, Dispatcher* dispatcher, ClientState* client,
                 ReplyWriter* reply, int64_t* now_ms)
      : node_(node),
        counters_(counters),
        dispatcher_(dispatcher),
        client_(client),
        reply_(reply),
        now_ms_(now_ms) {}

  Args args() const { return args_; }
  const CommandEntry& entry() const { return *entry_; }
  Node& node() { return *node_; }
  const Config& config() const { return node_->config; }
  CounterSet& counters() { return *counters_; }
  Dispatcher& dispatcher() { return *dispatcher_; }
  ClientState& client() { return *client_; }
  ReplyWriter& reply() { return *reply_; }

  // The limiter's clock as it was read for this batch.
  int64_t now_ms() const { return *now_ms_; }
  // Reads it anew, for this request and those behind it.
  void RefreshNow() { *now_ms_ = node_->clock.NowMs(); }

  // Answers by an error; `text` starts with its code.
  void Error(std::string_view text) {
    failed_ = true;
    counters_->Add(Counter::kErrorReplies);
    reply_->Error(text);
  }
  // "ERR " and the status' message.
  void Error(const absl::Status& status) { Error("ERR " + std::string(status.message())); }
  bool failed() const { return failed_; }

 private:
  friend class Dispatcher;

  Node* const node_;
  CounterSet* const counters_;
  Dispatcher* const dispatcher_;
  ClientState* const client_;
  ReplyWriter* const reply_;
  int64_t* const now_ms_;
  Args args_;
  const CommandEntry* entry_ = nullptr;
  bool failed_ = false;
};

}  // namespace gub

#endif  // GUB_COMMAND_CONTEXT_H_
