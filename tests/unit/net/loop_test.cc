#include "net/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "net/timer.h"

namespace gub {

namespace {

using ::testing::ElementsAre;

TEST(LoopTest, TasksRunInTheOrderInWhichTheyWerePosted) {
  Loop loop;
  std::vector<int> seen;
  loop.Post([&] {
    seen.push_back(1);
    loop.Post([&] {
      seen.push_back(3);
      loop.CloseMailbox();
    });
  });
  loop.Post([&] { seen.push_back(2); });
  loop.Run();
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(LoopTest, TasksOfOtherThreadsAllRun) {
  Loop loop;
  int ran = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        loop.Post([&] {
          if (++ran == 3000) loop.CloseMailbox();
        });
      }
    });
  }
  loop.Run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 3000);
}

TEST(LoopTest, ATaskPostedAfterTheMailboxClosedIsDropped) {
  Loop loop;
  bool ran = false;
  loop.CloseMailbox();
  loop.Post([&] { ran = true; });
  loop.Run();
  EXPECT_FALSE(ran);
}

TEST(TimerTest, RepeatsUntilItIsStopped) {
  Loop loop;
  int calls = 0;
  Timer timer(&loop, [&] {
    if (++calls == 3) {
      timer.Stop();
      loop.CloseMailbox();
    }
  });
  timer.Start(1, 1);
  loop.Run();
  EXPECT_EQ(calls, 3);
}

TEST(TimerTest, IsNotCalledOnceItIsGone) {
  Loop loop;
  auto never = std::make_unique<Timer>(&loop, [] { FAIL() << "a destroyed timer was called"; });
  never->Start(1, 0);
  Timer later(&loop, [&] { loop.CloseMailbox(); });
  later.Start(5, 0);
  never.reset();
  loop.Run();
}

}  // namespace
}  // namespace gub
