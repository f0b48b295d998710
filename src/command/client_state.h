// ClientState: what a node remembers of one client between two requests.
//
// Threads:  confined to the loop of the client's connection.

#ifndef GUB_COMMAND_CLIENT_STATE_H_
#define GUB_COMMAND_CLIENT_STATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/reply_writer.h"

namespace gub {

// The requests between MULTI and EXEC.
struct Transaction {
  bool open = false;
  bool aborted = false;  // a request could not be queued: EXEC will run nothing
  size_t bytes = 0;      // held by `queued`, with what the containers cost
  std::vector<std::vector<std::string>> queued;
};

struct ClientState {
  int64_t id = 0;
  RespVersion version = RespVersion::k2;
  std::string name;
  std::string lib_name;
  std::string lib_version;
  Transaction transaction;
  bool close = false;  // after the replies so far
  bool drop = false;   // at once: its replies are past all bounds
};

}  // namespace gub

#endif  // GUB_COMMAND_CLIENT_STATE_H_
