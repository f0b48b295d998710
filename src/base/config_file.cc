// A configuration file in redis.conf's manner.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "absl/cleanup/cleanup.h"
#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace gub {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The escape whose backslash stands at `at`, between double quotes; the result is behind it.
size_t ReadEscape(std::string_view line, size_t at, std::string* word) {
  if (at + 3 < line.size() && line[at + 1] == 'x') {
    const int high = HexDigit(line[at + 2]);
    const int low = HexDigit(line[at + 3]);
    if (high >= 0 && low >= 0) {
      word->push_back(static_cast<char>(high * 16 + low));
      return at + 4;
    }
  }
  constexpr std::string_view kLetters = "nrtba";
  constexpr std::string_view kBytes = "\n\r\t\b\a";
  const char escaped = line[at + 1];
  const size_t letter = kLetters.find(escaped);
  word->push_back(letter == kNone ? escaped : kBytes[letter]);
  return at + 2;
}

// A word in quotes whose opening one stands at `at`. Returns where the word ends, behind the
// closing quote, or kNone.
size_t ReadQuoted(std::string_view line, size_t at, std::string* word) {
  const char quote = line[at++];
  while (at < line.size() && line[at] != quote) {
    const bool has_next = at + 1 < line.size();
    if (quote == '"' && line[at] == '\\' && has_next) {
      at = ReadEscape(line, at, word);
    } else if (quote == '\'' && line[at] == '\\' && has_next && line[at + 1] == '\'') {
      word->push_back('\'');
      at += 2;
    } else {
      word->push_back(line[at++]);
    }
  }
  if (at == line.size()) return kNone;
  ++at;
  return at == line.size() || IsSpace(line[at]) ? at : kNone;
}

// The value of an option from the words behind its name, or the reason why there is none.
absl::Status JoinValue(const OptionRow& row, std::span<const std::string> words,
                       std::string* value) {
  if (words.empty()) {
    return absl::InvalidArgumentError(fmt::format("{} has no value", row.name));
  }
  if (row.type != OptionType::kTextList && words.size() > 1) {
    return absl::InvalidArgumentError(fmt::format(
        "{} takes one value, got {} (a value with spaces stands in quotes, a comment on a line of "
        "its own)",
        row.name, words.size()));
  }
  *value = fmt::format("{}", fmt::join(words, " "));
  return absl::OkStatus();
}

// What one file says, line by line.
class FileReader {
 public:
  FileReader(std::string_view file, Config* config) : file_(file), config_(*config) {}

  absl::Status TakeLine(std::string_view line) {
    ++line_number_;
    if (IsConfigComment(line)) return absl::OkStatus();
    const auto words = SplitConfigLine(line);
    if (!words) return Error("a quote is not closed, or something follows it without a space");
    if (words->empty()) return absl::OkStatus();

    const OptionRow* row = FindOption(words->front());
    if (row == nullptr) return Error(UnknownOptionReason(words->front()));
    const auto [earlier, is_first] = line_of_.emplace(row, line_number_);
    if (!is_first) {
      return Error(fmt::format("{} was given in line {} already", row->name, earlier->second));
    }
    std::string value;
    absl::Status status = JoinValue(*row, std::span(*words).subspan(1), &value);
    if (status.ok()) status = SetOption(*row, value, &config_);
    return status.ok() ? status : Error(ToStd(status.message()));
  }

 private:
  absl::Status Error(std::string_view reason) const {
    return ErrorAt(fmt::format("{}:{}", file_, line_number_), reason);
  }

  const std::string_view file_;
  Config& config_;
  int line_number_ = 0;
  std::map<const OptionRow*, int> line_of_;
};

}  // namespace

bool IsConfigComment(std::string_view line) {
  const auto start = std::find_if_not(line.begin(), line.end(), IsSpace);
  return start != line.end() && *start == '#';
}

std::optional<std::vector<std::string>> SplitConfigLine(std::string_view line) {
  std::vector<std::string> words;
  size_t at = 0;
  while (true) {
    while (at < line.size() && IsSpace(line[at])) ++at;
    if (at == line.size()) return words;
    std::string& word = words.emplace_back();
    while (at < line.size() && !IsSpace(line[at])) {
      if (line[at] == '"' || line[at] == '\'') {
        at = ReadQuoted(line, at, &word);
        if (at == kNone) return std::nullopt;
      } else {
        word.push_back(line[at++]);
      }
    }
  }
}

std::string QuoteConfigWord(std::string_view word) {
  const std::string escaped = Escape(word, word.size());
  const bool plain = !word.empty() && escaped == word && word.find_first_of(" '#") == kNone;
  return plain ? escaped : fmt::format("\"{}\"", escaped);
}

absl::Status ApplyConfigText(std::string_view file, std::string_view text, Config* config) {
  FileReader reader(file, config);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const absl::Status status = reader.TakeLine(text.substr(0, end));
    if (!status.ok()) return status;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return absl::OkStatus();
}

absl::Status ReadWholeFile(const std::string& path, bool regular_only, std::string* text) {
  const auto error = [&path] {
    return absl::ErrnoToStatus(errno, fmt::format("{}: the file cannot be read", path));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | (regular_only ? O_NONBLOCK : 0));
  if (fd < 0) return error();
  const auto close_fd = absl::MakeCleanup([fd] { close(fd); });
  struct stat kind {};
  if (fstat(fd, &kind) != 0) return error();
  if (regular_only && !S_ISREG(kind.st_mode)) {
    return absl::FailedPreconditionError(fmt::format("{}: it is no plain file", path));
  }
  std::array<char, 16384> chunk;
  while (true) {
    const ssize_t n = read(fd, chunk.data(), chunk.size());
    if (n == 0) return absl::OkStatus();
    if (n > 0) {
      text->append(chunk.data(), static_cast<size_t>(n));
    } else if (errno != EINTR) {
      return error();
    }
  }
}

absl::Status ReadConfigFile(const std::string& path, bool regular_only, Config* config) {
  std::string text;
  const absl::Status status = ReadWholeFile(path, regular_only, &text);
  return status.ok() ? ApplyConfigText(path, text, config) : status;
}

}  // namespace gub
