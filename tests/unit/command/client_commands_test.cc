#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/command_fixture.h"

namespace gub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class ClientCommandsTest : public CommandFixture {
 protected:
  ClientCommandsTest() {
    Register(client_.record, 1, "10.0.0.1:1000");
    Register(other_, 2, "10.0.0.2:2000");
    Register(third_, 3, "10.0.0.2:3000");
    node_.hooks.close_client = [this](const ClientRecord& client) { killed_.push_back(client.id); };
  }

  void Register(const std::shared_ptr<ClientRecord>& record, int64_t id, std::string address) {
    record->id = id;
    record->address = std::move(address);
    record->local_address = "10.0.0.9:7379";
    node_.clients.Add(record);
  }

  std::vector<int64_t> TakeKilled() { return std::exchange(killed_, {}); }

  std::shared_ptr<ClientRecord> other_ = std::make_shared<ClientRecord>();
  std::shared_ptr<ClientRecord> third_ = std::make_shared<ClientRecord>();
  std::vector<int64_t> killed_;
};

TEST_F(ClientCommandsTest, InfoIsOneLineWithTheFieldsOfRedis) {
  RunLine("CLIENT SETNAME me");
  RunLine("CLIENT SETINFO LIB-NAME lib");
  EXPECT_THAT(
      RunLine("CLIENT INFO"),
      MatchesRegex("\\$[0-9]+\r\nid=1 addr=10.0.0.1:1000 laddr=10.0.0.9:7379 fd=-1 name=me age=0 "
                   "idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=0 "
                   "argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r "
                   "cmd=client\\|info user=default redir=-1 resp=2 lib-name=lib lib-ver=\n\r\n"));
}

