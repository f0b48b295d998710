#include "base/secret.h"

#include <gtest/gtest.h>

#include <string>

namespace gub {
namespace {

TEST(SecretTest, OnlyTheSameBytesAreTheSecret) {
  const std::string binary("a\0b\xff", 4);
  EXPECT_TRUE(IsSecret(binary, binary));
  EXPECT_TRUE(IsSecret("", ""));
  EXPECT_FALSE(IsSecret("", "x"));
  EXPECT_FALSE(IsSecret(binary.substr(0, 3), binary));
  EXPECT_FALSE(IsSecret(binary + "c", binary));
  EXPECT_FALSE(IsSecret(std::string("a\0c\xff", 4), binary));
}

}  // namespace
}  // namespace gub
