#include "command/command_docs.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace gub {

namespace {

struct FlagName {
  CommandFlag flag;
  std::string_view name;
};

constexpr FlagName kFlagNames[] = {
    {kWrite, "write"},   {kReadonly, "readonly"},       {kDenyOom, "denyoom"},
    {kAdmin, "admin"},   {kLoading, "loading"},         {kStale, "stale"},
    {kFast, "fast"},     {kNoAuth, "no_auth"},          {kNoMulti, "no_multi"},
    {kPubSub, "pubsub"}, {kMovableKeys, "movablekeys"},
};

std::vector<std::string_view> FlagsOf(const CommandSpec& spec) {
  std::vector<std::string_view> names;
  for (const FlagName& row : kFlagNames) {
    if ((spec.flags & row.flag) != 0) names.push_back(row.name);
  }
  return names;
}

// Redis derives most categories from the flags, and so do we.
std::vector<std::string_view> CategoriesOf(const CommandSpec& spec) {
  std::vector<std::string_view> names;
  if ((spec.flags & kWrite) != 0) names.emplace_back("@write");
  if ((spec.flags & kReadonly) != 0) names.emplace_back("@read");
  if ((spec.flags & kAdmin) != 0) {
    names.emplace_back("@admin");
    names.emplace_back("@dangerous");
  }
  names.emplace_back((spec.flags & kFast) != 0 ? "@fast" : "@slow");
  constexpr std::pair<std::string_view, std::string_view> kOfGroup[] = {
      {"connection", "@connection"}, {"transactions", "@transaction"}, {"pubsub", "@pubsub"},
      {"scripting", "@scripting"},   {"generic", "@keyspace"},         {"string", "@string"},
  };
  for (const auto& [group, category] : kOfGroup) {
    if (spec.group == group) names.emplace_back(category);
  }
  return names;
}

void WriteNames(const std::vector<std::string_view>& names, ReplyWriter* reply) {
  reply->Set(names.size());
  for (std::string_view name : names) reply->SimpleString(name);
}

// The integer fields of a map.
void WriteIntegers(std::initializer_list<std::pair<std::string_view, int64_t>> fields,
                   ReplyWriter* reply) {
  reply->Map(fields.size());
  for (const auto& [name, value] : fields) {
    reply->Bulk(name);
    reply->Integer(value);
  }
}

// [{flags, begin_search {type index, spec {index}}, find_keys {type range, spec {…}}}]
void WriteKeySpecs(const CommandSpec& spec, ReplyWriter* reply) {
  const KeyRange& keys = spec.keys;
  if (keys.first == 0 && keys.count == 0) return reply->Set(0);
  const auto head = [reply](std::string_view name, std::string_view type) {
    reply->Bulk(name);
    reply->Map(2);
    reply->Bulk("type");
    reply->Bulk(type);
    reply->Bulk("spec");
  };
  reply->Set(1);
  reply->Map(3);
  reply->Bulk("flags");
  WriteKeyFlags(spec, reply);
  head("begin_search", "index");
  WriteIntegers({{"index", keys.count != 0 ? keys.count : keys.first}}, reply);
  if (keys.count != 0) {
    head("find_keys", "keynum");
    return WriteIntegers({{"keynumidx", 0}, {"firstkey", 1}, {"keystep", 1}}, reply);
  }
  const int last = keys.last < 0 ? keys.last : keys.last - keys.first;
  head("find_keys", "range");
  WriteIntegers({{"lastkey", last}, {"keystep", keys.step}, {"limit", 0}}, reply);
}

std::string_view TypeName(ArgType type) {
  switch (type) {
    case ArgType::kString:
      return "string";
    case ArgType::kInteger:
      return "integer";
    case ArgType::kDouble:
      return "double";
    case ArgType::kKey:
      return "key";
    case ArgType::kPattern:
      return "pattern";
    case ArgType::kPureToken:
      return "pure-token";
    case ArgType::kOneOf:
      return "oneof";
    case ArgType::kBlock:
      return "block";
  }
  return "string";
}

void WriteArguments(std::span<const ArgSpec> args, ReplyWriter* reply);

void WriteArgument(const ArgSpec& arg, ReplyWriter* reply) {
  const bool shown = arg.type != ArgType::kOneOf && arg.type != ArgType::kBlock;
  const bool has_flags = arg.optional || arg.multiple;
  const auto text = [reply](std::string_view name, std::string_view value) {
    reply->Bulk(name);
    reply->Bulk(value);
  };
  reply->Map(2 + (shown ? 1 : 0) + (arg.type == ArgType::kKey ? 1 : 0) +
             (arg.token.empty() ? 0 : 1) + (has_flags ? 1 : 0) + (arg.parts.empty() ? 0 : 1));
  text("name", arg.name);
  text("type", TypeName(arg.type));
  if (shown) text("display_text", arg.name);
  if (arg.type == ArgType::kKey) {
    reply->Bulk("key_spec_index");
    reply->Integer(0);
  }
  if (!arg.token.empty()) text("token", arg.token);
  if (has_flags) {
    std::vector<std::string_view> flags;
    if (arg.optional) flags.emplace_back("optional");
    if (arg.multiple) flags.emplace_back("multiple");
    reply->Bulk("flags");
    WriteNames(flags, reply);
  }
  if (!arg.parts.empty()) {
    reply->Bulk("arguments");
    WriteArguments(arg.parts, reply);
  }
}

void WriteArguments(std::span<const ArgSpec> args, ReplyWriter* reply) {
  reply->Array(args.size());
  for (const ArgSpec& arg : args) WriteArgument(arg, reply);
}

}  // namespace

