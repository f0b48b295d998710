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

inline constexpr std::string_view kNoAuthText = "NOAUTH Authentication required.";
inline constexpr std::string_view kWrongPass =
    "WRONGPASS invalid username-password pair or user is disabled.";
inline constexpr std::string_view kNotClustered = "ERR This instance has cluster support disabled";
inline constexpr std::string_view kNotAnInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kMaxClients = "ERR max number of clients reached";
inline constexpr std::string_view kDenied =
    "DENIED this node is in protected mode: it has no password and takes clients of its own "
    "machine only. Set the option requirepass, or protected-mode no where a firewall keeps "
    "strangers out.";

// What EXEC answers when it is itself refused by `error`.
std::string ExecAbortedText(std::string_view error);
// "ERR unknown command 'X', with args beginning with: 'a' 'b' "
std::string UnknownCommandText(Args args);
// "ERR unknown subcommand 'X'. Try CLIENT HELP."
std::string UnknownSubcommandText(const CommandEntry& command, std::string_view subcommand);
// "ERR command 'flushall' is disabled by the option disable-commands"
std::string DisabledText(const CommandEntry& entry);
// What a RESP2 client that is subscribed may not call.
std::string OnlyPubSubText(const CommandEntry& entry);
// "ERR wrong number of arguments for 'gub.hit' command"
std::string WrongArityText(const CommandEntry& entry);

}  // namespace gub

#endif  // GUB_COMMAND_ERRORS_H_
