// COMMAND and its subcommands: what clients read to route, and redis-cli to help.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::Not;
using Type = RespReply::Type;

constexpr size_t kName = 0, kArity = 1, kFlags = 2, kFirst = 3, kLast = 4, kStep = 5,
                 kCategories = 6, kTips = 7, kKeySpecs = 8, kSubcommands = 9;

// GetParam: the protocol.
class CommandReplyTest : public ::testing::TestWithParam<int> {
 protected:
  CommandReplyTest() { Run("HELLO " + std::to_string(GetParam())); }

  RespReply Run(const std::string& line) { return client_.Run(SplitWords(line)); }

  bool InResp3() const { return GetParam() == 3; }
  Type SetType() const { return InResp3() ? Type::kSet : Type::kArray; }
  Type MapType() const { return InResp3() ? Type::kMap : Type::kArray; }

  // A COMMAND entry as redis-py, go-redis and redis-cli take it: ten elements of these types.
  void ExpectEntry(const RespReply& entry) {
    SCOPED_TRACE(::testing::PrintToString(entry));
    ASSERT_EQ(entry.type, Type::kArray);
    ASSERT_EQ(entry.items.size(), 10u);
    EXPECT_EQ(entry.items[kName].type, Type::kBulk);
    for (const size_t number : {kArity, kFirst, kLast, kStep}) {
      EXPECT_EQ(entry.items[number].type, Type::kInteger);
    }
    for (const size_t names : {kFlags, kCategories}) {
      EXPECT_EQ(entry.items[names].type, SetType());
      EXPECT_THAT(entry.items[names].items, Each(Field(&RespReply::type, Type::kStatus)));
    }
    EXPECT_EQ(entry.items[kTips].type, SetType());
    EXPECT_EQ(entry.items[kSubcommands].type, Type::kArray);
    ExpectKeySpecs(entry);
    for (const RespReply& subcommand : entry.items[kSubcommands].items) {
      EXPECT_EQ(subcommand.items[kName].text.rfind(entry.items[kName].text + "|", 0), 0u);
      ExpectEntry(subcommand);
    }
  }

  void ExpectKeySpecs(const RespReply& entry) {
    const std::vector<RespReply>& specs = entry.items[kKeySpecs].items;
    EXPECT_EQ(entry.items[kKeySpecs].type, SetType());
    // Where the number of keys is an argument, as in Redis no position is told but in the spec.
    const std::vector<RespReply>& flags = entry.items[kFlags].items;
    const bool movable =
        std::find(flags.begin(), flags.end(), RespReply::Status("movablekeys")) != flags.end();
    ASSERT_EQ(specs.size(), movable || entry.items[kFirst].integer > 0 ? 1u : 0u);
    for (const RespReply& spec : specs) {
      ASSERT_EQ(spec.type, MapType());
      ASSERT_NE(spec.Find("flags"), nullptr);
      EXPECT_EQ(spec.Find("flags")->type, SetType());
      ASSERT_NE(spec.Find("begin_search"), nullptr);
      const RespReply* where = spec.Find("begin_search")->Find("spec");
      ASSERT_NE(where, nullptr);
      EXPECT_EQ(*where->Find("index"), movable ? RespReply::Integer(2) : entry.items[kFirst]);
      ASSERT_NE(spec.Find("find_keys"), nullptr);
      EXPECT_EQ(spec.Find("find_keys")->type, MapType());
    }
  }

  // A map of COMMAND DOCS as redis-cli asserts it.
  void ExpectDocs(const RespReply& docs) {
    SCOPED_TRACE(::testing::PrintToString(docs));
    ASSERT_EQ(docs.type, MapType());
    for (const char* name : {"summary", "since", "group"}) {
      ASSERT_NE(docs.Find(name), nullptr) << name;
      EXPECT_EQ(docs.Find(name)->type, Type::kBulk) << name;
      EXPECT_NE(docs.Find(name)->text, "") << name;
    }
    if (const RespReply* arguments = docs.Find("arguments")) ExpectArguments(*arguments);
    const RespReply* subcommands = docs.Find("subcommands");
    if (subcommands == nullptr) return;
    ASSERT_EQ(subcommands->type, MapType());
    for (size_t i = 0; i < subcommands->items.size(); i += 2) {
      EXPECT_EQ(subcommands->items[i].type, Type::kBulk);
      ExpectDocs(subcommands->items[i + 1]);
    }
  }

  void ExpectArguments(const RespReply& arguments) {
    static const std::set<std::string> types = {"string",     "integer", "double",
                                                "key",        "pattern", "unix-time",
                                                "pure-token", "oneof",   "block"};
    ASSERT_EQ(arguments.type, Type::kArray);
    for (const RespReply& argument : arguments.items) {
      ASSERT_EQ(argument.type, MapType());
      ASSERT_NE(argument.Find("name"), nullptr);
      EXPECT_EQ(argument.Find("name")->type, Type::kBulk);
      ASSERT_NE(argument.Find("type"), nullptr);
      EXPECT_THAT(types, Contains(argument.Find("type")->text));
      if (const RespReply* flags = argument.Find("flags")) {
        EXPECT_EQ(flags->type, SetType());
        EXPECT_THAT(flags->items, Each(Field(&RespReply::type, Type::kStatus)));
      }
      if (const RespReply* parts = argument.Find("arguments")) ExpectArguments(*parts);
    }
  }

