#include "gub/limiter.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "fmt/format.h"
#include "limit/int128.h"
#include "store/store.h"

namespace gub {

namespace {

constexpr int64_t kMostKeys = 2'000'000'000;

// The default clock. Nobody pulls it but its readers.
class OwnClock {
 public:
  int64_t NowMs() {
    const int64_t now_ms = clock_.NowMs();
    if (now_ms >= next_pull_ms_.load(std::memory_order_relaxed) && mu_.TryLock()) {
      next_pull_ms_.store(now_ms + LimiterClock::kPullIntervalMs, std::memory_order_relaxed);
      clock_.Pull();
      mu_.Unlock();
    }
    return now_ms;
  }

 private:
  LimiterClock clock_;
  std::atomic<int64_t> next_pull_ms_{0};
  Mutex mu_;  // held by the one that pulls
};

Error Check(const Request& request, size_t max_key_bytes) {
  if (request.name.empty()) return Error::kEmptyName;
  if (request.key.empty()) return Error::kEmptyKey;
  if (request.name.size() + request.key.size() > max_key_bytes) return Error::kKeyTooLong;
  if (request.limit < 0) return Error::kNegativeLimit;
  if (request.BucketSize() < 0) return Error::kNegativeBurst;
  if (!request.period.IsValid()) return Error::kPeriodOutOfRange;
  if ((request.behavior & ~kAllBehaviors) != 0) return Error::kUnknownBehavior;
  const bool knows_algorithm =
      request.algorithm == Algorithm::kToken || request.algorithm == Algorithm::kLeaky;
  return knows_algorithm ? Error::kNone : Error::kUnknownAlgorithm;
}

}  // namespace

class Limiter::Core {
 public:
  Core(Options options, Calendar calendar)
      : options_(std::move(options)),
        store_({.max_keys = options_.max_keys,
                .evict = options_.eviction == Eviction::kNearestReset,
                .calendar = std::move(calendar)}) {}

  // The latest that was read: each shard of the store goes by the latest time that it has seen, so
  // a clock that ran back would stand still for some keys and not for others.
  int64_t NowMs() {
    const int64_t now_ms = options_.clock ? options_.clock() : own_clock_.NowMs();
    int64_t latest_ms = latest_ms_.load(std::memory_order_relaxed);
    while (latest_ms < now_ms) {
      if (latest_ms_.compare_exchange_weak(latest_ms, now_ms, std::memory_order_relaxed)) {
        return now_ms;
      }
    }
    return latest_ms;
  }

  Decision Decide(const Request& request, int64_t now_ms) {
    Decision decision;
    decision.error = Check(request, options_.max_key_bytes);
    if (decision.error == Error::kNone &&
        store_.Decide(request, now_ms, &decision) == Store::Outcome::kFull) {
      decision.error = Error::kTableFull;
    }
    return decision;
  }

  Store& store() { return store_; }
  Mutex& sweeping() { return sweeping_; }

 private:
  const Options options_;
  OwnClock own_clock_;
  std::atomic<int64_t> latest_ms_{0};
  Store store_;
  Mutex sweeping_;  // one thread sweeps at a time
};

Limiter::Limiter(std::unique_ptr<Core> core) : core_(std::move(core)) {}

Limiter::~Limiter() = default;

std::unique_ptr<Limiter> Limiter::Create(Options options, std::string* error) noexcept {
  if (options.max_keys < 1 || options.max_keys > kMostKeys) {
    *error = fmt::format("max_keys must be from 1 to {}, got {}", kMostKeys, options.max_keys);
    return nullptr;
  }
  if (options.max_key_bytes < 2 || options.max_key_bytes > BucketKey::kMaxBytes) {
    *error = fmt::format("max_key_bytes must be from 2 to {}, got {}", BucketKey::kMaxBytes,
                         options.max_key_bytes);
    return nullptr;
  }
  std::optional<Calendar> calendar = Calendar::ForZone(options.calendar_timezone);
  if (!calendar) {
    *error = fmt::format("calendar_timezone: this machine knows no zone '{}'",
                         options.calendar_timezone);
    return nullptr;
  }
  // It ends the process where it fails, as all of this does.
  return std::unique_ptr<Limiter>(
      // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
      new Limiter(std::make_unique<Core>(std::move(options), *std::move(calendar))));
}

Decision Limiter::Decide(const Request& request) noexcept {
  return core_->Decide(request, core_->NowMs());
}

void Limiter::Decide(std::span<const Request> requests, std::span<Decision> decisions) noexcept {
  const int64_t now_ms = core_->NowMs();
  for (size_t i = 0; i < requests.size(); ++i) decisions[i] = core_->Decide(requests[i], now_ms);
}

int Limiter::Reset(std::string_view name, std::string_view key) noexcept {
  const bool can_exist = name.size() + key.size() <= BucketKey::kMaxBytes;
  return can_exist ? core_->store().Reset(name, key) : 0;
}

void Limiter::Clear() noexcept { core_->store().Clear(); }

int64_t Limiter::Size() const noexcept { return core_->store().Size(); }

Limiter::Counters Limiter::counters() const noexcept {
  const Store::Counts counts = core_->store().counts();
  return {.expired_keys = counts.expired_keys,
          .evicted_live_keys = counts.evicted_live_keys,
          .refused_keys = counts.refused_keys};
}

bool Limiter::Sweep(int64_t max_us) noexcept {
  // The epoch first, and the clock, which is the user's, before there is a lock that it might want.
  const uint32_t epoch = core_->store().epoch();
  const int64_t now_ms = core_->NowMs();
  const int64_t budget_ns = std::clamp<int64_t>(max_us, 0, kInt64Max / 1000) * 1000;
  if (!core_->sweeping().TryLock()) return true;
  const bool more = core_->store().Sweep(now_ms, epoch, budget_ns);
  core_->sweeping().Unlock();
  return more;
}

const char* ErrorText(Error error) {
  switch (error) {
    case Error::kNone:
      return "none";
    case Error::kEmptyName:
      return "name must not be empty";
    case Error::kEmptyKey:
      return "key must not be empty";
    case Error::kKeyTooLong:
      return "name and key are too long";
    case Error::kNegativeLimit:
      return "limit must not be negative";
    case Error::kNegativeBurst:
      return "burst must not be negative";
    case Error::kPeriodOutOfRange:
      return "period must be from 1 to 3155760000000 ms";
    case Error::kUnknownBehavior:
      return "behavior has an unknown bit";
    case Error::kUnknownAlgorithm:
      return "algorithm is unknown";
    case Error::kTableFull:
      return "the table is full of live buckets";
  }
  return "unknown";
}

}  // namespace gub
