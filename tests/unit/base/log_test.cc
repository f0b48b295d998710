#include "base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/base/temp_dir.h"

namespace gub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Start(const std::string& loglevel, const std::string& logfile) {
  const absl::Status status = StartLogging(loglevel, logfile);
  return status.ok() ? "OK" : std::string(ToStd(status.message()));
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The level and the sentence of each line, without its time.
std::vector<std::string> WithoutTimes(const std::string& text) {
  std::vector<std::string> lines = Lines(text);
  for (std::string& line : lines) line = line.substr(line.find(' ') + 1);
  return lines;
}

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { StopLogging(); }

  const TempDir dir_;
  const std::string path_ = dir_.Path("gub.log");
};

void LogALineOfEachLevel() {
  GUB_LOG(debug, "one");
  GUB_LOG(info, "two");
  GUB_LOG(warn, "three");
  GUB_LOG(error, "four");
  GUB_LOG(critical, "five");
}

TEST_F(LogTest, WritesTimeLevelAndSentence) {
  ASSERT_EQ(Start("notice", path_), "OK");
  GUB_LOG(info, "listening address={} port={}", "::1", 7379);
  StopLogging();
  EXPECT_THAT(ReadFile(path_),
              testing::MatchesRegex("[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-"
                                    "9]:[0-6][0-9]\\.[0-9][0-9][0-9]Z notice listening "
                                    "address=::1 port=7379\n"));
}

// In a zone that is half a day away local time would show.
TEST_F(LogTest, WritesTheTimeInUtc) {
  setenv("TZ", "XXX-12", 1);
  tzset();
  ASSERT_EQ(Start("notice", path_), "OK");
  const time_t before = time(nullptr);
  GUB_LOG(info, "x");
  StopLogging();
  unsetenv("TZ");
  tzset();
  const std::string text = ReadFile(path_);
  std::tm written{};
  ASSERT_NE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &written), nullptr) << text;
  EXPECT_LT(std::abs(timegm(&written) - before), 3600);
}

TEST_F(LogTest, WritesFromTheLevelThatIsAskedFor) {
  struct Case {
    std::string loglevel;
    size_t lines;
  };
  for (const Case& c : {Case{"debug", 5}, {"verbose", 5}, {"notice", 4}, {"warning", 3}}) {
    const std::vector<std::string> all = {"debug one", "notice two", "warning three", "error four",
                                          "critical five"};
    const std::string path = dir_.Path(c.loglevel);
    ASSERT_EQ(Start(c.loglevel, path), "OK");
    LogALineOfEachLevel();
    StopLogging();
    EXPECT_EQ(WithoutTimes(ReadFile(path)),
              std::vector<std::string>(all.end() - static_cast<int>(c.lines), all.end()))
        << c.loglevel;
  }
}

TEST_F(LogTest, AppendsToAFileThatIsThere) {
  dir_.Write("gub.log", "earlier line\n");
  ASSERT_EQ(Start("notice", path_), "OK");
  GUB_LOG(info, "x");
  StopLogging();
  EXPECT_THAT(WithoutTimes(ReadFile(path_)), ElementsAre("line", "notice x"));
}

TEST_F(LogTest, WritesToStderr) {
  testing::internal::CaptureStderr();
  ASSERT_EQ(Start("notice", "stderr"), "OK");
  GUB_LOG(info, "x");
  StopLogging();
  EXPECT_THAT(WithoutTimes(testing::internal::GetCapturedStderr()), ElementsAre("notice x"));
}

TEST_F(LogTest, WritesToStderrWhatComesAfterTheStop) {
  ASSERT_EQ(Start("warning", path_), "OK");
  StopLogging();
  StopLogging();  // again: no change
  testing::internal::CaptureStderr();
  GUB_LOG(info, "x");
  GUB_LOG(warn, "y");
  EXPECT_THAT(WithoutTimes(testing::internal::GetCapturedStderr()), ElementsAre("warning y"));
  EXPECT_EQ(ReadFile(path_), "");
}

