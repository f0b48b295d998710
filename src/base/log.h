// Logging: one line an event, `key=value` after a sentence that a stranger understands at night.
//
// Lines go through spdlog's default logger on a thread of its own; a full queue drops the oldest
// line and never blocks a worker; StopLogging tells how many were dropped. A line is
//   2026-01-02T03:04:05.678Z notice listening address=127.0.0.1:7379
// in UTC. Bytes from strangers go through Escape (text.h) first: a line stays a line.
//
// Levels. GUB_LOG takes spdlog's name, the option `loglevel` and the line have Redis':
//   GUB_LOG(debug, …)      debug      written from loglevel debug and verbose, which are the same
//   GUB_LOG(info, …)       notice     from loglevel notice: life cycle
//   GUB_LOG(warn, …)       warning    from loglevel warning: somebody may need to act
//   GUB_LOG(error, …)      error      always: somebody must act
//   GUB_LOG(critical, …)   critical   always: the process cannot go on
//   GUB_LOG(info, "listening address={}", address);
//   GUB_LOG_EVERY(1000, warn, "client closed reason={}", why);   // at most one in 1000 ms here
//
// Threads:  GUB_LOG, GUB_LOG_EVERY, SetLogLevel and LogGate from any. StartLogging and StopLogging
// from one
//           thread while no other thread logs.
// Errors:   a line that cannot be written (full disk) is lost; nothing is thrown.

#ifndef GUB_BASE_LOG_H_
#define GUB_BASE_LOG_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "spdlog/spdlog.h"

namespace gub {

// Sets the process's log up, again too. logfile: "stderr" or a path that is appended to.
// On error nothing has changed and the message names the path.
absl::Status StartLogging(const std::string& loglevel, const std::string& logfile);

// From now on. REQUIRES: one of the words of the option `loglevel`.
void SetLogLevel(const std::string& loglevel);

// Writes what is queued and ends the log's thread. Lines that come later go to stderr at once.
void StopLogging();

// Lets one event through in every interval; the number that was held back is told with the next.
class LogGate {
 public:
  // Whether this event may be logged; *held_back: how many were not since the last that was.
  bool Pass(int64_t now_mono_ns, int64_t interval_ms, uint64_t* held_back);

 private:
  std::atomic<int64_t> next_mono_ns_{0};
  std::atomic<uint64_t> held_back_{0};
};

}  // namespace gub

#define GUB_LOG(level, ...) ::spdlog::level(__VA_ARGS__)

#define GUB_LOG_EVERY(interval_ms, level, format, ...)                                        \
  do                                                                                          \
    if (static ::gub::LogGate gub_gate; true)                                                 \
      if (uint64_t gub_held = 0; gub_gate.Pass(::gub::MonotonicNs(), interval_ms, &gub_held)) \
        ::spdlog::level(format " held_back={}", __VA_ARGS__ __VA_OPT__(, ) gub_held);         \
  while (false)

#endif  // GUB_BASE_LOG_H_
