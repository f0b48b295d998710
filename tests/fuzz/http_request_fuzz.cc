// Whatever the bytes are and however they are cut, HttpRequestParser keeps what its header
// promises, and reads the same requests.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "proto/http_request.h"
#include "proto/query_string.h"

namespace gub {
namespace {

// Small, so that inputs of a few bytes meet them.
constexpr HttpLimits kLimits = {.max_header_bytes = 400, .max_body_bytes = 60};

void Require(bool claim, const char* what) {
  if (claim) return;
  std::cerr << "http_request_fuzz: " << what << std::endl;
  std::abort();
}

struct Transcript {
  std::vector<std::string> requests;
  bool failed = false;
};

std::string TextOf(const HttpRequest& request) {
  std::string text;
  const auto add = [&text](std::string_view part) { text.append(part).append(1, '\n'); };
  add(request.method);
  add(request.path);
  add(request.query);
  for (const HttpField& field : request.fields) {
    add(field.name);
    add(field.value);
  }
  add(request.body);
  ReadQuery(request.query);
  return text.append(request.keep_alive ? "stays" : "goes");
}

Transcript Read(std::string_view input, size_t step) {
  HttpRequestParser parser(kLimits);
  Transcript seen;
  std::string held;
  while (!input.empty() && !seen.failed) {
    held.append(input.substr(0, step));
    held.shrink_to_fit();  // elsewhere, so that a view that was kept is found out
    input.remove_prefix(std::min(step, input.size()));
    HttpRequestParser::Outcome outcome{};
    while ((outcome = parser.Next(held)) == HttpRequestParser::Outcome::kRequest) {
      Require(parser.consumed() > 0 && parser.consumed() <= held.size(), "it consumed too much");
      Require(parser.request().body.size() <= kLimits.max_body_bytes, "a body is too long");
      seen.requests.push_back(TextOf(parser.request()));
      held.erase(0, parser.consumed());
    }
    seen.failed = outcome == HttpRequestParser::Outcome::kError;
    if (seen.failed) Require(parser.error().status >= 400, "an error has no status");
    if (!seen.failed) Require(held.size() <= parser.MaxBytes() + step, "it holds too much");
  }
  return seen;
}

}  // namespace
}  // namespace gub

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), std::min<size_t>(size, 4000));
  if (input.empty()) return 0;
  const gub::Transcript whole = gub::Read(input, input.size());
  for (const size_t step : {size_t{1}, size_t{5}, size_t{33}}) {
    const gub::Transcript cut = gub::Read(input, step);
    // Cut, a fault may be seen later than whole, but never another request.
    gub::Require(cut.requests == whole.requests, "whole and cut differ");
  }
  return 0;
}
