#include "command/dispatch.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "cluster/lease_desk.h"
#include "cluster/router.h"
#include "command/command_keys.h"
#include "command/decide.h"
#include "command/decision_reply.h"
#include "command/errors.h"
#include "command/forwarding.h"
#include "command/limit_commands.h"
#include "command/secrets.h"
#include "command/transaction_commands.h"
#include "fmt/format.h"

namespace gub {

namespace {

// What a queued request, and each of its arguments, cost beside their bytes.
constexpr size_t kQueuedRequestBytes = sizeof(std::vector<std::string>) + 16;
constexpr size_t kQueuedArgumentBytes = sizeof(std::string) + 16;

// The first words of an HTTP request, which a web page can make a browser send here.
bool IsHttp(Args args) {
  if (EqualsIgnoreCase(args[0], "POST") || EqualsIgnoreCase(args[0], "Host:")) return true;
  return args.size() == 3 && args[2].starts_with("HTTP/");
}

// Whether what is refused was a request for a decision. Who may not ask has asked for none, and who
// is sent elsewhere is counted there.
bool IsRequestError(const CommandSpec& spec, std::string_view text) {
  const bool decides = spec.parse_hit != nullptr || spec.handler == ResetBucketCommand;
  return decides && text != kNoAuthText && !text.starts_with("MOVED ");
}

}  // namespace

Dispatcher::Dispatcher(Node* node, size_t thread, const WayToPeers& peers)
    : node_(node),
      stats_(&node->command_stats.ForThread(thread)),
      worker_{node,
              &node->counters.ForThread(thread),
              &node->errors.ForThread(thread),
              ConfigView(node->config),
              0,
              false,
              peers.router,
              peers.desk,
              peers.sink,
              {},
              &node->top_keys[thread],
              {}},
      expected_(&worker_) {}

void Dispatcher::BeginBatch(ClientState* client) {
  worker_.config.Refresh();
  if (worker_.router != nullptr) {
    worker_.router->Refresh();
    worker_.desk->Refresh();
  }
  worker_.now_ms = node_->clock.NowMs();
  run_start_mono_ns_ = MonotonicNs();
  batch_client_ = client;
  client->record->last_mono_ns.store(run_start_mono_ns_, std::memory_order_relaxed);
  const int64_t slow_us = config().slowlog_log_slower_than_us;
  times_runs_ = slow_us < 0 || slow_us >= kRunsFromUs;
}

void Dispatcher::EndBatch() {
  EndRun(MonotonicNs());
  ClientRecord& record = *batch_client_->record;
  if (run_entry_ != nullptr) {
    record.last_command.store(run_entry_, std::memory_order_relaxed);
    run_entry_ = nullptr;
  }
}

void Dispatcher::EndRun(int64_t mono_ns) {
  if (run_calls_ != 0) {
    const Span span = {run_entry_, run_calls_, mono_ns - run_start_mono_ns_};
    Account(span, *batch_client_, {});
  }
  run_calls_ = 0;
  run_start_mono_ns_ = mono_ns;
}

// args are empty for a run of several calls, whose arguments nobody has kept.
void Dispatcher::Account(const Span& span, const ClientState& client, Args args) {
  stats_->AddRun(span.entry->number, span.calls, static_cast<uint64_t>(span.ns));
  const int64_t us = span.ns / 1000;
  const int64_t latency_ms = config().latency_monitor_threshold_ms;
  if (latency_ms > 0 && us >= latency_ms * 1000) {
    const bool fast = (span.entry->spec->flags & kFast) != 0;
    node_->latency.Add(fast ? LatencyEvent::kFastCommand : LatencyEvent::kCommand,
                       std::time(nullptr), us / 1000);
  }
  const int64_t slow_us = config().slowlog_log_slower_than_us;
  if (slow_us < 0 || us < slow_us || (span.entry->spec->flags & kSkipSlowLog) != 0) return;
  SlowLog::Entry slow;
  slow.unix_s = std::time(nullptr);
  slow.us = us;
  if (args.empty()) {
    slow.args = {span.entry->full_name, fmt::format("... (a run of {} calls)", span.calls)};
  } else {
    slow.args = SlowLog::Shown(WithoutSecrets(*span.entry, args));
  }
  slow.address = client.record->address;
  slow.name = client.record->names().name;
  node_->slow_log.Add(std::move(slow), static_cast<size_t>(config().slowlog_max_len));
}

void Dispatcher::Expect(std::span<const ShortRequest> requests) {
  expected_.Clear();
  for (const ShortRequest& request : requests.first(std::min(requests.size(), kMostExpected))) {
    expected_.Add(FindCommand(request.args()[0]), request.args());
  }
  expected_.Prefetch();
}

bool Dispatcher::RunExpected(size_t i, ClientState* client, ReplyWriter* reply) {
  const ExpectedHits::Entry* const expected = expected_.At(i);
  if (expected == nullptr || !times_runs_ || !client->IsPlain()) return false;
  const Request& request = expected->hit.request;
  const ReplyShape shape = {expected->hit.reply, request};
  Decided decided;
  PeerClient* const owner = expected->owner;
  if (owner == nullptr && !DecideExpected(&worker_, expected->bucket, request, &decided)) {
    return false;  // leases have a say in it
  }
  worker_.counters->Add(Counter::kCommandsProcessed);
  CountCall(expected->command);
  CommandContext context(&worker_, this, client, reply);
  if (owner != nullptr) {
    DecideAnywhere(context, {request, owner}, shape);
  } else if (decided.error.empty()) {
    WriteDecision(shape, decided.decision, {decided.owner}, reply);
  } else {
    context.Error(decided.error);
  }
  if (context.failed()) stats_->AddFailed(expected->command->number);
  return true;
}

void Dispatcher::Run(Args args, ClientState* client, ReplyWriter* reply) {
  CommandContext context(&worker_, this, client, reply);
  context.args_ = args;
  worker_.counters->Add(Counter::kCommandsProcessed);
  const ReplyMode mode = client->reply_mode;
  ByteBuffer* const out = reply->out();
  const size_t reply_start = out->size();
  const PendingReplies::Ticket first_ticket = client->pending.next();

  context.entry_ = Check(&context);
  if (context.entry_ != nullptr) {
    if (client->transaction.open && (context.entry_->spec->flags & kRunsInMulti) == 0) {
      Queue(&context);
    } else {
      Execute(&context);
    }
  }
  if (mode == ReplyMode::kOn && client->reply_mode == ReplyMode::kOn) return;
  const bool skips = mode == ReplyMode::kSkip && client->reply_mode != ReplyMode::kOn;
  // Messages of subscriptions are no replies.
  const bool is_message = context.entry_ != nullptr && !context.failed() &&
                          (context.entry_->spec->flags & kPubSub) != 0;
  if ((skips || client->reply_mode == ReplyMode::kOff) && !is_message) {
    const bool was_pending = out == client->pending.behind();
    client->pending.DropFrom(first_ticket, was_pending ? reply_start : 0);
    if (!was_pending) out->Truncate(reply_start);
  }
  if (client->reply_mode == ReplyMode::kSkipNext) {
    client->reply_mode = ReplyMode::kSkip;
  } else if (mode == ReplyMode::kSkip && client->reply_mode == ReplyMode::kSkip) {
    client->reply_mode = ReplyMode::kOn;
  }
}

const CommandEntry* Dispatcher::FindCommand(std::string_view name) {
  if (last_command_ != nullptr && name == last_name_) return last_command_;
  const CommandEntry* const found = node_->commands.Find(name);
  if (found != nullptr) {
    last_name_.assign(name);
    last_command_ = found;
  }
  return found;
}

const CommandEntry* Dispatcher::Check(CommandContext* context) {
  const Args args = context->args();
  const CommandEntry* entry = FindCommand(args[0]);
  if (entry == nullptr) {
    RejectUnknown(context);
    return nullptr;
  }
  if (!entry->subcommands.empty() && args.size() > 1) {
    const CommandEntry* const sub = CommandTable::FindSubcommand(*entry, args[1]);
    if (sub == nullptr) {
      Reject(context, entry, UnknownSubcommandText(*entry, args[1]));
      return nullptr;
    }
    entry = sub;
  }
  if (MayRun(*context, *entry)) return entry;
  const std::string why_not = WhyNot(*context, *entry);
  if (why_not.empty()) return entry;
  if (entry->spec->name == "get" && IsHttp(args)) {
    RejectUnknown(context);
  } else {
    Reject(context, entry, why_not);
  }
  return nullptr;
}

// Whether nothing at all stands in the way, as for nearly every request.
bool Dispatcher::MayRun(const CommandContext& context, const CommandEntry& entry) const {
  const CommandSpec& spec = *entry.spec;
  const ClientState& client = *context.client_;
  return ArityFits(spec.arity, context.args().size()) && spec.handler != nullptr &&
         !entry.disabled && client.authenticated && !client.IsSubscribed() &&
         !client.transaction.open && (spec.flags & kNeedsCluster) == 0;
}

// Why the request cannot be run now, in Redis' order; "" when it can.
std::string Dispatcher::WhyNot(const CommandContext& context, const CommandEntry& entry) const {
  const CommandSpec& spec = *entry.spec;
  if (!ArityFits(spec.arity, context.args().size()) || spec.handler == nullptr) {
    return WrongArityText(entry);
  }
  if (entry.disabled) return DisabledText(entry);
  const ClientState& client = *context.client_;
  if (!client.authenticated && (spec.flags & kNoAuth) == 0 && !config().requirepass.empty()) {
    return std::string(kNoAuthText);
  }
  if ((spec.flags & kNeedsCluster) != 0 && worker_.router == nullptr) {
    return std::string(kNotClustered);
  }
  if (client.IsSubscribed() && client.version == RespVersion::k2 &&
      (spec.flags & kWhileSubscribed) == 0) {
    return OnlyPubSubText(entry);
  }
  if (client.transaction.open && (spec.flags & kNoMulti) != 0) {
    return std::string(kNotInTransaction);
  }
  return "";
}

void Dispatcher::RejectUnknown(CommandContext* context) {
  if (IsHttp(context->args())) {
    context->client().drop = true;
    worker_.counters->Add(Counter::kProtocolErrors);
    GUB_LOG_EVERY(1000, warn,
                  "closing a client that speaks HTTP to the Redis port, perhaps a web page that "
                  "attacks its visitors' networks address={}",
                  context->client().record->address);
    return;
  }
  Reject(context, nullptr, UnknownCommandText(context->args()));
}

void Dispatcher::Reject(CommandContext* context, const CommandEntry* entry, std::string_view text) {
  if (entry != nullptr) {
    stats_->AddRejected(entry->number);
    if (IsRequestError(*entry->spec, text)) worker_.counters->Add(Counter::kRequestErrors);
  }
  Transaction& transaction = context->client().transaction;
  if (transaction.open && entry != nullptr && entry->full_name == "exec") {
    EndTransaction(&context->client(), &node_->watch);
    return context->Error(ExecAbortedText(text));
  }
  if (transaction.open) transaction.aborted = true;
  context->Error(text);
}

void Dispatcher::Queue(CommandContext* context) {
  const CommandEntry& entry = *context->entry_;
  if ((entry.spec->flags & kWrite) != 0 && config().cluster_redirect) {
    const std::string moved = MovedText(*context, KeysOf(entry, context->args()));
    if (!moved.empty()) return Reject(context, &entry, moved);
  }
  Transaction& transaction = context->client().transaction;
  size_t bytes = kQueuedRequestBytes;
  for (std::string_view arg : context->args()) bytes += arg.size() + kQueuedArgumentBytes;
  const auto limit = static_cast<size_t>(config().client_query_buffer_limit_bytes);
  if (transaction.bytes + bytes > limit) {
    return Reject(context, context->entry_, kTransactionTooLarge);
  }
  transaction.bytes += bytes;
  transaction.queued.emplace_back(context->args().begin(), context->args().end());
  context->reply().SimpleString("QUEUED");
}

void Dispatcher::Execute(CommandContext* context) {
  const CommandEntry* const entry = context->entry_;
  if (!times_runs_ || (entry->spec->flags & kFast) == 0) return ExecuteAlone(context);
  CountCall(entry);
  entry->spec->handler(*context);
  if (context->failed()) stats_->AddFailed(entry->number);
}

// Makes it part of the present run, or of a new one.
void Dispatcher::CountCall(const CommandEntry* entry) {
  if (entry != run_entry_) {
    if (run_calls_ != 0) EndRun(MonotonicNs());
    run_entry_ = entry;
  }
  ++run_calls_;
}

// Takes the time of this one command, and of those it runs (EXEC).
void Dispatcher::ExecuteAlone(CommandContext* context) {
  const CommandEntry* const entry = context->entry_;
  const int64_t start_mono_ns = MonotonicNs();
  EndRun(start_mono_ns);
  entry->spec->handler(*context);
  const int64_t end_mono_ns = MonotonicNs();
  EndRun(end_mono_ns);
  run_entry_ = entry;
  Account({entry, 1, end_mono_ns - start_mono_ns}, context->client(), context->args());
  if (context->failed()) stats_->AddFailed(entry->number);
}

// Whether nothing is lost when a request is not run, but its answer.
bool Dispatcher::OnlyAnswers(Args args) {
  const CommandEntry* entry = FindCommand(args[0]);
  if (entry != nullptr && !entry->subcommands.empty() && args.size() > 1) {
    entry = CommandTable::FindSubcommand(*entry, args[1]);
  }
  return entry == nullptr || (entry->spec->flags & kOnlyAnswers) != 0;
}

void Dispatcher::RunQueued(CommandContext* exec) {
  ClientState& client = exec->client();
  const std::vector<std::vector<std::string>> queued = std::move(client.transaction.queued);
  EndTransaction(&client, &node_->watch);
  const auto limit = static_cast<size_t>(config().client_output_buffer_limit_bytes);
  exec->reply().Array(queued.size());
  std::vector<std::string_view> args;
  for (const auto& request : queued) {
    args.assign(request.begin(), request.end());
    if (client.drop && OnlyAnswers(args)) continue;
    Run(args, &client, &exec->reply());
    // A transaction is never half-run: when its reply is past all bounds, what changes something is
    // run unheard, and the client is closed.
    if (exec->reply().out()->size() + client.pending.held_bytes() > limit) {
      if (client.pending.empty()) exec->reply().out()->Truncate(limit + 1);
      client.drop = true;
    }
  }
}

}  // namespace gub
