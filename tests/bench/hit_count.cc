// Requests through parser, dispatch, store and writer in one thread, to count instructions by.
//
//   hit_count token|leaky|take|ping PIPELINE ROUNDS
//
// A round is each of the batches once. Between two runs that differ in nothing but ROUNDS lies
// exactly what so many more rounds cost; tools/bench/instructions.py divides it by the requests.
// Prints how many requests a round has.
//
// Nothing in it depends on chance: the clock stands, and moves by 1 ms a batch, and the kernel's
// random bytes, which key the table's hash, are replaced by constant ones.
// Exit codes: 0 done, 1 an error reply, 2 wrong arguments.

#include <sys/random.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/in_process.h"

// In place of the C library's. Neither all alike nor random: a table hashes well with them.
extern "C" ssize_t getrandom(void* buffer, size_t size, unsigned /*flags*/) {
  uint32_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    static_cast<unsigned char*>(buffer)[i] = static_cast<unsigned char>(state >> 24);
  }
  return static_cast<ssize_t>(size);
}

namespace gub {
namespace {

constexpr int64_t kRequestsPerRound = 1024;

std::string RequestOf(std::string_view what, int64_t number) {
  const std::string key = BenchKey(number);
  if (what == "token") return BenchRequest("GUB.HIT requests_per_sec " + key + " 1 1000000 1h");
  if (what == "leaky") {
    return BenchRequest("GUB.HIT requests_per_sec " + key + " 1 1000000 1h leaky");
  }
  if (what == "take") return BenchRequest("GUB.TAKE " + key + " 1000000 1000");
  if (what == "ping") return BenchRequest("PING");
  std::exit(2);
}

int Main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int64_t pipeline = std::atoi(argv[2]);
  const int64_t rounds = std::atoi(argv[3]);
  if (pipeline < 1 || kRequestsPerRound % pipeline != 0 || rounds < 1) return 2;
  std::vector<std::string> batches;
  for (int64_t i = 0; i < kRequestsPerRound; ++i) {
    if (i % pipeline == 0) batches.emplace_back();
    batches.back() += RequestOf(argv[1], i);
  }
  InProcessNode node(10'000);
  for (int64_t round = 0; round < rounds; ++round) {
    for (const std::string& batch : batches) {
      node.Serve(batch);
      node.Advance(1);
    }
  }
  std::printf("%lld\n", static_cast<long long>(kRequestsPerRound));
  return 0;
}

}  // namespace
}  // namespace gub

int main(int argc, char** argv) { return gub::Main(argc, argv); }
