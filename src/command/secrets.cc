#include "command/secrets.h"

#include <algorithm>
#include <iterator>

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
    for (size_t i = 1; i < shown.size(); ++i) {
      if (!EqualsIgnoreCase(shown[i], "AUTH")) continue;
      for (size_t j = i + 1; j < shown.size() && j <= i + 2; ++j) shown[j] = kRedacted;
      i += 2;
    }
  } else if (entry.full_name == "config|set") {
    // Wherever the name stands: the pairs may be out of step.
    for (size_t i = 2; i + 1 < shown.size(); ++i) {
      const OptionRow* const row = FindOption(args[i]);
      if (row != nullptr && row->type == OptionType::kSecret) shown[i + 1] = kRedacted;
    }
  } else if (entry.full_name == "command|getkeys" || entry.full_name == "command|getkeysandflags") {
    // A request within the request, which may be one of the above.
    constexpr std::string_view kWithSecrets[] = {"auth", "hello", "config"};
    const bool has =
        shown.size() > 2 &&
        std::any_of(std::begin(kWithSecrets), std::end(kWithSecrets),
                    [&](std::string_view name) { return EqualsIgnoreCase(name, args[2]); });
    for (size_t i = 3; has && i < shown.size(); ++i) shown[i] = kRedacted;
  }
  return shown;
}

}  // namespace gub