TEST_F(LogTest, MovesToAnotherFileWhenItIsStartedAgain) {
  ASSERT_EQ(Start("notice", path_), "OK");
  GUB_LOG(info, "x");
  ASSERT_EQ(Start("notice", dir_.Path("second.log")), "OK");
  GUB_LOG(info, "y");
  StopLogging();
  EXPECT_THAT(WithoutTimes(ReadFile(path_)), ElementsAre("notice x"));
  EXPECT_THAT(WithoutTimes(ReadFile(dir_.Path("second.log"))), ElementsAre("notice y"));
}

TEST_F(LogTest, SaysWhyItCannotStartAndGoesOnAsBefore) {
  ASSERT_EQ(Start("notice", path_), "OK");
  EXPECT_EQ(Start("notice", dir_.Path("none/gub.log")),
            "the log file '" + dir_.Path("none/gub.log") +
                "' cannot be opened: No such file or directory");
  EXPECT_EQ(Start("notice", dir_.Path(".")),
            "the log file '" + dir_.Path(".") + "' cannot be opened: Is a directory");
  EXPECT_EQ(Start("info", dir_.Path("other.log")), "unknown loglevel 'info'");
  EXPECT_NE(access(dir_.Path("other.log").c_str(), F_OK), 0);
  GUB_LOG(info, "x");
  StopLogging();
  EXPECT_THAT(WithoutTimes(ReadFile(path_)), ElementsAre("notice x"));
}

// /dev/full takes no byte: the line is lost, and that is all.
TEST_F(LogTest, OutlivesAFullDisk) {
  ASSERT_EQ(Start("notice", "/dev/full"), "OK");
  for (int i = 0; i < 100; ++i) GUB_LOG(info, "x");
  StopLogging();
}

// A pipe that nobody reads stands for a disk that has stopped. If a full queue made the writer
// wait, this test would not end.
TEST_F(LogTest, DropsTheOldestLinesRatherThanMakeTheWriterWait) {
  constexpr int kLines = 20'000;
  const std::string fifo = dir_.Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int fd = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);  // so that the log can open it
  ASSERT_GE(fd, 0);
  ASSERT_EQ(Start("notice", fifo), "OK");
  const std::string filling(100, '.');
  for (int i = 0; i < kLines; ++i) GUB_LOG(info, "{} i={}", filling, i);

  ASSERT_EQ(fcntl(fd, F_SETFL, 0), 0);  // reads wait from now on
  std::string text;
  std::thread reader([&] {
    std::array<char, 4096> chunk;
    for (ssize_t n; (n = read(fd, chunk.data(), chunk.size())) > 0;) {
      text.append(chunk.data(), static_cast<size_t>(n));
    }
  });
  StopLogging();
  reader.join();
  close(fd);

  const std::vector<std::string> lines = Lines(text);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_LT(lines.size(), 10'000u);  // bounded: the queue and what the pipe holds
  EXPECT_THAT(lines[lines.size() - 2], testing::EndsWith("i=" + std::to_string(kLines - 1)));
  EXPECT_THAT(lines.back(), HasSubstr(" warning log lines were dropped"));
  // The count is made before the line that tells it, which may push out one more.
  const int dropped = std::stoi(lines.back().substr(lines.back().rfind('=') + 1));
  const int missing = kLines - static_cast<int>(lines.size() - 1);
  EXPECT_GE(missing, dropped);
  EXPECT_LE(missing, dropped + 1);
}

TEST_F(LogTest, KeepsLinesOfManyThreadsWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 500;
  ASSERT_EQ(Start("notice", path_), "OK");
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < kLines; ++i) GUB_LOG(info, "thread={} i={} end", t, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  StopLogging();
  std::vector<int> next(kThreads, 0);
  for (const std::string& line : WithoutTimes(ReadFile(path_))) {
    int t = -1;
    int i = -1;
    ASSERT_EQ(sscanf(line.c_str(), "notice thread=%d i=%d end", &t, &i), 2) << line;
    ASSERT_TRUE(t >= 0 && t < kThreads) << line;
    EXPECT_EQ(i, next[static_cast<size_t>(t)]++) << line;
  }
  EXPECT_EQ(next, std::vector<int>(kThreads, kLines));
}

