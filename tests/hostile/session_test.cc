// Every reply in order and one for each command, whatever clients send and however it is cut:
// random sessions of right, wrong, unauthenticated and MULTI commands against a model of what is
// answered.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/property/seed.h"
#include "tests/support/raw_client.h"
#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

// One client as the contract describes it.
class SessionModel {
 public:
  explicit SessionModel(std::string id) : id_(std::move(id)) {}

  // A command and the reply that must come.
  struct Step {
    std::vector<std::string> command;
    RespReply reply;
  };

  Step Next(std::mt19937_64* random) {
    switch ((*random)() % 12) {
      case 0:
        return Auth("secret");
      case 1:
        return Auth("wrong");
      case 2:
        return {{"NOPE" + Unique()}, Unknown()};
      case 3:
        return {{"GUB.HIT", "n"}, Refused("ERR wrong number of arguments for 'gub.hit' command")};
      case 4:
        return {{"MULTI"}, Multi()};
      case 5:
        return {{"EXEC"}, Exec()};
      case 6:
        return {{"DISCARD"}, Discard()};
      case 7:
        return {{"SELECT", "7"}, Run(RespReply::Error("ERR DB index is out of range"))};
      case 8:
        return {{"CLIENT", "NOPE"}, Refused("ERR unknown subcommand 'NOPE'. Try CLIENT HELP.")};
      case 9:
      case 10:
        return Hit();
      default: {
        const std::string word = Unique() + std::string((*random)() % 3 == 0 ? 2000 : 3, '\r');
        return {{"ECHO", word}, Run(RespReply::Bulk(word))};
      }
    }
  }

 private:
  std::string Unique() { return id_ + "." + std::to_string(count_++); }

  static RespReply NoAuth() { return RespReply::Error("NOAUTH Authentication required."); }

  // A request that cannot be queued.
  RespReply Refused(std::string text) {
    aborted_ = aborted_ || multi_;
    return RespReply::Error(std::move(text));
  }
  RespReply Unknown() {
    const std::string name = "NOPE" + id_ + "." + std::to_string(count_ - 1);
    return Refused("ERR unknown command '" + name + "', with args beginning with: ");
  }
  RespReply Run(RespReply reply) {
    if (!authenticated_) return NoAuth();
    if (!multi_) return reply;
    queued_.push_back(std::move(reply));
    return RespReply::Status("QUEUED");
  }
  Step Auth(const std::string& password) {
    const bool right = password == "secret";
    const RespReply reply =
        right ? RespReply::Status("OK")
              : RespReply::Error("WRONGPASS invalid username-password pair or user is disabled.");
    if (multi_) {
      queued_.push_back(reply);
      return {{"AUTH", password}, RespReply::Status("QUEUED")};
    }
    authenticated_ = authenticated_ || right;
    return {{"AUTH", password}, reply};
  }
  // Each on a bucket of its own, so that only running it twice, or not at all, would show.
  Step Hit() {
    const std::string key = Unique();
    RespReply reply = RespReply::Integers({0, 9, 1'700'000'060'000});
    return {{"GUB.HIT", "n", key, "1", "10", "1m"}, Run(std::move(reply))};
  }
  RespReply Multi() {
    if (!authenticated_) return NoAuth();
    if (multi_) return RespReply::Error("ERR MULTI calls can not be nested");
    multi_ = true;
    return RespReply::Status("OK");
  }
  RespReply Exec() {
    if (!authenticated_) return NoAuth();
    if (!multi_) return RespReply::Error("ERR EXEC without MULTI");
    const RespReply reply =
        aborted_ ? RespReply::Error("EXECABORT Transaction discarded because of previous errors.")
                 : RespReply::Array(queued_);
    EndMulti();
    return reply;
  }
  RespReply Discard() {
    if (!authenticated_) return NoAuth();
    if (!multi_) return RespReply::Error("ERR DISCARD without MULTI");
    EndMulti();
    return RespReply::Status("OK");
  }
  void EndMulti() {
    multi_ = aborted_ = false;
    queued_.clear();
  }

  const std::string id_;
  int count_ = 0;
  bool authenticated_ = false;
  bool multi_ = false;
  bool aborted_ = false;
  std::vector<RespReply> queued_;
};

TEST(SessionTest, EveryCommandIsAnsweredOnceAndInOrder) {
  ServerProcess server(
      {"--requirepass", "secret", "--enable-debug-commands", "yes", "--max-keys", "200000"});
  RespClient admin(server.port());
  ASSERT_EQ(admin.Run({"AUTH", "secret"}), RespReply::Status("OK"));
  ASSERT_EQ(admin.RunLine("GUB.DEBUG CLOCK SET 1700000000000"), RespReply::Status("OK"));
  std::mt19937_64 random(RunSeed());
  constexpr int kSessions = kSanitized ? 60 : 300;
  for (int session = 0; session < kSessions; ++session) {
    SessionModel model("s" + std::to_string(session));
    RawClient client(server.port());
    std::string pipeline;
    std::vector<SessionModel::Step> steps;
    for (size_t i = 1 + random() % 120; i > 0; --i) {
      steps.push_back(model.Next(&random));
      pipeline += EncodeCommand(steps.back().command);
    }
    while (!pipeline.empty()) {
      const size_t piece = std::min<size_t>(pipeline.size(), 1 + random() % 3000);
      ASSERT_TRUE(client.Send(std::string_view(pipeline).substr(0, piece)));
      pipeline.erase(0, piece);
    }
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::optional<RespReply> reply = client.ReadReply();
      ASSERT_TRUE(reply.has_value());
      ASSERT_EQ(*reply, steps[i].reply)
          << "session " << session << ", command " << i << ": " << steps[i].command[0];
    }
    ASSERT_FALSE(client.HasReplyWithin(std::chrono::milliseconds(0)));
  }
}

}  // namespace
}  // namespace gub
