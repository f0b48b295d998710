#include "command/command_commands.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "command/command_docs.h"
#include "command/context.h"
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
      context.reply().NullArray();
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
