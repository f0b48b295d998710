// What a decision counts as, wherever it was made: the counters, and the keys that are hit most.
//
// Every request for a decision that this node has answered itself counts once: as one of admitted,
// denied, refunded, peek, reset, or as an error. What was forwarded counts with whoever decided.
//
// Threads:  loop-confined.

#ifndef GUB_COMMAND_DECISION_COUNT_H_
#define GUB_COMMAND_DECISION_COUNT_H_

#include "command/context.h"
#include "command/decision_reply.h"
#include "gub/types.h"

namespace gub {

inline void CountDecision(const CommandContext::Worker& worker, const Request& request,
                          const Decision& decision) {
  worker.counters->Add(CounterOf(request, decision));
  if (worker.top_keys == nullptr || request.hits <= 0 || request.Has(kResetRemaining)) return;
  worker.top_keys->Add(request.name, request.key, decision.status == LimitStatus::kOver);
}

}  // namespace gub

#endif  // GUB_COMMAND_DECISION_COUNT_H_
