// Bucket: one heap block that holds a bucket's state and, behind it, the bytes of its key.
//
// The algorithm is part of the key, so who has found a bucket knows which state is in it.
//
// Threads:  guarded by the lock of the shard that it is in.

#ifndef GUB_STORE_BUCKET_H_
#define GUB_STORE_BUCKET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include "limit/leaky.h"
#include "limit/token.h"

namespace gub {

class Bucket {
 public:
  struct Deleter {
    void operator()(Bucket* bucket) const { ::operator delete(bucket); }
  };
  using Owner = std::unique_ptr<Bucket, Deleter>;

  template <typename State>
  static Owner Make(std::string_view key, const State& state) {
    void* block = ::operator new(sizeof(Bucket) + key.size());
    Owner bucket(new (block) Bucket(key));
    bucket->Write(state);
    return bucket;
  }

  std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_size_}; }

  // REQUIRES: the state is of the key's algorithm.
  template <typename State>
  const State& Read() const {
    return *std::launder(reinterpret_cast<const State*>(state_));
  }
  template <typename State>
  void Write(const State& state) {
    static_assert(sizeof(State) <= kStateBytes && std::is_trivially_destructible_v<State>);
    new (state_) State(state);
  }

 private:
  static constexpr size_t kStateBytes = std::max(sizeof(TokenState), sizeof(LeakyState));

  explicit Bucket(std::string_view key) : key_size_(static_cast<uint32_t>(key.size())) {
    std::memcpy(reinterpret_cast<char*>(this + 1), key.data(), key.size());
  }

  alignas(LeakyState) char state_[kStateBytes];
  uint32_t key_size_;
};

}  // namespace gub

#endif  // GUB_STORE_BUCKET_H_
