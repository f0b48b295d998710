// What the kernel tells of this process.
//
// Threads:  any.

#ifndef GUB_COMMAND_PROCESS_METRICS_H_
#define GUB_COMMAND_PROCESS_METRICS_H_

#include <cstdint>

namespace gub {

struct ProcessNumbers {
  double cpu_s = 0;
  int64_t resident_bytes = 0;
  int64_t virtual_bytes = 0;
  int64_t open_fds = 0;
  int64_t max_fds = 0;
};

// What the kernel does not tell is 0.
ProcessNumbers ReadProcessNumbers();

}  // namespace gub

#endif  // GUB_COMMAND_PROCESS_METRICS_H_
