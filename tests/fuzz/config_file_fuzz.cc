// The configuration file and its rewriting: any bytes are read or refused with a place and a
// reason, and what was read reads the same again after CONFIG REWRITE.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "base/config.h"
#include "base/config_parts.h"

namespace gub {
namespace {

void Require(bool holds, std::string_view what, std::string_view text) {
  if (holds) return;
  std::cerr << "config_file_fuzz: " << what << "\n" << text << std::endl;
  std::abort();
}

bool Same(const Config& a, const Config& b) {
  for (const OptionRow& row : OptionTable()) {
    if (FormatOption(row, a) != FormatOption(row, b)) return false;
  }
  return true;
}

void Read(std::string_view text) {
  Config config;
  const absl::Status status = ApplyConfigText("f", text, &config);
  if (!status.ok()) {
    Require(status.message().substr(0, 2) == "f:", "an error names no line", text);
    return;
  }
  const std::string rewritten = RewriteConfigText(text, config);
  Config again;
  Require(ApplyConfigText("f", rewritten, &again).ok(), "what was rewritten is refused", rewritten);
  Require(Same(config, again), "what was rewritten says something else", rewritten);
  Require(RewriteConfigText(rewritten, config) == rewritten, "a second rewrite changes it",
          rewritten);
  // A change finds its line and leaves the others.
  config.timeout_s = config.timeout_s == 5 ? 6 : 5;
  Config changed;
  const std::string with_change = RewriteConfigText(text, config);
  Require(ApplyConfigText("f", with_change, &changed).ok() && Same(config, changed),
          "a change is lost", with_change);
}

}  // namespace
}  // namespace gub

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gub::Read({reinterpret_cast<const char*>(data), size});
  return 0;
}
