#include "net/fine_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.h"

namespace gub {
namespace {

using ::testing::ElementsAre;

int64_t NowUs() { return MonotonicNs() / 1000; }

class FineTimerTest : public ::testing::Test {
 protected:
  // Lets Run return; not from within a timer.
  void End() {
    clock_.reset();
    loop_.CloseMailbox();
  }

  Loop loop_;
  std::unique_ptr<FineClock> clock_ = std::make_unique<FineClock>(&loop_);
  std::vector<int> seen_;
};

TEST_F(FineTimerTest, CallsInTheOrderOfTheirTimesAndNotBefore) {
  const int64_t start_us = NowUs();
  int64_t first_us = 0;
  FineTimer end(clock_.get(), [&] { loop_.Soon([&] { End(); }); });
  FineTimer late(clock_.get(), [&] { seen_.push_back(2); });
  FineTimer early(clock_.get(), [&] {
    seen_.push_back(1);
    first_us = NowUs();
  });
  end.At(start_us + 900);
  late.At(start_us + 600);
  early.At(start_us + 300);
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre(1, 2));
  EXPECT_GE(first_us, start_us + 300);
}

TEST_F(FineTimerTest, TheLastTimeThatWasSetCounts) {
  const int64_t start_us = NowUs();
  FineTimer stopped(clock_.get(), [&] { seen_.push_back(1); });
  FineTimer later(clock_.get(), [&] {
    seen_.push_back(2);
    EXPECT_GE(NowUs(), start_us + 1500);
    loop_.Soon([&] { End(); });
  });
  FineTimer sooner(clock_.get(), [&] { seen_.push_back(3); });
  stopped.At(start_us + 100);
  later.At(start_us + 200);
  sooner.At(start_us + 60'000'000);
  later.At(start_us + 1500);
  sooner.At(start_us + 300);
  stopped.Stop();
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre(3, 2));
}

TEST_F(FineTimerTest, ATimerThatIsAlwaysDueLeavesTheLoopToOthers) {
  bool posted = false;
  FineTimer* self = nullptr;
  FineTimer busy(clock_.get(), [&] {
    seen_.push_back(1);
    if (posted) return loop_.Soon([&] { End(); });
    self->At(0);
  });
  self = &busy;
  busy.At(0);
  loop_.Post([&] { posted = true; });
  loop_.Run();
  EXPECT_GE(seen_.size(), 1u);
}

TEST_F(FineTimerTest, ATimerMayEndItselfAndOthers) {
  auto other = std::make_unique<FineTimer>(clock_.get(), [&] { seen_.push_back(9); });
  std::unique_ptr<FineTimer> own;
  own = std::make_unique<FineTimer>(clock_.get(), [&] {
    seen_.push_back(1);
    other.reset();
    own.reset();
    loop_.Soon([&] { End(); });
  });
  own->At(1);
  other->At(2);
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre(1));
}

}  // namespace
}  // namespace gub
