#include "store/store.h"

#include <cmath>
#include <cstring>
#include <exception>
#include <libcuckoo/cuckoohash_map.hh>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "store/bucket.h"

namespace gub {

namespace {

// What the table holds: a bucket that it owns, and the bits of its hash that libcuckoo goes by, so
// that neither a lookup nor a move within the table reads a bucket that is not the one wanted. In
// bytes, for with alignment an entry would take 24 of them instead of 13. (And no POD: libcuckoo
// would compare such a key outright, without a look at the hash bits that it keeps beside each.)
class TableKey {
 public:
  TableKey() noexcept : TableKey(nullptr, 0) {}
  TableKey(Bucket* bucket, uint32_t hash) noexcept {
    std::memcpy(bucket_, &bucket, sizeof(bucket));
    std::memcpy(hash_, &hash, sizeof(hash));
  }

  Bucket* bucket() const {
    Bucket* bucket = nullptr;
    std::memcpy(&bucket, bucket_, sizeof(bucket));
    return bucket;
  }
  uint32_t hash() const {
    uint32_t hash = 0;
    std::memcpy(&hash, hash_, sizeof(hash));
    return hash;
  }

 private:
  char bucket_[sizeof(Bucket*)];
  char hash_[sizeof(uint32_t)];
};

// libcuckoo goes by the lower half of the hash; the upper one has picked the shard.
uint32_t TableBits(const BucketKey& key) { return static_cast<uint32_t>(key.hash()); }

struct TableHash {
  size_t operator()(const BucketKey& key) const { return TableBits(key); }
  size_t operator()(const TableKey& key) const { return key.hash(); }
};

struct TableEqual {
  bool operator()(const TableKey& a, const BucketKey& b) const {
    return a.hash() == TableBits(b) && a.bucket()->key() == b.bytes();
  }
  bool operator()(const TableKey& a, const TableKey& b) const {
    return a.hash() == b.hash() && a.bucket()->key() == b.bucket()->key();
  }
};

struct Nothing {};
constexpr size_t kSlotsPerTableBucket = 8;

using Table = libcuckoo::cuckoohash_map<TableKey, Nothing, TableHash, TableEqual,
                                        std::allocator<std::pair<const TableKey, Nothing>>,
                                        kSlotsPerTableBucket>;

// Slots of one shard's table: as many shards as it takes for max_keys to fill nine tenths of the
// slots. Chance fills some shards more than others, by about the root of their size, so that a
// shard of 8192 is still a long way from libcuckoo's limit of 97 %.
constexpr size_t kMaxShardSlots = 8192;
constexpr size_t kMinShardSlots = 64;
constexpr double kFill = 0.9;

size_t SlotsPerShard(int64_t max_keys) {
  const double wanted = static_cast<double>(max_keys) / kFill + 16;
  size_t slots = kMinShardSlots;
  while (slots < kMaxShardSlots && static_cast<double>(slots) < wanted) slots *= 2;
  return slots;
}

size_t ShardCount(int64_t max_keys) {
  const double wanted = static_cast<double>(max_keys) / kFill;
  return static_cast<size_t>(std::ceil(wanted / static_cast<double>(SlotsPerShard(max_keys))));
}

Decision Apply(const Request& request, const Calendar& calendar, int64_t now_ms,
               std::optional<TokenState>* state) {
  return ApplyToken(request, calendar, now_ms, state);
}

Decision Apply(const Request& request, const Calendar& calendar, int64_t now_ms,
               std::optional<LeakyState>* state) {
  return ApplyLeaky(request, calendar, now_ms, state);
}

}  // namespace

struct alignas(64) Store::Shard {
  ~Shard() {
    MutexLock lock(&mu);
    if (table) Free();
  }

  void Open(size_t slots) {
    MutexLock lock(&mu);
    map.emplace(slots);
    map->maximum_hashpower(map->hashpower());
    table.emplace(map->lock_table());
  }

