// RespClient: hiredis, as a test likes to speak to it.
//
//   RespClient client(server.port());
//   EXPECT_EQ(client.Run({"PING"}), RespReply::Status("PONG"));
//
// Threads:  one at a time.
// Errors:   a connection that cannot be made ends the test program; one that breaks later answers
//           with an error reply "(closed) …".

#ifndef GUB_TESTS_SUPPORT_RESP_CLIENT_H_
#define GUB_TESTS_SUPPORT_RESP_CLIENT_H_

#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/resp_reply.h"

namespace gub {

class RespClient {
 public:
  explicit RespClient(int port);

  RespReply Run(const std::vector<std::string>& args);

  // All in one write; the replies in order.
  std::vector<RespReply> RunAll(const std::vector<std::vector<std::string>>& commands);

  // The halves of Run: nothing is sent before a reply is asked for or Flush is called.
  void Append(const std::vector<std::string>& args);
  void Flush();
  RespReply ReadReply();

  // Run on a command line of words between single spaces.
  RespReply RunLine(const std::string& line);

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  std::unique_ptr<redisContext, Free> context_;
};

// The words of a line, between single spaces.
std::vector<std::string> SplitWords(const std::string& line);

// The value of INFO's line "field:value"; "" when there is none.
std::string InfoField(RespClient* client, const std::string& field);
// The same as a number; -1 when it is none.
int64_t InfoNumber(RespClient* client, const std::string& field);

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_RESP_CLIENT_H_
