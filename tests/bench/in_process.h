// InProcessNode: a node without sockets, and one client of it: bytes in, bytes out, through parser,
// dispatch, store and writer, as RespSession does it. What it costs is what a request costs without
// the kernel.
//
// Threads:  one at a time.
// Time:     the node's clock stands still, but for Advance.

#ifndef GUB_TESTS_BENCH_IN_PROCESS_H_
#define GUB_TESTS_BENCH_IN_PROCESS_H_

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_buffer.h"
#include "command/dispatch.h"
#include "command/node.h"
#include "proto/reply_writer.h"
#include "proto/request_parser.h"

namespace gub {

// Twelve digits behind a prefix, so that all keys are of one length.
inline std::string BenchKey(int64_t number) {
  const std::string digits = std::to_string(number);
  return "account:" + std::string(12 - digits.size(), '0') + digits;
}

// `words` are separated by one space.
inline std::string BenchRequest(std::string_view words) {
  std::vector<std::string> parts(1);
  for (const char c : words) {
    if (c == ' ') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  std::string request = "*" + std::to_string(parts.size()) + "\r\n";
  for (const std::string& part : parts) {
    request += "$" + std::to_string(part.size()) + "\r\n" + part + "\r\n";
  }
  return request;
}

class InProcessNode {
 public:
  static constexpr int64_t kNowMs = 1'700'000'000'000;

  explicit InProcessNode(int64_t max_keys) : node_(SomeConfig(max_keys), Calendar(), 1) {
    node_.clock.Freeze(kNowMs);
    node_.address = "127.0.0.1:7379";
  }

  // All requests of one read; their replies, until the next call. An error among them ends the
  // program: it would be measured instead of what was meant.
  std::string_view Serve(std::string_view input) {
    replies_.Clear();
    ReplyWriter reply(&replies_);
    dispatcher_.BeginBatch(&client_);
    while (const size_t count = ReadAhead(input)) {
      if (count > 1) dispatcher_.Expect({ahead_.data(), count});
      for (size_t i = 0; i < count; ++i) {
        if (!dispatcher_.RunExpected(i, &client_, &reply)) {
          dispatcher_.Run(ahead_[i].args(), &client_, &reply);
        }
        input.remove_prefix(ahead_[i].bytes);
      }
      dispatcher_.ExpectNothing();
    }
    dispatcher_.EndBatch();
    if (replies_.empty() || *replies_.data() == '-') Fail();
    return replies_.view();
  }

  // One request that is parsed already.
  std::string_view Run(std::span<const std::string_view> args) {
    replies_.Clear();
    ReplyWriter reply(&replies_);
    dispatcher_.Run(args, &client_, &reply);
    return replies_.view();
  }

  void Advance(int64_t ms) { node_.clock.Advance(ms); }
  Dispatcher& dispatcher() { return dispatcher_; }
  ClientState& client() { return client_; }

 private:
  static Config SomeConfig(int64_t max_keys) {
    Config config;
    config.max_keys = max_keys;
    return config;
  }

  size_t ReadAhead(std::string_view input) {
    size_t count = 0;
    while (count < ahead_.size() && parser_.ReadShort(input, &ahead_[count])) {
      input.remove_prefix(ahead_[count++].bytes);
    }
    return count;
  }

  [[noreturn]] void Fail() const {
    std::fprintf(stderr, "no reply, or an error: %s\n", std::string(replies_.view()).c_str());
    std::exit(1);
  }

  Node node_;
  Dispatcher dispatcher_{&node_, 0};
  ClientState client_;
  RequestParser parser_{RequestLimits{}};
  std::array<ShortRequest, Dispatcher::kMostExpected> ahead_;
  ByteBuffer replies_;
};

}  // namespace gub

#endif  // GUB_TESTS_BENCH_IN_PROCESS_H_
