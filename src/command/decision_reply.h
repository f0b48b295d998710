// How decisions are answered: the shapes of GUB.HIT, GUB.TAKE and CL.THROTTLE.
//
// Threads:  pure functions but for the writer.

#ifndef GUB_COMMAND_DECISION_REPLY_H_
#define GUB_COMMAND_DECISION_REPLY_H_

#include <cstdint>
#include <string_view>

#include "base/counters.h"
#include "gub/types.h"
#include "proto/reply_writer.h"

namespace gub {

// The replies of GUB.HIT, GUB.HIT … FULL, GUB.TAKE and CL.THROTTLE.
enum class ReplyKind : uint8_t { kTriple, kFull, kTake, kThrottle };

// What of a request its reply shows.
struct ReplyShape {
  ReplyKind kind = ReplyKind::kTriple;
  int64_t hits = 0;
  int64_t limit = 0;
  int64_t burst = 0;

  ReplyShape(ReplyKind shape_kind, const Request& request)
      : kind(shape_kind), hits(request.hits), limit(request.limit), burst(request.burst) {}
};

// What a decision counts as.
Counter CounterOf(const Request& request, const Decision& decision);

// Whose the decision was.
struct DecidedFor {
  std::string_view owner;
  bool degraded = false;  // another node has decided in its stead
};

void WriteDecision(const ReplyShape& shape, const Decision& decision, const DecidedFor& decided,
                   ReplyWriter* reply);

}  // namespace gub

#endif  // GUB_COMMAND_DECISION_REPLY_H_
