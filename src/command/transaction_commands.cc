#include "command/transaction_commands.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "command/context.h"
#include "command/dispatch.h"
#include "command/errors.h"

namespace gub {

namespace {

// The first mark of a cell says the most; so there are never more than there are cells.
void AddMark(const KeyWatch::Mark& mark, std::vector<KeyWatch::Mark>* marks) {
  const bool is_marked =
      std::any_of(marks->begin(), marks->end(),
                  [&mark](const KeyWatch::Mark& other) { return other.cell == mark.cell; });
  if (!is_marked) marks->push_back(mark);
}

}  // namespace

void MultiCommand(CommandContext& context) {
  Transaction& transaction = context.client().transaction;
  if (transaction.open) return context.Error("ERR MULTI calls can not be nested");
  transaction.open = true;
  context.reply().Ok();
}

void ExecCommand(CommandContext& context) {
  Transaction& transaction = context.client().transaction;
  if (!transaction.open) return context.Error("ERR EXEC without MULTI");
  if (transaction.aborted) {
    EndTransaction(&context.client(), &context.node().watch);
    return context.Error(kExecAborted);
  }
  KeyWatch& watch = context.node().watch;
  const auto& marks = context.client().watches;
  std::unique_lock<std::shared_mutex> lock;
  if (!marks.empty()) lock = watch.LockForExec();
  if (!std::all_of(marks.begin(), marks.end(),
                   [&watch](const KeyWatch::Mark& mark) { return watch.IsUntouched(mark); })) {
    EndTransaction(&context.client(), &context.node().watch);
    return context.reply().NullArray();
  }
  context.set_in_exec(lock.owns_lock());
  context.dispatcher().RunQueued(&context);
  context.set_in_exec(false);
}

void DiscardCommand(CommandContext& context) {
  Transaction& transaction = context.client().transaction;
  if (!transaction.open) return context.Error("ERR DISCARD without MULTI");
  EndTransaction(&context.client(), &context.node().watch);
  context.reply().Ok();
}

void WatchCommand(CommandContext& context) {
  ClientState& client = context.client();
  if (client.transaction.open) return context.Error("ERR WATCH inside MULTI is not allowed");
  const Args keys = context.args().subspan(1);
  KeyWatch& watch = context.node().watch;
  if (client.watches.empty()) watch.AddWatcher();
  for (std::string_view key : keys) AddMark(watch.Look(key), &client.watches);
  client.record->watches = static_cast<int64_t>(client.watches.size());
  context.reply().Ok();
}

void UnwatchCommand(CommandContext& context) {
  EndWatches(&context.client(), &context.node().watch);
  context.reply().Ok();
}

void EndWatches(ClientState* client, KeyWatch* watch) {
  if (!client->watches.empty()) watch->RemoveWatcher();
  client->watches.clear();
  client->watches.shrink_to_fit();
  client->record->watches = 0;
}

void EndTransaction(ClientState* client, KeyWatch* watch) {
  client->transaction = Transaction();
  EndWatches(client, watch);
}

}  // namespace gub
