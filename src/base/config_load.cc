// Where the values come from: the command line over the environment over the file.

#include <algorithm>
#include <optional>
#include <set>

#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace gub {
namespace {

constexpr std::string_view kEnvironmentPrefix = "GUB_OPT_";

// A value and where it was given.
struct Setting {
  std::string place;
  const OptionRow* row;
  std::string value;
};

// What the environment or the command line sets, each option at most once.
class Settings {
 public:
  absl::Status Add(Setting setting) {
    if (!rows_.insert(setting.row).second) return ErrorAt(setting.place, "it is given twice");
    settings_.push_back(std::move(setting));
    return absl::OkStatus();
  }

  absl::Status ApplyTo(Config* config) const {
    for (const Setting& setting : settings_) {
      const absl::Status status = SetOption(*setting.row, setting.value, config);
      if (!status.ok()) return ErrorAt(setting.place, status);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Setting> settings_;
  std::set<const OptionRow*> rows_;
};

absl::Status ReadEnvironment(std::span<const char* const> environment, Settings* settings) {
  for (const std::string_view entry : environment) {
    if (!entry.starts_with(kEnvironmentPrefix)) continue;
    const size_t name_end = std::min(entry.find('='), entry.size());
    const std::string_view variable = entry.substr(0, name_end);
    std::string name = ToLower(variable.substr(kEnvironmentPrefix.size()));
    std::replace(name.begin(), name.end(), '_', '-');

    const std::string place = Escape(variable);
    const OptionRow* row = FindOption(name);
    if (row == nullptr) return ErrorAt(place, UnknownOptionReason(name));
    const std::string_view value = entry.substr(std::min(name_end + 1, entry.size()));
    const absl::Status status = settings->Add({place, row, std::string(value)});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool IsOption(std::string_view argument) { return argument.starts_with("--"); }

// Reads the arguments once, from left to right.
class CommandLine {
 public:
  explicit CommandLine(std::span<const char* const> arguments)
      : arguments_(arguments.begin(), arguments.end()) {}

  absl::Status Read(LaunchOptions* launch, Settings* settings) {
    const bool names_file = HasNext() && !arguments_[at_].empty() && arguments_[at_][0] != '-';
    if (names_file) launch->config_file = arguments_[at_++];
    while (HasNext()) {
      const std::string_view argument = arguments_[at_++];
      if (!IsOption(argument)) return ErrorAt(Escape(argument), "expected --name value");
      if (argument == "--print-config") {
        launch->action = LaunchOptions::Action::kPrintConfig;
        continue;
      }
      const absl::Status status = ReadOption(argument, settings);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  bool HasNext() const { return at_ < arguments_.size(); }

  absl::Status ReadOption(std::string_view argument, Settings* settings) {
    const size_t name_end = std::min(argument.find('='), argument.size());
    const std::string place = Escape(argument.substr(0, name_end));
    const std::string_view name = argument.substr(2, name_end - 2);
    const OptionRow* row = FindOption(name);
    if (row == nullptr) return ErrorAt(place, UnknownOptionReason(name));
    if (name_end < argument.size()) {
      return settings->Add({place, row, std::string(argument.substr(name_end + 1))});
    }

    const size_t most = row->type == OptionType::kTextList ? arguments_.size() : 1;
    const size_t start = at_;
    while (HasNext() && at_ - start < most && !IsOption(arguments_[at_])) ++at_;
    if (at_ == start) return ErrorAt(place, "it has no value");
    const auto words = std::span(arguments_).subspan(start, at_ - start);
    return settings->Add({place, row, fmt::format("{}", fmt::join(words, " "))});
  }

  const std::vector<std::string_view> arguments_;
  size_t at_ = 0;
};

// --help and --version are answered whatever else is asked for, so that they help when it is wrong.
std::optional<LaunchOptions::Action> FindQuestion(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--help" || argument == "-h") return LaunchOptions::Action::kPrintHelp;
    if (argument == "--version" || argument == "-v") return LaunchOptions::Action::kPrintVersion;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<LaunchOptions> LoadConfig(std::span<const char* const> arguments,
                                         std::span<const char* const> environment, bool again) {
  LaunchOptions launch;
  if (const auto question = FindQuestion(arguments)) {
    launch.action = *question;
    return launch;
  }
  Settings from_environment;
  Settings from_command_line;
  absl::Status status = CommandLine(arguments).Read(&launch, &from_command_line);
  if (status.ok()) status = ReadEnvironment(environment, &from_environment);
  if (status.ok() && !launch.config_file.empty()) {
    status = ReadConfigFile(launch.config_file, again, &launch.config);
  }
  if (status.ok()) status = from_environment.ApplyTo(&launch.config);
  if (status.ok()) status = from_command_line.ApplyTo(&launch.config);
  if (!status.ok()) return status;
  return launch;
}

}  // namespace gub
