// What a RequestParser allocates: nothing once warm, nothing for what was only announced, and only
// a little of what it needed for a large request is kept. This file replaces operator new for the
// whole executable, to count.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <string_view>

#include "base/byte_buffer.h"
#include "proto/reply_writer.h"
#include "proto/request_parser.h"
#include "tests/unit/proto/requests.h"

namespace {
size_t allocations = 0;
size_t live_bytes = 0;

void* Allocate(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  ++allocations;
  live_bytes += malloc_usable_size(memory);
  return memory;
}

void Release(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { Release(memory); }
void operator delete[](void* memory) noexcept { Release(memory); }
void operator delete(void* memory, size_t) noexcept { Release(memory); }
void operator delete[](void* memory, size_t) noexcept { Release(memory); }

namespace gub {
namespace {

using Outcome = RequestParser::Outcome;

constexpr size_t kKeptBytes = 5000;  // as the parser's header says

TEST(RequestMemoryTest, AllocatesNothingOnceWarm) {
  const std::string array = ArrayOf(6);
  const std::string line = "GUB.HIT a \"a longer key\" 1 100 1m\r\n";
  const std::string part = array.substr(0, array.size() / 2);
  RequestParser parser({});
  size_t cold = 0;
  for (int round = 0; round < 30; ++round) {
    for (const std::string& request : {std::cref(array), std::cref(line)}) {
      ASSERT_EQ(parser.Next(request), Outcome::kRequest);
    }
    ASSERT_EQ(parser.Next(part), Outcome::kNeedMore);
    ASSERT_EQ(parser.Next(array), Outcome::kRequest);
    ASSERT_EQ(parser.Next(""), Outcome::kNeedMore);
    if (round == 0) cold = allocations;
  }
  EXPECT_EQ(allocations, cold);
}

TEST(RequestMemoryTest, AllocatesNothingForWhatWasOnlyAnnounced) {
  RequestParser parser({.max_args = 1 << 30, .max_bulk_bytes = size_t{1} << 40});
  const size_t before = allocations;
  ASSERT_EQ(parser.Next("*1000000000\r\n$1000000000000\r\n"), Outcome::kNeedMore);
  EXPECT_EQ(allocations, before);
  ASSERT_EQ(parser.Next("*1000000000\r\n$1000000000000\r\nabc"), Outcome::kNeedMore);
  EXPECT_EQ(allocations, before);
}

TEST(RequestMemoryTest, GivesBackWhatALargeRequestNeeded) {
  const std::string large = ArrayOf(100000);
  std::string quoted = "\"";
  quoted += std::string(60000, 'a') + "\"\r\n";
  const size_t before = live_bytes;
  RequestParser parser({.max_args = 100000});
  ASSERT_EQ(parser.Next(std::string_view(large).substr(0, 500000)), Outcome::kNeedMore);
  ASSERT_EQ(parser.Next(large), Outcome::kRequest);
  EXPECT_GT(live_bytes, before + 100000 * sizeof(std::string_view));
  ASSERT_EQ(parser.Next(quoted), Outcome::kRequest);
  ASSERT_EQ(parser.Next(""), Outcome::kNeedMore);
  EXPECT_LT(live_bytes, before + kKeptBytes);
  ASSERT_EQ(parser.Next(quoted), Outcome::kRequest) << "and reads on as before";
  ASSERT_EQ(parser.Next(large), Outcome::kRequest);
}

TEST(RequestMemoryTest, ReplyWriterAllocatesNothingOnceWarm) {
  ByteBuffer out;
  ReplyWriter writer(&out);
  size_t cold = 0;
  for (int round = 0; round < 30; ++round) {
    writer.IntegerTriple(0, 99, 60000);
    writer.Bulk("value");
    writer.Error("ERR no");
    writer.Double(0.1);
    out.Clear();
    if (round == 0) cold = allocations;
  }
  EXPECT_EQ(allocations, cold);
}

}  // namespace
}  // namespace gub
