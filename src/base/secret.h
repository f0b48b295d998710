// Secrets: comparing what a stranger gave with what is secret.
//
// Threads:  pure functions.

#ifndef GUB_BASE_SECRET_H_
#define GUB_BASE_SECRET_H_

#include <string_view>

namespace gub {

// Whether the two are the same bytes. How long it takes depends on the length of `given` alone, not
// on how much of it is right nor on the length of the secret (up to the next 64 bytes).
bool IsSecret(std::string_view given, std::string_view secret);

}  // namespace gub

#endif  // GUB_BASE_SECRET_H_
