// Series: the lines of one metric, in the making.
//
// Threads:  one at a time.

#ifndef GUB_COMMAND_METRIC_SERIES_H_
#define GUB_COMMAND_METRIC_SERIES_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "command/command_stats.h"
#include "fmt/format.h"

namespace gub {

class Series {
 public:
  Series(std::string_view name, std::string* text) : name_(name), text_(text) {}

  template <typename Value>
  void Add(const Value& value) {
    fmt::format_to(std::back_inserter(*text_), "{} {}\n", name_, value);
  }
  // label: of a value that has no quote, backslash or line's end in it.
  template <typename Value>
  void Add(std::string_view label, std::string_view of, const Value& value) {
    fmt::format_to(std::back_inserter(*text_), "{}{{{}=\"{}\"}} {}\n", name_, label, of, value);
  }
  template <typename Value>
  void AddLabelled(std::string_view labels, const Value& value) {
    fmt::format_to(std::back_inserter(*text_), "{}{{{}}} {}\n", name_, labels, value);
  }

  // The calls of a command or the like, by the time they took.
  void AddHistogram(std::string_view label, std::string_view of,
                    const CommandStats::Totals& totals) {
    const auto put = std::back_inserter(*text_);
    uint64_t calls = 0;
    for (size_t cell = 0; cell + 1 < CommandStats::kCells; ++cell) {
      calls += totals.by_us[cell];
      fmt::format_to(put, "{}_bucket{{{}=\"{}\",le=\"{}\"}} {}\n", name_, label, of,
                     static_cast<double>(uint64_t{1} << cell) / 1e6, calls);
    }
    // Of the cells, so that the last is never below one before it.
    calls += totals.by_us[CommandStats::kCells - 1];
    fmt::format_to(put,
                   "{0}_bucket{{{1}=\"{2}\",le=\"+Inf\"}} {3}\n{0}_sum{{{1}=\"{2}\"}} {4}\n"
                   "{0}_count{{{1}=\"{2}\"}} {3}\n",
                   name_, label, of, calls, static_cast<double>(totals.ns) / 1e9);
  }

  // A sum and how many there were.
  void AddSummary(std::string_view label, std::string_view of, double sum, uint64_t count) {
    fmt::format_to(std::back_inserter(*text_),
                   "{0}_sum{{{1}=\"{2}\"}} {3}\n{0}_count{{{1}=\"{2}\"}} {4}\n", name_, label, of,
                   sum, count);
  }

 private:
  const std::string_view name_;
  std::string* const text_;
};

}  // namespace gub

#endif  // GUB_COMMAND_METRIC_SERIES_H_
