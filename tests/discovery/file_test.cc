// The sources that need no server: a static list, and a file.

#include <filesystem>

#include "tests/discovery/scratch_dir.h"
#include "tests/discovery/source_run.h"

namespace gub {

namespace {

SourceOptions StaticOptions(const std::vector<std::string>& peers) {
  SourceOptions options;
  options.discovery = "static";
  options.self = {"a:1", 2};
  options.peers = peers;
  return options;
}

std::string ErrorOf(const SourceOptions& options) {
  Loop loop;
  return std::string(ToStd(MakeSource(&loop, options).status().message()));
}

TEST(StaticSourceTest, NamesThePeersOfTheOption) {
  SourceRun run(StaticOptions({"B:1*3,c", "a:1"}));
  EXPECT_TRUE(run.Becomes("a:1 b:1*3 c:7379"));
  EXPECT_TRUE(run.Leave());
}

TEST(StaticSourceTest, IsTheNodeAloneWithoutPeers) {
  SourceRun run(StaticOptions({}));
  EXPECT_TRUE(run.Becomes("a:1*2"));
}

TEST(MakeSourceTest, SaysWhatIsMissingOrWrong) {
  EXPECT_EQ(ErrorOf(StaticOptions({"a:x"})),
            "'a:x' is no member: its port must be from 1 to 65535");
  SourceOptions options;
  options.discovery = "file";
  EXPECT_EQ(ErrorOf(options), "discovery file needs a file");
  options.discovery = "dns";
  EXPECT_EQ(ErrorOf(options), "discovery dns needs a name to ask for");
  for (const char* name : {"a b", "srv:a:80", "a*2", "srv:", "[::1", ""}) {
    options.dns_names = {name};
    EXPECT_EQ(ErrorOf(options), "'" + std::string(name) +
                                    "' is no name to ask for; it should be name, name:port or "
                                    "srv:name");
  }
  options.dns_names = {"a"};
  options.dns_server = "nobody";
  EXPECT_TRUE(ErrorOf(options).starts_with("'nobody' is not the address of a name server"));
  options.discovery = "etcd";
  EXPECT_EQ(ErrorOf(options), "discovery etcd needs an endpoint");
  options.etcd_endpoints = {"127.0.0.1:2379", "ftp://a"};
  EXPECT_EQ(ErrorOf(options), "'ftp://a' is no endpoint of etcd; it should be host:port");
  options.discovery = "gossip";
  EXPECT_EQ(ErrorOf(options), "there is no discovery called 'gossip'");
}

class FileSourceTest : public ::testing::Test {
 protected:
  SourceOptions Options() const {
    SourceOptions options;
    options.discovery = "file";
    options.file = dir_.Path("members");
    return options;
  }

  ScratchDir dir_;
};

TEST_F(FileSourceTest, ReadsMembersAndComments) {
  dir_.Write("members", "# the first rack\nA:1 b:1*2 # both old\n\n[::1]:80,c\n");
  SourceRun run(Options());
  EXPECT_TRUE(run.Becomes("[::1]:80 a:1 b:1*2 c:7379"));
  EXPECT_TRUE(run.Leave());
}

TEST_F(FileSourceTest, ReadsAgainWhatWasWrittenOrReplacedOrLinkedElsewhere) {
  dir_.Write("members", "a:1\n");
  SourceRun run(Options());
  EXPECT_TRUE(run.Becomes("a:1"));
  dir_.Write("members", "b:1\n");
  EXPECT_TRUE(run.Becomes("b:1"));
  dir_.Replace("members", "c:1\n");
  EXPECT_TRUE(run.Becomes("c:1"));
  dir_.Write("other", "d:1\n");
  std::filesystem::remove(dir_.Path("members"));
  std::filesystem::create_symlink("other", dir_.Path("members"));
  EXPECT_TRUE(run.Becomes("d:1"));
}

TEST_F(FileSourceTest, WaitsForAFileThatIsNotThereYet) {
  SourceRun run(Options());
  EXPECT_TRUE(Eventually([&] { return run.troubles() == 1; }));
  EXPECT_NE(run.LastTrouble().find("No such file or directory"), std::string::npos);
  dir_.Replace("members", "a:1\n");
  EXPECT_TRUE(run.Becomes("a:1"));
}

TEST_F(FileSourceTest, TellsOfABadFileAndGoesOn) {
  dir_.Write("members", "a:1\n");
  SourceRun run(Options());
  EXPECT_TRUE(run.Becomes("a:1"));
  // Whatever is half of a list that goes on.
  dir_.Write("members", "a:1\nb:1\nc:");
  EXPECT_TRUE(run.GetsTrouble("line 3: 'c:' is no member"));
  dir_.Write("members", "");
  EXPECT_TRUE(run.GetsTrouble("names no member"));
  dir_.Write("members", "a:1*2\na:1\n");
  EXPECT_TRUE(run.GetsTrouble("'a:1' has two weights"));
  std::filesystem::remove(dir_.Path("members"));
  EXPECT_TRUE(run.GetsTrouble("No such file"));
  std::filesystem::create_directory(dir_.Path("members"));
  EXPECT_TRUE(run.GetsTrouble("Is a directory"));
  EXPECT_EQ(run.Last(), "a:1");
  std::filesystem::remove(dir_.Path("members"));
  dir_.Write("members", "a:1\nb:1\n");
  EXPECT_TRUE(run.Becomes("a:1 b:1"));
}

TEST_F(FileSourceTest, RefusesAFileThatIsFarTooLong) {
  dir_.Write("members", std::string(2 * 1024 * 1024, '#'));
  SourceRun run(Options());
  EXPECT_TRUE(Eventually([&] { return run.troubles() == 1; }));
  EXPECT_NE(run.LastTrouble().find("too long"), std::string::npos);
}

}  // namespace
}  // namespace gub
