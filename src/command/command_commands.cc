#include "command/command_commands.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "command/command_docs.h"
#include "command/command_keys.h"
#include "command/context.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

void CommandCommand(CommandContext& context) {
  const auto& commands = context.node().commands.commands();
  context.reply().Array(commands.size());
  for (const CommandEntry* command : commands) WriteCommandEntry(*command, &context.reply());
}

void CommandCountCommand(CommandContext& context) {
  context.reply().Integer(static_cast<int64_t>(context.node().commands.commands().size()));
}

void CommandInfoCommand(CommandContext& context) {
  const Args names = context.args().subspan(2);
  if (names.empty()) return CommandCommand(context);
  context.reply().Array(names.size());
  for (std::string_view name : names) {
    const CommandEntry* const entry = context.node().commands.FindFullName(name);
    if (entry == nullptr) {
      context.reply().Null();
    } else {
      WriteCommandEntry(*entry, &context.reply());
    }
  }
}

void CommandDocsCommand(CommandContext& context) {
  const Args names = context.args().subspan(2);
  std::vector<const CommandEntry*> wanted;
  for (std::string_view name : names) {
    const CommandEntry* const entry = context.node().commands.FindFullName(name);
    if (entry != nullptr) wanted.push_back(entry);
  }
  if (names.empty()) wanted = context.node().commands.commands();
  context.reply().Map(wanted.size());
  for (const CommandEntry* entry : wanted) {
    context.reply().Bulk(entry->full_name);
    WriteCommandDocs(*entry, &context.reply());
  }
}

// COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]
void CommandListCommand(CommandContext& context) {
  const Args words = context.args().subspan(2);
  const bool filters = words.size() == 3 && EqualsIgnoreCase(words[0], "FILTERBY");
  if (!words.empty() && !filters) return context.Error(kSyntaxError);
  std::function<bool(const CommandEntry&)> fits = [](const CommandEntry&) { return true; };
  if (filters && EqualsIgnoreCase(words[1], "MODULE")) {
    fits = [](const CommandEntry&) { return false; };
  } else if (filters && EqualsIgnoreCase(words[1], "ACLCAT")) {
    const std::string category = '@' + ToLower(words[2]);
    fits = [category](const CommandEntry& entry) { return IsInCategory(*entry.spec, category); };
  } else if (filters && EqualsIgnoreCase(words[1], "PATTERN")) {
    const std::string pattern = ToLower(words[2]);
    fits = [pattern](const CommandEntry& entry) { return GlobMatch(pattern, entry.full_name); };
  } else if (filters) {
    return context.Error(kSyntaxError);
  }
  std::vector<const CommandEntry*> found;
  for (const CommandEntry* command : context.node().commands.commands()) {
    if (fits(*command)) found.push_back(command);
    for (const CommandEntry* sub : command->subcommands) {
      if (filters && fits(*sub)) found.push_back(sub);
    }
  }
  context.reply().Array(found.size());
  for (const CommandEntry* entry : found) context.reply().Bulk(entry->full_name);
}

namespace {

// The keys of the request behind COMMAND GETKEYS; nothing when there are none, which is answered.
std::optional<std::vector<std::string_view>> ReadKeys(CommandContext& context,
                                                      const CommandEntry** command) {
  const Args request = context.args().subspan(2);
  const CommandEntry* entry = context.node().commands.Find(request[0]);
  if (entry != nullptr && !entry->subcommands.empty() && request.size() > 1) {
    entry = CommandTable::FindSubcommand(*entry, request[1]);
  }
  if (entry == nullptr) {
    context.Error("ERR Invalid command specified");
    return std::nullopt;
  }
  if (entry->spec->keys.first == 0 && entry->spec->keys.count == 0) {
    context.Error("ERR The command has no key arguments");
    return std::nullopt;
  }
  if (!ArityFits(entry->spec->arity, request.size())) {
    context.Error("ERR Invalid number of arguments specified for command");
    return std::nullopt;
  }
  *command = entry;
  return KeysOf(*entry, request);
}

}  // namespace

void CommandGetKeysCommand(CommandContext& context) {
  const CommandEntry* command = nullptr;
  const auto keys = ReadKeys(context, &command);
  if (!keys) return;
  context.reply().Array(keys->size());
  for (std::string_view key : *keys) context.reply().Bulk(key);
}

// [[key, flags]…]
void CommandGetKeysAndFlagsCommand(CommandContext& context) {
  const CommandEntry* command = nullptr;
  const auto keys = ReadKeys(context, &command);
  if (!keys) return;
  context.reply().Array(keys->size());
  for (std::string_view key : *keys) {
    context.reply().Array(2);
    context.reply().Bulk(key);
    WriteKeyFlags(*command->spec, &context.reply());
  }
}

void HelpCommand(CommandContext& context) {
  const CommandEntry& container = *context.entry().parent;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{} <subcommand> [<arg> ...]. Subcommands are:", ToUpper(container.full_name)));
  for (const CommandEntry* sub : container.subcommands) {
    lines.push_back(ToUpper(sub->spec->name));
    lines.push_back(fmt::format("    {}", sub->spec->summary));
  }
  context.reply().Array(lines.size());
  for (const std::string& line : lines) context.reply().SimpleString(line);
}

}  // namespace gub
