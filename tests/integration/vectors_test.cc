// The contract's examples, tests/vectors/*.vec, through a real server: every line of them, in every
// way in which a client may spell a request.

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/raw_client.h"
#include "tests/support/server_process.h"
#include "tests/support/vectors.h"

namespace gub {
namespace {

using Words = std::vector<std::string>;

// What is asked for and what is looked at: the array has no retry_after.
enum class Shape { kArray, kFullInResp2, kFullInResp3 };

// One of the spellings of a word, in turn.
class Spelling {
 public:
  std::string Of(const Words& spellings) { return spellings[turn_++ % spellings.size()]; }
  size_t Next() { return turn_++; }

 private:
  size_t turn_ = 0;
};

std::string AlgorithmOf(const VectorStep& step, Spelling* spelling) {
  if (step.algorithm == "token") return spelling->Of({"token", "TOKEN_BUCKET", "0", "Token"});
  if (step.algorithm == "leaky") return spelling->Of({"leaky", "leaky_bucket", "1", "LEAKY"});
  return step.algorithm;
}

// The same number of ms in the largest unit that holds it exactly, every other time.
std::string DurationOf(const VectorStep& step, Spelling* spelling) {
  int64_t ms = 0;
  const std::string& word = step.duration;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), ms);
  const bool is_ms = error == std::errc() && end == word.data() + word.size() && ms > 0;
  if (!is_ms || spelling->Next() % 2 == 0) return word;
  constexpr std::pair<int64_t, const char*> kUnits[] = {
      {86'400'000, "d"}, {3'600'000, "H"}, {60'000, "m"}, {1'000, "s"}};
  for (const auto& [unit_ms, unit] : kUnits) {
    if (ms % unit_ms == 0) return std::to_string(ms / unit_ms) + unit;
  }
  return std::to_string(ms) + "mS";
}

// DURATION, algorithm and behavior; a calendar word also as its code with the behavior's bit 4.
Words MiddleOf(const VectorStep& step, Spelling* spelling) {
  static const std::map<std::string, std::string> codes = {
      {"minute", "0"}, {"hour", "1"}, {"day", "2"}, {"week", "3"}, {"month", "4"}, {"year", "5"}};
  static const Words spellings[] = {
      {"0", "BATCHING", "No_Batching", "batching|GLOBAL"},
      {"32", "DRAIN_OVER_LIMIT", "drain_over_limit,no_batching", "33"},
      {"8", "RESET_REMAINING", "reset_remaining|multi_region", "10"},
      {"40", "RESET_REMAINING,DRAIN_OVER_LIMIT", "drain_over_limit|Reset_Remaining", "58"},
  };
  const std::string algorithm = AlgorithmOf(step, spelling);
  const bool plain = !step.drain && !step.reset;
  const auto code = codes.find(step.duration);
  if (code != codes.end() && plain && spelling->Next() % 2 == 0) {
    return {code->second, algorithm, spelling->Of({"4", "duration_is_gregorian", "5"})};
  }
  Words words = {DurationOf(step, spelling), algorithm};
  const size_t row = (step.drain ? 1 : 0) + (step.reset ? 2 : 0);
  if (!plain || spelling->Next() % 3 == 0) words.push_back(spelling->Of(spellings[row]));
  return words;
}

Words CommandOf(const VectorStep& step, Shape shape, Spelling* spelling) {
  Words words = {"GUB.HIT", step.name, step.key, step.hits, step.limit};
  for (const std::string& word : MiddleOf(step, spelling)) words.push_back(word);
  if (!step.burst.empty()) {
    words.push_back(spelling->Of({"BURST", "burst"}));
    words.push_back(step.burst);
  }
  if (shape != Shape::kArray) words.push_back(spelling->Of({"FULL", "full"}));
  return words;
}

