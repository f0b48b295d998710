// LateReply: the place of a reply that comes later than its command, and how it is filled.
//
//   const LateReply late = LateReply::For(context);   // before anything can fill it
//   … LateReply::Open(context);                       // what follows stands behind it
//   late.Fill([](ReplyWriter* reply) { reply->Ok(); });
//
// Threads:  loop-confined.
// Memory:   a plain value; the worker outlives it. A client that is gone is ignored.

#ifndef GUB_COMMAND_LATE_REPLY_H_
#define GUB_COMMAND_LATE_REPLY_H_

#include <cstdint>

#include "command/context.h"

namespace gub {

struct LateReply {
  CommandContext::Worker* worker;
  int64_t client;
  PendingReplies::Ticket ticket;
  RespVersion version;

  static LateReply For(CommandContext& context) {
    const ClientState& client = context.client();
    return {&context.worker(), client.id(), client.pending.next(), client.version};
  }
  // From now on replies stand behind the one that is still to come.
  static void Open(CommandContext& context) {
    PendingReplies& pending = context.client().pending;
    pending.Open();
    context.reply().set_out(pending.behind());
  }

  template <typename WriteReply>
  void Fill(const WriteReply& write) const {
    ByteBuffer& bytes = worker->late_reply;
    ReplyWriter reply(&bytes);
    reply.set_version(version);
    write(&reply);
    worker->sink->Fill(client, ticket, bytes.view());
    bytes.Clear();
  }
};

}  // namespace gub

#endif  // GUB_COMMAND_LATE_REPLY_H_
