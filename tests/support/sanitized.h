// Whether this build is slowed down by a sanitizer, so that a test may do less of the same.

#ifndef GUB_TESTS_SUPPORT_SANITIZED_H_
#define GUB_TESTS_SUPPORT_SANITIZED_H_

namespace gub {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_SANITIZED_H_
