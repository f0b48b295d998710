// What `make bench-store` measures from inside: stalls, freeing, and bytes.
//
//   store_report stall KEYS   the longest decision while KEYS live limits are inserted, beside the
//                             median, by one thread, into a table of KEYS
//   store_report burst KEYS   KEYS limits lapse in the same 10 ms while other keys are hit 10 000
//                             times a second: the longest step with a lock held, wrong answers
//   store_report rounds KEYS  ten rounds of KEYS limits that lapse after a second, by the real
//   clock:
//                             how many are left 2 s later, and the resident set
//   store_report bytes KEYS   bytes of resident memory a live limit takes
//
// Prints `name value unit` lines. Time here is the machine's: on a busy one the worst values are
// its scheduler's, so the thread's own processor time is shown beside.

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "limit/calendar.h"
#include "store/store.h"

namespace gub {

namespace {

constexpr int64_t kHourMs = 3'600'000;

int64_t ResidentBytes() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm").ignore(std::numeric_limits<std::streamsize>::max(), ' ') >>
      pages;
  return pages * sysconf(_SC_PAGESIZE);
}

int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

std::string Key(int64_t i) { return "account:" + std::to_string(100'000'000 + i); }

Request Hit(const std::string& key, int64_t period_ms) {
  return {.name = "requests_per_sec", .key = key, .limit = 10, .period = Period::Ms(period_ms)};
}

void Print(const char* name, double value, const char* unit) {
  std::printf("%-34s %14.2f %s\n", name, value, unit);
}

void Stall(int64_t keys) {
  Store store({.max_keys = keys});
  std::vector<uint32_t> wall_ns;
  wall_ns.reserve(static_cast<size_t>(keys));
  int64_t worst_cpu_ns = 0;
  Decision decision;
  for (int64_t i = 0; i < keys; ++i) {
    const std::string key = Key(i);
    const int64_t cpu_ns = ThreadCpuNs();
    const int64_t start_ns = MonotonicNs();
    store.Decide(Hit(key, kHourMs), 1'700'000'000'000, &decision);
    wall_ns.push_back(static_cast<uint32_t>(MonotonicNs() - start_ns));
    worst_cpu_ns = std::max(worst_cpu_ns, ThreadCpuNs() - cpu_ns);
  }
  std::sort(wall_ns.begin(), wall_ns.end());
  Print("insert median", wall_ns[wall_ns.size() / 2], "ns");
  Print("insert p99.99", wall_ns[wall_ns.size() - wall_ns.size() / 10'000 - 1], "ns");
  Print("insert longest", wall_ns.back() / 1e3, "us");
  Print("insert longest, processor time", static_cast<double>(worst_cpu_ns) / 1e3, "us");
  Print("held at the end", static_cast<double>(store.Size()), "buckets");
  Print("evicted", static_cast<double>(store.counts().evicted_live_keys), "buckets");
}

void Burst(int64_t keys) {
  constexpr int kHitsPerSecond = 10'000;
  constexpr int64_t kOtherKeys = 1000;
  const LimiterClock clock;
  Store store({.max_keys = keys + keys / 8 + kOtherKeys});
  Decision decision;
  const int64_t lapse_ms = clock.NowMs() + 4000;
  for (int64_t i = 0; i < keys; ++i) {
    const int64_t now_ms = clock.NowMs();
    store.Decide(Hit(Key(i), std::max<int64_t>(1, lapse_ms + i % 10 - now_ms)), now_ms, &decision);
  }
  std::thread sweeper([&] {
    while (clock.NowMs() < lapse_ms + 3000) {
      if (!store.Sweep(clock.NowMs(), store.epoch(), 5'000'000)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  });
  int64_t wrong = 0;
  std::vector<int64_t> used(kOtherKeys, 0);
  int64_t hits = 0;
  int64_t gone_ms = 0;
  const int64_t start_ns = MonotonicNs();
  while (clock.NowMs() < lapse_ms + 3000) {
    if (MonotonicNs() - start_ns < hits * (1'000'000'000 / kHitsPerSecond)) continue;
    const int64_t other = hits++ % kOtherKeys;
    const std::string key = "other:" + std::to_string(other);
    Request request = Hit(key, kHourMs);
    request.limit = 1'000'000;
    store.Decide(request, clock.NowMs(), &decision);
    const bool right = decision.status == LimitStatus::kUnder &&
                       decision.remaining == request.limit - ++used[static_cast<size_t>(other)];
    wrong += right ? 0 : 1;
    if (gone_ms == 0 && store.Size() <= kOtherKeys) gone_ms = clock.NowMs();
  }
  sweeper.join();
  Print("hits on other keys", static_cast<double>(hits), "hits");
  Print("wrong answers", static_cast<double>(wrong), "answers");
  Print("all freed after they lapsed by", static_cast<double>(gone_ms - lapse_ms - 9), "ms");
  Print("longest step under a lock",
        static_cast<double>(store.counts().longest_sweep_step_ns) / 1e3, "us");
}

void Rounds(int64_t keys) {
  const LimiterClock clock;
  Store store({.max_keys = keys + keys / 8});
  Decision decision;
  for (int round = 1; round <= 10; ++round) {
    for (int64_t i = 0; i < keys; ++i) {
      store.Decide(Hit(Key(i + round * keys), 1000), clock.NowMs(), &decision);
    }
    const int64_t lapsed_ms = clock.NowMs() + 1000;
    while (clock.NowMs() < lapsed_ms + 2000) {
      if (!store.Sweep(clock.NowMs(), store.epoch(), 5'000'000)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
    std::printf("round %2d: left %lld of %lld, resident %.1f MB\n", round,
                static_cast<long long>(store.Size()), static_cast<long long>(keys),
                static_cast<double>(ResidentBytes()) / 1e6);
  }
}

void Bytes(int64_t keys) {
  const int64_t before = ResidentBytes();
  Store store({.max_keys = keys});
  const int64_t table = ResidentBytes();
  Decision decision;
  for (int64_t i = 0; i < keys; ++i) {
    store.Decide(Hit(Key(i), kHourMs), 1'700'000'000'000, &decision);
  }
  const auto count = static_cast<double>(store.Size());
  Print("table at start", static_cast<double>(table - before) / static_cast<double>(keys),
        "bytes a key of max-keys");
  Print("live limit", static_cast<double>(ResidentBytes() - before) / count, "bytes");
}

int Main(int argc, char** argv) {
  std::string what = argc == 3 ? argv[1] : "";
  const int64_t keys = argc == 3 ? std::atoll(argv[2]) : 0;
  if (keys < 1) what.clear();
  if (what == "stall") {
    Stall(keys);
  } else if (what == "burst") {
    Burst(keys);
  } else if (what == "rounds") {
    Rounds(keys);
  } else if (what == "bytes") {
    Bytes(keys);
  } else {
    std::fputs("usage: store_report stall|burst|rounds|bytes KEYS\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace gub

int main(int argc, char** argv) { return gub::Main(argc, argv); }
