// What is left when memory runs out. It has an operator new[] of its own, which refuses on demand.

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <string>

#include "store/bucket_pool.h"

namespace {

thread_local bool refuse_arrays = false;

}  // namespace

void* operator new[](size_t size) {
  if (refuse_arrays) throw std::bad_alloc();
  return ::operator new(size);
}
void operator delete[](void* memory) noexcept { ::operator delete(memory); }
void operator delete[](void* memory, size_t) noexcept { ::operator delete(memory); }

namespace gub {

namespace {

class PoolOutOfMemoryTest : public ::testing::Test {
 protected:
  void ExpectNoMemoryFor(const std::string& key) {
    refuse_arrays = true;
    EXPECT_THROW(pool_.Allocate(key), std::bad_alloc);
    refuse_arrays = false;
  }

  BucketPool pool_{1000};
  const std::string long_key_ = std::string(100, 'x');
};

TEST_F(PoolOutOfMemoryTest, ABucketWithoutMemoryForItsBlockIsNotThere) {
  ExpectNoMemoryFor("k");
  ExpectNoMemoryFor(long_key_);
  EXPECT_EQ(pool_.size(), 0u);
  EXPECT_EQ(pool_.BlockBytes(), 0u);
  EXPECT_EQ(pool_.LongKeyBytes(), 0u);
  pool_.Clear();
  EXPECT_EQ(pool_.KeyOf(pool_.Allocate(long_key_)), long_key_);
}

TEST_F(PoolOutOfMemoryTest, ABucketWithoutMemoryForItsKeyIsNotThere) {
  const uint32_t freed = pool_.Allocate("freed");
  const uint32_t kept = pool_.Allocate("kept");
  pool_.Free(freed);
  ExpectNoMemoryFor(long_key_);
  EXPECT_EQ(pool_.size(), 1u);
  EXPECT_EQ(pool_.KeyOf(kept), "kept");
  // The free block is free still, and no key is freed that is not there.
  EXPECT_EQ(pool_.Allocate("again"), freed);
  ExpectNoMemoryFor(long_key_);
  pool_.Clear();
  EXPECT_EQ(pool_.LongKeyBytes(), 0u);
}

}  // namespace
}  // namespace gub
