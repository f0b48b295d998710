#include "command/client_commands.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "command/client_filter.h"
#include "command/context.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

// Every client may have three of them, and CLIENT LIST shows them all.
constexpr size_t kMaxNameBytes = 256;

// Why a text cannot stand in a line of CLIENT LIST; "" when it can. `what` begins the sentence.
std::string WhyNoName(std::string_view what, std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; })) {
    return fmt::format("ERR {} cannot contain spaces, newlines or special characters.", what);
  }
  if (text.size() <= kMaxNameBytes) return "";
  return fmt::format("ERR {} cannot be longer than {} bytes", what, kMaxNameBytes);
}

std::string FlagsOf(const ClientRecord& record) {
  std::string flags;
  if (record.subscriptions > 0) flags += 'P';
  if (record.queued_commands >= 0) flags += 'x';
  if (record.IsPeer()) flags += 'M';
  if (record.no_evict) flags += 'e';
  if (record.evicted) flags += 'A';
  return flags.empty() ? "N" : flags;
}

// One line of CLIENT LIST, with the fields of Redis 7.2 in its order.
std::string LineOf(const ClientRecord& record) {
  const ClientRecord::Names names = record.names();
  const CommandEntry* const command = record.last_command;
  const int64_t now_ns = MonotonicNs();
  return fmt::format(
      "id={} addr={} laddr={} fd={} name={} age={} idle={} flags={} db=0 sub={} psub=0 ssub=0 "
      "multi={} qbuf={} qbuf-free=0 argv-mem=0 multi-mem={} rbs=0 rbp=0 obl={} oll=0 omem={} "
      "tot-mem={} "
      "events=r cmd={} user=default redir=-1 resp={} lib-name={} lib-ver={}\n",
      record.id, record.address, record.local_address, record.fd, names.name,
      (now_ns - record.since_mono_ns) / kNsPerSecond, (now_ns - record.last_mono_ns) / kNsPerSecond,
      FlagsOf(record), record.subscriptions.load(), record.queued_commands.load(),
      record.pending_bytes.load(), record.queued_bytes.load(), record.unsent_bytes.load(),
      record.unsent_bytes.load(), record.HeldBytes(),
      command == nullptr ? "NULL" : command->full_name, record.resp.load(), names.lib_name,
      names.lib_version);
}

// The client that asks is in the middle of this command; its line says so.
void NoteOwnCommand(CommandContext& context) {
  context.client().record->last_command = &context.entry();
}

void KillAll(CommandContext& context, const ClientFilter& filter, bool skip_me, int64_t* killed) {
  const int64_t own_id = context.client().id();
  for (const auto& record : context.node().clients.All()) {
    if (!filter.Fits(*record) || (skip_me && record->id == own_id)) continue;
    ++*killed;
    if (record->id == own_id) {
      context.client().close = true;  // after the reply
    } else {
      context.node().hooks.close_client(*record);
    }
  }
}

// ON or OFF, as the last argument; nothing when it is neither, which is answered.
std::optional<bool> ReadSwitch(CommandContext& context) {
  const std::string_view word = context.args()[2];
  if (EqualsIgnoreCase(word, "on")) return true;
  if (EqualsIgnoreCase(word, "off")) return false;
  context.Error(kSyntaxError);
  return std::nullopt;
}

}  // namespace

std::string WhyNoClientName(std::string_view name) { return WhyNoName("Client names", name); }

void SetClientName(ClientState* client, std::string_view name) {
  ClientRecord::Names names = client->record->names();
  names.name = name;
  client->record->set_names(std::move(names));
}

void ClientIdCommand(CommandContext& context) { context.reply().Integer(context.client().id()); }

void ClientGetNameCommand(CommandContext& context) {
  const std::string name = context.client().record->names().name;
  if (name.empty()) return context.reply().Null();
  context.reply().Bulk(name);
}

void ClientSetNameCommand(CommandContext& context) {
  const std::string why_not = WhyNoClientName(context.args()[2]);
  if (!why_not.empty()) return context.Error(why_not);
  SetClientName(&context.client(), context.args()[2]);
  context.reply().Ok();
}

void ClientSetInfoCommand(CommandContext& context) {
  const std::string_view attribute = context.args()[2];
  const std::string_view value = context.args()[3];
  ClientRecord::Names names = context.client().record->names();
  std::string* field = nullptr;
  if (EqualsIgnoreCase(attribute, "LIB-NAME")) field = &names.lib_name;
  if (EqualsIgnoreCase(attribute, "LIB-VER")) field = &names.lib_version;
  if (field == nullptr) {
    return context.Error(fmt::format("ERR Unrecognized option '{}'", Escape(attribute)));
  }
  const std::string why_not = WhyNoName(ToLower(attribute), value);
  if (!why_not.empty()) return context.Error(why_not);
  *field = value;
  context.client().record->set_names(std::move(names));
  context.reply().Ok();
}

void ClientInfoCommand(CommandContext& context) {
  NoteOwnCommand(context);
  context.reply().VerbatimText(LineOf(*context.client().record));
}

// CLIENT LIST [TYPE type] [ID id…]
void ClientListCommand(CommandContext& context) {
  NoteOwnCommand(context);
  ClientFilter filter;
  const std::string error = filter.ReadList(context.args().subspan(2));
  if (!error.empty()) return context.Error(error);
  std::string lines;
  for (const auto& record : context.node().clients.All()) {
    if (filter.Fits(*record)) lines += LineOf(*record);
  }
  context.reply().VerbatimText(lines);
}

// CLIENT KILL address, or any of: ID, TYPE, USER, ADDR, LADDR, MAXAGE, SKIPME with a value each
void ClientKillCommand(CommandContext& context) {
  const Args words = context.args().subspan(2);
  ClientFilter filter;
  int64_t killed = 0;
  if (words.size() == 1) {
    filter.address = words[0];
    KillAll(context, filter, false, &killed);
    if (killed == 0) return context.Error("ERR No such client");
    return context.reply().Ok();
  }
  bool skip_me = true;
  const std::string error = filter.ReadKill(words, &skip_me);
  if (!error.empty()) return context.Error(error);
  KillAll(context, filter, skip_me, &killed);
  context.reply().Integer(killed);
}

void ClientNoEvictCommand(CommandContext& context) {
  const std::optional<bool> on = ReadSwitch(context);
  if (!on) return;
  context.client().record->no_evict = *on;
  context.reply().Ok();
}

// Nothing here depends on when a key was last used.
void ClientNoTouchCommand(CommandContext& context) {
  if (ReadSwitch(context)) context.reply().Ok();
}

// CLIENT REPLY ON | OFF | SKIP; only ON is answered.
void ClientReplyCommand(CommandContext& context) {
  const std::string_view word = context.args()[2];
  ReplyMode& mode = context.client().reply_mode;
  if (EqualsIgnoreCase(word, "on")) {
    mode = ReplyMode::kOn;
    context.reply().Ok();
  } else if (EqualsIgnoreCase(word, "off")) {
    mode = ReplyMode::kOff;
  } else if (EqualsIgnoreCase(word, "skip")) {
    if (mode != ReplyMode::kOff) mode = ReplyMode::kSkipNext;
  } else {
    context.Error(kSyntaxError);
  }
}

}  // namespace gub
