// RespSession: a client that speaks RESP: parser, state and dispatch over one connection.
//
// Threads:  confined to the loop of its worker.
// Memory:   the worker owns it and destroys it when its connection is closed.

#ifndef GUB_SERVER_RESP_SESSION_H_
#define GUB_SERVER_RESP_SESSION_H_

#include <functional>
#include <string_view>

#include "command/client_state.h"
#include "command/dispatch.h"
#include "net/connection.h"
#include "proto/request_parser.h"

namespace gub {

class RespSession : public ConnectionHandler {
 public:
  // Where the session runs: its worker's loop, dispatcher and counters.
  struct Place {
    Loop* loop;
    Node* node;
    Dispatcher* dispatcher;
    CounterSet* counters;
  };

  // `on_closed` is called last, and may destroy the session.
  RespSession(const Place& place, std::function<void(RespSession*)> on_closed);

  Connection& connection() { return connection_; }

  Progress OnInput(std::string_view input, ByteBuffer* replies) override;
  void OnClosed() override;

 private:
  Next RunRequests(std::string_view input, ReplyWriter* reply, size_t* consumed);

  Dispatcher* const dispatcher_;
  CounterSet* const counters_;
  const std::function<void(RespSession*)> on_closed_;
  Connection connection_;
  RequestParser parser_;
  ClientState client_;
};

}  // namespace gub

#endif  // GUB_SERVER_RESP_SESSION_H_
