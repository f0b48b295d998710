#include <string>
#include <vector>

#include "base/config.h"
#include "base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/base/temp_dir.h"

namespace gub {
namespace {

using testing::ElementsAre;
using Action = LaunchOptions::Action;

class LoadConfigTest : public testing::Test {
 protected:
  // Loads and keeps the result in launch_; returns "OK" or the error's message.
  std::string Load(std::vector<const char*> arguments, std::vector<const char*> environment = {}) {
    const auto loaded = LoadConfig(arguments, environment);
    if (!loaded.ok()) return std::string(ToStd(loaded.status().message()));
    launch_ = *loaded;
    return "OK";
  }
  const Config& config() const { return launch_.config; }

  LaunchOptions launch_;
};

TEST_F(LoadConfigTest, ServesWithTheDefaultsWhenNothingIsGiven) {
  EXPECT_EQ(Load({}), "OK");
  EXPECT_EQ(launch_.action, Action::kServe);
  EXPECT_EQ(launch_.config_file, "");
  EXPECT_EQ(RenderConfigFile(config()), RenderConfigFile(Config{}));
}

TEST_F(LoadConfigTest, TakesOptionsFromTheCommandLineInBothForms) {
  EXPECT_EQ(Load({"--port", "7000", "--max-keys=5", "--LogLevel", "debug", "--logfile=a=b"}), "OK");
  EXPECT_EQ(config().port, 7000);
  EXPECT_EQ(config().max_keys, 5);
  EXPECT_EQ(config().loglevel, "debug");
  EXPECT_EQ(config().logfile, "a=b");
}

TEST_F(LoadConfigTest, TakesAListAsOneArgumentOrAsWordsUpToTheNextOption) {
  EXPECT_EQ(Load({"--bind", "10.0.0.1 -::1", "--port", "1"}), "OK");
  EXPECT_THAT(config().bind, ElementsAre("10.0.0.1", "-::1"));
  EXPECT_EQ(Load({"--bind", "10.0.0.1", "-::1", "10.0.0.2", "--port", "1"}), "OK");
  EXPECT_THAT(config().bind, ElementsAre("10.0.0.1", "-::1", "10.0.0.2"));
  EXPECT_EQ(config().port, 1);
  EXPECT_EQ(Load({"--bind=10.0.0.1 -::1"}), "OK");
  EXPECT_THAT(config().bind, ElementsAre("10.0.0.1", "-::1"));
}

TEST_F(LoadConfigTest, TakesOptionsFromTheEnvironment) {
  EXPECT_EQ(Load({}, {"PATH=/bin", "GUB_OPT_PORT=7000", "GUB_OPT_MAX_KEY_BYTES=100",
                      "GUB_OPT_BIND=10.0.0.1 ::1", "GUB_OPT_LOGFILE=a=b"}),
            "OK");
  EXPECT_EQ(config().port, 7000);
  EXPECT_EQ(config().max_key_bytes, 100);
  EXPECT_THAT(config().bind, ElementsAre("10.0.0.1", "::1"));
  EXPECT_EQ(config().logfile, "a=b");
}

// Kubernetes sets these for a Service that is named gub.
TEST_F(LoadConfigTest, LeavesOtherVariablesAlone) {
  EXPECT_EQ(Load({}, {"GUB_PORT=tcp://10.0.0.1:7379", "GUB_SERVICE_HOST=10.0.0.1", "GUB_OPT=1",
                      "XGUB_OPT_PORT=1", "gub_opt_port=1", "", "=", "PORT"}),
            "OK");
  EXPECT_EQ(config().port, 7379);
}

TEST_F(LoadConfigTest, ReadsTheFileThatTheFirstArgumentNames) {
  const TempDir dir;
  const std::string path = dir.Write("gub.conf", "port 7000\n");
  EXPECT_EQ(Load({path.c_str()}), "OK");
  EXPECT_EQ(launch_.config_file, path);
  EXPECT_EQ(config().port, 7000);
}

TEST_F(LoadConfigTest, PutsCommandLineOverEnvironmentOverFileOverDefault) {
  const TempDir dir;
  const std::string path = dir.Write("gub.conf", "port 1\nmax-keys 1\nmax-args 101\nbind a b\n");
  EXPECT_EQ(
      Load({path.c_str(), "--port", "3", "--bind", "c"}, {"GUB_OPT_PORT=2", "GUB_OPT_MAX_KEYS=2"}),
      "OK");
  EXPECT_EQ(config().port, 3);
  EXPECT_EQ(config().max_keys, 2);
  EXPECT_EQ(config().max_args, 101);
  EXPECT_EQ(config().maxclients, 10'000);
  EXPECT_THAT(config().bind, ElementsAre("c"));  // replaced, not added to
}

TEST_F(LoadConfigTest, SaysWhatIsWrongWithTheCommandLine) {
  struct Case {
    std::vector<const char*> arguments;
    std::string_view message;
  };
  const Case cases[] = {
      {{"--port", "99999"}, "--port: port must be from 0 to 65535, got '99999'"},
      {{"--port", "-1"}, "--port: port must be from 0 to 65535, got '-1'"},
      {{"--port="}, "--port: port must be a whole number from 0 to 65535, got ''"},
      {{"--port", ""}, "--port: port must be a whole number from 0 to 65535, got ''"},
      {{"--port"}, "--port: it has no value"},
      {{"--port", "--threads", "1"}, "--port: it has no value"},
      {{"--bind", "--port", "1"}, "--bind: it has no value"},
      {{"--enable-debug-commands"}, "--enable-debug-commands: it has no value"},
      {{"--prot", "1"}, "--prot: unknown option 'prot', did you mean 'port'?"},
      {{"--prot=1"}, "--prot: unknown option 'prot', did you mean 'port'?"},
      {{"--"}, "--: unknown option ''"},
      {{"--port", "1", "--port", "1"}, "--port: it is given twice"},
      {{"--port", "1", "--PORT=2"}, "--PORT: it is given twice"},
      {{"--port", "1", "2"}, "2: expected --name value"},
      {{"--bind=a", "b"}, "b: expected --name value"},
      {{"-p", "1"}, "-p: expected --name value"},
      {{""}, ": expected --name value"},
      {{"a.conf", "b.conf"}, "b.conf: expected --name value"},
      {{"--port", "1", "a.conf"}, "a.conf: expected --name value"},
      {{"--print-config=yes"}, "--print-config: unknown option 'print-config'"},
  };
  for (const Case& c : cases) EXPECT_EQ(Load(c.arguments), c.message);
}

TEST_F(LoadConfigTest, SaysWhatIsWrongWithTheEnvironment) {
  EXPECT_EQ(Load({}, {"GUB_OPT_PORT=x"}),
            "GUB_OPT_PORT: port must be a whole number from 0 to 65535, got 'x'");
  EXPECT_EQ(Load({}, {"GUB_OPT_PORT="}),
            "GUB_OPT_PORT: port must be a whole number from 0 to 65535, got ''");
  EXPECT_EQ(Load({}, {"GUB_OPT_PORT"}),
            "GUB_OPT_PORT: port must be a whole number from 0 to 65535, got ''");
  EXPECT_EQ(Load({}, {"GUB_OPT_PROT=1"}),
            "GUB_OPT_PROT: unknown option 'prot', did you mean 'port'?");
  EXPECT_EQ(Load({}, {"GUB_OPT_=1"}), "GUB_OPT_: unknown option ''");
  EXPECT_EQ(Load({}, {"GUB_OPT_PORT=1", "GUB_OPT_PORT=1"}), "GUB_OPT_PORT: it is given twice");
}

TEST_F(LoadConfigTest, SaysWhatIsWrongWithTheFile) {
  const TempDir dir;
  const std::string path = dir.Write("gub.conf", "\nprot 1\n");
  EXPECT_EQ(Load({path.c_str()}), path + ":2: unknown option 'prot', did you mean 'port'?");
  EXPECT_EQ(Load({dir.Path("none").c_str()}),
            dir.Path("none") + ": the file cannot be read: No such file or directory");
}

TEST_F(LoadConfigTest, RefusesABadValueThoughABetterPlaceOverridesIt) {
  const TempDir dir;
  const std::string path = dir.Write("gub.conf", "port x\n");
  EXPECT_EQ(Load({path.c_str(), "--port", "1"}),
            path + ":1: port must be a whole number from 0 to 65535, got 'x'");
  EXPECT_EQ(Load({"--port", "1"}, {"GUB_OPT_PORT=x"}),
            "GUB_OPT_PORT: port must be a whole number from 0 to 65535, got 'x'");
}

TEST_F(LoadConfigTest, PrintsTheConfigurationThatResults) {
  const TempDir dir;
  const std::string path = dir.Write("gub.conf", "port 7000\n");
  EXPECT_EQ(Load({path.c_str(), "--print-config", "--max-keys", "5"}), "OK");
  EXPECT_EQ(launch_.action, Action::kPrintConfig);
  EXPECT_EQ(config().port, 7000);
  EXPECT_EQ(config().max_keys, 5);
  EXPECT_EQ(Load({"--bind", "a", "--print-config"}), "OK");
  EXPECT_EQ(launch_.action, Action::kPrintConfig);
  EXPECT_EQ(Load({"--print-config", "--port", "x"}),
            "--port: port must be a whole number from 0 to 65535, got 'x'");
}

TEST_F(LoadConfigTest, HelpsEvenWhenTheRestIsWrong) {
  for (const char* help : {"--help", "-h"}) {
    EXPECT_EQ(Load({help}), "OK");
    EXPECT_EQ(launch_.action, Action::kPrintHelp);
  }
  for (const char* version : {"--version", "-v"}) {
    EXPECT_EQ(Load({version}), "OK");
    EXPECT_EQ(launch_.action, Action::kPrintVersion);
  }
  EXPECT_EQ(Load({"/none.conf", "--prot", "x", "--help"}, {"GUB_OPT_PROT=1"}), "OK");
  EXPECT_EQ(launch_.action, Action::kPrintHelp);
  EXPECT_EQ(Load({"--version", "--help"}), "OK");  // the first one
  EXPECT_EQ(launch_.action, Action::kPrintVersion);
}

}  // namespace
}  // namespace gub
