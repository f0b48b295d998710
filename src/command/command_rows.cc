// The rows of the command table: every command there is. See command_spec.h.

#include <array>

#include "command/command_commands.h"
#include "command/command_table.h"
#include "command/connection_commands.h"
#include "command/limit_commands.h"
#include "command/server_commands.h"
#include "command/transaction_commands.h"

namespace gub {

namespace {

using enum ArgType;

constexpr KeyRange kNoKeys = {0, 0, 0};
constexpr KeyRange kKeyIsFirst = {1, 1, 1};
constexpr KeyRange kKeyIsSecond = {2, 2, 1};

constexpr uint32_t kDecides = kWrite | kDenyOom | kFast;
constexpr uint32_t kAnyTime = kLoading | kStale | kFast;

constexpr std::string_view kConstant = "O(1)";
constexpr std::string_view kFirst = "0.1.0";  // the version that brought the command

// clang-format off
constexpr ArgSpec kAlgorithms[] = {
    {.name = "token", .type = kPureToken, .token = "token"},
    {.name = "leaky", .type = kPureToken, .token = "leaky"},
};
constexpr ArgSpec kPolicies[] = {
    {.name = "local", .type = kPureToken, .token = "local"},
    {.name = "open", .type = kPureToken, .token = "open"},
    {.name = "closed", .type = kPureToken, .token = "closed"},
    {.name = "error", .type = kPureToken, .token = "error"},
};
constexpr ArgSpec kHitArgs[] = {
    {.name = "name"},
    {.name = "key", .type = kKey},
    {.name = "hits", .type = kInteger},
    {.name = "limit", .type = kInteger},
    {.name = "duration"},
    {.name = "algorithm", .type = kOneOf, .optional = true, .parts = kAlgorithms},
    {.name = "behavior", .optional = true},
    {.name = "n", .type = kInteger, .token = "BURST", .optional = true},
    {.name = "policy", .type = kOneOf, .token = "ONFAIL", .optional = true, .parts = kPolicies},
    {.name = "full", .type = kPureToken, .token = "FULL", .optional = true},
};
constexpr ArgSpec kTakeArgs[] = {
    {.name = "key", .type = kKey},
    {.name = "capacity", .type = kInteger},
    {.name = "refill_per_second", .type = kDouble},
    {.name = "cost", .type = kInteger, .optional = true},
};
constexpr ArgSpec kThrottleArgs[] = {
    {.name = "key", .type = kKey},
    {.name = "max_burst", .type = kInteger},
    {.name = "count", .type = kInteger},
    {.name = "period", .type = kInteger},
    {.name = "quantity", .type = kInteger, .optional = true},
};
constexpr ArgSpec kResetArgs[] = {{.name = "name"}, {.name = "key", .type = kKey}};

constexpr ArgSpec kClockActions[] = {
    {.name = "unix-time-ms", .type = kInteger, .token = "SET"},
    {.name = "ms", .type = kInteger, .token = "ADVANCE"},
    {.name = "system", .type = kPureToken, .token = "SYSTEM"},
};
constexpr ArgSpec kClockArgs[] = {{.name = "action", .type = kOneOf, .parts = kClockActions}};

constexpr ArgSpec kMessage[] = {{.name = "message"}};
constexpr ArgSpec kOptionalMessage[] = {{.name = "message", .optional = true}};
constexpr ArgSpec kHelloOptions[] = {
    {.name = "protover", .type = kInteger},
    {.name = "clientname", .token = "SETNAME", .optional = true},
};
constexpr ArgSpec kHelloArgs[] = {
    {.name = "arguments", .type = kBlock, .optional = true, .parts = kHelloOptions},
};
constexpr ArgSpec kIndex[] = {{.name = "index", .type = kInteger}};
constexpr ArgSpec kConnectionName[] = {{.name = "connection-name"}};
constexpr ArgSpec kInfoAttributes[] = {
    {.name = "libname", .token = "LIB-NAME"},
    {.name = "libver", .token = "LIB-VER"},
};
constexpr ArgSpec kClientInfo[] = {{.name = "attr", .type = kOneOf, .parts = kInfoAttributes}};
constexpr ArgSpec kSections[] = {{.name = "section", .optional = true, .multiple = true}};
constexpr ArgSpec kParameters[] = {{.name = "parameter", .type = kPattern, .multiple = true}};
constexpr ArgSpec kCommandNames[] = {
    {.name = "command-name", .optional = true, .multiple = true}};
constexpr ArgSpec kFlushTypes[] = {
    {.name = "async", .type = kPureToken, .token = "ASYNC"},
    {.name = "sync", .type = kPureToken, .token = "SYNC"},
};
constexpr ArgSpec kFlushArgs[] = {
    {.name = "flush-type", .type = kOneOf, .optional = true, .parts = kFlushTypes}};

constexpr CommandSpec kHelp = {
    "help", 2, kLoading | kStale, kNoKeys, "server", kFirst, kConstant,
    "Lists the subcommands.", {}, HelpCommand};

constexpr CommandSpec kClientRows[] = {
    {"getname", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "The name of this connection, nil when it has none.", {}, ClientGetNameCommand},
    kHelp,
    {"id", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "The number of this connection, never used twice.", {}, ClientIdCommand},
    {"setinfo", 4, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Says which client library is calling.", kClientInfo, ClientSetInfoCommand},
    {"setname", 3, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Names this connection.", kConnectionName, ClientSetNameCommand},
};
constexpr CommandSpec kCommandRows[] = {
    {"count", 2, kLoading | kStale, kNoKeys, "server", kFirst, kConstant,
     "How many commands there are.", {}, CommandCountCommand},
    {"docs", -2, kLoading | kStale, kNoKeys, "server", kFirst, "O(N) in the commands shown",
     "What the commands do and take.", kCommandNames, CommandDocsCommand},
    kHelp,
    {"info", -2, kLoading | kStale, kNoKeys, "server", kFirst, "O(N) in the commands shown",
     "Arity, flags and keys of commands.", kCommandNames, CommandInfoCommand},
};
constexpr CommandSpec kConfigRows[] = {
    {"get", -3, kAdmin | kLoading | kStale, kNoKeys, "server", kFirst,
     "O(N) in the options there are", "The values of the options that match a pattern.",
     kParameters, ConfigGetCommand},
    kHelp,
};
constexpr CommandSpec kDebugRows[] = {
    {"clock", -3, kAdmin | kLoading | kStale, kNoKeys, "limiter", kFirst, kConstant,
     "Freezes, moves or frees this node's limiter clock, for tests.", kClockArgs,
     DebugClockCommand},
    kHelp,
};

constexpr CommandSpec kRows[] = {
    {"gub.hit", -6, kDecides, kKeyIsSecond, "limiter", kFirst, kConstant,
     "Hits a limit and answers status, remaining and reset.", kHitArgs, HitCommand},
    {"gub.take", -4, kDecides, kKeyIsFirst, "limiter", kFirst, kConstant,
     "Takes tokens from a bucket and answers allowed, tokens and retry in ms.", kTakeArgs,
     TakeCommand},
    {"gub.reset", 3, kWrite | kFast, kKeyIsSecond, "limiter", kFirst, kConstant,
     "Forgets the buckets of a name and key and answers how many there were.", kResetArgs,
     ResetBucketCommand},
    {"gub.debug", -2, kAdmin | kLoading | kStale, kNoKeys, "limiter", kFirst, kConstant,
     "Drives a node for tests; needs enable-debug-commands.", {}, nullptr, kDebugRows},
    {"cl.throttle", -5, kDecides, kKeyIsFirst, "limiter", kFirst, kConstant,
     "Throttles as redis-cell does.", kThrottleArgs, ThrottleCommand},
    {"dbsize", 1, kReadonly | kFast, kNoKeys, "server", kFirst, kConstant,
     "How many buckets this node holds.", {}, DbSizeCommand},
    {"flushall", -1, kWrite, kNoKeys, "server", kFirst, "O(N) in the buckets",
     "Removes every bucket of this node.", kFlushArgs, FlushAllCommand},
    {"client", -2, 0, kNoKeys, "connection", kFirst, kConstant,
     "Asks or tells about this connection.", {}, nullptr, kClientRows},
    {"command", -1, kLoading | kStale, kNoKeys, "server", kFirst, "O(N) in the commands",
     "All commands with arity, flags and keys.", {}, CommandCommand, kCommandRows},
    {"config", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Reads the node's options.", {}, nullptr, kConfigRows},
    {"discard", 1, kAnyTime | kRunsInMulti, kNoKeys, "transactions", kFirst,
     "O(N) in the commands queued", "Drops a transaction.", {}, DiscardCommand},
    {"echo", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Answers the message.", kMessage, EchoCommand},
    {"exec", 1, kLoading | kStale | kRunsInMulti, kNoKeys, "transactions", kFirst,
     "O(N) in the commands queued", "Runs a transaction.", {}, ExecCommand},
    {"hello", -1, kAnyTime | kNoAuth, kNoKeys, "connection", kFirst, kConstant,
     "Greets the node and chooses the protocol, RESP2 or RESP3.", kHelloArgs, HelloCommand},
    {"info", -1, kLoading | kStale, kNoKeys, "server", kFirst, kConstant,
     "What the node is and has counted, by sections.", kSections, InfoCommand},
    {"multi", 1, kAnyTime | kRunsInMulti, kNoKeys, "transactions", kFirst, kConstant,
     "Starts a transaction.", {}, MultiCommand},
    {"ping", -1, kFast, kNoKeys, "connection", kFirst, kConstant,
     "Answers PONG, or the message.", kOptionalMessage, PingCommand},
    {"quit", -1, kAnyTime | kNoAuth | kRunsInMulti, kNoKeys, "connection", kFirst, kConstant,
     "Closes this connection after its replies.", {}, QuitCommand},
    {"select", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Accepts database 0, the only one.", kIndex, SelectCommand},
    {"time", 1, kAnyTime, kNoKeys, "server", kFirst, kConstant,
     "The wall clock, in seconds and microseconds.", {}, TimeCommand},
};
// clang-format on

}  // namespace

std::span<const CommandSpec> CommandRows() { return kRows; }

}  // namespace gub
