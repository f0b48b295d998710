// Errors: the texts that clients see, in one place. Redis' own where Redis has the same error.
//
// Threads:  pure functions.

#ifndef GUB_COMMAND_ERRORS_H_
#define GUB_COMMAND_ERRORS_H_

#include <string>
#include <string_view>

#include "command/command_table.h"
#include "command/context.h"

namespace gub {

inline constexpr std::string_view kNotInTransaction =
    "ERR Command not allowed inside a transaction";
inline constexpr std::string_view kTransactionTooLarge =
    "ERR the transaction is larger than client-query-buffer-limit";
inline constexpr std::string_view kExecAborted =
    "EXECABORT Transaction discarded because of previous errors.";
inline constexpr std::string_view kSyntaxError = "ERR syntax error";
inline constexpr std::string_view kTableFull = "OOM the table is full of live buckets";
inline constexpr std::string_view kNoProtocol = "NOPROTO unsupported protocol version";
inline constexpr std::string_view kDebugOff =
    "ERR GUB.DEBUG is off; it needs the option enable-debug-commands yes";

// What EXEC answers when it is itself refused by `error`, which starts with "ERR ".
std::string ExecAbortedText(std::string_view error);
// "ERR unknown command 'X', with args beginning with: 'a' 'b' "
std::string UnknownCommandText(Args args);
// "ERR unknown subcommand 'X'. Try CLIENT HELP."
std::string UnknownSubcommandText(const CommandEntry& command, std::string_view subcommand);
// "ERR wrong number of arguments for 'gub.hit' command"
std::string WrongArityText(const CommandEntry& entry);

}  // namespace gub

#endif  // GUB_COMMAND_ERRORS_H_
