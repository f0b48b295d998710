// What the steps of a request cost, each by itself and all together without sockets.
//
//   build/tests/micro_bench --benchmark_filter=Store
//
// items_per_second is requests (for batches, too).

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/peer_frame.h"
#include "limit/leaky.h"
#include "limit/token.h"
#include "store/store.h"
#include "tests/bench/in_process.h"

namespace gub {
namespace {

constexpr int64_t kNowMs = InProcessNode::kNowMs;
constexpr int64_t kKeys = 100'000;
constexpr size_t kMaxKeyBytes = 4096;

std::string HitRequest(int64_t key, std::string_view algorithm) {
  return BenchRequest("GUB.HIT requests_per_sec " + BenchKey(key) + " 1 1000000000 1d " +
                      std::string(algorithm));
}

Request HitOn(std::string_view key, Algorithm algorithm) {
  return {.name = "requests_per_sec",
          .key = key,
          .limit = 1'000'000'000,
          .period = Period::Ms(86'400'000),
          .algorithm = algorithm};
}

std::vector<std::string> Keys(int64_t count) {
  std::vector<std::string> keys;
  for (int64_t i = 0; i < count; ++i) keys.push_back(BenchKey(i));
  return keys;
}

// A cheap pseudo-random walk over the keys.
size_t Next(uint64_t* state, size_t count) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % count;
}

void BM_ParseHit(benchmark::State& state) {
  std::string batch;
  for (int64_t i = 0; i < 16; ++i) batch += HitRequest(i, "token");
  RequestParser parser{RequestLimits{}};
  for (auto _ : state) {
    std::string_view input = batch;
    while (parser.Next(input) == RequestParser::Outcome::kRequest) {
      benchmark::DoNotOptimize(parser.args());
      input.remove_prefix(parser.consumed());
    }
  }
  state.SetItemsProcessed(state.iterations() * 16);
}

void BM_WriteTriple(benchmark::State& state) {
  ByteBuffer out;
  ReplyWriter reply(&out);
  for (auto _ : state) {
    out.Clear();
    for (int i = 0; i < 16; ++i) reply.IntegerTriple(0, 999'999, kNowMs + i);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * 16);
}

// A request that is parsed already: the command, its arguments, the decision and the reply.
void BM_Dispatch(benchmark::State& state, std::vector<std::string_view> words) {
  InProcessNode node(1000);
  node.dispatcher().BeginBatch(&node.client());
  for (auto _ : state) benchmark::DoNotOptimize(node.Run(words));
  node.dispatcher().EndBatch();
  state.SetItemsProcessed(state.iterations());
}

// All of it, a batch at a time, over 100 k keys.
void BM_Serve(benchmark::State& state, std::string_view algorithm) {
  InProcessNode node(2 * kKeys);
  const int64_t pipeline = state.range(0);
  std::vector<std::string> batches;
  uint64_t random = 1;
  for (int64_t i = 0; i < kKeys; i += pipeline) {
    batches.emplace_back();
    for (int64_t j = 0; j < pipeline; ++j) {
      const auto key = static_cast<int64_t>(Next(&random, kKeys));
      batches.back() += algorithm == "ping" ? BenchRequest("PING") : HitRequest(key, algorithm);
    }
  }
  for (const std::string& batch : batches) node.Serve(batch);
  size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(node.Serve(batches[at]));
    if (++at == batches.size()) at = 0;
  }
  state.SetItemsProcessed(state.iterations() * pipeline);
}

void BM_ApplyToken(benchmark::State& state) {
  const Request request = HitOn("k", Algorithm::kToken);
  const Calendar calendar;
  std::optional<TokenState> bucket;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ApplyToken(request, calendar, kNowMs, &bucket));
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_ApplyLeaky(benchmark::State& state) {
  const Request request = HitOn("k", Algorithm::kLeaky);
  const Calendar calendar;
  std::optional<LeakyState> bucket;
  int64_t now_ms = kNowMs;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ApplyLeaky(request, calendar, ++now_ms, &bucket));
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_StoreHit(benchmark::State& state, Algorithm algorithm) {
  const std::vector<std::string> keys = Keys(state.range(0));
  Store store({.max_keys = state.range(0) + state.range(0) / 8});
  Decision decision;
  for (const std::string& key : keys) store.Decide(HitOn(key, algorithm), kNowMs, &decision);
  uint64_t random = 1;
  for (auto _ : state) {
    store.Decide(HitOn(keys[Next(&random, keys.size())], algorithm), kNowMs, &decision);
    benchmark::DoNotOptimize(decision);
  }
  state.SetItemsProcessed(state.iterations());
}

// Into a table that is made for as many; when all are in, it is emptied while nobody measures.
void BM_StoreInsert(benchmark::State& state, Algorithm algorithm) {
  const std::vector<std::string> keys = Keys(state.range(0));
  Store store({.max_keys = state.range(0)});
  Decision decision;
  size_t at = 0;
  for (auto _ : state) {
    if (at == keys.size()) {
      state.PauseTiming();
      store.Clear();
      at = 0;
      state.ResumeTiming();
    }
    store.Decide(HitOn(keys[at++], algorithm), kNowMs, &decision);
    benchmark::DoNotOptimize(decision);
  }
  state.SetItemsProcessed(state.iterations());
}

std::string EncodeRequests(const std::vector<std::string>& keys) {
  std::string frame;
  for (const std::string& key : keys) {
    AppendPeerRequest({.request = HitOn(key, Algorithm::kToken)}, &frame);
  }
  return frame;
}

std::string EncodeAnswers(int64_t count) {
  const Decision decision = {.remaining = 999'999, .reset_ms = kNowMs + 1000, .now_ms = kNowMs};
  std::string frame;
  for (int64_t i = 0; i < count; ++i) AppendPeerAnswer({.decision = decision}, &frame);
  return frame;
}

void BM_EncodeBatch(benchmark::State& state) {
  const std::vector<std::string> keys = Keys(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(EncodeRequests(keys));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_DecodeBatch(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  const std::string frame = EncodeRequests(Keys(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ReadPeerRequests(frame, count, kMaxKeyBytes));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_EncodeAnswers(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(EncodeAnswers(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_DecodeAnswers(benchmark::State& state) {
  const std::string frame = EncodeAnswers(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ReadPeerAnswers(frame, static_cast<size_t>(state.range(0))));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

using Words = std::vector<std::string_view>;

BENCHMARK(BM_ParseHit);
BENCHMARK(BM_WriteTriple);
BENCHMARK_CAPTURE(BM_Dispatch, ping, Words{"PING"});
BENCHMARK_CAPTURE(BM_Dispatch, token, Words{"GUB.HIT", "n", "k", "1", "1000000000", "1d"});
BENCHMARK_CAPTURE(BM_Dispatch, leaky, Words{"GUB.HIT", "n", "k", "1", "1000000000", "1d", "leaky"});
BENCHMARK_CAPTURE(BM_Dispatch, take, Words{"GUB.TAKE", "k", "1000000000", "1000"});
BENCHMARK_CAPTURE(BM_Serve, ping, "ping")->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(BM_Serve, token, "token")->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(BM_Serve, leaky, "leaky")->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(BM_ApplyToken);
BENCHMARK(BM_ApplyLeaky);
BENCHMARK_CAPTURE(BM_StoreHit, token, Algorithm::kToken)->Arg(1)->Arg(kKeys)->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_StoreHit, leaky, Algorithm::kLeaky)->Arg(1)->Arg(kKeys)->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_StoreInsert, token, Algorithm::kToken)->Arg(kKeys);
BENCHMARK_CAPTURE(BM_StoreInsert, leaky, Algorithm::kLeaky)->Arg(kKeys);
BENCHMARK(BM_EncodeBatch)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(BM_DecodeBatch)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(BM_EncodeAnswers)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(BM_DecodeAnswers)->Arg(1)->Arg(16)->Arg(256);

}  // namespace
}  // namespace gub
