// INFO, CONFIG, TIME: what is asked of the node itself.

#ifndef GUB_COMMAND_SERVER_COMMANDS_H_
#define GUB_COMMAND_SERVER_COMMANDS_H_

#include <span>
#include <string>
#include <string_view>

#include "command/command_spec.h"
#include "command/node.h"

namespace gub {

void InfoCommand(CommandContext& context);
void ConfigGetCommand(CommandContext& context);
void TimeCommand(CommandContext& context);

// The text of INFO: the sections of these names in any case, all of them for none, "all",
// "everything" or "default".
std::string InfoText(const Node& node, std::span<const std::string_view> sections);

}  // namespace gub

#endif  // GUB_COMMAND_SERVER_COMMANDS_H_
