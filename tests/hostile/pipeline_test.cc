// Long pipelines, pipelines in pieces, and pipelines whose replies nobody reads.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using std::chrono::milliseconds;

TEST(PipelineTest, TenThousandCommandsInOneWriteAreAnsweredInOrder) {
  const ServerProcess server;
  RawClient client(server.port());
  std::string pipeline;
  std::vector<RespReply> wanted;
  for (int i = 0; i < 10'000; ++i) {
    const std::string number = std::to_string(i);
    switch (i % 4) {
      case 0:
        pipeline += EncodeCommand({"ECHO", number});
        wanted.push_back(RespReply::Bulk(number));
        break;
      case 1:
        pipeline += EncodeCommand({"GUB.TAKE", "k" + number, "10", "1"});
        wanted.push_back(RespReply::Integers({1, 9, 0}));
        break;
      case 2:
        pipeline += "GUB.HIT n k " + number + " -1 1h\r\n";
        wanted.push_back(RespReply::Error("ERR limit must not be negative"));
        break;
      default:
        pipeline += "PING\r\n";
        wanted.push_back(RespReply::Status("PONG"));
    }
  }
  ASSERT_TRUE(client.Send(pipeline));
  EXPECT_EQ(client.ReadReplies(wanted.size()), wanted);
}

// The server has one loop here, which reads what came first first: when a PING on another
// connection is answered, all that was sent before has been read.
class PieceTest : public ::testing::Test {
 protected:
  void SendAndBeRead(RawClient* client, std::string_view bytes) {
    ASSERT_TRUE(client->Send(bytes));
    ASSERT_EQ(witness_.Run({"PING"}), RespReply::Status("PONG"));
  }

  void ExpectAllReplies(RawClient* client) {
    EXPECT_EQ(client->ReadReplies(replies_.size()), replies_);
    EXPECT_EQ(client->Run({"FLUSHALL"}), RespReply::Status("OK"));
  }

  ServerProcess server_{{"--threads", "1"}};
  RawClient witness_{server_.port()};
  const std::string corpus_ = "PING\r\n" + EncodeCommand({"ECHO", std::string("\r\n\0$*", 5)}) +
                              "\r\n*0\r\n" + EncodeCommand({"GUB.HIT", "n", "k", "1", "5", "1x"}) +
                              "ECHO \"a b\\x00\" \n" + EncodeCommand({"GUB.TAKE", "k", "5", "1"}) +
                              EncodeCommand({"ECHO", ""}) + EncodeCommand({"NOPE"}) + "QUITE\n" +
                              EncodeCommand({"CL.THROTTLE", "k", "4", "1", "10"});
  const std::vector<RespReply> replies_ = {
      RespReply::Status("PONG"),
      RespReply::Bulk(std::string("\r\n\0$*", 5)),
      RespReply::Error("ERR duration is not an integer or out of range"),
      RespReply::Bulk(std::string("a b\0", 4)),
      RespReply::Integers({1, 4, 0}),
      RespReply::Bulk(""),
      RespReply::Error("ERR unknown command 'NOPE', with args beginning with: "),
      RespReply::Error("ERR unknown command 'QUITE', with args beginning with: "),
      RespReply::Integers({0, 5, 4, -1, 10}),
  };
};

TEST_F(PieceTest, ACutAtAnyByteChangesNoReply) {
  for (size_t cut = 0; cut <= corpus_.size(); ++cut) {
    SCOPED_TRACE(cut);
    RawClient client(server_.port());
    SendAndBeRead(&client, std::string_view(corpus_).substr(0, cut));
    SendAndBeRead(&client, std::string_view(corpus_).substr(cut));
    ExpectAllReplies(&client);
  }
}

TEST_F(PieceTest, OneByteAtATimeChangesNoReply) {
  RawClient client(server_.port());
  for (const char& byte : corpus_) SendAndBeRead(&client, {&byte, 1});
  ExpectAllReplies(&client);
}

// A client that sends a million hits and reads no reply.
class UnreadPipelineTest : public ::testing::Test {
 protected:
  static constexpr int kHits = kSanitized ? 200'000 : 1'000'000;
  static constexpr int kHitsAPart = 1'000;

  // Sends until the server takes nothing more, because its replies go nowhere.
  void SendUntilStuck() {
    while (sent_hits_ < kHits) {
      const size_t sent = deaf_.SendSome(Unsent(), milliseconds(500));
      if (sent == 0) return;
      Advance(sent);
    }
  }

  std::string_view Unsent() const { return std::string_view(part_).substr(sent_of_part_); }

  void Advance(size_t sent) {
    sent_of_part_ += sent;
    if (sent_of_part_ < part_.size()) return;
    sent_of_part_ = 0;
    sent_hits_ += kHitsAPart;
  }

  static std::string Part() {
    std::string part;
    const std::string limit = std::to_string(kHits);
    for (int i = 0; i < kHitsAPart; ++i) {
      part += EncodeCommand({"GUB.HIT", "n", "k", "1", limit, "36525d"});
    }
    return part;
  }

  // Reads all that is there, and checks that it goes on where the last reply left off.
  void ReadSomeReplies() {
    while (read_hits_ < kHits && deaf_.HasReplyWithin(milliseconds(0))) {
      const std::optional<RespReply> reply = deaf_.ReadReply();
      ASSERT_TRUE(reply.has_value());
      ASSERT_EQ(reply->items.size(), 3u) << ::testing::PrintToString(*reply);
      ASSERT_EQ(reply->items[1].integer, kHits - 1 - read_hits_);
      ++read_hits_;
    }
  }

  ServerProcess server_;
  RawClient deaf_{server_.port(), 65536};
  const std::string part_ = Part();
  size_t sent_of_part_ = 0;
  int sent_hits_ = 0;
  int read_hits_ = 0;
};

TEST_F(UnreadPipelineTest, CostsLittleMemoryHindersNobodyAndIsAnsweredWhenItIsRead) {
  RespClient other(server_.port());
  EXPECT_EQ(other.Run({"PING"}), RespReply::Status("PONG"));
  const int64_t before_bytes = server_.ResidentBytes();
  SendUntilStuck();
  EXPECT_LT(sent_hits_, kHits) << "the server has read on and on";

  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(other.RunLine("GUB.TAKE k" + std::to_string(i) + " 10 1"),
              RespReply::Integers({1, 9, 0}));
  }
  // The sanitizers keep what is freed, so memory is not measured under them.
  if (!kSanitized) {
    EXPECT_LT(server_.ResidentBytes() - before_bytes, int64_t{64} << 20);
  }

  while (read_hits_ < kHits && !HasFatalFailure()) {
    if (sent_hits_ < kHits) Advance(deaf_.SendSome(Unsent(), milliseconds(0)));
    if (sent_hits_ == kHits) {
      ASSERT_TRUE(deaf_.HasReplyWithin(kPatience));
    }
    ReadSomeReplies();
  }
  EXPECT_EQ(deaf_.Run({"PING"}), RespReply::Status("PONG"));
}

}  // namespace
}  // namespace gub
