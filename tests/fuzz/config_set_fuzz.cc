// CONFIG SET with any words: all options that are given change, or none does, and what changed
// reads back. The words are the lines of the input.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_node.h"

namespace gub {
namespace {

std::vector<std::string> Snapshot(const Node& node) {
  std::vector<std::string> values;
  const auto config = node.config.Get();
  for (const OptionRow& row : OptionTable()) values.push_back(FormatOption(row, *config));
  return values;
}

void Play(std::string_view input) {
  std::vector<std::string> request = {"CONFIG", "SET"};
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    request.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  FuzzNode node;
  const std::vector<std::string> before = Snapshot(node.node());
  bool whole = false;
  const std::vector<RespReply> replies = RepliesIn(node.Run(request), &whole);
  FuzzNode::Require(whole && replies.size() == 1, "not one reply", request);
  if (replies[0].IsError()) {
    FuzzNode::Require(Snapshot(node.node()) == before, "an error has changed an option", request);
    return;
  }
  FuzzNode::Require(replies[0] == RespReply::Status("OK"), "neither OK nor an error", request);
  const auto config = node.node().config.Get();
  for (size_t i = 2; i < request.size(); i += 2) {
    const OptionRow* const row = FindOption(request[i]);
    FuzzNode::Require(row != nullptr && row->reloadable, "what may not change has", request);
    Config same = *config;
    FuzzNode::Require(SetOption(*row, request[i + 1], &same).ok() &&
                          FormatOption(*row, same) == FormatOption(*row, *config),
                      "a value was not taken over", request);
  }
}

}  // namespace
}  // namespace gub

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gub::Play({reinterpret_cast<const char*>(data), size});
  return 0;
}
