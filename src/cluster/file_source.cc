#include "cluster/file_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr int64_t kNsPerS = 1'000'000'000;

int64_t NsOf(const timespec& time) { return time.tv_sec * kNsPerS + time.tv_nsec; }

std::string TextOf(int error) { return std::generic_category().message(error); }

// Why the file could not be read, or "". O_NONBLOCK, or a pipe of that name would hold the loop.
std::string ReadFile(const std::string& path, std::string* text) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return TextOf(errno);
  std::array<char, 16 * 1024> chunk;
  ssize_t count = 0;
  while (text->size() <= FileSource::kMaxBytes &&
         (count = read(fd, chunk.data(), chunk.size())) > 0) {
    text->append(chunk.data(), static_cast<size_t>(count));
  }
  const int error = errno;
  close(fd);
  if (count < 0) return TextOf(error);
  return text->size() > FileSource::kMaxBytes ? "it is too long" : "";
}

// Line by line, so that an error tells where it is.
absl::StatusOr<std::vector<Member>> ReadLines(std::string_view text, int default_port) {
  std::vector<Member> members;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    absl::StatusOr<std::vector<Member>> some =
        ParseMembers(line.substr(0, line.find('#')), default_port);
    if (!some.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("line {}: {}", number, ToStd(some.status().message())));
    }
    members.insert(members.end(), some->begin(), some->end());
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return MergeMembers(std::move(members));
}

}  // namespace

FileSource::FileSource(Loop* loop, std::string path, int default_port)
    : path_(std::move(path)), default_port_(default_port), look_(loop, [this] { Look(); }) {}

void FileSource::Start(OnMembers on_members, OnTrouble on_trouble) {
  on_members_ = std::move(on_members);
  on_trouble_ = std::move(on_trouble);
  look_.Start(0, kLookMs);
}

void FileSource::Leave(std::function<void()> on_done) {
  look_.Stop();
  on_done();
}

FileSource::State FileSource::LookAt() const {
  struct stat file;
  if (stat(path_.c_str(), &file) != 0) return {.error = errno};
  return {.device = file.st_dev,
          .inode = file.st_ino,
          .size = file.st_size,
          .modified_ns = NsOf(file.st_mtim),
          .changed_ns = NsOf(file.st_ctim)};
}

void FileSource::Look() {
  const State state = LookAt();
  const bool settled = !looked_ || (state == seen_ && state != read_);
  looked_ = true;
  seen_ = state;
  if (settled) Read();
}

void FileSource::Read() {
  std::string text;
  const std::string error = ReadFile(path_, &text);
  // When it changed meanwhile, what was read may be half of each.
  if (error.empty() && LookAt() != seen_) return;
  read_ = seen_;
  if (!error.empty()) return on_trouble_(fmt::format("'{}' cannot be read: {}", path_, error));
  absl::StatusOr<std::vector<Member>> members = ReadLines(text, default_port_);
  if (!members.ok()) {
    return on_trouble_(fmt::format("'{}', {}", path_, ToStd(members.status().message())));
  }
  if (members->empty()) return on_trouble_(fmt::format("'{}' names no member", path_));
  on_members_(*std::move(members));
}

}  // namespace gub
