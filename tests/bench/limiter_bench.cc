// Throughput of Limiter::Decide: the same on one thread and on two.
//
//   build/tests/limiter_bench --benchmark_repetitions=7 --benchmark_enable_random_interleaving=true
//
// items_per_second is decisions of all threads together.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gub/limiter.h"

namespace gub {

namespace {

constexpr int64_t kMillion = 1'000'000;

// Filled once, before the threads of a benchmark start.
struct Setting {
  std::unique_ptr<Limiter> limiter;
  std::vector<std::string> keys;
};

Setting MakeSetting(int64_t keys) {
  Setting setting;
  std::string error;
  setting.limiter = Limiter::Create({.max_keys = keys + keys / 8 + 100}, &error);
  for (int64_t i = 0; i < keys; ++i) {
    setting.keys.push_back("account:" + std::to_string(100'000'000 + i));
  }
  return setting;
}

Request Hit(const std::string& key, Algorithm algorithm) {
  return {.name = "requests_per_sec",
          .key = key,
          .limit = kMillion * kMillion,
          .period = Period::Ms(3'600'000),
          .algorithm = algorithm};
}

// A cheap pseudo-random walk over the keys.
uint64_t Next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

// Each thread has its own part of the keys.
void BM_DistinctKeys(benchmark::State& state) {
  static Setting setting = MakeSetting(100'000);
  const auto part = setting.keys.size() / 2;
  const size_t first = state.thread_index() % 2 == 0 ? 0 : part;
  uint64_t random = static_cast<uint64_t>(state.thread_index()) + 1;
  for (auto _ : state) {
    const std::string& key = setting.keys[first + Next(&random) % part];
    benchmark::DoNotOptimize(setting.limiter->Decide(Hit(key, Algorithm::kToken)));
  }
  state.SetItemsProcessed(state.iterations());
}

// As BM_DistinctKeys, but each thread has a limiter of its own: what the machine allows.
void BM_OwnLimiter(benchmark::State& state) {
  static Setting settings[] = {MakeSetting(50'000), MakeSetting(50'000)};
  Setting& setting = settings[state.thread_index() % 2];
  uint64_t random = static_cast<uint64_t>(state.thread_index()) + 1;
  for (auto _ : state) {
    const std::string& key = setting.keys[Next(&random) % setting.keys.size()];
    benchmark::DoNotOptimize(setting.limiter->Decide(Hit(key, Algorithm::kToken)));
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_OneHotKey(benchmark::State& state) {
  static Setting setting = MakeSetting(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(setting.limiter->Decide(Hit(setting.keys[0], Algorithm::kToken)));
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_MillionKeys(benchmark::State& state) {
  static Setting setting = MakeSetting(kMillion);
  const auto algorithm = static_cast<Algorithm>(state.range(0));
  uint64_t random = static_cast<uint64_t>(state.thread_index()) + 1;
  for (auto _ : state) {
    const std::string& key = setting.keys[Next(&random) % setting.keys.size()];
    benchmark::DoNotOptimize(setting.limiter->Decide(Hit(key, algorithm)));
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_DistinctKeys)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(BM_OwnLimiter)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(BM_OneHotKey)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(BM_MillionKeys)->ArgName("leaky")->Arg(0)->Arg(1)->ThreadRange(1, 2)->UseRealTime();

}  // namespace
}  // namespace gub
