// Program: a child process whose output is captured. It is killed, by its pid, when the object goes
// or the test program dies.
//
// Threads:  one at a time; a thread of its own reads the output.
// Errors:   a program that cannot be started exits with status 127, as in a shell.

#ifndef GUB_TESTS_SUPPORT_PROGRAM_H_
#define GUB_TESTS_SUPPORT_PROGRAM_H_

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/deadline.h"

namespace gub {

struct ProgramResult {
  int exit_status = -1;  // as in a shell: 128 + the signal that ended it; -1: it did not end
  std::string out;
  std::string err;
};

class Program {
 public:
  // arguments[0]: a path, or a name to look for in PATH. environment: "NAME=value", on top of this
  // process' own without what starts with GUB_OPT_.
  explicit Program(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  std::string Out() const;
  std::string Err() const;

  // The first line of stderr that contains `text`; "" when the program ends or `patience` does.
  std::string WaitForErr(const std::string& text, std::chrono::milliseconds patience = kPatience);

  void Signal(int number);
  // The exit status as in ProgramResult; nothing when the program did not end. All its output has
  // been read then.
  std::optional<int> WaitForExit(std::chrono::milliseconds patience = kPatience);

 private:
  void ReadOutput(int out_fd, int err_fd);

  pid_t pid_ = -1;
  std::optional<int> exit_status_;

  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::string out_, err_;  // guarded by mu_
  bool ended_ = false;     // guarded by mu_: both pipes are closed

  std::thread reader_;
};

// Runs a program to its end.
ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment = {});

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_PROGRAM_H_
