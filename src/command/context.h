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
#include "command/command_spec.h"
#include "command/node.h"
#include "proto/reply_writer.h"

namespace gub {

class Dispatcher;
class LeaseDesk;
class Router;

// Takes replies that come later than their commands.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  // A client that is gone is ignored.
  virtual void Fill(int64_t client, PendingReplies::Ticket ticket, std::string_view bytes) = 0;
  // Lets the client's session go on after so long.
  virtual void WakeLater(int64_t client, int64_t delay_ms) = 0;
};

class CommandContext {
 public:
  // What all requests of a worker share.
  struct Worker {
    Node* node;
    CounterSet* counters;
    ErrorStats::Set* errors;
    ConfigView config;
    int64_t now_ms;        // of the limiter's clock, as it was read for this batch
    bool in_exec = false;  // and the lock of KeyWatch is held
    // Of a node in a cluster; nullptr otherwise.
    Router* router = nullptr;
    LeaseDesk* desk = nullptr;
    ReplySink* sink = nullptr;
    ByteBuffer late_reply = {};   // to write one in
    TopKeys* top_keys = nullptr;  // nullptr: nobody counts them
    std::string error_text = {};  // of the last error that was made for one request

    // An error is sent, by whichever front; `text` starts with its code.
    void CountError(std::string_view text) {
      counters->Add(Counter::kErrorReplies);
      errors->Add(text);
    }
  };

  CommandContext(Worker* worker, Dispatcher* dispatcher, ClientState* client, ReplyWriter* reply)
      : worker_(worker), dispatcher_(dispatcher), client_(client), reply_(reply) {}

  Args args() const { return args_; }
  const CommandEntry& entry() const { return *entry_; }
  Worker& worker() { return *worker_; }
  Node& node() { return *worker_->node; }
  // Until RefreshConfig.
  const Config& config() const { return *worker_->config; }
  CounterSet& counters() { return *worker_->counters; }
  Dispatcher& dispatcher() { return *dispatcher_; }
  ClientState& client() { return *client_; }
  ReplyWriter& reply() { return *reply_; }

  // By which others know this node.
  const std::string& OwnAddress() const;

  int64_t now_ms() const { return worker_->now_ms; }
  // Around what changes a key's buckets.
  KeyWatch::Change ChangeOf(std::string_view key) {
    return KeyWatch::Change(&worker_->node->watch, key, worker_->in_exec);
  }
  void set_in_exec(bool in_exec) { worker_->in_exec = in_exec; }

  // Reads the clock anew, for this request and those behind it.
  void RefreshNow() { worker_->now_ms = worker_->node->clock.NowMs(); }
  // Lets this request and those behind it see the options as they are now.
  void RefreshConfig() { worker_->config.Refresh(); }

  // Answers by an error; `text` starts with its code.
  void Error(std::string_view text) {
    failed_ = true;
    worker_->CountError(text);
    reply_->Error(text);
  }
  // "ERR " and the status' message.
  void Error(const absl::Status& status) { Error("ERR " + std::string(status.message())); }
  bool failed() const { return failed_; }

 private:
  friend class Dispatcher;

  Worker* const worker_;
  Dispatcher* const dispatcher_;
  ClientState* const client_;
  ReplyWriter* const reply_;
  Args args_;
  const CommandEntry* entry_ = nullptr;
  bool failed_ = false;
};

}  // namespace gub

#endif  // GUB_COMMAND_CONTEXT_H_
