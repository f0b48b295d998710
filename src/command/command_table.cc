#include "command/command_table.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"

namespace gub {

CommandTable::CommandTable(std::span<const std::string> disabled) {
  const std::span<const CommandSpec> groups[] = {LimiterRows(), ConnectionRows(), ServerRows(),
                                                 KeyRows()};
  size_t count = 0;
  for (const auto& rows : groups) {
    for (const CommandSpec& row : rows) count += 1 + row.subcommands.size();
  }
  entries_.reserve(count);  // so that pointers to entries hold
  for (const auto& rows : groups) {
    for (const CommandSpec& row : rows) Add(row, disabled);
  }
}

void CommandTable::Add(const CommandSpec& row, std::span<const std::string> disabled) {
  const auto is_disabled = [disabled](std::string_view name) {
    return std::any_of(disabled.begin(), disabled.end(),
                       [name](const std::string& one) { return EqualsIgnoreCase(one, name); });
  };
  const bool off = is_disabled(row.name);
  entries_.push_back({&row, std::string(row.name), entries_.size(), nullptr, off, {}});
  CommandEntry* const command = &entries_.back();
  commands_.push_back(command);
  by_name_.emplace(command->full_name, command);
  for (const CommandSpec& sub : row.subcommands) {
    std::string full_name = command->full_name + '|' + std::string(sub.name);
    const bool sub_off = off || is_disabled(full_name);
    entries_.push_back({&sub, std::move(full_name), entries_.size(), command, sub_off, {}});
    command->subcommands.push_back(&entries_.back());
  }
}

std::string CommandTable::FindUnknown(std::span<const std::string> full_names) const {
  for (const std::string& name : full_names) {
    if (FindFullName(name) == nullptr) return name;
  }
  return "";
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
