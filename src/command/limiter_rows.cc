// The rows of the command table: what decides and what belongs to it. See command_spec.h.

#include "command/cluster_commands.h"
#include "command/command_rows.h"
#include "command/hit_arguments.h"
#include "command/limit_commands.h"
#include "command/peer_commands.h"
#include "command/top_commands.h"

namespace gub {

namespace {

using enum ArgType;

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
constexpr ArgSpec kAliasArgs[] = {
    {.name = "function"},
    {.name = "numkeys", .type = kInteger},
    {.name = "key", .type = kKey},
    {.name = "name"},
    {.name = "hits", .type = kInteger},
    {.name = "limit", .type = kInteger},
    {.name = "duration"},
    {.name = "more", .optional = true, .multiple = true},
};

constexpr ArgSpec kStallArgs[] = {{.name = "ms", .type = kInteger}};

constexpr CommandSpec kDebugRows[] = {
    {"clock", -3, kAdmin | kLoading | kStale, kNoKeys, "limiter", kFirst, kConstant,
     "Freezes, moves or frees this node's limiter clock, for tests.", kClockArgs,
     DebugClockCommand},
    kHelp,
    {"stall", 3, kAdmin | kLoading | kStale, kNoKeys, "limiter", kFirst, kConstant,
     "Keeps this node from answering other nodes for so many ms, for tests.", kStallArgs,
     DebugStallCommand},
};

constexpr ArgSpec kTopArgs[] = {{.name = "n", .type = kInteger, .optional = true}};
constexpr ArgSpec kOneKey[] = {{.name = "key", .type = kKey}};
constexpr ArgSpec kHelloArgs[] = {
    {.name = "version", .type = kInteger}, {.name = "id"}, {.name = "address"},
    {.name = "digest"}, {.name = "nonce"}, {.name = "asked"},
};
constexpr ArgSpec kDenyArgs[] = {{.name = "reason"}};
constexpr ArgSpec kProveArgs[] = {{.name = "proof"}};
constexpr ArgSpec kBatchArgs[] = {
    {.name = "number", .type = kInteger}, {.name = "expires", .type = kInteger},
    {.name = "requests"},
};
constexpr uint32_t kForPeers = kAdmin | kAnyTime | kNoAuth | kNoMulti;

constexpr CommandSpec kPeerRows[] = {
    {"batch", 5, kForPeers, kNoKeys, "limiter", kFirst, "O(N) in the requests",
     "Decides what another node has gathered for this one.", kBatchArgs, PeerBatchCommand},
    {"deny", 3, kForPeers, kNoKeys, "limiter", kFirst, kConstant,
     "Tells why the other node does not take this one.", kDenyArgs, PeerDenyCommand},
    {"hello", 8, kForPeers, kNoKeys, "limiter", kFirst, kConstant,
     "Greets this node as another one of its cluster.", kHelloArgs, PeerHelloCommand},
    kHelp,
    {"prove", 3, kForPeers, kNoKeys, "limiter", kFirst, kConstant,
     "Proves that the other node knows the cluster's secret.", kProveArgs, PeerProveCommand},
};

constexpr CommandSpec kRows[] = {
    {"gub.hit", -6, kDecides, kKeyIsSecond, "limiter", kFirst, kConstant,
     "Hits a limit and answers status, remaining and reset.", kHitArgs, DecideCommand, {},
     ParseHit},
    {"gub.take", -4, kDecides, kKeyIsFirst, "limiter", kFirst, kConstant,
     "Takes tokens from a bucket and answers allowed, tokens and retry in ms.", kTakeArgs,
     DecideCommand, {}, ParseTake},
    {"gub.reset", 3, kWrite | kFast, kKeyIsSecond, "limiter", kFirst, kConstant,
     "Forgets the buckets of a name and key and answers how many there were.", kResetArgs,
     ResetBucketCommand},
    {"gub.debug", -2, kAdmin | kLoading | kStale, kNoKeys, "limiter", kFirst, kConstant,
     "Drives a node for tests; needs enable-debug-commands.", {}, nullptr, kDebugRows},
    {"cl.throttle", -5, kDecides, kKeyIsFirst, "limiter", kFirst, kConstant,
     "Throttles as redis-cell does.", kThrottleArgs, DecideCommand, {}, ParseThrottle},
    {"gub.owner", 2, kReadonly | kFast, kKeyIsFirst, "limiter", kFirst, kConstant,
     "The address of the node that owns a key.", kOneKey, OwnerCommand},
    {"gub.peers", 1, kReadonly, kNoKeys, "limiter", kFirst, "O(N) in the nodes",
     "The nodes of the cluster, their state and how many slots they own.", {}, PeersCommand},
    {"gub.top", -1, kReadonly | kOnlyAnswers, kNoKeys, "limiter", kFirst, "O(N) in top-keys",
     "The n names and keys that were denied and hit most in the last minute.", kTopArgs,
     TopCommand},
    {"gub.peer", -2, kAdmin, kNoKeys, "limiter", kFirst, kConstant,
     "Spoken between nodes; clients are refused.", {}, nullptr, kPeerRows},
    {"fcall", -3, kDecides | kMovableKeys, kCountedKeys, "scripting", kFirst, kConstant,
     "GUB.HIT for clients that know the keys of FCALL: FCALL gub.hit 1 key name ...", kAliasArgs,
     FunctionCallCommand},
    {"evalsha", -3, kDecides | kMovableKeys, kCountedKeys, "scripting", kFirst, kConstant,
     "GUB.HIT for clients that know the keys of EVALSHA; the sha is that of gub.hit.", kAliasArgs,
     EvalShaCommand},
};
// clang-format on

}  // namespace

std::span<const CommandSpec> LimiterRows() { return kRows; }

}  // namespace gub