  ServerProcess server_;
  RawClient client_{server_.port()};
};

TEST_P(CommandReplyTest, EveryEntryHasTenElementsOfTheRightTypes) {
  const RespReply commands = Run("COMMAND");
  ASSERT_EQ(commands.type, Type::kArray);
  for (const RespReply& entry : commands.items) ExpectEntry(entry);
  EXPECT_EQ(Run("COMMAND COUNT"), RespReply::Integer(static_cast<int64_t>(commands.items.size())));
  EXPECT_EQ(Run("COMMAND INFO"), commands);
}

TEST_P(CommandReplyTest, InfoAnswersEveryNameInOrderAndNilForTheUnknown) {
  const RespReply replies = Run("COMMAND INFO gub.hit nope CLIENT client|setname gub.hit|nope");
  ASSERT_EQ(replies.items.size(), 5u);
  EXPECT_EQ(replies.items[0].items[kName], RespReply::Bulk("gub.hit"));
  EXPECT_EQ(replies.items[1], RespReply::Nil());
  EXPECT_EQ(replies.items[2].items[kName], RespReply::Bulk("client"));
  EXPECT_EQ(replies.items[3].items[kName], RespReply::Bulk("client|setname"));
  EXPECT_EQ(replies.items[4], RespReply::Nil());
}

TEST_P(CommandReplyTest, TheKeysAreWhereTheContractHasThem) {
  struct Row {
    const char* name;
    int64_t arity, first, last, step;
  };
  constexpr Row kRows[] = {{"gub.hit", -6, 2, 2, 1},
                           {"gub.take", -4, 1, 1, 1},
                           {"gub.reset", 3, 2, 2, 1},
                           {"cl.throttle", -5, 1, 1, 1},
                           {"ping", -1, 0, 0, 0}};
  for (const Row& row : kRows) {
    const RespReply replies = Run(std::string("COMMAND INFO ") + row.name);
    ASSERT_EQ(replies.items.size(), 1u);
    const std::vector<RespReply>& entry = replies.items[0].items;
    ASSERT_EQ(entry.size(), 10u) << row.name;
    const std::vector<RespReply> numbers = {entry[kArity], entry[kFirst], entry[kLast],
                                            entry[kStep]};
    EXPECT_EQ(RespReply::Array(numbers),
              RespReply::Integers({row.arity, row.first, row.last, row.step}))
        << row.name;
    EXPECT_THAT(entry[kFlags].items, Not(Contains(RespReply::Status("movablekeys"))));
  }
}

TEST_P(CommandReplyTest, HitIsAFastWriteThatIsDeniedWithoutMemory) {
  const RespReply replies = Run("COMMAND INFO gub.hit");
  const std::vector<RespReply>& entry = replies.items[0].items;
  for (const char* flag : {"write", "denyoom", "fast"}) {
    EXPECT_THAT(entry[kFlags].items, Contains(RespReply::Status(flag)));
  }
  EXPECT_THAT(entry[kCategories].items, Contains(RespReply::Status("@write")));
  EXPECT_THAT(entry[kCategories].items, Contains(RespReply::Status("@fast")));
}

TEST_P(CommandReplyTest, DocsDescribeEveryCommandAsRedisCliAsserts) {
  const RespReply docs = Run("COMMAND DOCS");
  ASSERT_EQ(docs.type, MapType());
  EXPECT_EQ(docs.items.size(), 2 * static_cast<size_t>(Run("COMMAND COUNT").integer));
  for (size_t i = 0; i < docs.items.size(); i += 2) {
    EXPECT_EQ(docs.items[i].type, Type::kBulk);
    ExpectDocs(docs.items[i + 1]);
  }
}

TEST_P(CommandReplyTest, DocsOfNamesLeaveOutTheUnknown) {
  const RespReply docs = Run("COMMAND DOCS nope GUB.HIT nope");
  ASSERT_EQ(docs.items.size(), 2u);
  EXPECT_EQ(docs.items[0], RespReply::Bulk("gub.hit"));
  ASSERT_NE(docs.items[1].Find("arguments"), nullptr);
  std::vector<std::string> names;
  for (const RespReply& argument : docs.items[1].Find("arguments")->items) {
    names.push_back(argument.Find("name")->text);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("name", "key", "hits", "limit", "duration", "algorithm",
                                            "behavior", "n", "policy", "full"));
}

TEST_P(CommandReplyTest, EveryCommandOfTheTableIsAnsweredByItsName) {
  const RespReply commands = Run("COMMAND");
  for (const RespReply& entry : commands.items) {
    const std::string& name = entry.items[kName].text;
    if (name == "quit") continue;
    EXPECT_EQ(Run(name + " a b c d e f g h i j k l").text.find("unknown command"),
              std::string::npos)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, CommandReplyTest, ::testing::Values(2, 3),
                         [](const auto& info) { return "Resp" + std::to_string(info.param); });

}  // namespace
}  // namespace gub