bool IsInCategory(const CommandSpec& spec, std::string_view category) {
  const std::vector<std::string_view> names = CategoriesOf(spec);
  return std::find(names.begin(), names.end(), category) != names.end();
}

void WriteKeyFlags(const CommandSpec& spec, ReplyWriter* reply) {
  if ((spec.flags & kDeletes) != 0) return WriteNames({"RM", "delete"}, reply);
  if ((spec.flags & kWrite) != 0) return WriteNames({"RW", "access", "update"}, reply);
  WriteNames({"RO", "access"}, reply);
}

void WriteCommandEntry(const CommandEntry& entry, ReplyWriter* reply) {
  const CommandSpec& spec = *entry.spec;
  reply->Array(10);
  reply->Bulk(entry.full_name);
  reply->Integer(spec.arity);
  WriteNames(FlagsOf(spec), reply);
  reply->Integer(spec.keys.first);
  reply->Integer(spec.keys.last);
  reply->Integer(spec.keys.step);
  WriteNames(CategoriesOf(spec), reply);
  reply->Set(0);  // tips
  WriteKeySpecs(spec, reply);
  reply->Array(entry.subcommands.size());
  for (const CommandEntry* sub : entry.subcommands) WriteCommandEntry(*sub, reply);
}

void WriteCommandDocs(const CommandEntry& entry, ReplyWriter* reply) {
  const CommandSpec& spec = *entry.spec;
  const auto text = [reply](std::string_view name, std::string_view value) {
    reply->Bulk(name);
    reply->Bulk(value);
  };
  reply->Map(4 + (spec.args.empty() ? 0 : 1) + (entry.subcommands.empty() ? 0 : 1));
  text("summary", spec.summary);
  text("since", spec.since);
  text("group", spec.group);
  text("complexity", spec.complexity);
  if (!spec.args.empty()) {
    reply->Bulk("arguments");
    WriteArguments(spec.args, reply);
  }
  if (!entry.subcommands.empty()) {
    reply->Bulk("subcommands");
    reply->Map(entry.subcommands.size());
    for (const CommandEntry* sub : entry.subcommands) {
      reply->Bulk(sub->full_name);
      WriteCommandDocs(*sub, reply);
    }
  }
}

}  // namespace gub
