#include "command/transaction_commands.h"

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
    transaction = Transaction();
    return context.Error(kExecAborted);
  }
  context.dispatcher().RunQueued(&context);
}

void DiscardCommand(CommandContext& context) {
  Transaction& transaction = context.client().transaction;
  if (!transaction.open) return context.Error("ERR DISCARD without MULTI");
  transaction = Transaction();
  context.reply().Ok();
}

}  // namespace gub
