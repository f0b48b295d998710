#include <string>

#include "base/config_parts.h"
#include "base/text.h"
#include "gtest/gtest.h"

namespace gub {
namespace {

TEST(ConfigErrorTest, PutsThePlaceBeforeTheReason) {
  EXPECT_EQ(ToStd(ErrorAt("--port", "it has no value").message()), "--port: it has no value");
  EXPECT_EQ(ToStd(ErrorAt("a:1", absl::InternalError("why")).message()), "a:1: why");
  EXPECT_FALSE(ErrorAt("a", "b").ok());
}

TEST(ConfigErrorTest, SuggestsANameAtMostTwoEditsAway) {
  struct Case {
    std::string_view name;
    std::string_view suggestion;  // empty: none
  };
  const Case cases[] = {
      {"prot", "port"},   // two bytes exchanged
      {"por", "port"},    // one left out
      {"ports", "port"},  // one too many
      {"sport", "port"},  // at the front
      {"PROT", "port"},   // in any case
      {"max_key_bytes", "max-key-bytes"},
      {"maxkeys", "max-keys"},
      {"max-clients", "maxclients"},
      {"log-level", "loglevel"},
      {"thread", "threads"},
      {"max-arys", "max-args"},  // the nearest, though max-keys is near as well
      {"max-arg", "max-args"},
      {"porrtss", ""},  // three too many
      {"po", "port"},
      {"p", ""},
      {"", ""},
      {"unixsocket", ""},
  };
  for (const Case& c : cases) {
    std::string expected = "unknown option '" + std::string(c.name) + "'";
    if (!c.suggestion.empty()) expected += ", did you mean '" + std::string(c.suggestion) + "'?";
    EXPECT_EQ(UnknownOptionReason(c.name), expected);
  }
}

TEST(ConfigErrorTest, EscapesAndCutsTheUnknownName) {
  EXPECT_EQ(UnknownOptionReason("a\nb"), R"(unknown option 'a\nb')");
  EXPECT_EQ(UnknownOptionReason(std::string(1'000'000, 'x')),
            "unknown option '" + std::string(128, 'x') + "'");
}

}  // namespace
}  // namespace gub
