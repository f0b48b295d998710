#include "command/secrets.h"

#include "base/config.h"
#include "base/text.h"

namespace gub {

namespace {
constexpr std::string_view kRedacted = "(redacted)";
}  // namespace

std::vector<std::string_view> WithoutSecrets(const CommandEntry& entry, Args args) {
  std::vector<std::string_view> shown(args.begin(), args.end());
  if (entry.full_name == "auth") {
    for (size_t i = 1; i < shown.size(); ++i) shown[i] = kRedacted;
  } else if (entry.full_name == "hello") {
    for (size_t i = 2; i < shown.size(); ++i) {
      if (!EqualsIgnoreCase(shown[i], "AUTH")) continue;
      for (size_t j = i + 1; j < shown.size() && j <= i + 2; ++j) shown[j] = kRedacted;
      i += 2;
    }
  } else if (entry.full_name == "config|set") {
    for (size_t i = 2; i + 1 < shown.size(); i += 2) {
      const OptionRow* const row = FindOption(shown[i]);
      if (row != nullptr && row->type == OptionType::kSecret) shown[i + 1] = kRedacted;
    }
  }
  return shown;
}

}  // namespace gub
