// The text of INFO.

#ifndef GUB_COMMAND_INFO_H_
#define GUB_COMMAND_INFO_H_

#include <span>
#include <string>
#include <string_view>

#include "command/node.h"

namespace gub {

// The sections of these names in any case; for none or "default" those that Redis shows then, for
// "all" or "everything" all.
std::string InfoText(const Node& node, std::span<const std::string_view> sections);

}  // namespace gub

#endif  // GUB_COMMAND_INFO_H_
