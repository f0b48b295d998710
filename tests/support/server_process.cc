#include "tests/support/server_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace gub {
namespace {

constexpr std::pair<const char*, const char*> kDefaults[] = {{"--port", "0"},
                                                             {"--http-port", "0"},
                                                             {"--bind", "127.0.0.1"},
                                                             {"--threads", "4"},
                                                             {"--max-keys", "10000"}};

std::vector<std::string> CommandOf(std::vector<std::string> options) {
  for (const auto& [name, value] : kDefaults) {
    const std::string option = name;
    const bool given = std::any_of(options.begin(), options.end(), [&](const std::string& word) {
      return word == option || word.starts_with(option + "=");
    });
    if (!given) options.insert(options.end(), {option, value});
  }
  options.insert(options.begin(), ServerPath());
  return options;
}

}  // namespace

ServerProcess::ServerProcess(std::vector<std::string> options,
                             const std::vector<std::string>& environment)
    : program_(std::make_unique<Program>(CommandOf(std::move(options)), environment)) {
  const std::string line = program_->WaitForErr("listening address=");
  if (line.empty() || program_->WaitForErr("ready ").empty()) {
    std::fprintf(stderr, "gub-server did not become ready:\n%s\n", Log().c_str());
    std::abort();
  }
  port_ = std::atoi(line.substr(line.rfind(':') + 1).c_str());
}

ServerProcess::~ServerProcess() {
  if (test_waited_) return;
  Signal(SIGTERM);
  Signal(SIGCONT);
  EXPECT_EQ(program_->WaitForExit(), 0) << "of gub-server, whose log is\n" << Log();
}

std::optional<int> ServerProcess::WaitForExit(std::chrono::milliseconds patience) {
  test_waited_ = true;
  return program_->WaitForExit(patience);
}

void ServerProcess::Freeze() {
  Signal(SIGSTOP);
  EXPECT_TRUE(Eventually([this] { return StatusField("State:").starts_with("T"); }));
}

int64_t ServerProcess::ResidentBytes() const {
  return std::atoll(StatusField("VmRSS:").c_str()) * 1024;
}

std::string ServerProcess::StatusField(const std::string& name) const {
  std::ifstream status("/proc/" + std::to_string(pid()) + "/status");
  for (std::string word; status >> word;) {
    if (word == name && status >> word) return word;
  }
  return "";
}

std::string ServerPath() { return GUB_SERVER_PATH; }

ProgramResult RunServer(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment) {
  std::vector<std::string> command = {ServerPath()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, environment);
}

}  // namespace gub
