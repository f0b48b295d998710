// The rows of the command table: the node itself. See command_spec.h.

#include "command/command_rows.h"
#include "command/config_commands.h"
#include "command/diagnostic_commands.h"
#include "command/server_commands.h"

namespace gub {

namespace {

using enum ArgType;

// clang-format off
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
constexpr ArgSpec kSettings[] = {{.name = "parameter"}, {.name = "value"}};
constexpr ArgSpec kSetArgs[] = {
    {.name = "data", .type = kBlock, .multiple = true, .parts = kSettings}};
constexpr ArgSpec kFilters[] = {
    {.name = "module-name", .token = "MODULE"},
    {.name = "category", .token = "ACLCAT"},
    {.name = "pattern", .type = kPattern, .token = "PATTERN"},
};
constexpr ArgSpec kFilter[] = {
    {.name = "filterby", .type = kOneOf, .token = "FILTERBY", .optional = true,
     .parts = kFilters}};
constexpr ArgSpec kRequest[] = {
    {.name = "command"}, {.name = "arg", .optional = true, .multiple = true}};
constexpr ArgSpec kCount[] = {{.name = "count", .type = kInteger, .optional = true}};
constexpr ArgSpec kEvents[] = {{.name = "event", .optional = true, .multiple = true}};
constexpr ArgSpec kSaveOrNot[] = {
    {.name = "nosave", .type = kPureToken, .token = "NOSAVE"},
    {.name = "save", .type = kPureToken, .token = "SAVE"},
};
constexpr ArgSpec kShutdownArgs[] = {
    {.name = "save-selector", .type = kOneOf, .optional = true, .parts = kSaveOrNot},
    {.name = "now", .type = kPureToken, .token = "NOW", .optional = true},
    {.name = "force", .type = kPureToken, .token = "FORCE", .optional = true},
    {.name = "abort", .type = kPureToken, .token = "ABORT", .optional = true},
};

constexpr uint32_t kAdmins = kAdmin | kSlowAnyTime;

constexpr CommandSpec kAclRows[] = {
    kHelp,
    {"whoami", 2, kAnyTime, kNoKeys, "server", kFirst, kConstant,
     "The user of this connection: default.", {}, AclWhoAmICommand},
};
constexpr CommandSpec kCommandRows[] = {
    {"count", 2, kSlowAnyTime, kNoKeys, "server", kFirst, kConstant,
     "How many commands there are.", {}, CommandCountCommand},
    {"docs", -2, kSlowAnyTime | kOnlyAnswers, kNoKeys, "server", kFirst, kPerCommand,
     "What the commands do and take.", kCommandNames, CommandDocsCommand},
    {"getkeys", -3, kSlowAnyTime, kNoKeys, "server", kFirst, "O(N) in the arguments",
     "The keys of a request.", kRequest, CommandGetKeysCommand},
    {"getkeysandflags", -3, kSlowAnyTime, kNoKeys, "server", kFirst, "O(N) in the arguments",
     "The keys of a request and what it does with them.", kRequest,
     CommandGetKeysAndFlagsCommand},
    kHelp,
    {"info", -2, kSlowAnyTime | kOnlyAnswers, kNoKeys, "server", kFirst, kPerCommand,
     "Arity, flags and keys of commands.", kCommandNames, CommandInfoCommand},
    {"list", -2, kSlowAnyTime | kOnlyAnswers, kNoKeys, "server", kFirst, kPerCommand,
     "The names of the commands, all or those of a category or pattern.", kFilter,
     CommandListCommand},
};
constexpr CommandSpec kConfigRows[] = {
    {"get", -3, kAdmins | kOnlyAnswers, kNoKeys, "server", kFirst,
     "O(N) in the options there are", "The values of the options that match a pattern.",
     kParameters, ConfigGetCommand},
    kHelp,
    {"resetstat", 2, kAdmins, kNoKeys, "server", kFirst, kConstant,
     "Sets the counters of INFO back to 0.", {}, ConfigResetStatCommand},
    {"rewrite", 2, kAdmins, kNoKeys, "server", kFirst, "O(N) in the lines of the file",
     "Writes the options as they are into the configuration file.", {}, ConfigRewriteCommand},
    {"set", -4, kAdmins, kNoKeys, "server", kFirst, "O(N) in the options set",
     "Changes options, all that are given or none.", kSetArgs, ConfigSetCommand},
};
constexpr CommandSpec kFunctionRows[] = {
    {"flush", -2, kWrite, kNoKeys, "scripting", kFirst, kConstant,
     "Accepted; there are no functions.", kFlushArgs, FunctionFlushCommand},
    kHelp,
};
constexpr CommandSpec kLatencyRows[] = {
    kHelp,
    {"histogram", -2, kAdmins | kOnlyAnswers, kNoKeys, "server", kFirst, kPerCommand,
     "How many calls of a command took up to 1, 2, 4 ... us.", kCommandNames,
     LatencyHistogramCommand},
    {"latest", 2, kAdmins, kNoKeys, "server", kFirst, kConstant,
     "What last took longer than latency-monitor-threshold.", {}, LatencyLatestCommand},
    {"reset", -2, kAdmins, kNoKeys, "server", kFirst, kConstant,
     "Forgets what took long.", kEvents, LatencyResetCommand},
};
constexpr CommandSpec kModuleRows[] = {
    kHelp,
    {"list", 2, kAdmins, kNoKeys, "server", kFirst, kConstant,
     "The modules: there are none.", {}, ModuleListCommand},
};
constexpr CommandSpec kSlowLogRows[] = {
    {"get", -2, kAdmins | kOnlyAnswers, kNoKeys, "server", kFirst, kPerEntry,
     "The latest slow commands, 10 unless count says otherwise, all for -1.", kCount,
     SlowLogGetCommand},
    kHelp,
    {"len", 2, kAdmins, kNoKeys, "server", kFirst, kConstant,
     "How many slow commands are kept.", {}, SlowLogLenCommand},
    {"reset", 2, kAdmins, kNoKeys, "server", kFirst, kPerEntry,
     "Forgets the slow commands.", {}, SlowLogResetCommand},
};

constexpr CommandSpec kRows[] = {
    {"acl", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Tells who this connection is.", {}, nullptr, kAclRows},
    {"command", -1, kSlowAnyTime | kOnlyAnswers, kNoKeys, "server", kFirst, "O(N) in the commands",
     "All commands with arity, flags and keys.", {}, CommandCommand, kCommandRows},
    {"config", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Reads and changes the node's options.", {}, nullptr, kConfigRows},
    {"dbsize", 1, kReadonly | kFast, kNoKeys, "server", kFirst, kConstant,
     "How many buckets this node holds.", {}, DbSizeCommand},
    {"flushall", -1, kWrite, kNoKeys, "server", kFirst, "O(N) in the buckets",
     "Removes every bucket of this node.", kFlushArgs, FlushAllCommand},
    {"function", -2, 0, kNoKeys, "scripting", kFirst, kConstant,
     "Accepts FUNCTION FLUSH; there are no functions.", {}, nullptr, kFunctionRows},
    {"info", -1, kSlowAnyTime | kOnlyAnswers, kNoKeys, "server", kFirst, kConstant,
     "What the node is and has counted, by sections.", kSections, InfoCommand},
    {"latency", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Tells how long commands took.", {}, nullptr, kLatencyRows},
    {"module", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Lists modules, of which there are none.", {}, nullptr, kModuleRows},
    {"monitor", 1, kAdmins | kNoMulti, kNoKeys, "server", kFirst, kConstant,
     "Refused: it would slow every request and show every key.", {}, MonitorCommand},
    {"role", 1, kAnyTime, kNoKeys, "server", kFirst, kConstant,
     "Says master, as every node does.", {}, RoleCommand},
    {"shutdown", -1, kAdmins | kNoMulti, kNoKeys, "server", kFirst, kConstant,
     "Stops this node as SIGTERM does.", kShutdownArgs, ShutdownCommand},
    {"slowlog", -2, 0, kNoKeys, "server", kFirst, kConstant,
     "Tells which commands were slow.", {}, nullptr, kSlowLogRows},
    {"time", 1, kAnyTime, kNoKeys, "server", kFirst, kConstant,
     "The wall clock, in seconds and microseconds.", {}, TimeCommand},
};
// clang-format on

}  // namespace

std::span<const CommandSpec> ServerRows() { return kRows; }

}  // namespace gub
