// ServerProcess: a gub-server of this build, on a free port of 127.0.0.1, from its ready line until
// the object goes.
//
//   ServerProcess server({"--max-keys", "100"});
//   RespClient client(server.port());
//
// Threads:  one at a time.
// Errors:   a server that does not become ready ends the test program, with its log. One that does
//           not stop by SIGTERM with status 0 when the object goes fails the test, unless the test
//           has waited for its exit itself.

#ifndef GUB_TESTS_SUPPORT_SERVER_PROCESS_H_
#define GUB_TESTS_SUPPORT_SERVER_PROCESS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace gub {

class ServerProcess {
 public:
  // options: as on the command line, on top of --port 0 --http-port 0 --bind 127.0.0.1 --threads 4
  // --max-keys 10000, each of which they may replace; a config file comes first.
  explicit ServerProcess(std::vector<std::string> options = {},
                         const std::vector<std::string>& environment = {});
  ~ServerProcess();

  int port() const { return port_; }
  pid_t pid() const { return program_->pid(); }
  std::string Log() const { return program_->Err(); }
  // The first line of the log that contains `text`; "" when it does not come.
  std::string WaitForLog(const std::string& text) { return program_->WaitForErr(text); }

  void Signal(int number) { program_->Signal(number); }
  // Stops it from running, until SIGCONT.
  void Freeze();
  // The exit status, 128 + the signal when one ended it; nothing when it did not exit in time.
  std::optional<int> WaitForExit(std::chrono::milliseconds patience = kPatience);

  // Resident memory, from /proc.
  int64_t ResidentBytes() const;

 private:
  // The first word behind `name` in /proc's status.
  std::string StatusField(const std::string& name) const;

  std::unique_ptr<Program> program_;
  int port_ = 0;
  bool test_waited_ = false;
};

// Where gub-server is.
std::string ServerPath();

// Runs gub-server to its end, with just these arguments.
ProgramResult RunServer(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {});

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_SERVER_PROCESS_H_
