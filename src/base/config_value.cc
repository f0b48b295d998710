// The value of one option: from text, and back to text.

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace gub {
namespace {

struct ByteUnit {
  std::string_view suffix;
  int64_t factor;
};

// Redis' units: with a b they are powers of 1024, without it of 1000. The ones that FormatBytes
// writes come first, largest first.
constexpr ByteUnit kByteUnits[] = {
    {"gb", int64_t{1} << 30},
    {"mb", int64_t{1} << 20},
    {"kb", int64_t{1} << 10},
    {"g", 1'000'000'000},
    {"m", 1'000'000},
    {"k", 1'000},
    {"b", 1},
    {"", 1},
};

std::optional<int64_t> ParseBytes(std::string_view text) {
  const std::string lower = ToLower(text);
  const std::string_view whole = lower;
  for (const ByteUnit& unit : kByteUnits) {
    if (!whole.ends_with(unit.suffix)) continue;
    const auto number = ParseInt64(whole.substr(0, whole.size() - unit.suffix.size()));
    if (!number || *number < 0) return std::nullopt;
    // Past int64 is past every option's range; the message says the same for both.
    if (*number > std::numeric_limits<int64_t>::max() / unit.factor) {
      return std::numeric_limits<int64_t>::max();
    }
    return *number * unit.factor;
  }
  return std::nullopt;
}

std::string FormatBytes(int64_t bytes) {
  for (const ByteUnit& unit : kByteUnits) {
    const bool binary = unit.suffix.size() == 2;
    if (binary && bytes > 0 && bytes % unit.factor == 0) {
      return fmt::format("{}{}", bytes / unit.factor, unit.suffix);
    }
  }
  return fmt::format("{}", bytes);
}

std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  size_t start = 0;
  while ((start = text.find_first_not_of(separators, start)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(separators, start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end;
  }
  return words;
}

bool HasControlByte(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) return true;
  }
  return false;
}

absl::Status Refuse(const OptionRow& row, std::string_view wanted, std::string_view value) {
  return absl::InvalidArgumentError(
      fmt::format("{} must be {}, got '{}'", row.name, wanted, Escape(value)));
}

// Each checks `value` and then writes it to *field.

absl::Status SetField(const OptionRow& row, std::string_view value, int64_t* field) {
  const bool bytes = row.type == OptionType::kBytes;
  const std::optional<int64_t> number = bytes ? ParseBytes(value) : ParseInt64(value);
  if (!number) {
    const std::string_view kind = bytes ? "bytes (units: k kb m mb g gb)" : "a whole number";
    return Refuse(row, fmt::format("{} {}", kind, DescribeValues(row)), value);
  }
  if (*number < row.min || *number > row.max) return Refuse(row, DescribeValues(row), value);
  *field = *number;
  return absl::OkStatus();
}

absl::Status SetField(const OptionRow& row, std::string_view value, bool* field) {
  const bool yes = EqualsIgnoreCase(value, "yes");
  if (!yes && !EqualsIgnoreCase(value, "no")) return Refuse(row, DescribeValues(row), value);
  *field = yes;
  return absl::OkStatus();
}

absl::Status SetField(const OptionRow& row, std::string_view value, std::string* field) {
  if (row.type == OptionType::kWord) {
    for (const std::string_view word : SplitAt(row.words, "|")) {
      if (!EqualsIgnoreCase(word, value)) continue;
      *field = word;
      return absl::OkStatus();
    }
    return Refuse(row, DescribeValues(row), value);
  }
  if (row.type == OptionType::kSecret) {
    *field = value;
    return absl::OkStatus();
  }
  if ((value.empty() && !row.may_be_empty) || HasControlByte(value)) {
    return Refuse(row,
                  row.may_be_empty ? "text without control characters"
                                   : "text of at least one character and no control characters",
                  value);
  }
  *field = value;
  return absl::OkStatus();
}

absl::Status SetField(const OptionRow& row, std::string_view value,
                      std::vector<std::string>* field) {
  const std::vector<std::string_view> words = SplitAt(value, " \t");
  if ((words.empty() && !row.may_be_empty) ||
      std::any_of(words.begin(), words.end(), HasControlByte)) {
    return Refuse(row, "one or more words without control characters", value);
  }
  field->assign(words.begin(), words.end());
  return absl::OkStatus();
}

std::string FormatField(const OptionRow& row, int64_t field) {
  return row.type == OptionType::kBytes ? FormatBytes(field) : fmt::format("{}", field);
}

std::string FormatField(const OptionRow&, bool field) { return field ? "yes" : "no"; }

std::string FormatField(const OptionRow&, const std::string& field) {
  return QuoteConfigWord(field);
}

std::string FormatField(const OptionRow&, const std::vector<std::string>& field) {
  if (field.empty()) return QuoteConfigWord("");
  std::vector<std::string> words;
  words.reserve(field.size());
  for (const std::string& word : field) words.push_back(QuoteConfigWord(word));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::string DescribeValues(const OptionRow& row) {
  switch (row.type) {
    case OptionType::kInteger:
      return fmt::format("from {} to {}", row.min, row.max);
    case OptionType::kBytes:
      return fmt::format("from {} to {}", FormatBytes(row.min), FormatBytes(row.max));
    case OptionType::kBoolean:
      return "yes or no";
    case OptionType::kWord:
      return fmt::format("one of {}", fmt::join(SplitAt(row.words, "|"), ", "));
    case OptionType::kText:
    case OptionType::kSecret:
    case OptionType::kTextList:
      break;
  }
  return "";
}

absl::Status SetOption(const OptionRow& row, std::string_view value, Config* config) {
  return std::visit([&](auto field) { return SetField(row, value, &(config->*field)); }, row.field);
}

void CopyOption(const OptionRow& row, const Config& from, Config* to) {
  std::visit([&](auto field) { to->*field = from.*field; }, row.field);
}

std::string FormatOption(const OptionRow& row, const Config& config) {
  return std::visit([&](auto field) { return FormatField(row, config.*field); }, row.field);
}

}  // namespace gub
