#include "base/secret.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>

namespace gub {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest Sha256(std::string_view bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

}  // namespace

// Digests have one length, and where they differ tells nothing of where the words do.
bool IsSecret(std::string_view given, std::string_view secret) {
  const Digest a = Sha256(given);
  const Digest b = Sha256(secret);
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gub
