// GUB.TOP: the names and keys that were hit and denied most in the last minute, on this node.

#ifndef GUB_COMMAND_TOP_COMMANDS_H_
#define GUB_COMMAND_TOP_COMMANDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/top_keys.h"
#include "command/command_spec.h"
#include "command/node.h"

namespace gub {

inline constexpr int64_t kTopDefault = 10;
inline constexpr int64_t kTopMost = 1000;
inline constexpr std::string_view kTopOff = "ERR GUB.TOP is off, the option top-keys is 0";

// The largest, over all threads.
std::vector<TopEntry> TopOf(const Node& node, TopKeys::Kind kind, size_t most);

void TopCommand(CommandContext& context);

}  // namespace gub

#endif  // GUB_COMMAND_TOP_COMMANDS_H_