RespReply WantedOf(const VectorStep& step, Shape shape, const std::string& owner) {
  const Decision& want = step.want;
  const auto status = static_cast<int64_t>(want.status);
  if (shape == Shape::kArray) return RespReply::Integers({status, want.remaining, want.reset_ms});
  std::vector<RespReply> items;
  const auto add = [&items](const char* name, RespReply value) {
    items.push_back(RespReply::Bulk(name));
    items.push_back(std::move(value));
  };
  add("status", RespReply::Integer(status));
  add("limit", RespReply::Integer(std::stoll(step.limit)));
  add("remaining", RespReply::Integer(want.remaining));
  add("reset", RespReply::Integer(want.reset_ms));
  add("retry_after", RespReply::Integer(want.retry_after_ms));
  add("owner", RespReply::Bulk(owner));
  add("degraded", RespReply::Integer(0));
  return shape == Shape::kFullInResp2 ? RespReply::Array(items) : RespReply::Map(items);
}

class ServerVectorsTest : public ::testing::TestWithParam<std::tuple<const char*, Shape>> {
 protected:
  // A case in one pipeline: an empty store, and the clock before each step.
  void CheckCase(const VectorCase& vector_case) {
    std::string pipeline = EncodeCommand({"FLUSHALL"});
    for (const VectorStep& step : vector_case.steps) {
      pipeline += EncodeCommand({"GUB.DEBUG", "CLOCK", "SET", std::to_string(step.now_ms)});
      pipeline += EncodeCommand(CommandOf(step, shape_, &spelling_));
    }
    ASSERT_TRUE(client_.Send(pipeline));
    const size_t count = 1 + 2 * vector_case.steps.size();
    const std::vector<RespReply> replies = client_.ReadReplies(count);
    ASSERT_EQ(replies.size(), count) << vector_case.file << ": case " << vector_case.name;
    for (size_t i = 0; i < vector_case.steps.size(); ++i) {
      CheckStep(vector_case, vector_case.steps[i], replies[2 + 2 * i]);
    }
  }

  void CheckStep(const VectorCase& vector_case, const VectorStep& step, const RespReply& got) {
    SCOPED_TRACE(vector_case.file + ":" + std::to_string(step.line) + ": case " + vector_case.name +
                 "\n" + step.text);
    if (step.is_error) {
      EXPECT_TRUE(got.IsError()) << "got " << ::testing::PrintToString(got);
    } else {
      EXPECT_EQ(got, WantedOf(step, shape_, owner_));
    }
  }

  const Shape shape_ = std::get<1>(GetParam());
  ServerProcess server_{{"--enable-debug-commands", "yes"}};
  const std::string owner_ = "127.0.0.1:" + std::to_string(server_.port());
  RawClient client_{server_.port()};
  Spelling spelling_;
};

TEST_P(ServerVectorsTest, EveryLineOfTheFileHolds) {
  if (shape_ == Shape::kFullInResp3) {
    client_.Run({"HELLO", "3"});
  }
  size_t steps = 0;
  for (const VectorCase& vector_case : LoadVectors()) {
    if (vector_case.file != std::get<0>(GetParam())) continue;
    CheckCase(vector_case);
    steps += vector_case.steps.size();
  }
  EXPECT_GT(steps, 0u);
}

std::string NameOf(const ::testing::TestParamInfo<ServerVectorsTest::ParamType>& info) {
  constexpr const char* kShapes[] = {"AsArray", "FullInResp2", "FullInResp3"};
  const auto& [file, shape] = info.param;
  return std::string(file, std::strcspn(file, ".")) + kShapes[static_cast<size_t>(shape)];
}

INSTANTIATE_TEST_SUITE_P(
    Files, ServerVectorsTest,
    ::testing::Combine(::testing::Values("gubernator.vec", "field.vec", "random.vec"),
                       ::testing::Values(Shape::kArray, Shape::kFullInResp2, Shape::kFullInResp3)),
    NameOf);

}  // namespace
}  // namespace gub
