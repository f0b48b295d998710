#include "command/server_commands.h"

#include <sys/time.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "base/log.h"
#include "base/text.h"
#include "cluster/lease_desk.h"
#include "command/context.h"
#include "command/errors.h"
#include "command/info.h"

namespace gub {

namespace {

// Whether the only word behind the command, if there is one, is one of these two.
bool HasOneOf(Args words, std::string_view a, std::string_view b) {
  return words.empty() ||
         (words.size() == 1 && (EqualsIgnoreCase(words[0], a) || EqualsIgnoreCase(words[0], b)));
}

}  // namespace

void InfoCommand(CommandContext& context) {
  context.reply().VerbatimText(InfoText(context.node(), context.args().subspan(1)));
}

// The wall clock, not the limiter's: GUB.DEBUG CLOCK does not move it.
void TimeCommand(CommandContext& context) {
  timeval now{};
  gettimeofday(&now, nullptr);
  context.reply().Array(2);
  context.reply().Bulk(std::to_string(now.tv_sec));
  context.reply().Bulk(std::to_string(now.tv_usec));
}

void DbSizeCommand(CommandContext& context) {
  context.reply().Integer(context.node().store.Size());
}

// FLUSHALL [ASYNC|SYNC]; both words do the same.
void FlushAllCommand(CommandContext& context) {
  if (!HasOneOf(context.args().subspan(1), "ASYNC", "SYNC")) return context.Error(kSyntaxError);
  KeyWatch& watch = context.node().watch;
  std::unique_lock<std::shared_mutex> lock;
  if (!context.worker().in_exec) lock = watch.LockForExec();
  context.node().store.Clear();
  if (context.worker().desk != nullptr) context.worker().desk->OnGoneAll();
  watch.TouchAll();
  context.reply().Ok();
}

// [master, replication offset, replicas]
void RoleCommand(CommandContext& context) {
  context.reply().Array(3);
  context.reply().Bulk("master");
  context.reply().Integer(0);
  context.reply().Array(0);
}

// SHUTDOWN [NOSAVE|SAVE] [NOW] [FORCE] [ABORT]; as in Redis there is no reply but the end of the
// connection.
void ShutdownCommand(CommandContext& context) {
  bool abort = false;
  for (std::string_view word : context.args().subspan(1)) {
    const std::string lower = ToLower(word);
    constexpr std::string_view kWords[] = {"nosave", "save", "now", "force", "abort"};
    if (std::find(std::begin(kWords), std::end(kWords), lower) == std::end(kWords)) {
      return context.Error(kSyntaxError);
    }
    abort = abort || lower == "abort";
  }
  if (abort && context.args().size() > 2) return context.Error(kSyntaxError);
  if (abort) return context.Error("ERR No shutdown in progress.");
  GUB_LOG(info, "a client asked for the end client={}", context.client().record->address);
  context.client().close = true;
  context.node().hooks.stop();
}

void AclWhoAmICommand(CommandContext& context) { context.reply().Bulk("default"); }

void ModuleListCommand(CommandContext& context) { context.reply().Array(0); }

// FUNCTION FLUSH [ASYNC|SYNC]
void FunctionFlushCommand(CommandContext& context) {
  if (!HasOneOf(context.args().subspan(2), "ASYNC", "SYNC")) {
    return context.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  }
  context.reply().Ok();
}

void MonitorCommand(CommandContext& context) {
  context.Error(
      "ERR MONITOR is not there: it would slow every request and show every key; see SLOWLOG, "
      "INFO and CLIENT LIST");
}

}  // namespace gub
