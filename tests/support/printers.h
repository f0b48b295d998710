// How a failing test prints what limit/ speaks of.

#ifndef GUB_TESTS_SUPPORT_PRINTERS_H_
#define GUB_TESTS_SUPPORT_PRINTERS_H_

#include <ostream>
#include <string>

#include "gub/types.h"
#include "limit/leaky.h"
#include "limit/token.h"

namespace gub {

inline std::string ToText(Period period) {
  constexpr const char* kUnits[] = {"minute", "hour", "day", "week", "month", "year"};
  return period.IsCalendar() ? kUnits[static_cast<int>(period.unit())]
                             : std::to_string(period.ms()) + "ms";
}

inline void PrintTo(LimitStatus status, std::ostream* out) {
  *out << (status == LimitStatus::kOver ? "OVER" : "UNDER");
}

inline void PrintTo(const Decision& decision, std::ostream* out) {
  PrintTo(decision.status, out);
  *out << " remaining=" << decision.remaining << " reset=" << decision.reset_ms
       << " retry_after=" << decision.retry_after_ms << " now=" << decision.now_ms;
}

inline void PrintTo(const Request& request, std::ostream* out) {
  *out << (request.algorithm == Algorithm::kToken ? "token" : "leaky") << " hits=" << request.hits
       << " limit=" << request.limit << " burst=" << request.burst
       << " period=" << ToText(request.period) << " behavior=" << request.behavior;
}

inline void PrintTo(const TokenState& state, std::ostream* out) {
  *out << "open=" << state.open_ms << " end=" << state.end_ms << " used=" << state.used
       << " last=" << state.last_ms << " period=" << ToText(state.period)
       << " marked=" << state.marked;
}

inline void PrintTo(const LeakyState& state, std::ostream* out) {
  const auto whole = static_cast<int64_t>(state.used_units / state.duration_ms);
  const auto rest = static_cast<int64_t>(state.used_units % state.duration_ms);
  *out << "used=" << whole << "+" << rest << "/" << state.duration_ms << " last=" << state.last_ms
       << " limit=" << state.limit << " marked=" << state.marked;
}

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_PRINTERS_H_
