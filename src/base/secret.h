// Secrets: comparing what a stranger gave with what is secret.
//
// Threads:  pure functions.

#ifndef GUB_BASE_SECRET_H_
#define GUB_BASE_SECRET_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace gub {

// Whether the two are the same bytes. How long it takes depends on the length of `given` alone, not
// on how much of it is right nor on the length of the secret (up to the next 64 bytes).
bool IsSecret(std::string_view given, std::string_view secret);

// HMAC-SHA-256 (RFC 2104) of a text under a key, as 64 hex digits.
std::string KeyedDigest(std::string_view key, std::string_view text);

// `bytes` bytes of the kernel's randomness, as hex digits.
std::string RandomHex(size_t bytes);

}  // namespace gub

#endif  // GUB_BASE_SECRET_H_
