// Terminal: a program on a pseudo-terminal of its own, as a person would use it.
//
// Threads:  one at a time.
// Errors:   a program that cannot be started exits with status 127.

#ifndef GUB_TESTS_SUPPORT_TERMINAL_H_
#define GUB_TESTS_SUPPORT_TERMINAL_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/deadline.h"

namespace gub {

class Terminal {
 public:
  // arguments[0] is looked for in PATH.
  explicit Terminal(const std::vector<std::string>& arguments);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void Type(const std::string& keys);

  // Whether the program shows `text` from here on. What comes up to its end is not looked at again.
  bool Shows(const std::string& text);
  // What has been shown and not been looked at.
  const std::string& Unseen() const { return unseen_; }

  // The exit status, 128 + the signal when one ended it; nothing when it does not end.
  std::optional<int> WaitForExit();

 private:
  bool ReadSome(std::chrono::milliseconds patience);

  pid_t pid_ = -1;
  int fd_ = -1;
  std::string unseen_;
  std::optional<int> exit_status_;
};

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_TERMINAL_H_
