// The rows of the command table: the connection and its transactions. See command_spec.h.

#include "command/auth_commands.h"
#include "command/client_commands.h"
#include "command/command_rows.h"
#include "command/connection_commands.h"
#include "command/transaction_commands.h"

namespace gub {

namespace {

using enum ArgType;

// clang-format off
constexpr ArgSpec kMessage[] = {{.name = "message"}};
constexpr ArgSpec kOptionalMessage[] = {{.name = "message", .optional = true}};
constexpr ArgSpec kUserAndPassword[] = {{.name = "username"}, {.name = "password"}};
constexpr ArgSpec kHelloOptions[] = {
    {.name = "protover", .type = kInteger},
    {.name = "auth", .type = kBlock, .token = "AUTH", .optional = true, .parts = kUserAndPassword},
    {.name = "clientname", .token = "SETNAME", .optional = true},
};
constexpr ArgSpec kHelloArgs[] = {
    {.name = "arguments", .type = kBlock, .optional = true, .parts = kHelloOptions},
};
constexpr ArgSpec kAuthArgs[] = {{.name = "username", .optional = true}, {.name = "password"}};
constexpr ArgSpec kIndex[] = {{.name = "index", .type = kInteger}};
constexpr ArgSpec kConnectionName[] = {{.name = "connection-name"}};
constexpr ArgSpec kInfoAttributes[] = {
    {.name = "libname", .token = "LIB-NAME"},
    {.name = "libver", .token = "LIB-VER"},
};
constexpr ArgSpec kClientInfo[] = {{.name = "attr", .type = kOneOf, .parts = kInfoAttributes}};
constexpr ArgSpec kClientTypes[] = {
    {.name = "normal", .type = kPureToken, .token = "NORMAL"},
    {.name = "master", .type = kPureToken, .token = "MASTER"},
    {.name = "replica", .type = kPureToken, .token = "REPLICA"},
    {.name = "pubsub", .type = kPureToken, .token = "PUBSUB"},
};
constexpr ArgSpec kListArgs[] = {
    {.name = "client-type", .type = kOneOf, .token = "TYPE", .optional = true,
     .parts = kClientTypes},
    {.name = "client-id", .type = kInteger, .token = "ID", .optional = true, .multiple = true},
};
constexpr ArgSpec kYesOrNo[] = {
    {.name = "yes", .type = kPureToken, .token = "YES"},
    {.name = "no", .type = kPureToken, .token = "NO"},
};
constexpr ArgSpec kKillFilters[] = {
    {.name = "client-id", .type = kInteger, .token = "ID", .optional = true},
    {.name = "client-type", .type = kOneOf, .token = "TYPE", .optional = true,
     .parts = kClientTypes},
    {.name = "username", .token = "USER", .optional = true},
    {.name = "addr", .token = "ADDR", .optional = true},
    {.name = "laddr", .token = "LADDR", .optional = true},
    {.name = "maxage", .type = kInteger, .token = "MAXAGE", .optional = true},
    {.name = "skipme", .type = kOneOf, .token = "SKIPME", .optional = true, .parts = kYesOrNo},
};
constexpr ArgSpec kKillWays[] = {
    {.name = "ip:port"},
    {.name = "filters", .type = kBlock, .multiple = true, .parts = kKillFilters},
};
constexpr ArgSpec kKillArgs[] = {{.name = "filter", .type = kOneOf, .parts = kKillWays}};
constexpr ArgSpec kSwitches[] = {
    {.name = "on", .type = kPureToken, .token = "ON"},
    {.name = "off", .type = kPureToken, .token = "OFF"},
};
constexpr ArgSpec kSwitch[] = {{.name = "enabled", .type = kOneOf, .parts = kSwitches}};
constexpr ArgSpec kReplyModes[] = {
    {.name = "on", .type = kPureToken, .token = "ON"},
    {.name = "off", .type = kPureToken, .token = "OFF"},
    {.name = "skip", .type = kPureToken, .token = "SKIP"},
};
constexpr ArgSpec kReplyMode[] = {{.name = "action", .type = kOneOf, .parts = kReplyModes}};
constexpr ArgSpec kChannels[] = {{.name = "channel", .multiple = true}};
constexpr ArgSpec kOptionalChannels[] = {
    {.name = "channel", .optional = true, .multiple = true}};
constexpr ArgSpec kKeys[] = {{.name = "key", .type = kKey, .multiple = true}};

constexpr uint32_t kAtOnce = kAnyTime | kRunsInMulti;

constexpr CommandSpec kClientRows[] = {
    {"getname", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "The name of this connection, nil when it has none.", {}, ClientGetNameCommand},
    kHelp,
    {"id", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "The number of this connection, never used twice.", {}, ClientIdCommand},
    {"info", 2, kSlowAnyTime | kOnlyAnswers, kNoKeys, "connection", kFirst, kConstant,
     "This connection's line of CLIENT LIST.", {}, ClientInfoCommand},
    {"kill", -3, kAdmin | kSlowAnyTime, kNoKeys, "connection", kFirst, kPerClient,
     "Closes the connection of an address, or all that fit every filter.", kKillArgs,
     ClientKillCommand},
    {"list", -2, kAdmin | kSlowAnyTime | kOnlyAnswers, kNoKeys, "connection", kFirst, kPerClient,
     "A line for each connection.", kListArgs, ClientListCommand},
    {"no-evict", 3, kAdmin | kSlowAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Whether maxmemory-clients spares this connection.", kSwitch, ClientNoEvictCommand},
    {"no-touch", 3, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Accepted; nothing here depends on when a key was last used.", kSwitch,
     ClientNoTouchCommand},
    {"reply", 3, kAnyTime | kNoMulti, kNoKeys, "connection", kFirst, kConstant,
     "Whether this connection gets replies; SKIP leaves out that of the next command.",
     kReplyMode, ClientReplyCommand},
    {"setinfo", 4, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Says which client library is calling.", kClientInfo, ClientSetInfoCommand},
    {"setname", 3, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Names this connection.", kConnectionName, ClientSetNameCommand},
};

constexpr CommandSpec kRows[] = {
    {"auth", -2, kAnyTime | kNoAuth, kNoKeys, "connection", kFirst, kConstant,
     "Gives the password; the user is default.", kAuthArgs, AuthCommand},
    {"client", -2, 0, kNoKeys, "connection", kFirst, kConstant,
     "Asks or tells about this connection and the others.", {}, nullptr, kClientRows},
    {"discard", 1, kAtOnce, kNoKeys, "transactions", kFirst,
     "O(N) in the commands queued", "Drops a transaction.", {}, DiscardCommand},
    {"echo", 2, kAnyTime | kOnlyAnswers, kNoKeys, "connection", kFirst, kConstant,
     "Answers the message.", kMessage, EchoCommand},
    {"exec", 1, kSlowAnyTime | kRunsInMulti | kSkipSlowLog, kNoKeys, "transactions", kFirst,
     "O(N) in the commands queued", "Runs a transaction.", {}, ExecCommand},
    {"hello", -1, kAnyTime | kNoAuth, kNoKeys, "connection", kFirst, kConstant,
     "Greets the node and chooses the protocol, RESP2 or RESP3.", kHelloArgs, HelloCommand},
    {"multi", 1, kAtOnce, kNoKeys, "transactions", kFirst, kConstant,
     "Starts a transaction.", {}, MultiCommand},
    {"ping", -1, kFast | kWhileSubscribed, kNoKeys, "connection", kFirst, kConstant,
     "Answers PONG, or the message.", kOptionalMessage, PingCommand},
    {"quit", -1, kAtOnce | kNoAuth | kWhileSubscribed, kNoKeys, "connection", kFirst, kConstant,
     "Closes this connection after its replies.", {}, QuitCommand},
    {"reset", 1, kAtOnce | kNoAuth | kWhileSubscribed, kNoKeys, "connection", kFirst, kConstant,
     "Makes this connection as new: RESP2, no name, no transaction, not authenticated.", {},
     ResetCommand},
    {"select", 2, kAnyTime, kNoKeys, "connection", kFirst, kConstant,
     "Accepts database 0, the only one.", kIndex, SelectCommand},
    {"subscribe", -2, kPubSub | kSlowAnyTime | kNoMulti | kWhileSubscribed, kNoKeys, "pubsub",
     kFirst, "O(N) in the channels", "Accepted; there is never a message.", kChannels,
     SubscribeCommand},
    {"unsubscribe", -1, kPubSub | kSlowAnyTime | kNoMulti | kWhileSubscribed, kNoKeys, "pubsub",
     kFirst, "O(N) in the channels", "Ends subscriptions, all of them for no channel.",
     kOptionalChannels, UnsubscribeCommand},
    {"unwatch", 1, kAnyTime, kNoKeys, "transactions", kFirst, "O(N) in the keys watched",
     "Watches nothing more.", {}, UnwatchCommand},
    {"watch", -2, kAtOnce, kAllAreKeys, "transactions", kFirst, kPerKey,
     "Makes EXEC run nothing when one of the keys was hit, reset or deleted before it.", kKeys,
     WatchCommand},
};
// clang-format on

}  // namespace

std::span<const CommandSpec> ConnectionRows() { return kRows; }

}  // namespace gub
