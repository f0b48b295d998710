#include "server/membership_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "cluster/router.h"
#include "tests/support/sanitized.h"

namespace gub {
namespace {

using ::testing::ElementsAre;

// Lists come when the test says so.
class PlayedSource : public MemberSource {
 public:
  void Start(OnMembers on_members, OnTrouble) override { say = std::move(on_members); }
  void Leave(std::function<void()> on_done) override {
    left = true;
    on_done();
  }
  bool LeaveTakesEffect() const override { return true; }

  OnMembers say;
  bool left = false;
};

class MembershipKeeperTest : public ::testing::Test {
 protected:
  MembershipKeeperTest() {
    node_.port = 17379;
    node_.cluster = std::make_unique<Cluster>(Member{"127.0.0.1:17379", 1}, "id", "UTC");
    auto source = std::make_unique<PlayedSource>();
    source_ = source.get();
    keeper_ = std::make_unique<MembershipKeeper>(
        &loop_, &node_, std::move(source),
        [this](const std::string& address) { tried_.push_back(address); });
    keeper_->Start();
  }

  void List(const std::string& text) { source_->say(*ParseMembers(text, 0)); }
  std::vector<std::string> Members() const {
    std::vector<std::string> addresses;
    for (const Member& member : node_.cluster->view()->table.members()) {
      addresses.push_back(member.address);
    }
    return addresses;
  }
  // Lets the loop run until `done` was called by something on it.
  void RunLoop() { loop_.Run(); }

  Loop loop_;
  Node node_{Config(), Calendar(), 1};
  PlayedSource* source_;
  std::vector<std::string> tried_;
  std::unique_ptr<MembershipKeeper> keeper_;
};

TEST_F(MembershipKeeperTest, PublishesWhatTheSourceSays) {
  List("127.0.0.1:17379 127.0.0.1:2");
  EXPECT_THAT(Members(), ElementsAre("127.0.0.1:17379", "127.0.0.1:2"));
  const uint64_t epoch = node_.cluster->epoch();
  List("127.0.0.1:17379 127.0.0.1:2");
  EXPECT_EQ(node_.cluster->epoch(), epoch);
  EXPECT_TRUE(node_.cluster->view()->IsOwn(0));
  EXPECT_FALSE(node_.cluster->view()->IsOwn(1));
  List("127.0.0.1:17379");
  EXPECT_THAT(tried_, ElementsAre("127.0.0.1:2"));
  EXPECT_EQ(node_.cluster->epoch(), epoch);
}

TEST_F(MembershipKeeperTest, LeavesDiscoveryThenTheOthersThenItsOwnKeys) {
  List("127.0.0.1:17379 127.0.0.1:2");
  std::vector<std::string> steps;
  keeper_->Leave(
      [&](const std::function<void()>& said) {
        EXPECT_TRUE(source_->left);
        EXPECT_THAT(Members(), ElementsAre("127.0.0.1:17379", "127.0.0.1:2"));
        steps.emplace_back("said");
        said();
      },
      [&] {
        EXPECT_THAT(Members(), ElementsAre("127.0.0.1:2"));
        steps.emplace_back("done");
        loop_.Soon([&] {
          keeper_.reset();
          loop_.CloseMailbox();
        });
      });
  RunLoop();
  EXPECT_THAT(steps, ElementsAre("said", "done"));
}

// The list is the same as before, but not what is known of it.
TEST_F(MembershipKeeperTest, PublishesWhatItLearnsOfItselfLater) {
  List("127.0.0.1:17379 gub.example.org:80");
  EXPECT_FALSE(node_.cluster->view()->IsOwn(1));
  for (int i = 0; i < SelfFinder::kFoundTimes; ++i) keeper_->FoundSelf("gub.example.org:80");
  EXPECT_TRUE(node_.cluster->view()->IsOwn(1));
  EXPECT_EQ(node_.cluster->view()->address, "127.0.0.1:17379");
  keeper_->FoundOther("gub.example.org:80");
  EXPECT_FALSE(node_.cluster->view()->IsOwn(1));
}

// What a process holds: descriptors, threads, KB of memory.
struct Held {
  size_t files = 0;
  int64_t threads = 0;
  int64_t kilobytes = 0;

  static Held Now() {
    Held held;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      ++held.files;
    }
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "Threads:") status >> held.threads;
      if (word == "VmRSS:") status >> held.kilobytes;
    }
    return held;
  }
};

// Each change makes a table, and a router that takes it over, with a request on its way to whoever
// owns its key now.
TEST_F(MembershipKeeperTest, TensOfThousandsOfUpdatesLeaveNothingBehind) {
  constexpr int kUpdates = kSanitized ? 500 : 10'000;
  SetLogLevel("warning");  // for they are told
  CounterSet& counters = node_.counters.ForThread(0);
  auto router = std::make_unique<Router>(
      PeerClient::Place{&loop_, node_.cluster.get(), &node_.config, &counters});
  const auto use = [&] {
    router->Refresh();
    for (const char* key : {"a", "b", "c", "d"}) {
      PeerClient* const owner = router->OwnerOf(key);
      const PeerRequest request = {PeerOperation::kDecide, {.name = "n", .key = key}};
      if (owner != nullptr) owner->Forward(request, [](const PeerAnswer*) {});
    }
    uv_run(loop_.uv(), UV_RUN_NOWAIT);
  };
  const auto update = [&](int times) {
    for (int i = 0; i < times; ++i) {
      List("127.0.0.1:17379 127.0.0.1:1 127.0.0.1:2");
      if (i % 100 == 0) use();
    }
    for (int i = 0; i < times; ++i) {
      List(i % 2 == 0 ? "127.0.0.1:17379 127.0.0.1:1" : "127.0.0.1:17379 127.0.0.1:2");
      use();
    }
  };
  // A member that is dropped goes at once: the grace is for another test.
  node_.config
      .Change([](Config* config) {
        config->leave_grace_ms = 0;
        return absl::OkStatus();
      })
      .IgnoreError();
  update(kUpdates / 10);
  const Held before = Held::Now();
  const uint64_t epoch = node_.cluster->epoch();
  update(kUpdates);
  const Held after = Held::Now();
  EXPECT_GT(node_.cluster->epoch(), epoch + static_cast<uint64_t>(kUpdates) / 2);
  EXPECT_LE(after.files, before.files + 4);
  EXPECT_EQ(after.threads, before.threads);
  if (!kSanitized) {
    EXPECT_LE(after.kilobytes, before.kilobytes + 2048);
  }
  router.reset();
  keeper_.reset();
  loop_.CloseMailbox();
  RunLoop();
}

}  // namespace
}  // namespace gub
