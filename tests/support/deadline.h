// How long a test waits for an event before it gives up. Nothing waits this long when all is well.

#ifndef GUB_TESTS_SUPPORT_DEADLINE_H_
#define GUB_TESTS_SUPPORT_DEADLINE_H_

#include <chrono>
#include <thread>

#include "tests/support/sanitized.h"

namespace gub {

using TestClock = std::chrono::steady_clock;

inline constexpr std::chrono::milliseconds kPatience{kSanitized ? 120'000 : 40'000};

// Asks `is_true` again and again until it says yes; false when it never did.
template <typename Predicate>
bool Eventually(Predicate is_true, std::chrono::milliseconds patience = kPatience) {
  const auto deadline = TestClock::now() + patience;
  while (!is_true()) {
    if (TestClock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_DEADLINE_H_