  // The key's bucket, nullptr when there is none.
  Bucket* Find(const BucketKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    auto entry = table->find(key);
    return entry == table->end() ? nullptr : entry->first.bucket();
  }

  // Whether there was room for it.
  bool Insert(Bucket::Owner bucket, uint32_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    try {
      table->insert(TableKey(bucket.get(), hash));
    } catch (const std::exception&) {
      return false;  // libcuckoo has found no way to make room, and may not grow
    }
    (void)bucket.release();  // the table owns it now
    return true;
  }

  // Frees the key's bucket; whether there was one.
  bool Erase(const BucketKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    auto entry = table->find(key);
    if (entry == table->end()) return false;
    const Bucket::Owner bucket(entry->first.bucket());
    table->erase(entry);
    return true;
  }

  // Frees all buckets; how many there were.
  int64_t Free() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    const auto count = static_cast<int64_t>(table->size());
    for (auto& entry : *table) Bucket::Deleter()(entry.first.bucket());
    table->clear();
    return count;
  }

  Mutex mu;
  std::optional<Table> map ABSL_GUARDED_BY(mu);
  std::optional<Table::locked_table> table ABSL_GUARDED_BY(mu);
};

Store::Store(int64_t max_keys, Calendar calendar)
    : max_keys_(max_keys),
      calendar_(std::move(calendar)),
      shard_count_(ShardCount(max_keys)),
      shards_(new Shard[shard_count_]) {
  for (size_t i = 0; i < shard_count_; ++i) shards_[i].Open(SlotsPerShard(max_keys));
}

Store::~Store() = default;

// By multiplication, for the number of shards is no power of two.
Store::Shard& Store::ShardOf(uint64_t hash) { return shards_[((hash >> 32) * shard_count_) >> 32]; }

bool Store::TakePlace() {
  if (size_.fetch_add(1, std::memory_order_relaxed) < max_keys_) return true;
  GiveBackPlaces(1);
  return false;
}

void Store::GiveBackPlaces(int64_t count) { size_.fetch_sub(count, std::memory_order_relaxed); }

Store::Outcome Store::Decide(const Request& request, int64_t now_ms, Decision* decision) {
  return request.algorithm == Algorithm::kToken ? DecideWith<TokenState>(request, now_ms, decision)
                                                : DecideWith<LeakyState>(request, now_ms, decision);
}

template <typename State>
Store::Outcome Store::DecideWith(const Request& request, int64_t now_ms, Decision* decision) {
  const BucketKey key(request.name, request.key, request.algorithm, hash_);
  Shard& shard = ShardOf(key.hash());
  MutexLock lock(&shard.mu);
  Bucket* const bucket = shard.Find(key);

  std::optional<State> state;
  if (bucket != nullptr) state = bucket->Read<State>();
  *decision = Apply(request, calendar_, now_ms, &state);

  if (bucket != nullptr && state) {
    bucket->Write(*state);
  } else if (bucket != nullptr) {
    shard.Erase(key);
    GiveBackPlaces(1);
  } else if (state) {
    if (!TakePlace()) return Outcome::kFull;
    if (!shard.Insert(Bucket::Make(key.bytes(), *state), TableBits(key))) {
      GiveBackPlaces(1);
      return Outcome::kFull;
    }
  }
  return Outcome::kDecided;
}

int Store::Reset(std::string_view name, std::string_view key) {
  return Remove(BucketKey(name, key, Algorithm::kToken, hash_)) +
         Remove(BucketKey(name, key, Algorithm::kLeaky, hash_));
}

int Store::Remove(const BucketKey& key) {
  Shard& shard = ShardOf(key.hash());
  MutexLock lock(&shard.mu);
  if (!shard.Erase(key)) return 0;
  GiveBackPlaces(1);
  return 1;
}

void Store::Clear() {
  for (size_t i = 0; i < shard_count_; ++i) {
    MutexLock lock(&shards_[i].mu);
    GiveBackPlaces(shards_[i].Free());
  }
}

}  // namespace gub
