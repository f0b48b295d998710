#include "store/table.h"

#include <cstring>
#include <exception>
#include <libcuckoo/cuckoohash_map.hh>
#include <utility>

namespace gub {

namespace {

// libcuckoo picks its bucket by the low bits of a hash and its tag by all of them; 32 are plenty
// for both, and the other half has picked the shard.
uint32_t TableBits(uint64_t hash) { return static_cast<uint32_t>(hash); }

// What the table holds: the number of a bucket and the hash of its key, so that neither a lookup
// nor a move within the table reads a bucket that is not the one wanted. In bytes, so that an entry
// takes 9 of them and not 12. (And no POD: libcuckoo would compare such a key outright, without a
// look at the tag that it keeps beside each.)
class TableKey {
 public:
  TableKey() noexcept : TableKey(Table::kNone, 0) {}
  TableKey(uint32_t number, uint32_t hash) noexcept {
    std::memcpy(number_, &number, sizeof(number));
    std::memcpy(hash_, &hash, sizeof(hash));
  }
  uint32_t number() const { return Read(number_); }
  uint32_t hash() const { return Read(hash_); }

 private:
  static uint32_t Read(const char* bytes) {
    uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  char number_[4];
  char hash_[4];
};

// A key of which only the hash is known.
struct HashOnly {
  uint32_t hash;
};

struct TableHash {
  size_t operator()(const BucketKey& key) const { return TableBits(key.hash()); }
  size_t operator()(const TableKey& key) const { return key.hash(); }
  size_t operator()(HashOnly key) const { return key.hash; }
};

struct TableEqual {
  bool operator()(const TableKey& a, const BucketKey& b) const {
    return a.hash() == TableBits(b.hash()) && pool->KeyOf(a.number()) == b.bytes();
  }
  // Within the table a number is a bucket: no key is in it twice.
  bool operator()(const TableKey& a, const TableKey& b) const { return a.number() == b.number(); }
  bool operator()(const TableKey& a, HashOnly b) const { return a.hash() == b.hash; }

  const BucketPool* pool;
};

struct Nothing {};
constexpr size_t kSlotsPerLock = 8;

// Where libcuckoo has put its buckets.
struct BucketArray {
  const char* begin = nullptr;
  size_t bucket_bytes = 0;
  size_t buckets = 0;
};

// Tells where the buckets are, which are the first that is allocated in elements of more than the
// 64 bytes of a lock.
template <typename T>
class TellingAllocator {
 public:
  using value_type = T;

  explicit TellingAllocator(BucketArray* array) : array_(array) {}
  template <typename U>
  TellingAllocator(const TellingAllocator<U>& other) : array_(other.array()) {}

  T* allocate(size_t count) {
    T* const memory = std::allocator<T>().allocate(count);
    constexpr size_t kLockBytes = 64;
    if (sizeof(T) > kLockBytes && array_->begin == nullptr) {
      *array_ = {reinterpret_cast<const char*>(memory), sizeof(T), count};
    }
    return memory;
  }
  void deallocate(T* memory, size_t count) { std::allocator<T>().deallocate(memory, count); }
  BucketArray* array() const { return array_; }
  friend bool operator==(const TellingAllocator&, const TellingAllocator&) = default;

 private:
  BucketArray* array_;
};

using Map =
    libcuckoo::cuckoohash_map<TableKey, Nothing, TableHash, TableEqual,
                              TellingAllocator<std::pair<const TableKey, Nothing>>, kSlotsPerLock>;

// The other of the two buckets in which libcuckoo seats a key: as its alt_index has it, for a hash
// of 32 bits. If that ever changes, Prefetch only gets useless.
size_t OtherBucket(size_t bucket, uint32_t hash) {
  const auto folded = static_cast<uint16_t>(hash ^ hash >> 16);
  const auto tag = static_cast<uint8_t>(folded ^ folded >> 8);
  return bucket ^ ((size_t{tag} + 1) * 0xc6a4a7935bd1e995);
}

}  // namespace

struct Table::Cuckoo {
  Cuckoo(size_t slots, const BucketPool* pool)
      : map(slots, TableHash(), TableEqual{pool}, Map::allocator_type(&array)),
        locked(map.lock_table()) {
    locked.maximum_hashpower(locked.hashpower());
  }
  BucketArray array;
  Map map;
  Map::locked_table locked;
};

Table::Table(size_t slots, const BucketPool* pool) : cuckoo_(new Cuckoo(slots, pool)) {}

Table::~Table() = default;

void Table::Prefetch(uint64_t hash, Places places) const {
  const BucketArray& array = cuckoo_->array;
  if (array.begin == nullptr) return;
  const size_t mask = array.buckets - 1;
  const auto prefetch = [&array](size_t bucket) {
    const char* const begin = array.begin + bucket * array.bucket_bytes;
    __builtin_prefetch(begin);
    __builtin_prefetch(begin + array.bucket_bytes - 1);
  };
  const size_t first = TableBits(hash) & mask;
  prefetch(first);
  if (places == Places::kBoth) prefetch(OtherBucket(first, TableBits(hash)) & mask);
}

uint32_t Table::Guess(uint64_t hash) const {
  auto entry = cuckoo_->locked.find(HashOnly{TableBits(hash)});
  return entry == cuckoo_->locked.end() ? kNone : entry->first.number();
}

uint32_t Table::Find(const BucketKey& key) const {
  auto entry = cuckoo_->locked.find(key);
  return entry == cuckoo_->locked.end() ? kNone : entry->first.number();
}

bool Table::Insert(uint32_t number, uint64_t hash) {
  try {
    cuckoo_->locked.insert(TableKey(number, TableBits(hash)));
  } catch (const std::exception&) {
    return false;  // libcuckoo has found no way to make room, and may not grow
  }
  return true;
}

void Table::Erase(uint32_t number, uint64_t hash) {
  cuckoo_->locked.erase(TableKey(number, TableBits(hash)));
}

void Table::Clear() { cuckoo_->locked.clear(); }

size_t Table::BytesFor(size_t slots) {
  constexpr size_t kLockBytes = 64;
  constexpr size_t kSlotBytes = sizeof(std::pair<TableKey, Nothing>) + 2;
  return slots * kSlotBytes + slots / kSlotsPerLock * kLockBytes;
}

}  // namespace gub
