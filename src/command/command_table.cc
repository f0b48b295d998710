#include "command/command_table.h"

#include <functional>

#include "base/text.h"

namespace gub {

CommandTable::CommandTable() {
  size_t count = 0;
  for (const CommandSpec& row : CommandRows()) count += 1 + row.subcommands.size();
  entries_.reserve(count);  // so that pointers to entries hold
  for (const CommandSpec& row : CommandRows()) {
    entries_.push_back({&row, std::string(row.name), entries_.size(), nullptr, {}});
    CommandEntry* const command = &entries_.back();
    commands_.push_back(command);
    by_name_.emplace(command->full_name, command);
    for (const CommandSpec& sub : row.subcommands) {
      std::string full_name = command->full_name + '|' + std::string(sub.name);
      entries_.push_back({&sub, std::move(full_name), entries_.size(), command, {}});
      command->subcommands.push_back(&entries_.back());
    }
  }
}

const CommandEntry* CommandTable::Find(std::string_view name) const {
  const auto found = by_name_.find(ToLower(name));
  return found == by_name_.end() ? nullptr : found->second;
}

const CommandEntry* CommandTable::FindSubcommand(const CommandEntry& parent,
                                                 std::string_view name) {
  for (const CommandEntry* sub : parent.subcommands) {
    if (EqualsIgnoreCase(sub->spec->name, name)) return sub;
  }
  return nullptr;
}

const CommandEntry* CommandTable::FindFullName(std::string_view full_name) const {
  const size_t bar = full_name.find('|');
  const CommandEntry* const command = Find(full_name.substr(0, bar));
  if (command == nullptr || bar == std::string_view::npos) return command;
  return FindSubcommand(*command, full_name.substr(bar + 1));
}

}  // namespace gub
