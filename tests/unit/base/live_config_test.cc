#include "base/live_config.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace gub {
namespace {

TEST(LiveConfigTest, AViewSeesAChangeWhenItRefreshes) {
  LiveConfig live{Config()};
  ConfigView view(live);
  ASSERT_TRUE(live.Change([](Config* config) {
                    config->maxclients = 7;
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(view->maxclients, Config().maxclients);
  EXPECT_TRUE(view.Refresh());
  EXPECT_EQ(view->maxclients, 7);
  EXPECT_FALSE(view.Refresh());
  EXPECT_EQ(live.Get()->maxclients, 7);
}

TEST(LiveConfigTest, AnEditThatFailsChangesNothing) {
  LiveConfig live{Config()};
  ConfigView view(live);
  const absl::Status status = live.Change([](Config* config) {
    config->maxclients = 7;
    return absl::InvalidArgumentError("no");
  });
  EXPECT_EQ(status.message(), "no");
  EXPECT_FALSE(view.Refresh());
  EXPECT_EQ(live.Get()->maxclients, Config().maxclients);
}

TEST(LiveConfigTest, ChangesOfManyThreadsAreAllKept) {
  LiveConfig live{Config()};
  constexpr int kThreads = 4;
  constexpr int kChanges = 500;
  ASSERT_TRUE(live.Change([](Config* config) {
                    config->maxclients = 0;
                    return absl::OkStatus();
                  })
                  .ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&live] {
      ConfigView view(live);
      int64_t last = 0;
      for (int change = 0; change < kChanges; ++change) {
        EXPECT_TRUE(live.Change([](Config* config) {
                          ++config->maxclients;
                          return absl::OkStatus();
                        })
                        .ok());
        view.Refresh();
        EXPECT_GT(view->maxclients, last);
        last = view->maxclients;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(live.Get()->maxclients, kThreads * kChanges);
}

}  // namespace
}  // namespace gub
