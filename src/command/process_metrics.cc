#include "command/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace gub {

namespace {

// Of this process. They come and go meanwhile, and one is that by which they are read.
int64_t CountOpenFiles() {
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  int64_t count = 0;
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) ++count;
  return std::max<int64_t>(0, count - 1);
}

}  // namespace

ProcessNumbers ReadProcessNumbers() {
  ProcessNumbers numbers;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  numbers.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  int64_t pages = 0;
  int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  numbers.virtual_bytes = pages * sysconf(_SC_PAGESIZE);
  numbers.resident_bytes = resident * sysconf(_SC_PAGESIZE);
  numbers.open_fds = CountOpenFiles();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    numbers.max_fds = static_cast<int64_t>(limit.rlim_cur);
  }
  return numbers;
}

}  // namespace gub
