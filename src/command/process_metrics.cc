#include "command/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace gub {

namespace {

int64_t CountFiles(const char* folder) {
  std::error_code error;
  const std::filesystem::directory_iterator files(folder, error);
  return error ? 0 : std::distance(begin(files), end(files));
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
  numbers.open_fds = CountFiles("/proc/self/fd");
  numbers.threads = CountFiles("/proc/self/task");
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    numbers.max_fds = static_cast<int64_t>(limit.rlim_cur);
  }
  return numbers;
}

}  // namespace gub
