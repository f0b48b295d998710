#include "net/name_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gub {
namespace {

using ::testing::ElementsAre;

class NameCacheTest : public ::testing::Test {
 protected:
  // The end of a test: nothing is open any more, so that Run returns.
  void End() {
    loop_.Soon([this] {
      names_.reset();
      loop_.CloseMailbox();
    });
  }

  Loop loop_;
  std::unique_ptr<NameCache> names_ =
      std::make_unique<NameCache>(*Resolver::Create(&loop_, "127.0.0.1:1"));
};

TEST_F(NameCacheTest, KeepsWhatANameStandsFor) {
  EXPECT_EQ(names_->Find("localhost", 1000), nullptr);
  std::vector<std::string> seen;
  const auto see = [&](const absl::StatusOr<std::vector<std::string>>& hosts) {
    ASSERT_TRUE(hosts.ok());
    for (const std::string& host : *hosts) seen.push_back(host);
  };
  names_->Await("localhost", see);
  names_->Await("localhost", [&](const auto& hosts) {
    see(hosts);
    // Old, and still better than nothing.
    ASSERT_NE(names_->Find("localhost", 1000 + NameCache::kFreshMs), nullptr);
    EXPECT_THAT(*names_->Find("localhost", 1000), ElementsAre("127.0.0.1", "::1"));
    End();
  });
  loop_.Run();
  EXPECT_THAT(seen, ElementsAre("127.0.0.1", "::1", "127.0.0.1", "::1"));
}

// No name server listens there.
TEST_F(NameCacheTest, TellsWhyANameIsNotKnownAndAsksAnew) {
  EXPECT_EQ(names_->Find("gub.invalid", 1000), nullptr);
  int told = 0;
  names_->Await("gub.invalid", [&](const auto& hosts) {
    EXPECT_FALSE(hosts.ok());
    ++told;
    EXPECT_EQ(names_->Find("gub.invalid", 1001), nullptr);
    names_->Await("gub.invalid", [&](const auto& again) {
      EXPECT_FALSE(again.ok());
      ++told;
      End();
    });
  });
  loop_.Run();
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace gub
