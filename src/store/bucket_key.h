// BucketKey: the identity of a bucket as one byte string, and its hash.
//
// Layout: name length (2 bytes), algorithm (1 byte), name, key. The length keeps ("a", "b_c") and
// ("a_b", "c") apart, whatever bytes are in them.
//
// Threads:  KeyHash is immutable; a BucketKey belongs to one thread.
// Memory:   short identities are built in place, on the stack.

#ifndef GUB_STORE_BUCKET_KEY_H_
#define GUB_STORE_BUCKET_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "gub/types.h"

namespace gub {

// The hash of the table. Keys come from strangers, so it is keyed with random bytes of this
// process: nobody outside can aim at one table bucket. It never leaves the process (the slot of a
// key, which all nodes must agree on, is another hash).
class KeyHash {
 public:
  // Keyed by the kernel's random bytes.
  KeyHash();
  uint64_t operator()(std::string_view bytes) const;

 private:
  static constexpr size_t kSecretBytes = 192;
  std::array<unsigned char, kSecretBytes> secret_;
};

// Whose bucket it is: that of the node which owns the key, or that of one which stands in for an
// owner it cannot reach. They never mix.
enum class BucketRole : uint8_t { kOwned, kStandIn };

// What tells buckets of one name and key apart.
struct BucketKind {
  // An algorithm alone means the owner's bucket, wherever one is asked for.
  BucketKind(Algorithm decided_by, BucketRole held_by = BucketRole::kOwned)
      : algorithm(decided_by), role(held_by) {}
  Algorithm algorithm;
  BucketRole role;
};

class BucketKey {
 public:
  static constexpr size_t kMaxBytes = 65'000;  // of name and key together

  BucketKey() = default;  // of nothing
  // Its bytes alone: the hash is 0.
  BucketKey(std::string_view name, std::string_view key, BucketKind kind) {
    Write(name, key, kind);
  }
  BucketKey(std::string_view name, std::string_view key, BucketKind kind, const KeyHash& hash) {
    Set(name, key, kind, hash);
  }
  BucketKey(const BucketKey&) = delete;
  BucketKey& operator=(const BucketKey&) = delete;

  // Makes it that of another bucket.
  void Set(std::string_view name, std::string_view key, BucketKind kind, const KeyHash& hash);

  // The algorithm in a key's bytes.
  static Algorithm AlgorithmOf(std::string_view bytes) {
    return static_cast<Algorithm>(bytes[kAlgorithmAt] & kAlgorithmBits);
  }

  // How many bytes the key of a bucket has.
  static constexpr size_t SizeOf(std::string_view name, std::string_view key) {
    return kHeaderBytes + name.size() + key.size();
  }

  std::string_view bytes() const { return {long_ ? long_.get() : short_, size_}; }
  uint64_t hash() const { return hash_; }

 private:
  static constexpr size_t kHeaderBytes = 3;
  static constexpr size_t kAlgorithmAt = 2;
  static constexpr int kAlgorithmBits = 0x0f;
  static constexpr int kStandInBit = 0x10;

  void Write(std::string_view name, std::string_view key, BucketKind kind);

  size_t size_ = 0;
  uint64_t hash_ = 0;
  std::unique_ptr<char[]> long_;
  char short_[256];
};

}  // namespace gub

#endif  // GUB_STORE_BUCKET_KEY_H_
