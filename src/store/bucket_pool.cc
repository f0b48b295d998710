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
  uint32_t number = first_free_;
  if (number != kNone) {
    std::memcpy(&first_free_, &At(number).state, sizeof(first_free_));
  } else {
    if (used_once_ == capacity_) return kNone;
    number = used_once_++;
    if (number / kChunkBlocks == chunks_.size()) chunks_.emplace_back(new Block[kChunkBlocks]);
  }
  ++size_;
  Block& block = At(number);
  block.key_size[0] = static_cast<unsigned char>(key.size() & 0xff);
  block.key_size[1] = static_cast<unsigned char>(key.size() >> 8);
  char* bytes = block.key;
  if (key.size() > kInlineKeyBytes) {
    bytes = new char[key.size()];
    std::memcpy(block.key, &bytes, sizeof(bytes));
    long_key_bytes_ += key.size();
  }
  std::memcpy(bytes, key.data(), key.size());
  return number;
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
