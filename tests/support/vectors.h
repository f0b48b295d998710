// The contract's examples, tests/vectors/*.vec, as values.
//
// Errors:   LoadVectors aborts the test program on a line it cannot read: a vector is never
// skipped.

#ifndef GUB_TESTS_SUPPORT_VECTORS_H_
#define GUB_TESTS_SUPPORT_VECTORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gub/types.h"

namespace gub {

inline constexpr int64_t kVectorT0Ms = 1'700'000'000'000;

struct VectorStep {
  int line;                                                 // in the file, from 1
  std::string text;                                         // the line as it stands
  int64_t now_ms;                                           // Unix
  std::string name, key, hits, limit, duration, algorithm;  // as words, for the wire
  std::string burst;                                        // "" when not given
  bool drain = false;
  bool reset = false;
  bool is_error = false;  // the wanted answer is an error that changes nothing
  Decision want;          // unless is_error; reset_ms is Unix, now_ms is not set
};

struct VectorCase {
  std::string file;
  std::string name;
  std::vector<VectorStep> steps;
};

// All cases of all three files, in order.
std::vector<VectorCase> LoadVectors();

// The step as a request; its strings borrow from the step. nullopt-like: returns false when the
// step's arguments are outside the contract (limit < 0, duration < 1 …), as its -> ERR lines are.
bool ToRequest(const VectorStep& step, Request* request);

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_VECTORS_H_
