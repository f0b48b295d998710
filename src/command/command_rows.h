// What the files of rows share. See command_spec.h; nobody else includes this.

#ifndef GUB_COMMAND_COMMAND_ROWS_H_
#define GUB_COMMAND_COMMAND_ROWS_H_

#include <string_view>

#include "command/command_commands.h"
#include "command/command_spec.h"
#include "command/command_table.h"

namespace gub {

inline constexpr KeyRange kNoKeys = {};
inline constexpr KeyRange kKeyIsFirst = {1, 1, 1};
inline constexpr KeyRange kKeyIsSecond = {2, 2, 1};
inline constexpr KeyRange kAllAreKeys = {1, -1, 1};
inline constexpr KeyRange kCountedKeys = {.count = 2};

inline constexpr uint32_t kDecides = kWrite | kDenyOom | kFast;
inline constexpr uint32_t kAnyTime = kLoading | kStale | kFast;
inline constexpr uint32_t kSlowAnyTime = kLoading | kStale;

inline constexpr std::string_view kConstant = "O(1)";
inline constexpr std::string_view kPerCommand = "O(N) in the commands shown";
inline constexpr std::string_view kPerClient = "O(N) in the clients";
inline constexpr std::string_view kPerKey = "O(N) in the keys";
inline constexpr std::string_view kPerEntry = "O(N) in the entries";
inline constexpr std::string_view kFirst = "0.1.0";  // the version that brought the command

inline constexpr CommandSpec kHelp = {"help",   2,          kSlowAnyTime, kNoKeys,
                                      "server", kFirst,     kConstant,    "Lists the subcommands.",
                                      {},       HelpCommand};

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_ROWS_H_
