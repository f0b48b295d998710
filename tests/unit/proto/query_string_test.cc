#include "proto/query_string.h"

#include <gtest/gtest.h>

namespace gub {
namespace {

TEST(QueryStringTest, ReadsNamesAndValuesInTheirOrder) {
  const auto read = ReadQuery("a=1&&b=x%20y+z&c&=d&a=%00%fF");
  ASSERT_TRUE(read);
  std::string text;
  for (const QueryParameter& parameter : *read)
    text += parameter.name + ":" + parameter.value + ";";
  EXPECT_EQ(text, std::string("a:1;b:x y z;c:;:d;a:\0\xff;", 23));
  EXPECT_TRUE(ReadQuery("")->empty());
}

TEST(QueryStringTest, RefusesHalfAByte) {
  for (const char* query : {"a=%", "a=%4", "a=%g1", "a=%1g", "%=1", "a=%-1", "a=%+1", "a=% 1"}) {
    EXPECT_FALSE(ReadQuery(query)) << query;
  }
}

}  // namespace
}  // namespace gub
