// CommandFixture: a node without sockets: requests go to the dispatcher, replies come as RESP.

#ifndef GUB_TESTS_SUPPORT_COMMAND_FIXTURE_H_
#define GUB_TESTS_SUPPORT_COMMAND_FIXTURE_H_

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "command/dispatch.h"
#include "command/node.h"

namespace gub {

class CommandFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kNowMs = 1'700'000'000'000;

  explicit CommandFixture(const Config& config = Config()) : node_(config, Calendar(), 1) {
    node_.clock.Freeze(kNowMs);
    node_.address = "127.0.0.1:7379";
  }

  // The bytes of the reply.
  std::string Run(std::initializer_list<std::string_view> words) {
    return Run(std::vector<std::string_view>(words));
  }
  std::string Run(const std::vector<std::string_view>& words) {
    ByteBuffer out;
    ReplyWriter reply(&out);
    reply.set_version(client_.version);
    dispatcher_.BeginBatch(&client_);
    dispatcher_.Run(words, &client_, &reply);
    dispatcher_.EndBatch();
    return std::string(out.view());
  }

  // The bytes of the reply to words that are separated by one space.
  std::string RunLine(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
      const size_t end = line.find(' ');
      words.push_back(line.substr(0, end));
      line = end == std::string_view::npos ? "" : line.substr(end + 1);
    }
    return Run(words);
  }

  Node node_;
  Dispatcher dispatcher_{&node_, 0};
  ClientState client_;
};

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_COMMAND_FIXTURE_H_
