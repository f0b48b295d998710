// gub-server: see README.md, or run it with --help.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/log.h"
#include "net/signal_watch.h"
#include "server/server.h"

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "gub-server: %s\n", std::string(status.message()).c_str());
  return 1;
}

int Serve(const gub::LaunchOptions& launch, const gub::Server::ReadConfig& read_config) {
  const absl::Status logging = gub::StartLogging(launch.config.loglevel, launch.config.logfile);
  if (!logging.ok()) return Fail(logging);
  auto server = gub::Server::Start(launch.config, launch.config_file, read_config);
  if (!server.ok()) {
    gub::StopLogging();
    return Fail(server.status());
  }
  const absl::Status ran = (*server)->Run();
  server->reset();
  gub::StopLogging();
  return ran.ok() ? 0 : Fail(ran);
}

int Launch(int argc, char** argv) {
  std::vector<const char*> arguments(argv + 1, argv + argc);
  std::vector<const char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  const auto launch = gub::LoadConfig(arguments, environment);
  if (!launch.ok()) return Fail(launch.status());
  switch (launch->action) {
    case gub::LaunchOptions::Action::kPrintHelp:
      std::fputs(gub::UsageText().c_str(), stdout);
      return 0;
    case gub::LaunchOptions::Action::kPrintVersion:
      std::puts("gub-server " GUB_VERSION);
      return 0;
    case gub::LaunchOptions::Action::kPrintConfig:
      std::fputs(gub::RenderConfigFile(launch->config).c_str(), stdout);
      return 0;
    case gub::LaunchOptions::Action::kServe:
      return Serve(*launch, [&]() -> absl::StatusOr<gub::Config> {
        const auto again = gub::LoadConfig(arguments, environment, true);
        if (!again.ok()) return again.status();
        return again->config;
      });
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  gub::HoldSignals(gub::Server::kSignals);
  try {
    return Launch(argc, argv);
  } catch (const std::exception& error) {
    // We throw nothing; this is what a library could not do, memory at start above all.
    std::fprintf(stderr, "gub-server: %s\n", error.what());
    return 1;
  }
}
