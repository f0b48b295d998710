// A node without sockets for fuzz targets: requests in, replies out, and what must always hold.

#ifndef GUB_TESTS_FUZZ_FUZZ_NODE_H_
#define GUB_TESTS_FUZZ_FUZZ_NODE_H_

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "command/dispatch.h"
#include "command/node.h"
#include "command/transaction_commands.h"
#include "tests/support/resp_reply.h"

namespace gub {

inline Config FuzzConfig() {
  Config config;
  config.max_keys = 64;
  config.enable_debug_commands = true;
  config.loglevel = "warning";
  return config;
}

class FuzzNode {
 public:
  FuzzNode() : node_(FuzzConfig(), Calendar(), 1) {
    spdlog::set_level(spdlog::level::off);
    node_.clock.Freeze(1'700'000'000'000);
    node_.clients.Add(client_.record);
  }
  ~FuzzNode() { EndTransaction(&client_, &node_.watch); }

  // The reply's bytes.
  std::string Run(const std::vector<std::string>& request) {
    const std::vector<std::string_view> args(request.begin(), request.end());
    ByteBuffer out;
    ReplyWriter writer(&out);
    writer.set_version(client_.version);
    dispatcher_.BeginBatch(&client_);
    dispatcher_.Run(args, &client_, &writer);
    dispatcher_.EndBatch();
    return std::string(out.view());
  }

  Node& node() { return node_; }
  ClientState& client() { return client_; }

  static void Require(bool holds, std::string_view what, const std::vector<std::string>& request) {
    if (holds) return;
    std::cerr << "fuzz: " << what << ":";
    for (const std::string& arg : request) std::cerr << " '" << arg << "'";
    std::cerr << std::endl;
    std::abort();
  }

 private:
  Node node_;
  Dispatcher dispatcher_{&node_, 0};
  ClientState client_;
};

// The replies that the bytes hold; `whole` says whether they hold nothing else.
inline std::vector<RespReply> RepliesIn(const std::string& bytes, bool* whole) {
  ReplyReader reader;
  reader.Feed(bytes);
  std::vector<RespReply> replies;
  while (auto reply = reader.Next()) replies.push_back(*std::move(reply));
  *whole = reader.empty();
  return replies;
}

}  // namespace gub

#endif  // GUB_TESTS_FUZZ_FUZZ_NODE_H_
