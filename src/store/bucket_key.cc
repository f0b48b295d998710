#include "store/bucket_key.h"

#include <sys/random.h>

#include <cassert>
#include <cstdlib>
#include <cstring>

#define XXH_INLINE_ALL
#include "xxhash.h"

namespace gub {

KeyHash::KeyHash() {
  static_assert(kSecretBytes >= XXH3_SECRET_SIZE_MIN);
  // At most 256 bytes come whole and at once; it fails only where the kernel has no random bytes.
  if (getrandom(secret_.data(), secret_.size(), 0) != static_cast<ssize_t>(secret_.size())) {
    std::abort();
  }
}

uint64_t KeyHash::operator()(std::string_view bytes) const {
  return XXH3_64bits_withSecret(bytes.data(), bytes.size(), secret_.data(), secret_.size());
}

void BucketKey::Set(std::string_view name, std::string_view key, BucketKind kind,
                    const KeyHash& hash) {
  Write(name, key, kind);
  hash_ = hash(bytes());
}

void BucketKey::Write(std::string_view name, std::string_view key, BucketKind kind) {
  assert(name.size() + key.size() <= kMaxBytes);
  size_ = SizeOf(name, key);
  if (long_) long_.reset();
  char* out = short_;
  if (size_ > sizeof(short_)) {
    long_.reset(new char[size_]);
    out = long_.get();
  }
  out[0] = static_cast<char>(name.size() & 0xff);
  out[1] = static_cast<char>(name.size() >> 8);
  const int role_bit = kind.role == BucketRole::kStandIn ? kStandInBit : 0;
  out[kAlgorithmAt] = static_cast<char>(static_cast<int>(kind.algorithm) | role_bit);
  std::memcpy(out + kHeaderBytes, name.data(), name.size());
  std::memcpy(out + kHeaderBytes + name.size(), key.data(), key.size());
}

}  // namespace gub
