// The seed of a random test: a fresh one each run, or GUB_SEED to repeat a run.

#ifndef GUB_TESTS_PROPERTY_SEED_H_
#define GUB_TESTS_PROPERTY_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace gub {

// Also prints it, so that the log of a failed run tells how to repeat it.
inline uint64_t RunSeed() {
  const char* given = std::getenv("GUB_SEED");
  const uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::cout << "GUB_SEED=" << seed << '\n';
  return seed;
}

}  // namespace gub

#endif  // GUB_TESTS_PROPERTY_SEED_H_
