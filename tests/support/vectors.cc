#include "tests/support/vectors.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

namespace gub {
namespace {

constexpr const char* kFiles[] = {"gubernator.vec", "field.vec", "random.vec"};

// Where the reader stands, for the message of the line that it cannot read.
struct Place {
  std::string file;
  int line = 0;
  std::string text;
};

[[noreturn]] void Fail(const Place& place, const char* why) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", place.file.c_str(), place.line, why, place.text.c_str());
  std::abort();
}

std::optional<int64_t> ToInt64(std::string_view word) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<CalendarUnit> ToCalendarUnit(std::string_view word) {
  static const std::map<std::string_view, CalendarUnit> units = {
      {"minute", CalendarUnit::kMinute}, {"hour", CalendarUnit::kHour},
      {"day", CalendarUnit::kDay},       {"week", CalendarUnit::kWeek},
      {"month", CalendarUnit::kMonth},   {"year", CalendarUnit::kYear}};
  const auto found = units.find(word);
  if (found == units.end()) return std::nullopt;
  return found->second;
}

// The words of one line, each taken once and none missing.
class Words {
 public:
  explicit Words(const Place& place) : place_(place), in_(place.text) {}

  // The next word; "" at the end of the line.
  std::string TakeAny() {
    std::string word;
    in_ >> word;
    return word;
  }

  std::string Take() {
    std::string word = TakeAny();
    if (word.empty()) Fail(place_, "a word is missing");
    return word;
  }

  void Expect(std::string_view wanted) {
    if (TakeAny() != wanted) Fail(place_, "a fixed word is missing");
  }

  int64_t TakeInt64() { return Int64Of(Take()); }

  int64_t Int64Of(std::string_view word) const {
    const std::optional<int64_t> value = ToInt64(word);
    if (!value.has_value()) Fail(place_, "not a number");
    return *value;
  }

 private:
  const Place& place_;
  std::istringstream in_;
};

// [burst=N] [drain] [reset] ->
void ReadOptions(const Place& place, Words* words, VectorStep* step) {
  constexpr std::string_view kBurst = "burst=";
  for (std::string word = words->Take(); word != "->"; word = words->Take()) {
    if (word.starts_with(kBurst)) {
      step->burst = word.substr(kBurst.size());
    } else if (word == "drain") {
      step->drain = true;
    } else if (word == "reset") {
      step->reset = true;
    } else {
      Fail(place, "an unknown option");
    }
  }
}

// ERR, or STATUS REMAINING RESET RETRY_AFTER with RESET after T0.
void ReadWanted(const Place& place, Words* words, VectorStep* step) {
  const std::string status = words->Take();
  step->is_error = status == "ERR";
  if (!step->is_error) {
    if (status != "UNDER" && status != "OVER") Fail(place, "an unknown status");
    step->want.status = status == "OVER" ? LimitStatus::kOver : LimitStatus::kUnder;
    step->want.remaining = words->TakeInt64();
    step->want.reset_ms = kVectorT0Ms + words->TakeInt64();
    step->want.retry_after_ms = words->TakeInt64();
  }
  if (!words->TakeAny().empty()) Fail(place, "words after the end");
}

// @T hit NAME KEY HITS LIMIT DURATION ALGORITHM [burst=N] [drain] [reset] -> …, T after T0.
VectorStep ReadStep(const Place& place) {
  VectorStep step;
  step.line = place.line;
  step.text = place.text;
  Words words(place);
  const std::string at = words.Take();
  if (at[0] != '@') Fail(place, "neither a case nor a step");
  step.now_ms = kVectorT0Ms + words.Int64Of(std::string_view(at).substr(1));
  words.Expect("hit");
  for (std::string* word :
       {&step.name, &step.key, &step.hits, &step.limit, &step.duration, &step.algorithm}) {
    *word = words.Take();
  }
  ReadOptions(place, &words, &step);
  ReadWanted(place, &words, &step);
  return step;
}

bool IsBlankOrComment(const std::string& line) {
  const size_t first = line.find_first_not_of(' ');
  return first == std::string::npos || line[first] == '#';
}

void ReadFile(const std::string& file, std::vector<VectorCase>* cases) {
  constexpr std::string_view kCase = "case ";
  Place place{.file = file, .line = 0, .text = ""};
  std::ifstream in(GUB_SOURCE_DIR "/tests/vectors/" + file);
  const size_t cases_before = cases->size();
  while (std::getline(in, place.text)) {
    ++place.line;
    if (IsBlankOrComment(place.text)) continue;
    if (place.text.starts_with(kCase)) {
      cases->push_back({.file = file, .name = place.text.substr(kCase.size()), .steps = {}});
    } else {
      if (cases->size() == cases_before) Fail(place, "a step outside a case");
      cases->back().steps.push_back(ReadStep(place));
    }
  }
  if (cases->size() == cases_before) Fail(place, "no case: is the file there?");
}

std::optional<Period> ToPeriod(const std::string& duration) {
  if (const auto unit = ToCalendarUnit(duration)) return Period::Calendar(*unit);
  const std::optional<int64_t> ms = ToInt64(duration);
  if (!ms.has_value() || *ms < 1 || *ms > Period::kMaxMs) return std::nullopt;
  return Period::Ms(*ms);
}

std::optional<Algorithm> ToAlgorithm(const std::string& word) {
  if (word == "token") return Algorithm::kToken;
  if (word == "leaky") return Algorithm::kLeaky;
  return std::nullopt;
}

// "" and 0 are the limit, as in GUB.HIT.
std::optional<int64_t> ToBurst(const std::string& word) {
  const std::optional<int64_t> burst = word.empty() ? 0 : ToInt64(word);
  if (!burst.has_value() || *burst < 0) return std::nullopt;
  return *burst == 0 ? Request::kBurstIsLimit : *burst;
}

}  // namespace

std::vector<VectorCase> LoadVectors() {
  std::vector<VectorCase> cases;
  for (const char* file : kFiles) ReadFile(file, &cases);
  return cases;
}

bool ToRequest(const VectorStep& step, Request* request) {
  const std::optional<int64_t> hits = ToInt64(step.hits);
  const std::optional<int64_t> limit = ToInt64(step.limit);
  const std::optional<int64_t> burst = ToBurst(step.burst);
  const std::optional<Period> period = ToPeriod(step.duration);
  const std::optional<Algorithm> algorithm = ToAlgorithm(step.algorithm);
  if (!hits || !limit || *limit < 0 || !burst || !period || !algorithm) return false;
  *request = {.name = step.name,
              .key = step.key,
              .hits = *hits,
              .limit = *limit,
              .burst = *burst,
              .period = *period,
              .behavior = (step.drain ? kDrainOverLimit : 0u) | (step.reset ? kResetRemaining : 0u),
              .algorithm = *algorithm,
              .on_fail = OnFail::kDefault};
  return true;
}

}  // namespace gub
