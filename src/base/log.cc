#include "base/log.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"
#include "spdlog/async.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/base_sink.h"

namespace gub {
namespace {

constexpr size_t kQueueLines = 4096;  // about 1.5 MB
constexpr int64_t kNsPerMs = 1'000'000;

// spdlog's name of the level from which lines are written.
struct LevelRow {
  std::string_view loglevel;
  spdlog::level::level_enum from;
};
constexpr LevelRow kLevels[] = {
    {"debug", spdlog::level::debug},
    {"verbose", spdlog::level::debug},
    {"notice", spdlog::level::info},
    {"warning", spdlog::level::warn},
};

// The level's word in a line, so that it is the one that the option `loglevel` has.
class LevelWord final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string_view word = WordOf(line.level);
    out.append(word.data(), word.data() + word.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelWord>();
  }

 private:
  static std::string_view WordOf(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::info:
        return "notice";
      case spdlog::level::warn:
        return "warning";
      case spdlog::level::err:
        return "error";
      case spdlog::level::critical:
        return "critical";
      default:
        return "debug";
    }
  }
};

std::unique_ptr<spdlog::formatter> MakeFormatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<LevelWord>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %* %v");
  return formatter;
}

// Writes each line at once to a file descriptor. spdlog's own file sink is not used because it
// throws, and sleeps, when the file cannot be opened.
class FdSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // Takes fd over, but not stderr.
  explicit FdSink(int fd) : base_sink(MakeFormatter()), fd_(fd) {}
  ~FdSink() override {
    if (fd_ != STDERR_FILENO) close(fd_);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string_view left(line.data(), line.size());
    while (!left.empty()) {
      if (!CanWrite()) return;
      const ssize_t n = write(fd_, left.data(), left.size());
      if (n > 0) {
        left.remove_prefix(static_cast<size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        return;  // a full disk costs lines, not the server
      }
    }
  }
  void flush_() override {}

  // A pipe that nobody reads costs one wait, and then lines, not the server's end.
  bool CanWrite() {
    pollfd ready = {fd_, POLLOUT, 0};
    can_write_ = poll(&ready, 1, can_write_ ? kPatienceMs : 0) != 0;
    return can_write_;
  }

  static constexpr int kPatienceMs = 1000;
  const int fd_;
  bool can_write_ = true;
};

void MakeDefault(std::shared_ptr<spdlog::logger> logger, spdlog::level::level_enum from) {
  logger->set_level(from);
  spdlog::set_default_logger(std::move(logger));
}

const LevelRow* FindLevel(const std::string& loglevel) {
  for (const LevelRow& row : kLevels) {
    if (row.loglevel == loglevel) return &row;
  }
  return nullptr;
}

}  // namespace

void SetLogLevel(const std::string& loglevel) {
  const LevelRow* const level = FindLevel(loglevel);
  if (level != nullptr) spdlog::default_logger_raw()->set_level(level->from);
}

absl::Status StartLogging(const std::string& loglevel, const std::string& logfile) {
  const LevelRow* const level = FindLevel(loglevel);
  if (level == nullptr) {
    return absl::InvalidArgumentError(fmt::format("unknown loglevel '{}'", Escape(loglevel)));
  }

  int fd = STDERR_FILENO;
  if (logfile != "stderr") {
    fd = open(logfile.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
      return absl::ErrnoToStatus(errno, fmt::format("the log file '{}' cannot be opened",
                                                    Escape(logfile, logfile.size())));
    }
  }
  auto sink = std::make_shared<FdSink>(fd);
  StopLogging();
  spdlog::init_thread_pool(kQueueLines, 1);
  MakeDefault(std::make_shared<spdlog::async_logger>("gub", std::move(sink), spdlog::thread_pool(),
                                                     spdlog::async_overflow_policy::overrun_oldest),
              level->from);
  return absl::OkStatus();
}

void StopLogging() {
  auto pool = spdlog::thread_pool();
  if (pool == nullptr) return;
  const size_t dropped = pool->overrun_counter();
  if (dropped > 0) GUB_LOG(warn, "log lines were dropped, the log is too slow count={}", dropped);

  const auto from = spdlog::default_logger_raw()->level();
  spdlog::shutdown();
  pool.reset();  // the last owner: writes what is queued and joins the thread
  MakeDefault(std::make_shared<spdlog::logger>("gub", std::make_shared<FdSink>(STDERR_FILENO)),
              from);
}

bool LogGate::Pass(int64_t now_mono_ns, int64_t interval_ms, uint64_t* held_back) {
  int64_t next_mono_ns = next_mono_ns_.load(std::memory_order_relaxed);
  const bool passes =
      now_mono_ns >= next_mono_ns &&
      next_mono_ns_.compare_exchange_strong(next_mono_ns, now_mono_ns + interval_ms * kNsPerMs,
                                            std::memory_order_relaxed);
  if (!passes) {
    held_back_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  *held_back = held_back_.exchange(0, std::memory_order_relaxed);
  return true;
}

}  // namespace gub