TEST_F(LogTest, WritesOneLineInAnIntervalAtEachPlace) {
  ASSERT_EQ(Start("notice", path_), "OK");
  for (int i = 0; i < 3; ++i) {
    GUB_LOG_EVERY(3'600'000, info, "a i={}", i);
    GUB_LOG_EVERY(3'600'000, warn, "b");
    GUB_LOG_EVERY(0, info, "c");
  }
  StopLogging();
  EXPECT_THAT(WithoutTimes(ReadFile(path_)),
              ElementsAre("notice a i=0 held_back=0", "warning b held_back=0",
                          "notice c held_back=0", "notice c held_back=0", "notice c held_back=0"));
}

TEST(LogGateTest, LetsOneThroughInEveryIntervalAndTellsHowManyWereHeldBack) {
  constexpr int64_t kMs = 1'000'000;
  LogGate gate;
  uint64_t held_back = 99;
  EXPECT_TRUE(gate.Pass(5 * kMs, 1000, &held_back));
  EXPECT_EQ(held_back, 0u);
  EXPECT_FALSE(gate.Pass(5 * kMs, 1000, &held_back));
  EXPECT_FALSE(gate.Pass(1005 * kMs - 1, 1000, &held_back));
  EXPECT_TRUE(gate.Pass(1005 * kMs, 1000, &held_back));
  EXPECT_EQ(held_back, 2u);
  EXPECT_FALSE(gate.Pass(1006 * kMs, 1000, &held_back));
  EXPECT_TRUE(gate.Pass(9000 * kMs, 1000, &held_back));
  EXPECT_EQ(held_back, 1u);
  EXPECT_TRUE(gate.Pass(10'000 * kMs, 1000, &held_back));
  EXPECT_EQ(held_back, 0u);
}

TEST(LogGateTest, KeepsTheIntervalWhenThreadsMeet) {
  constexpr int64_t kEvents = 200'000;
  constexpr int64_t kIntervalMs = 3;
  LogGate gate;
  std::atomic<int64_t> clock_ms{0};
  std::array<std::vector<int64_t>, 2> passed_ms;
  const auto knock = [&](std::vector<int64_t>* passed) {
    for (int64_t now_ms; (now_ms = clock_ms.fetch_add(1)) < kEvents;) {
      uint64_t held_back = 0;
      if (gate.Pass(now_ms * 1'000'000, kIntervalMs, &held_back)) passed->push_back(now_ms);
    }
  };
  std::thread other(knock, &passed_ms[1]);
  knock(&passed_ms[0]);
  other.join();
  std::vector<int64_t> all_ms = passed_ms[0];
  all_ms.insert(all_ms.end(), passed_ms[1].begin(), passed_ms[1].end());
  std::sort(all_ms.begin(), all_ms.end());
  for (size_t i = 1; i < all_ms.size(); ++i) ASSERT_GE(all_ms[i] - all_ms[i - 1], kIntervalMs);
}

TEST(LogGateTest, CountsEveryEventOnceWhenThreadsMeet) {
  constexpr uint64_t kEvents = 20'000;
  LogGate gate;
  std::array<uint64_t, 2> told{};  // passed, and held back before one that passed
  const auto knock = [&](uint64_t* sum) {
    for (uint64_t i = 0; i < kEvents; ++i) {
      uint64_t held_back = 0;
      if (gate.Pass(static_cast<int64_t>(i) * 100'000, 1, &held_back)) *sum += 1 + held_back;
    }
  };
  std::thread other(knock, &told[1]);
  knock(&told[0]);
  other.join();
  uint64_t held_back = 0;
  ASSERT_TRUE(gate.Pass(INT64_MAX / 2, 1, &held_back));
  EXPECT_EQ(told[0] + told[1] + held_back, 2 * kEvents);
}

}  // namespace
}  // namespace gub
