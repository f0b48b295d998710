// CommandTable: all commands, by name and by number.
//
// Every command and every subcommand is an entry with a number, in the order of the rows with
// subcommands behind their command; counters per command are arrays over these numbers.
//
// Threads:  immutable.

#ifndef GUB_COMMAND_COMMAND_TABLE_H_
#define GUB_COMMAND_COMMAND_TABLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "command/command_spec.h"

namespace gub {

struct CommandEntry {
  const CommandSpec* spec;
  std::string full_name;  // "client|setname"
  size_t number;
  const CommandEntry* parent;  // nullptr unless a subcommand
  bool disabled;               // by the option disable-commands
  std::vector<const CommandEntry*> subcommands;
};

class CommandTable {
 public:
  // disabled: full names in any case. A command takes its subcommands with it. Names of nothing
  // have no effect; FindUnknown tells them.
  explicit CommandTable(std::span<const std::string> disabled = {});
  CommandTable(const CommandTable&) = delete;
  CommandTable& operator=(const CommandTable&) = delete;

  // The command of this name in any case; nullptr when there is none.
  const CommandEntry* Find(std::string_view name) const;
  // The subcommand of this name in any case; nullptr when there is none.
  static const CommandEntry* FindSubcommand(const CommandEntry& parent, std::string_view name);
  // "client|setname" in any case.
  const CommandEntry* FindFullName(std::string_view full_name) const;

  // The first of the full names that is no command; "" when all are.
  std::string FindUnknown(std::span<const std::string> full_names) const;

  // Without subcommands, in the order of the rows.
  const std::vector<const CommandEntry*>& commands() const { return commands_; }
  // With subcommands; entries()[i].number == i.
  std::span<const CommandEntry> entries() const { return entries_; }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };

  void Add(const CommandSpec& row, std::span<const std::string> disabled);

  std::vector<CommandEntry> entries_;
  std::vector<const CommandEntry*> commands_;
  absl::flat_hash_map<std::string, const CommandEntry*, Hash, Equal> by_name_;
};

// The rows, a file for each (…_rows.cc).
std::span<const CommandSpec> LimiterRows();
std::span<const CommandSpec> ConnectionRows();
std::span<const CommandSpec> ServerRows();
std::span<const CommandSpec> KeyRows();

// Whether `count` arguments, the name included, suit the arity.
inline bool ArityFits(int arity, size_t count) {
  return arity >= 0 ? count == static_cast<size_t>(arity) : count >= static_cast<size_t>(-arity);
}

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_TABLE_H_
