// Whole sessions of one client, command after command: every command there is, its own words and
// stranger ones. The input chooses: a byte for the command, one for how many arguments, and one or
// more for each of them.
//
// What must hold: the reply is whole RESP and one reply (but for SUBSCRIBE, and CLIENT REPLY), the
// node never holds more buckets than it may, and a client's own bytes stay within their bound.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "tests/fuzz/fuzz_node.h"

namespace gub {
namespace {

// Hands out the input, and zeros when it is used up.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  size_t Byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

constexpr std::string_view kWords[] = {
    "",
    "0",
    "1",
    "-1",
    "10",
    "1s",
    "1m",
    "minute",
    "token",
    "leaky",
    "k",
    "n",
    "FULL",
    "BURST",
    "ONFAIL",
    "local",
    "3",
    "2",
    "AUTH",
    "default",
    "SETNAME",
    "on",
    "off",
    "skip",
    "gub.hit",
    "ID",
    "TYPE",
    "normal",
    "FILTERBY",
    "PATTERN",
    "*",
    "SET",
    "ADVANCE",
    "1000",
    "SYSTEM",
    "pw",
    "9223372036854775807",
    "-9223372036854775808",
    "timeout",
    "requirepass",
    "slowlog-log-slower-than",
    "maxmemory-clients",
    "DRAIN_OVER_LIMIT",
    "RESET_REMAINING",
    "6e367ccc4a0289f36d50babce3af3880ff7cd0a6",
    "COUNT",
    "ADDR",
    "SKIPME",
    "yes",
    "no",
    "31",
};

std::string Argument(Choices* choices) {
  const size_t choice = choices->Byte();
  if (choice < std::size(kWords)) return std::string(kWords[choice]);
  if (choice < 200) return std::string(1, static_cast<char>(choice));
  // Any bytes, sometimes many.
  std::string bytes;
  for (size_t i = choices->Byte() % 20; i > 0; --i) bytes += static_cast<char>(choices->Byte());
  if (choice >= 250) bytes.resize(bytes.size() + 5000, 'x');
  return bytes;
}

std::vector<std::string> Request(const CommandTable& table, Choices* choices) {
  const size_t choice = choices->Byte();
  const auto& entries = table.entries();
  std::vector<std::string> request;
  if (choice == 255) {
    request.push_back(Argument(choices));
  } else {
    const CommandEntry& entry = entries[choice % entries.size()];
    if (entry.parent != nullptr) request.emplace_back(entry.parent->spec->name);
    request.emplace_back(entry.spec->name);
  }
  for (size_t i = choices->Byte() % 12; i > 0; --i) request.push_back(Argument(choices));
  return request;
}

bool HasOneReply(const std::vector<std::string>& request) {
  const std::string name = ToLower(request[0]);
  return name != "subscribe" && name != "unsubscribe" && name != "shutdown";
}

void Play(Choices choices) {
  FuzzNode node;
  const int64_t bound = 1 << 20;
  for (int commands = 0; commands < 64 && !choices.empty(); ++commands) {
    const std::vector<std::string> request = Request(node.node().commands, &choices);
    const ReplyMode mode = node.client().reply_mode;
    bool whole = false;
    const std::vector<RespReply> replies = RepliesIn(node.Run(request), &whole);
    FuzzNode::Require(whole, "the reply is no whole RESP", request);
    const bool silent = mode != ReplyMode::kOn || node.client().reply_mode != ReplyMode::kOn;
    if (node.client().drop) return;
    if (!silent && HasOneReply(request)) {
      FuzzNode::Require(replies.size() == 1, "not one reply", request);
    }
    FuzzNode::Require(node.node().store.Size() <= 64, "more buckets than max-keys", request);
    const auto limit = node.node().config.Get()->client_query_buffer_limit_bytes;
    FuzzNode::Require(static_cast<int64_t>(node.client().HeldBytes()) <= 3 * std::max(bound, limit),
                      "a client holds more than it may", request);
    if (node.client().close) return;
  }
}

}  // namespace
}  // namespace gub

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gub::Play(gub::Choices(data, size));
  return 0;
}
