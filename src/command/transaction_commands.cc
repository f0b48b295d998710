#include "command/transaction_commands.h"

#include <algorithm>
#include <string_view>

#include "command/context.h"
#include "command/dispatch.h"
#include "command/errors.h"

namespace gub {

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
  const KeyWatch& watch = context.node().watch;
  const auto& marks = context.client().watches;
  if (!std::all_of(marks.begin(), marks.end(),
                   [&watch](const KeyWatch::Mark& mark) { return watch.IsUntouched(mark); })) {
    EndTransaction(&context.client(), &context.node().watch);
    return context.reply().NullArray();
  }
  context.dispatcher().RunQueued(&context);
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
  const size_t bytes = (client.watches.size() + keys.size()) * sizeof(KeyWatch::Mark);
  if (bytes > static_cast<size_t>(context.config().client_query_buffer_limit_bytes)) {
    return context.Error("ERR more keys are watched than client-query-buffer-limit allows");
  }
  KeyWatch& watch = context.node().watch;
  if (client.watches.empty()) watch.AddWatcher();
  for (std::string_view key : keys) client.watches.push_back(watch.Look(key));
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
