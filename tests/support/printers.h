// How a failing test prints a decision: as the vectors write one, with Unix times.

#ifndef GUB_TESTS_SUPPORT_PRINT_DECISION_H_
#define GUB_TESTS_SUPPORT_PRINT_DECISION_H_

#include <ostream>

#include "gub/types.h"

namespace gub {

inline void PrintTo(LimitStatus status, std::ostream* out) {
  *out << (status == LimitStatus::kOver ? "OVER" : "UNDER");
}

inline void PrintTo(const Decision& decision, std::ostream* out) {
  PrintTo(decision.status, out);
  *out << " remaining=" << decision.remaining << " reset=" << decision.reset_ms
       << " retry_after=" << decision.retry_after_ms << " now=" << decision.now_ms;
}

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_PRINT_DECISION_H_
