// Table: the buckets of a shard by their keys: a libcuckoo table that never grows.
//
// A cuckoo table looks at two places for a key, full as it may be, and takes 97 % and more of its
// slots. libcuckoo's grows when it is full, which stops the world and, with several writers,
// crashes; so this one is sized once and held there. Its locks are taken once, at start, and kept:
// the shard has one of its own, which guards what belongs to a bucket as well.
//
// Threads:  one at a time.
// Memory:   19 bytes a slot from the start: number and hash (8), libcuckoo's value, which is of no
//           use here (1), its tag and its flag (2), and a cache line of lock for every eight (8).
// Errors:   libcuckoo's exceptions end in table.cc.

#ifndef GUB_STORE_TABLE_H_
#define GUB_STORE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "store/bucket_key.h"
#include "store/bucket_pool.h"

namespace gub {

class Table {
 public:
  static constexpr uint32_t kNone = BucketPool::kNone;

  // The slots of a table are a power of two, at least 8. `pool` has the keys.
  Table(size_t slots, const BucketPool* pool);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Brings into the processor's cache what a Find of a key with this hash will read first. Any
  // thread may call it at any time.
  enum class Places { kFirst, kBoth };  // of the two that a key may be in
  void Prefetch(uint64_t hash, Places places) const;
  // The number of a bucket whose key may have this hash: a guess, for Prefetch of what it holds.
  uint32_t Guess(uint64_t hash) const;

  // The number of the bucket with this key; kNone when there is none.
  uint32_t Find(const BucketKey& key) const;

  // Whether there was room for a bucket of the pool. REQUIRES: its key is not in the table;
  // `hash` is the hash of its key.
  bool Insert(uint32_t number, uint64_t hash);

  // REQUIRES: the bucket is in the table; `hash` is the hash of its key.
  void Erase(uint32_t number, uint64_t hash);

  void Clear();

  static size_t BytesFor(size_t slots);

 private:
  struct Cuckoo;
  const std::unique_ptr<Cuckoo> cuckoo_;
};

}  // namespace gub

#endif  // GUB_STORE_TABLE_H_
