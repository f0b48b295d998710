#include "command/command_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "command/command_docs.h"
#include "tests/support/command_fixture.h"

namespace gub {

namespace {

constexpr int kEndless = 1'000'000;

// How many words arguments take.
struct Words {
  int least = 0;
  int most = 0;
};

Words WordsOf(std::span<const ArgSpec> args);

Words WordsOf(const ArgSpec& arg) {
  Words words = {1, 1};
  if (arg.type == ArgType::kBlock) words = WordsOf(arg.parts);
  if (arg.type == ArgType::kOneOf) {
    words = WordsOf(arg.parts[0]);
    for (const ArgSpec& part : arg.parts) {
      words = {std::min(words.least, WordsOf(part).least),
               std::max(words.most, WordsOf(part).most)};
    }
  }
  if (!arg.token.empty() && arg.type != ArgType::kPureToken) {
    words = {words.least + 1, words.most + 1};
  }
  if (arg.optional) words.least = 0;
  if (arg.multiple) words.most = kEndless;
  return words;
}

Words WordsOf(std::span<const ArgSpec> args) {
  Words sum;
  for (const ArgSpec& arg : args) {
    sum.least += WordsOf(arg).least;
    sum.most += WordsOf(arg).most;
  }
  return sum;
}

TEST(CommandTableTest, EveryRowIsDescribedWhole) {
  const CommandTable table;
  for (const CommandEntry& entry : table.entries()) {
    const CommandSpec& spec = *entry.spec;
    SCOPED_TRACE(entry.full_name);
    EXPECT_FALSE(spec.summary.empty());
    EXPECT_TRUE(spec.summary.ends_with('.'));
    EXPECT_FALSE(spec.since.empty());
    EXPECT_FALSE(spec.complexity.empty());
    const std::set<std::string_view> groups = {"connection", "server", "transactions",
                                               "limiter",    "pubsub", "scripting",
                                               "generic",    "string", "cluster"};
    EXPECT_TRUE(groups.contains(spec.group)) << spec.group;
    EXPECT_TRUE(spec.handler != nullptr || !spec.subcommands.empty());
    EXPECT_EQ(std::string(spec.name).find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ |"),
              std::string::npos);
  }
}

TEST(CommandTableTest, ArityAgreesWithTheArguments) {
  const CommandTable table;
  for (const CommandEntry& entry : table.entries()) {
    // A container counts its subcommand; QUIT takes anything, as in Redis. What FCALL and EVALSHA
    // take besides is the function's affair; of CLIENT KILL's filters one must be there.
    const std::set<std::string_view> exceptions = {"quit", "fcall", "evalsha", "client|kill"};
    if (!entry.subcommands.empty() || exceptions.contains(entry.full_name)) continue;
    SCOPED_TRACE(entry.full_name);
    const int names = entry.parent == nullptr ? 1 : 2;
    const Words words = WordsOf(entry.spec->args);
    const bool fixed = words.least == words.most;
    EXPECT_EQ(entry.spec->arity, fixed ? names + words.least : -(names + words.least));
  }
}

TEST(CommandTableTest, KeyPositionsAgreeWithTheArguments) {
  const CommandTable table;
  for (const CommandEntry& entry : table.entries()) {
    SCOPED_TRACE(entry.full_name);
    const KeyRange& keys = entry.spec->keys;
    const int names = entry.parent == nullptr ? 1 : 2;
    int key = 0;
    bool multiple = false;
    for (size_t i = 0; i < entry.spec->args.size(); ++i) {
      if (entry.spec->args[i].type != ArgType::kKey) continue;
      key = static_cast<int>(i) + names;
      multiple = entry.spec->args[i].multiple;
    }
    if (keys.count != 0) {
      EXPECT_EQ(keys.count + 1, key);
      EXPECT_NE(entry.spec->flags & kMovableKeys, 0u);
      continue;
    }
    // The cluster's slot of a key is asked without touching the key.
    if (entry.full_name == "cluster|keyslot") key = 0;
    EXPECT_EQ(keys.first, key);
    EXPECT_EQ(keys.last, multiple ? -1 : key);
    EXPECT_EQ(keys.step, key == 0 ? 0 : 1);
  }
}

TEST(CommandTableTest, NamesAreFoundInAnyCaseAndNoneTwice) {
  const CommandTable table;
  std::set<std::string> names;
  for (const CommandEntry& entry : table.entries()) {
    EXPECT_TRUE(names.insert(entry.full_name).second) << entry.full_name;
    EXPECT_EQ(table.FindFullName(entry.full_name), &entry);
    EXPECT_EQ(&table.entries()[entry.number], &entry);
  }
  EXPECT_EQ(table.FindFullName("CLIENT|SetName"), table.FindFullName("client|setname"));
  EXPECT_NE(table.Find("GUB.hit"), nullptr);
  EXPECT_EQ(table.Find("gub.hi"), nullptr);
  EXPECT_EQ(table.FindFullName("ping|x"), nullptr);
  EXPECT_EQ(table.FindFullName(""), nullptr);
}

class CommandReplyTest : public CommandFixture {};

TEST_F(CommandReplyTest, AHitHasTenElementsWithItsKeyAtTheSecondArgument) {
  EXPECT_EQ(RunLine("COMMAND INFO gub.hit nope"),
            "*2\r\n*10\r\n$7\r\ngub.hit\r\n:-6\r\n*3\r\n+write\r\n+denyoom\r\n+fast\r\n:2\r\n:2\r\n"
            ":1\r\n*2\r\n+@write\r\n+@fast\r\n*0\r\n*1\r\n*6\r\n$5\r\nflags\r\n*3\r\n+RW\r\n"
            "+access\r\n+update\r\n$12\r\nbegin_search\r\n*4\r\n$4\r\ntype\r\n$5\r\nindex\r\n"
            "$4\r\nspec\r\n*2\r\n$5\r\nindex\r\n:2\r\n$9\r\nfind_keys\r\n*4\r\n$4\r\ntype\r\n"
            "$5\r\nrange\r\n$4\r\nspec\r\n*6\r\n$7\r\nlastkey\r\n:0\r\n$7\r\nkeystep\r\n:1\r\n"
            "$5\r\nlimit\r\n:0\r\n*0\r\n$-1\r\n");
}

TEST_F(CommandReplyTest, CountIsTheNumberOfEntriesOfCommand) {
  const std::string count = std::to_string(node_.commands.commands().size());
  EXPECT_EQ(RunLine("COMMAND COUNT"), ":" + count + "\r\n");
  EXPECT_TRUE(RunLine("COMMAND").starts_with("*" + count + "\r\n*10\r\n"));
}

TEST_F(CommandReplyTest, DocsSkipsUnknownNamesAndTypesEveryField) {
  EXPECT_EQ(RunLine("COMMAND DOCS nope"), "*0\r\n");
  EXPECT_EQ(RunLine("COMMAND DOCS nope ECHO"),
            "*2\r\n$4\r\necho\r\n*10\r\n$7\r\nsummary\r\n$20\r\nAnswers the message.\r\n"
            "$5\r\nsince\r\n$5\r\n0.1.0\r\n$5\r\ngroup\r\n$10\r\nconnection\r\n"
            "$10\r\ncomplexity\r\n$4\r\nO(1)\r\n$9\r\narguments\r\n*1\r\n*6\r\n$4\r\nname\r\n"
            "$7\r\nmessage\r\n$4\r\ntype\r\n$6\r\nstring\r\n$12\r\ndisplay_text\r\n"
            "$7\r\nmessage\r\n");
}

}  // namespace
}  // namespace gub
