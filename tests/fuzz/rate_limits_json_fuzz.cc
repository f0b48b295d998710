// Whatever the body is, ReadRateLimits reads it or says where it breaks off; and what it answers is
// JSON again.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "base/text.h"
#include "proto/gubernator_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto require = [](bool claim, const char* what) {
    if (claim) return;
    std::cerr << "rate_limits_json_fuzz: " << what << std::endl;
    std::abort();
  };
  constexpr size_t kMost = 5;
  const auto read = gub::ReadRateLimits(body, kMost);
  if (!read.ok()) {
    const std::string_view why = gub::ToStd(read.status().message());
    require(why.find("at byte ") != std::string_view::npos ||
                read.status().code() == absl::StatusCode::kOutOfRange,
            "an error names no place");
    return 0;
  }
  require(read->size() <= kMost, "there are too many requests");
  std::vector<gub::GatewayAnswer> answers;
  for (const gub::GatewayRequest& request : *read) {
    answers.emplace_back();
    answers.back().error = request.name;
    answers.back().owner = request.unique_key;
  }
  // The answer has a list of another name: what is in it is passed over.
  require(gub::ReadRateLimits(gub::WriteRateLimits(answers), kMost).ok(),
          "what it wrote is no JSON");
  return 0;
}
