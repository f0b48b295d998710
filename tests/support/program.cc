#include "tests/support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace gub {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "GUB_OPT_", 8) != 0) all.emplace_back(*variable);
  }
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

struct Pipe {
  Pipe() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) std::abort();
    read_fd = fds[0];
    write_fd = fds[1];
  }
  int read_fd, write_fd;
};

// What the child does between fork and exec: nothing that takes a lock or memory.
[[noreturn]] void Become(char* const* arguments, char* const* environment, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvpe(arguments[0], arguments, environment);
  _exit(127);
}

// Appends what can be read; false at the end.
bool ReadInto(int fd, std::string* text) {
  std::array<char, 16384> chunk;
  const ssize_t count = read(fd, chunk.data(), chunk.size());
  if (count <= 0) return count < 0 && errno == EINTR;
  text->append(chunk.data(), static_cast<size_t>(count));
  return true;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment) {
  const std::vector<std::string> variables = EnvironmentWith(environment);
  const std::vector<char*> argument_pointers = Pointers(arguments);
  const std::vector<char*> variable_pointers = Pointers(variables);
  const Pipe out;
  const Pipe err;
  pid_ = fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    Become(argument_pointers.data(), variable_pointers.data(), out.write_fd, err.write_fd);
  }
  close(out.write_fd);
  close(err.write_fd);
  reader_ = std::thread([this, out, err] { ReadOutput(out.read_fd, err.read_fd); });
}

Program::~Program() {
  Signal(SIGKILL);
  WaitForExit();
  if (reader_.joinable()) reader_.join();
}

void Program::ReadOutput(int out_fd, int err_fd) {
  pollfd fds[2] = {{out_fd, POLLIN, 0}, {err_fd, POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds, 2, -1) < 0) continue;
    for (pollfd& entry : fds) {
      if (entry.fd < 0 || entry.revents == 0) continue;
      std::string read_now;
      const bool open = ReadInto(entry.fd, &read_now);
      const std::lock_guard lock(mu_);
      (&entry == &fds[0] ? out_ : err_) += read_now;
      if (!open) {
        close(entry.fd);
        entry.fd = -1;
      }
      changed_.notify_all();
    }
  }
  const std::lock_guard lock(mu_);
  ended_ = true;
  changed_.notify_all();
}

std::string Program::Out() const {
  const std::lock_guard lock(mu_);
  return out_;
}

std::string Program::Err() const {
  const std::lock_guard lock(mu_);
  return err_;
}

std::string Program::WaitForErr(const std::string& text, std::chrono::milliseconds patience) {
  std::unique_lock lock(mu_);
  std::string line;
  changed_.wait_until(lock, TestClock::now() + patience, [&] {
    const size_t at = err_.find(text);
    const size_t end = at == std::string::npos ? at : err_.find('\n', at);
    if (end == std::string::npos) return ended_;
    const size_t begin = at == 0 ? 0 : err_.rfind('\n', at) + 1;
    line = err_.substr(begin, end - begin);
    return true;
  });
  return line;
}

void Program::Signal(int number) {
  if (!exit_status_) kill(pid_, number);
}

std::optional<int> Program::WaitForExit(std::chrono::milliseconds patience) {
  if (exit_status_) return exit_status_;
  int status = 0;
  if (!Eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; }, patience)) {
    return std::nullopt;
  }
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  reader_.join();
  return exit_status_;
}

ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  Program program(arguments, environment);
  const int exit_status = program.WaitForExit().value_or(-1);
  return {exit_status, program.Out(), program.Err()};
}

}  // namespace gub
