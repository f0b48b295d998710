#include "command/dispatch.h"

#include <utility>
#include <vector>

#include "command/errors.h"

namespace gub {

namespace {
// What a queued request, and each of its arguments, cost beside their bytes.
constexpr size_t kQueuedRequestBytes = sizeof(std::vector<std::string>) + 16;
constexpr size_t kQueuedArgumentBytes = sizeof(std::string) + 16;
}  // namespace

Dispatcher::Dispatcher(Node* node, size_t thread)
    : node_(node),
      counters_(&node->counters.ForThread(thread)),
      stats_(&node->command_stats.ForThread(thread)) {}

void Dispatcher::BeginBatch() {
  now_ms_ = node_->clock.NowMs();
  run_start_mono_ns_ = MonotonicNs();
}

void Dispatcher::EndBatch() { EndRun(MonotonicNs()); }

void Dispatcher::EndRun(int64_t mono_ns) {
  if (run_calls_ != 0) {
    stats_->AddRun(run_entry_->number, run_calls_,
                   static_cast<uint64_t>(mono_ns - run_start_mono_ns_));
  }
  run_calls_ = 0;
  run_start_mono_ns_ = mono_ns;
}

void Dispatcher::Run(Args args, ClientState* client, ReplyWriter* reply) {
  CommandContext context(node_, counters_, this, client, reply, &now_ms_);
  context.args_ = args;
  counters_->Add(Counter::kCommandsProcessed);
  context.entry_ = Check(&context);
  if (context.entry_ == nullptr) return;
  if (client->transaction.open && (context.entry_->spec->flags & kRunsInMulti) == 0) {
    Queue(&context);
  } else {
    Execute(&context);
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
    Reject(context, nullptr, UnknownCommandText(args));
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
  if (!ArityFits(entry->spec->arity, args.size()) || entry->spec->handler == nullptr) {
    Reject(context, entry, WrongArityText(*entry));
    return nullptr;
  }
  if (context->client().transaction.open && (entry->spec->flags & kNoMulti) != 0) {
    Reject(context, entry, kNotInTransaction);
    return nullptr;
  }
  return entry;
}

void Dispatcher::Reject(CommandContext* context, const CommandEntry* entry, std::string_view text) {
  if (entry != nullptr) {
    stats_->AddRejected(entry->number);
    if (entry->spec->group == "limiter") counters_->Add(Counter::kRequestErrors);
  }
  Transaction& transaction = context->client().transaction;
  if (transaction.open && entry != nullptr && entry->full_name == "exec") {
    transaction = Transaction();
    return context->Error(ExecAbortedText(text));
  }
  if (transaction.open) transaction.aborted = true;
  context->Error(text);
}

void Dispatcher::Queue(CommandContext* context) {
  Transaction& transaction = context->client().transaction;
  size_t bytes = kQueuedRequestBytes;
  for (std::string_view arg : context->args()) bytes += arg.size() + kQueuedArgumentBytes;
  const auto limit = static_cast<size_t>(node_->config.client_query_buffer_limit_bytes);
  if (transaction.bytes + bytes > limit) {
    return Reject(context, context->entry_, kTransactionTooLarge);
  }
  transaction.bytes += bytes;
  transaction.queued.emplace_back(context->args().begin(), context->args().end());
  context->reply().SimpleString("QUEUED");
}

void Dispatcher::Execute(CommandContext* context) {
  const CommandEntry* const entry = context->entry_;
  if (entry != run_entry_) {
    if (run_calls_ != 0) EndRun(MonotonicNs());
    run_entry_ = entry;
  }
  ++run_calls_;
  entry->spec->handler(*context);
  if (context->failed()) stats_->AddFailed(entry->number);
}

void Dispatcher::RunQueued(CommandContext* exec) {
  ClientState& client = exec->client();
  const std::vector<std::vector<std::string>> queued = std::move(client.transaction.queued);
  client.transaction = Transaction();
  const auto limit = static_cast<size_t>(node_->config.client_output_buffer_limit_bytes);
  ByteBuffer* const out = exec->reply().out();
  exec->reply().Array(queued.size());
  std::vector<std::string_view> args;
  for (const auto& request : queued) {
    args.assign(request.begin(), request.end());
    Run(args, &client, &exec->reply());
    // A transaction is never half-run: when its reply is past all bounds, the rest is run unheard
    // and the client is closed.
    if (out->size() > limit) {
      out->Truncate(limit + 1);
      client.drop = true;
    }
  }
}

}  // namespace gub
