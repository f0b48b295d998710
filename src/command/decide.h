// Decide: what becomes of a request, wherever its key's bucket is. The one door to the limiter for
// every front: it knows no protocol. The key's owner decides; when another node owns the key, it is
// asked, and when it cannot be reached, the request is answered in its stead as the request or
// on-owner-failure says.
//
//   Decide(&worker, request, [](const Decided& decided) { … });
//
// A front that must not allocate for what is decided at once calls DecideHere first, and
// DecideElsewhere for the rest. Hits, peeks and fallbacks are counted here; errors in replies are
// the front's to count, for only it knows whether it has sent one.
//
// Threads:  loop-confined: on the worker's own thread, and there what comes later is told too.
// Time:     worker.now_ms, which the front reads once per batch of requests, with the options and
//           the router's view (Dispatcher::BeginBatch does that for RESP).
// Memory:   a request is copied when it has to wait. The strings of a Decided are valid until the
//           callback returns, or until the worker decides the next request.

#ifndef GUB_COMMAND_DECIDE_H_
#define GUB_COMMAND_DECIDE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "command/context.h"
#include "gub/types.h"

namespace gub {

class PeerClient;

// What has become of a request.
struct Decided {
  Decision decision = {};       // unless there is an error
  std::string_view error = {};  // as RESP says it, its code first: "OWNERDOWN …", "OOM …"
  std::string_view owner = {};  // host:port of the key's owner
  bool degraded = false;        // answered in the stead of an owner that was not reached
};

// A request, and who is to decide it.
struct Routed {
  const Request& request;
  PeerClient* owner;  // of its key, good for the batch of requests; nullptr: this node
};
PeerClient* OwnerOf(const CommandContext::Worker& worker, std::string_view key);
Routed Route(const CommandContext::Worker& worker, const Request& request);

using OnDecided = std::function<void(const Decided& decided)>;
// Makes one where it is needed, so that what is decided at once does without.
using MakeLater = absl::FunctionRef<OnDecided()>;

// Decides when this node owns the key, as a rule. False: it has not, and nothing has happened.
// REQUIRES (all of these): the request is within the contract.
bool DecideHere(CommandContext::Worker* worker, const Routed& routed, Decided* decided);

// The same of a key that this node owns, whose bucket was looked for before.
bool DecideExpected(CommandContext::Worker* worker, const Store::Expected& expected,
                    const Request& request, Decided* decided);

// Decides what DecideHere does not. True: *decided is the answer. False: what make_later has made
// will be called, once.
bool DecideElsewhere(CommandContext::Worker* worker, const Routed& routed, Decided* decided,
                     MakeLater make_later);

// Decides any request; `done` is called once, before this returns or later.
void Decide(CommandContext::Worker* worker, const Request& request, OnDecided done);

// What a node is said to have failed at that did not answer.
std::string OwnerDownText(const CommandContext::Worker& worker, std::string_view owner);

}  // namespace gub

#endif  // GUB_COMMAND_DECIDE_H_
