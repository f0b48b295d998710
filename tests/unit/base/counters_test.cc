#include "base/counters.h"

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace gub {
namespace {

TEST(CountersTest, HasARowWithWordsForEveryCounterInTheOrderOfTheEnum) {
  std::set<std::string_view> names;
  ASSERT_EQ(CounterTable().size(), kCounterCount);
  for (size_t i = 0; i < kCounterCount; ++i) {
    const CounterRow& row = CounterTable()[i];
    EXPECT_EQ(static_cast<size_t>(row.id), i);
    EXPECT_TRUE(row.section == "stats" || row.section == "gub" || row.section == "cluster" ||
                row.section == "global")
        << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands there twice";
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
        << row.name;
    EXPECT_TRUE(row.text.ends_with('.')) << row.name;
  }
}

TEST(CountersTest, GivesRedisNamesToWhatRedisCounts) {
  std::set<std::string_view> names;
  for (const CounterRow& row : CounterTable()) names.insert(row.name);
  for (const std::string_view name :
       {"total_connections_received", "rejected_connections", "total_commands_processed",
        "total_error_replies", "client_output_buffer_limit_disconnections",
        "client_query_buffer_limit_disconnections", "total_net_input_bytes",
        "total_net_output_bytes"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

TEST(CountersTest, CountsEachByItself) {
  CounterSet set;
  set.Add(Counter::kTokenPeeks);
  set.Add(Counter::kNetInputBytes, 100);
  set.Add(Counter::kNetInputBytes, 23);
  for (const CounterRow& row : CounterTable()) {
    const uint64_t expected = row.id == Counter::kTokenPeeks      ? 1
                              : row.id == Counter::kNetInputBytes ? 123
                                                                  : 0;
    EXPECT_EQ(set.Get(row.id), expected) << row.name;
  }
}

TEST(CountersTest, AddsUpTheSetsOfAllThreads) {
  Counters counters(3);
  EXPECT_EQ(counters.Sum(Counter::kTokenAdmitted), 0u);
  counters.ForThread(0).Add(Counter::kTokenAdmitted, 1);
  counters.ForThread(1).Add(Counter::kTokenAdmitted, 10);
  counters.ForThread(2).Add(Counter::kTokenAdmitted, 100);
  counters.ForThread(2).Add(Counter::kTokenDenied, 5);
  EXPECT_EQ(counters.Sum(Counter::kTokenAdmitted), 111u);
  EXPECT_EQ(counters.Sum(Counter::kTokenDenied), 5u);
}

TEST(CountersTest, MayBeReadWhileTheirThreadsCount) {
  constexpr uint64_t kHits = 20'000;
  Counters counters(2);
  std::atomic<int> ended{0};
  const auto count = [&](size_t index) {
    for (uint64_t i = 0; i < kHits; ++i) counters.ForThread(index).Add(Counter::kTokenAdmitted);
    ended.fetch_add(1, std::memory_order_relaxed);
  };
  std::thread first(count, 0);
  std::thread second(count, 1);
  uint64_t last = 0;
  while (ended.load(std::memory_order_relaxed) < 2) {
    const uint64_t sum = counters.Sum(Counter::kTokenAdmitted);
    ASSERT_GE(sum, last);
    last = sum;
    std::this_thread::yield();
  }
  first.join();
  second.join();
  EXPECT_EQ(counters.Sum(Counter::kTokenAdmitted), 2 * kHits);
}

TEST(CountersTest, KeepsTheSetsOfTwoThreadsOnDifferentCacheLines) {
  Counters counters(2);
  const auto first = reinterpret_cast<uintptr_t>(&counters.ForThread(0));
  const auto second = reinterpret_cast<uintptr_t>(&counters.ForThread(1));
  EXPECT_EQ(first % 64, 0u);
  EXPECT_EQ(second % 64, 0u);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace gub
