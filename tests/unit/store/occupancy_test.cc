#include "store/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/sanitized.h"

namespace gub {

namespace {

TEST(OccupancyTest, GivesOutAsManyPlacesAsThereAre) {
  Occupancy occupancy(2);
  EXPECT_TRUE(occupancy.Take());
  EXPECT_TRUE(occupancy.Take());
  EXPECT_FALSE(occupancy.Take());
  occupancy.GiveBack(1);
  EXPECT_TRUE(occupancy.Take());
  EXPECT_EQ(occupancy.taken(), 2);
}

// A try in vain must not be seen by others, who would take the last place for taken.
TEST(OccupancyTest, ATryInVainIsNeverCounted) {
  Occupancy occupancy(1);
  ASSERT_TRUE(occupancy.Take());
  std::atomic<bool> stop = false;
  std::thread trier([&] {
    while (!stop) EXPECT_FALSE(occupancy.Take());
  });
  int64_t most = 0;
  const int looks = kSanitized ? 300'000 : 3'000'000;
  for (int i = 0; i < looks; ++i) most = std::max(most, occupancy.taken());
  stop = true;
  trier.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace gub
