#include "store/bucket_pool.h"

#include <cassert>
#include <cstring>

namespace gub {

BucketPool::BucketPool(uint32_t capacity) : capacity_(capacity) {
  // So that no chunk, once there, is moved while the shard serves.
  chunks_.reserve((capacity + kChunkBlocks - 1) / kChunkBlocks);
}

BucketPool::~BucketPool() { Clear(); }

size_t BucketPool::KeySize(const Block& block) {
  return static_cast<size_t>(block.key_size[0]) | static_cast<size_t>(block.key_size[1]) << 8;
}

char* BucketPool::LongKey(const Block& block) {
  char* key = nullptr;
  std::memcpy(&key, block.key, sizeof(key));
  return key;
}

uint32_t BucketPool::Allocate(std::string_view key) {
  assert(key.size() <= 0xffff);
  const bool is_new = first_free_ == kNone;
  if (is_new && used_once_ == capacity_) return kNone;
  const uint32_t number = is_new ? used_once_ : first_free_;
  // What there may be no memory for comes first: until both are there, nothing has changed.
  const bool is_long = key.size() > kInlineKeyBytes;
  std::unique_ptr<char[]> long_key(is_long ? new char[key.size()] : nullptr);
  if (number / kChunkBlocks == chunks_.size()) chunks_.emplace_back(new Block[kChunkBlocks]);

  Block& block = At(number);
  if (is_new) {
    ++used_once_;
  } else {
    std::memcpy(&first_free_, &block.state, sizeof(first_free_));
  }
  ++size_;
  SetKey(key, long_key.release(), &block);
  return number;
}

// `long_key` is where a key lies that is too long for its block.
void BucketPool::SetKey(std::string_view key, char* long_key, Block* block) {
  block->key_size[0] = static_cast<unsigned char>(key.size() & 0xff);
  block->key_size[1] = static_cast<unsigned char>(key.size() >> 8);
  char* bytes = block->key;
  if (long_key != nullptr) {
    bytes = long_key;
    std::memcpy(block->key, &bytes, sizeof(bytes));
    long_key_bytes_ += key.size();
  }
  std::memcpy(bytes, key.data(), key.size());
}

void BucketPool::FreeLongKey(const Block& block) {
  const size_t size = KeySize(block);
  if (size <= kInlineKeyBytes) return;
  delete[] LongKey(block);
  long_key_bytes_ -= size;
}

void BucketPool::Free(uint32_t number) {
  Block& block = At(number);
  FreeLongKey(block);
  // A free block has no long key, whatever it had before.
  block.key_size[0] = block.key_size[1] = 0;
  std::memcpy(static_cast<void*>(&block.state), &first_free_, sizeof(first_free_));
  first_free_ = number;
  --size_;
}

std::string_view BucketPool::KeyOf(uint32_t number) const {
  const Block& block = At(number);
  const size_t size = KeySize(block);
  return {size > kInlineKeyBytes ? LongKey(block) : block.key, size};
}

void BucketPool::Clear() {
  for (uint32_t number = 0; number < used_once_; ++number) FreeLongKey(At(number));
  chunks_.clear();
  size_ = used_once_ = 0;
  first_free_ = kNone;
}

}  // namespace gub
