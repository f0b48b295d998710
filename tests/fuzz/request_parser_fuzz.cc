// Whatever the bytes are and however they are cut, RequestParser keeps what its header promises,
// reads the same requests and the same error, and reads back the requests when they are written
// as arrays again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string_view>

#include "proto/reply_writer.h"
#include "tests/fuzz/parse_in_pieces.h"

namespace gub {
namespace {

// Small, so that inputs of a few bytes meet them.
constexpr RequestLimits kLimits = {.max_args = 20, .max_bulk_bytes = 1200};

uint32_t Hash(std::string_view bytes) {
  uint32_t hash = 2166136261U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

void Require(bool claim, const char* what, const Transcript& a, const Transcript& b) {
  if (claim) return;
  std::cerr << "request_parser_fuzz: " << what;
  PrintTo(a, &std::cerr);
  PrintTo(b, &std::cerr);
  std::cerr << std::endl;
  std::abort();
}

void RequireSameWhenCut(std::string_view input, const Transcript& whole) {
  std::minstd_rand random(Hash(input));
  // Every piece costs a copy of what is not consumed, so a long input arrives in longer pieces.
  const size_t scale = 1 + input.size() / 256;
  for (const size_t longest : {1 * scale, 7 * scale, 64 * scale}) {
    const Transcript cut = ParseInPieces(input, kLimits, [&] { return 1 + random() % longest; });
    Require(cut == whole, "whole and cut differ", whole, cut);
  }
}

void RequireSameWhenWritten(const Transcript& whole) {
  ByteBuffer bytes;
  ReplyWriter writer(&bytes);
  for (const auto& request : whole.requests) {
    writer.Array(request.size());
    for (const std::string& arg : request) writer.Bulk(arg);
  }
  const Transcript again = ParseWhole(bytes.view(), kLimits);
  Require(again.requests == whole.requests && again.error.empty() && again.broken.empty(),
          "read and written again differ", whole, again);
}

}  // namespace
}  // namespace gub

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const gub::Transcript whole = gub::ParseWhole(input, gub::kLimits);
  gub::Require(whole.broken.empty(), "a promise is broken", whole, whole);
  gub::RequireSameWhenCut(input, whole);
  gub::RequireSameWhenWritten(whole);
  return 0;
}
