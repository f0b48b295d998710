// BucketPool: the buckets of a shard, by number.
//
// A bucket is one block of 80 bytes: the state (36, see packed_state.h), the size of its key (2)
// and the key itself (42). The key's three bytes of header leave 39 for name and key; a longer one
// lies in a block of its own, whose address stands in its place. So the comparison that ends a
// lookup brings the state into the cache with the key, and all blocks are alike: what one limit
// leaves, any other takes over, and memory does not fray.
//
// Threads:  one at a time.
// Memory:   blocks come in chunks of 128 as they are needed and stay until Clear.
// Errors:   where there is no memory Allocate throws std::bad_alloc and has changed nothing.

#ifndef GUB_STORE_BUCKET_POOL_H_
#define GUB_STORE_BUCKET_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "store/packed_state.h"

namespace gub {

class BucketPool {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  // Numbers are below `capacity`.
  explicit BucketPool(uint32_t capacity);
  ~BucketPool();
  BucketPool(const BucketPool&) = delete;
  BucketPool& operator=(const BucketPool&) = delete;

  // A bucket with this key and a state that is not set; kNone when all are taken.
  // REQUIRES: key.size() <= 65535.
  uint32_t Allocate(std::string_view key);
  void Free(uint32_t number);

  std::string_view KeyOf(uint32_t number) const;
  // Whether this is the number of a bucket, and its key this one. Any number may be asked for.
  bool Holds(uint32_t number, std::string_view key) const {
    return number < used_once_ && KeySize(At(number)) == key.size() && KeyOf(number) == key;
  }
  // Brings a bucket into the processor's cache.
  void Prefetch(uint32_t number) const {
    const auto* const block = reinterpret_cast<const char*>(&At(number));
    __builtin_prefetch(block);
    __builtin_prefetch(block + sizeof(Block) - 1);
  }
  PackedState& StateOf(uint32_t number) { return At(number).state; }
  const PackedState& StateOf(uint32_t number) const { return At(number).state; }

  // Frees all buckets and their memory.
  void Clear();

  uint32_t size() const { return size_; }
  // Numbers below are of buckets, or free ones, whose key is empty.
  uint32_t used_once() const { return used_once_; }
  // Of the blocks, taken or not, and of the keys that lie outside them.
  size_t BlockBytes() const { return chunks_.size() * kChunkBlocks * sizeof(Block); }
  size_t LongKeyBytes() const { return long_key_bytes_; }
  // What one bucket with a key of so many bytes takes.
  static constexpr size_t BytesFor(size_t key_bytes) {
    return sizeof(Block) + (key_bytes > kInlineKeyBytes ? key_bytes : 0);
  }

 private:
  static constexpr size_t kInlineKeyBytes = 42;
  static constexpr size_t kChunkBlocks = 128;

  struct Block {
    PackedState state;  // the number of the next free block, when this one is free
    unsigned char key_size[2];
    char key[kInlineKeyBytes];
  };
  static_assert(sizeof(Block) == 80);

  Block& At(uint32_t number) { return chunks_[number / kChunkBlocks][number % kChunkBlocks]; }
  const Block& At(uint32_t number) const {
    return chunks_[number / kChunkBlocks][number % kChunkBlocks];
  }
  static size_t KeySize(const Block& block);
  static char* LongKey(const Block& block);
  void SetKey(std::string_view key, char* long_key, Block* block);
  void FreeLongKey(const Block& block);

  const uint32_t capacity_;
  uint32_t size_ = 0;
  uint32_t used_once_ = 0;       // numbers below have been given out before
  uint32_t first_free_ = kNone;  // of those that were given back
  size_t long_key_bytes_ = 0;
  std::vector<std::unique_ptr<Block[]>> chunks_;
};

}  // namespace gub

#endif  // GUB_STORE_BUCKET_POOL_H_
