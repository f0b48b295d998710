// CommandSpec: the one record of a command.
//
// Dispatch, COMMAND and COMMAND DOCS, INFO commandstats and the README's command list are all read
// from the rows of command_rows.cc; nothing else knows which commands there are.
//
// Threads:  immutable.

#ifndef GUB_COMMAND_COMMAND_SPEC_H_
#define GUB_COMMAND_COMMAND_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"

namespace gub {

class CommandContext;
using CommandHandler = void (*)(CommandContext& context);

// The name, perhaps a subcommand, and what follows.
using Args = std::span<const std::string_view>;

// Reads the arguments of a command that decides on one bucket (hit_arguments.h).
struct Hit;
using HitParser = absl::Status (*)(Args args, size_t max_key_bytes, Hit* hit);

enum class ArgType : uint8_t {
  kString,
  kInteger,
  kDouble,
  kKey,
  kPattern,
  kPureToken,
  kOneOf,
  kBlock
};

// An argument as COMMAND DOCS describes it.
struct ArgSpec {
  std::string_view name;
  ArgType type = ArgType::kString;
  std::string_view token = {};  // the word that stands before the value, or that is the argument
  bool optional = false;
  bool multiple = false;
  std::span<const ArgSpec> parts = {};  // of kOneOf and kBlock
};

// Redis' command flags, as COMMAND INFO names them.
enum CommandFlag : uint32_t {
  kWrite = 1 << 0,
  kReadonly = 1 << 1,
  kDenyOom = 1 << 2,
  kAdmin = 1 << 3,
  kLoading = 1 << 4,
  kStale = 1 << 5,
  kFast = 1 << 6,
  kNoAuth = 1 << 7,
  kNoMulti = 1 << 8,
  kPubSub = 1 << 9,
  kMovableKeys = 1 << 10,
  // Not shown.
  kRunsInMulti = 1 << 16,      // inside MULTI it is run at once instead of being queued
  kSkipSlowLog = 1 << 17,      // what it runs is logged instead
  kNeedsCluster = 1 << 18,     // refused by a node that is not clustered
  kWhileSubscribed = 1 << 19,  // allowed while a RESP2 client is subscribed
  kOnlyAnswers = 1 << 20,      // changes nothing; its answer may be long
  kDeletes = 1 << 21,          // its keys
};

// Where the keys stand among the arguments, the command's name being 0; first 0: no keys.
struct KeyRange {
  int first = 0;
  int last = 0;  // negative: counted from the end, -1 being the last
  int step = 0;
  int count = 0;  // kMovableKeys: the argument that says how many keys follow it
};

struct CommandSpec {
  std::string_view name;  // lower case
  int arity;              // with the name (and the subcommand's); negative: at least that many
  uint32_t flags;
  KeyRange keys;
  std::string_view group;  // of COMMAND DOCS: "connection", "server", "limiter" …
  std::string_view since;
  std::string_view complexity;
  std::string_view summary;
  std::span<const ArgSpec> args;
  // nullptr: a container that needs a subcommand.
  CommandHandler handler;
  std::span<const CommandSpec> subcommands = {};
  HitParser parse_hit = nullptr;  // of those whose handler is DecideCommand
};

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_SPEC_H_