TEST_F(ClientCommandsTest, ListHasALineForEachByNumber) {
  const std::string list = RunLine("CLIENT LIST");
  EXPECT_LT(list.find("id=1 "), list.find("id=2 "));
  EXPECT_LT(list.find("id=2 "), list.find("id=3 "));
  const std::string some = RunLine("CLIENT LIST ID 3 1 99");
  EXPECT_THAT(some, HasSubstr("id=1 "));
  EXPECT_THAT(some, ::testing::Not(HasSubstr("id=2 ")));
  EXPECT_EQ(RunLine("CLIENT LIST ID x"), "-ERR Invalid client ID\r\n");
  EXPECT_EQ(RunLine("CLIENT LIST TYPE x"), "-ERR Unknown client type 'x'\r\n");
  EXPECT_EQ(RunLine("CLIENT LIST FOO x"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("CLIENT LIST TYPE pubsub"), "$0\r\n\r\n");
  other_->subscriptions = 1;
  EXPECT_THAT(RunLine("CLIENT LIST TYPE pubsub"), HasSubstr("id=2 "));
}

TEST_F(ClientCommandsTest, KillByAddressIsAnsweredWithOk) {
  EXPECT_EQ(RunLine("CLIENT KILL 10.0.0.2:2000"), "+OK\r\n");
  EXPECT_THAT(TakeKilled(), ElementsAre(2));
  EXPECT_EQ(RunLine("CLIENT KILL 10.0.0.2:2001"), "-ERR No such client\r\n");
  EXPECT_THAT(TakeKilled(), IsEmpty());
}

TEST_F(ClientCommandsTest, KillByFiltersIsAnsweredWithTheirNumber) {
  EXPECT_EQ(RunLine("CLIENT KILL ID 3"), ":1\r\n");
  EXPECT_THAT(TakeKilled(), ElementsAre(3));
  EXPECT_EQ(RunLine("CLIENT KILL ADDR 10.0.0.2:2000 ID 3"), ":0\r\n");
  EXPECT_EQ(RunLine("CLIENT KILL LADDR 10.0.0.9:7379 TYPE normal USER default"), ":2\r\n");
  EXPECT_THAT(TakeKilled(), ElementsAre(2, 3));
  EXPECT_EQ(RunLine("CLIENT KILL MAXAGE 1000"), ":0\r\n");
  EXPECT_FALSE(client_.close);
}

TEST_F(ClientCommandsTest, OneThatKillsItselfIsAnsweredFirst) {
  EXPECT_EQ(RunLine("CLIENT KILL LADDR 10.0.0.9:7379 SKIPME no"), ":3\r\n");
  EXPECT_THAT(TakeKilled(), ElementsAre(2, 3));
  EXPECT_TRUE(client_.close);
}

TEST_F(ClientCommandsTest, WrongFiltersKillNobody) {
  EXPECT_EQ(RunLine("CLIENT KILL ID 0"), "-ERR client-id should be greater than 0\r\n");
  EXPECT_EQ(RunLine("CLIENT KILL ID 2 TYPE x"), "-ERR Unknown client type 'x'\r\n");
  EXPECT_EQ(RunLine("CLIENT KILL ID 2 USER bob"), "-ERR No such user 'bob'\r\n");
  EXPECT_EQ(RunLine("CLIENT KILL ID 2 SKIPME maybe"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("CLIENT KILL ID 2 ADDR"), "-ERR syntax error\r\n");
  EXPECT_EQ(RunLine("CLIENT KILL MAXAGE 0"), "-ERR syntax error\r\n");
  EXPECT_THAT(TakeKilled(), IsEmpty());
}

TEST_F(ClientCommandsTest, AnEmptyAddressIsNobodys) {
  EXPECT_EQ(Run({"CLIENT", "KILL", ""}), "-ERR No such client\r\n");
  EXPECT_EQ(Run({"CLIENT", "KILL", "ADDR", ""}), ":0\r\n");
  EXPECT_EQ(Run({"CLIENT", "KILL", "LADDR", ""}), ":0\r\n");
  EXPECT_THAT(TakeKilled(), IsEmpty());
  EXPECT_FALSE(client_.close);
}

TEST_F(ClientCommandsTest, NamesAreBounded) {
  const std::string longest(256, 'n');
  const std::string longer(257, 'n');
  EXPECT_EQ(Run({"CLIENT", "SETNAME", longest}), "+OK\r\n");
  EXPECT_EQ(Run({"CLIENT", "SETNAME", longer}),
            "-ERR Client names cannot be longer than 256 bytes\r\n");
  EXPECT_EQ(Run({"CLIENT", "SETINFO", "LIB-VER", longer}),
            "-ERR lib-ver cannot be longer than 256 bytes\r\n");
  EXPECT_EQ(Run({"HELLO", "3", "SETNAME", longer}),
            "-ERR Client names cannot be longer than 256 bytes\r\n");
  EXPECT_EQ(client_.record->names().name, longest);
}

TEST_F(ClientCommandsTest, RepliesCanBeSwitchedOffAndOn) {
  EXPECT_EQ(RunLine("CLIENT REPLY OFF"), "");
  EXPECT_EQ(RunLine("PING"), "");
  EXPECT_EQ(RunLine("NOPE"), "");
  EXPECT_EQ(RunLine("CLIENT REPLY SKIP"), "");
  EXPECT_EQ(RunLine("CLIENT REPLY ON"), "+OK\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
}

TEST_F(ClientCommandsTest, SkipLeavesOutTheReplyOfTheNextCommandOnly) {
  EXPECT_EQ(RunLine("CLIENT REPLY SKIP"), "");
  EXPECT_EQ(RunLine("ECHO gone"), "");
  EXPECT_EQ(RunLine("ECHO back"), "$4\r\nback\r\n");
  EXPECT_EQ(RunLine("CLIENT REPLY SKIP"), "");
  EXPECT_EQ(RunLine("CLIENT REPLY SKIP"), "");
  EXPECT_EQ(RunLine("PING"), "");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
  EXPECT_EQ(RunLine("CLIENT REPLY maybe"), "-ERR syntax error\r\n");
}

TEST_F(ClientCommandsTest, SkipDoesNotTakeTheReplyOfReplyOn) {
  EXPECT_EQ(RunLine("CLIENT REPLY SKIP"), "");
  EXPECT_EQ(RunLine("CLIENT REPLY ON"), "+OK\r\n");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
  EXPECT_EQ(RunLine("CLIENT REPLY SKIP"), "");
  EXPECT_EQ(RunLine("RESET"), "");
  EXPECT_EQ(RunLine("PING"), "+PONG\r\n");
}

TEST_F(ClientCommandsTest, MessagesOfSubscriptionsAreNoReplies) {
  RunLine("CLIENT REPLY OFF");
  EXPECT_EQ(RunLine("SUBSCRIBE a"), "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
  EXPECT_EQ(RunLine("UNSUBSCRIBE a"), "*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:0\r\n");
  EXPECT_EQ(RunLine("SUBSCRIBE"), "");  // an error
}

TEST_F(ClientCommandsTest, AHitWithoutAReplyCountsAllTheSame) {
  RunLine("CLIENT REPLY OFF");
  RunLine("GUB.HIT n k 3 10 1h");
  RunLine("CLIENT REPLY ON");
  EXPECT_THAT(RunLine("GUB.HIT n k 0 10 1h"), HasSubstr(":0\r\n:7\r\n"));
}

TEST_F(ClientCommandsTest, NoEvictAndNoTouchAreSwitches) {
  EXPECT_EQ(RunLine("CLIENT NO-EVICT on"), "+OK\r\n");
  EXPECT_TRUE(client_.record->no_evict);
  EXPECT_EQ(RunLine("CLIENT NO-EVICT OFF"), "+OK\r\n");
  EXPECT_FALSE(client_.record->no_evict);
  EXPECT_EQ(RunLine("CLIENT NO-TOUCH on"), "+OK\r\n");
  EXPECT_EQ(RunLine("CLIENT NO-TOUCH x"), "-ERR syntax error\r\n");
}

TEST_F(ClientCommandsTest, ResetMakesTheClientAsNewButKeepsItsLibrary) {
  RunLine("HELLO 3 SETNAME me");
  RunLine("CLIENT SETINFO LIB-NAME lib");
  RunLine("SUBSCRIBE a");
  RunLine("WATCH k");
  RunLine("MULTI");
  EXPECT_EQ(RunLine("RESET"), "+RESET\r\n");
  EXPECT_EQ(RunLine("CLIENT GETNAME"), "$-1\r\n");  // RESP2's nil
  EXPECT_EQ(client_.record->names().lib_name, "lib");
  EXPECT_EQ(RunLine("EXEC"), "-ERR EXEC without MULTI\r\n");
  EXPECT_TRUE(client_.channels.empty());
  EXPECT_EQ(client_.HeldBytes(), 0u);
}

class ClientMemoryTest : public ClientCommandsTest {
 protected:
  void Hold(const std::shared_ptr<ClientRecord>& client, int64_t bytes) {
    node_.client_memory.Set(client.get(), &client->unsent_bytes, bytes);
  }
  std::vector<int64_t> Evict(int64_t max_bytes) {
    std::vector<int64_t> ids;
    for (const auto& client : node_.client_memory.Evict(node_.clients, max_bytes)) {
      ids.push_back(client->id);
    }
    return ids;
  }
};

TEST_F(ClientMemoryTest, WhoHoldsTheMostGoesFirst) {
  Hold(client_.record, 10);
  Hold(other_, 30);
  Hold(third_, 20);
  EXPECT_EQ(node_.client_memory.total(), 60);
  EXPECT_THAT(Evict(60), IsEmpty());
  EXPECT_THAT(Evict(59), ElementsAre(2));
  EXPECT_EQ(node_.client_memory.total(), 30);
  EXPECT_THAT(Evict(9), ElementsAre(3, 1));
  EXPECT_EQ(node_.client_memory.total(), 0);
}

TEST_F(ClientMemoryTest, TheEvictedAndTheGoneCountNoMore) {
  Hold(other_, 30);
  EXPECT_THAT(Evict(0), ElementsAre(2));
  Hold(other_, 50);
  EXPECT_EQ(node_.client_memory.total(), 0);
  node_.client_memory.Forget(other_.get());
  EXPECT_EQ(node_.client_memory.total(), 0);
  Hold(third_, 5);
  node_.client_memory.Forget(third_.get());
  EXPECT_EQ(node_.client_memory.total(), 0);
}

TEST_F(ClientMemoryTest, WhereNobodyCanGoNobodyIsLookedForAgainAndAgain) {
  Hold(other_, 30);
  other_->no_evict = true;
  EXPECT_THAT(Evict(10), IsEmpty());
  other_->no_evict = false;
  EXPECT_THAT(Evict(10), IsEmpty());  // it looks again in a tenth of a second
}

TEST_F(ClientMemoryTest, NoEvictSpares) {
  Hold(other_, 30);
  Hold(third_, 20);
  other_->no_evict = true;
  EXPECT_THAT(Evict(10), ElementsAre(3));
  EXPECT_EQ(node_.client_memory.total(), 30);
}

}  // namespace
}  // namespace gub
