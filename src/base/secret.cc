#include "base/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <array>
#include <cstdlib>

namespace gub {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest Sha256(std::string_view bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

std::string ToHex(const unsigned char* bytes, size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (size_t i = 0; i < size; ++i) {
    hex += kDigits[bytes[i] >> 4];
    hex += kDigits[bytes[i] & 15];
  }
  return hex;
}

}  // namespace

// Digests have one length, and where they differ tells nothing of where the words do.
bool IsSecret(std::string_view given, std::string_view secret) {
  const Digest a = Sha256(given);
  const Digest b = Sha256(secret);
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string KeyedDigest(std::string_view key, std::string_view text) {
  Digest digest;
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return ToHex(digest.data(), size);
}

std::string RandomHex(size_t bytes) {
  std::string random(bytes, '\0');
  // It fails only where the kernel has no random bytes.
  if (getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) std::abort();
  return ToHex(reinterpret_cast<const unsigned char*>(random.data()), bytes);
}

}  // namespace gub
