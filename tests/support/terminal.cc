#include "tests/support/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace gub {

Terminal::Terminal(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& word : arguments) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const winsize size = {.ws_row = 50, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
  pid_ = forkpty(&fd_, nullptr, nullptr, &size);
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("TERM", "xterm", 1);
    setenv("REDISCLI_HISTFILE", "/dev/null", 1);
    setenv("REDISCLI_RCFILE", "/dev/null", 1);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
}

Terminal::~Terminal() {
  if (!exit_status_) kill(pid_, SIGKILL);
  WaitForExit();
  close(fd_);
}

void Terminal::Type(const std::string& keys) {
  for (size_t typed = 0; typed < keys.size();) {
    const ssize_t count = write(fd_, keys.data() + typed, keys.size() - typed);
    if (count <= 0) return;
    typed += static_cast<size_t>(count);
  }
}

bool Terminal::ReadSome(std::chrono::milliseconds patience) {
  pollfd descriptor = {fd_, POLLIN, 0};
  if (poll(&descriptor, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 16384> chunk;
  const ssize_t count = read(fd_, chunk.data(), chunk.size());
  if (count <= 0) return false;
  unseen_.append(chunk.data(), static_cast<size_t>(count));
  return true;
}

bool Terminal::Shows(const std::string& text) {
  while (true) {
    const size_t at = unseen_.find(text);
    if (at != std::string::npos) {
      unseen_.erase(0, at + text.size());
      return true;
    }
    if (!ReadSome(kPatience)) return false;
  }
}

std::optional<int> Terminal::WaitForExit() {
  if (exit_status_) return exit_status_;
  int status = 0;
  const bool ended = Eventually([&] {
    while (ReadSome(std::chrono::milliseconds(0))) {
    }
    return waitpid(pid_, &status, WNOHANG) == pid_;
  });
  if (ended) exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_status_;
}

}  // namespace gub
