// Writing the present options back into a configuration file.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "absl/cleanup/cleanup.h"
#include "base/config.h"
#include "base/config_parts.h"
#include "base/text.h"
#include "fmt/format.h"

namespace gub {
namespace {

constexpr std::string_view kAppendedHead = "\n# Written by CONFIG REWRITE\n";

// The option that a line sets; nullptr for a comment, an empty line and what is no option.
const OptionRow* OptionOf(std::string_view line) {
  if (IsConfigComment(line)) return nullptr;
  const auto words = SplitConfigLine(line);
  return words && !words->empty() ? FindOption(words->front()) : nullptr;
}

// Whether the line says what the option is now, in whatever words.
bool Says(std::string_view line, const OptionRow& row, const Config& config) {
  Config said;
  return ApplyConfigText("", line, &said).ok() &&
         FormatOption(row, said) == FormatOption(row, config);
}

std::string LineFor(const OptionRow& row, const Config& config) {
  return fmt::format("{} {}", row.name, FormatOption(row, config));
}

absl::Status WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return absl::ErrnoToStatus(errno, "write");
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
  }
  if (fsync(fd) != 0) return absl::ErrnoToStatus(errno, "fsync");
  return absl::OkStatus();
}

// Makes a rename in the file's folder last.
absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, folder);
  const auto close_fd = absl::MakeCleanup([fd] { close(fd); });
  return fsync(fd) == 0 ? absl::OkStatus() : absl::ErrnoToStatus(errno, folder);
}

// Puts `text` in the place of the file in one step: a reader sees the old file or the new one.
absl::Status ReplaceFile(const std::string& path, std::string_view text) {
  struct stat before {};
  if (stat(path.c_str(), &before) != 0) return absl::ErrnoToStatus(errno, path);
  std::string scratch = path + ".XXXXXX";
  const int fd = mkostemp(scratch.data(), O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, scratch);
  const auto close_fd = absl::MakeCleanup([fd] { close(fd); });
  absl::Status status = WriteAll(fd, text);
  // Whoever could read it before can read it after.
  if (status.ok() && fchown(fd, before.st_uid, before.st_gid) != 0) {
    status = absl::ErrnoToStatus(errno, "fchown");
  }
  if (status.ok() && fchmod(fd, before.st_mode & 07777) != 0) {
    status = absl::ErrnoToStatus(errno, "fchmod");
  }
  if (status.ok() && rename(scratch.c_str(), path.c_str()) != 0) {
    status = absl::ErrnoToStatus(errno, "rename");
  }
  if (!status.ok()) unlink(scratch.c_str());
  return status.ok() ? SyncFolderOf(path) : status;
}

}  // namespace

std::string RewriteConfigText(std::string_view text, const Config& config) {
  std::string result;
  std::set<const OptionRow*> seen;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    std::string_view line_end = text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
      line_end = "\r\n";
    }
    const OptionRow* row = OptionOf(line);
    // An option that stands there twice was put there since the start, which would refuse it.
    if (row != nullptr && !seen.insert(row).second) continue;
    const bool stays = row == nullptr || Says(line, *row, config);
    result += stays ? std::string(line) : LineFor(*row, config);
    result += line_end;
  }

  const Config defaults;
  bool headed = false;
  for (const OptionRow& row : OptionTable()) {
    if (seen.contains(&row) || FormatOption(row, config) == FormatOption(row, defaults)) continue;
    if (!result.empty() && result.back() != '\n') result += '\n';
    if (!headed) result += kAppendedHead;
    headed = true;
    result += LineFor(row, config) + '\n';
  }
  return result;
}

absl::Status RewriteConfigFile(const std::string& path, const Config& config) {
  // A link stays a link: the file behind it is replaced.
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), free);
  if (real == nullptr) {
    return absl::ErrnoToStatus(errno, fmt::format("{}: the file cannot be read", path));
  }
  std::string text;
  absl::Status status = ReadWholeFile(real.get(), true, &text);
  if (status.ok()) status = ReplaceFile(real.get(), RewriteConfigText(text, config));
  return status;
}

}  // namespace gub
