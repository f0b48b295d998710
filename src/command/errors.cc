#include "command/errors.h"

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {
constexpr size_t kShownBytes = 128;
}  // namespace

std::string ExecAbortedText(std::string_view error) {
  constexpr std::string_view kCode = "ERR ";
  if (error.starts_with(kCode)) error.remove_prefix(kCode.size());
  return fmt::format("EXECABORT Transaction discarded because of: {}", error);
}

std::string UnknownCommandText(Args args) {
  std::string shown;
  for (std::string_view arg : args.subspan(1)) {
    if (shown.size() >= kShownBytes) break;
    shown += fmt::format("'{}' ", Escape(arg, kShownBytes - shown.size()));
  }
  return fmt::format("ERR unknown command '{}', with args beginning with: {}",
                     Escape(args[0], kShownBytes), shown);
}

std::string UnknownSubcommandText(const CommandEntry& command, std::string_view subcommand) {
  return fmt::format("ERR unknown subcommand '{}'. Try {} HELP.", Escape(subcommand, kShownBytes),
                     ToUpper(command.full_name));
}

std::string DisabledText(const CommandEntry& entry) {
  return fmt::format("ERR command '{}' is disabled by the option disable-commands",
                     entry.full_name);
}

std::string OnlyPubSubText(const CommandEntry& entry) {
  return fmt::format(
      "ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
      "allowed in this context",
      entry.full_name);
}

std::string WrongArityText(const CommandEntry& entry) {
  return fmt::format("ERR wrong number of arguments for '{}' command", entry.full_name);
}

}  // namespace gub
