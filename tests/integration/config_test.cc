// Where a server's options come from, and how a start that cannot be ends: exit status 1 and one
// line that says why.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/resp_client.h"
#include "tests/support/server_process.h"

namespace gub {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    std::string pattern = testing::TempDir() + "gub_config_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~ConfigTest() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& text) const {
    const std::string path = directory_ + "/gub.conf";
    std::ofstream(path) << text;
    return path;
  }

  std::string directory_;
};

// The line behind "gub-server: " of a start that must fail, and must say nothing else.
std::string ReasonOf(const ProgramResult& result) {
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, "");
  const std::string start = "gub-server: ";
  EXPECT_THAT(result.err, StartsWith(start));
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "one line:\n" << result.err;
  if (result.err.size() <= start.size()) return "";
  return result.err.substr(start.size(), result.err.size() - start.size() - 1);
}

std::string ValueOf(const ServerProcess& server, const std::string& option) {
  const RespReply reply = RespClient(server.port()).Run({"CONFIG", "GET", option});
  return reply.items.size() == 2 ? reply.items[1].text : "(none)";
}

// A port on which this process listens.
class PlainListener {
 public:
  PlainListener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~PlainListener() { close(fd_); }

  int port() const { return port_; }

  // Lets others of this user listen there too, if they want that as well.
  void Share() const {
    const int on = 1;
    EXPECT_EQ(setsockopt(fd_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), 0);
  }

 private:
  const int fd_;
  int port_ = 0;
};

TEST_F(ConfigTest, AnUnknownOptionIsNamedWithOneThatItResembles) {
  EXPECT_EQ(ReasonOf(RunServer({"--prot", "1"})),
            "--prot: unknown option 'prot', did you mean 'port'?");
  EXPECT_EQ(ReasonOf(RunServer({"--color-of-logo", "red"})),
            "--color-of-logo: unknown option 'color-of-logo'");
}

TEST_F(ConfigTest, ABadLineOfTheFileIsNamedWithItsNumber) {
  const std::string path = Write("# first\nbind 127.0.0.1\n\nport 99999\n");
  EXPECT_EQ(ReasonOf(RunServer({path})), path + ":4: port must be from 0 to 65535, got '99999'");
  Write("maxkeys 5\n");
  EXPECT_EQ(ReasonOf(RunServer({path})),
            path + ":1: unknown option 'maxkeys', did you mean 'max-keys'?");
  Write("threads\n");
  EXPECT_EQ(ReasonOf(RunServer({path})), path + ":1: threads has no value");
}

TEST_F(ConfigTest, AFileThatIsNotThereIsNamed) {
  const std::string path = directory_ + "/none.conf";
  EXPECT_EQ(ReasonOf(RunServer({path})),
            path + ": the file cannot be read: No such file or directory");
}

TEST_F(ConfigTest, ABadValueOfTheCommandLineOrTheEnvironmentIsNamed) {
  EXPECT_EQ(ReasonOf(RunServer({"--threads", "many"})),
            "--threads: threads must be a whole number from 0 to 256, got 'many'");
  EXPECT_EQ(ReasonOf(RunServer({"--threads"})), "--threads: it has no value");
  EXPECT_EQ(ReasonOf(RunServer({"--port", "0", "--port", "0"})), "--port: it is given twice");
  EXPECT_EQ(ReasonOf(RunServer({}, {"GUB_OPT_MAX_ARGS=15"})),
            "GUB_OPT_MAX_ARGS: max-args must be from 16 to 1048576, got '15'");
  EXPECT_THAT(ReasonOf(RunServer({}, {"GUB_OPT_NOPE=1"})),
              StartsWith("GUB_OPT_NOPE: unknown option 'nope'"));
}

TEST_F(ConfigTest, AnUnknownTimeZoneIsNamed) {
  EXPECT_THAT(ReasonOf(RunServer({"--port", "0", "--calendar-timezone", "Europe/Atlantis"})),
              HasSubstr("'Europe/Atlantis'"));
}

TEST_F(ConfigTest, AnAddressThatIsNoneIsNamed) {
  EXPECT_THAT(ReasonOf(RunServer({"--port", "0", "--bind", "localhost"})),
              HasSubstr("'localhost'"));
}

TEST_F(ConfigTest, TheCommandLineGoesBeforeTheEnvironmentAndThatBeforeTheFile) {
  const std::string path =
      Write("max-keys 1111\nmax-key-bytes 1111\nmax-args 1111\nenable-debug-commands yes\n");
  const ServerProcess server({path, "--max-keys", "3333"},
                             {"GUB_OPT_MAX_KEYS=2222", "GUB_OPT_MAX_KEY_BYTES=2222"});
  EXPECT_EQ(ValueOf(server, "max-keys"), "3333");
  EXPECT_EQ(ValueOf(server, "max-key-bytes"), "2222");
  EXPECT_EQ(ValueOf(server, "max-args"), "1111");
  EXPECT_EQ(ValueOf(server, "enable-debug-commands"), "yes");
  EXPECT_EQ(ValueOf(server, "client-output-buffer-limit"),
            "normal 8388608 0 0 slave 0 0 0 pubsub 0 0 0");
}

TEST_F(ConfigTest, VariablesOfOthersAreNoOptions) {
  const ServerProcess server({}, {"GUB_PORT=tcp://10.0.0.1:7379", "GUB_SERVICE_HOST=10.0.0.1"});
  EXPECT_EQ(RespClient(server.port()).Run({"PING"}), RespReply::Status("PONG"));
}

TEST_F(ConfigTest, APortOnWhichAnotherServerListensIsTaken) {
  const ServerProcess first;
  const std::string port = std::to_string(first.port());
  EXPECT_EQ(ReasonOf(RunServer({"--bind", "127.0.0.1", "--port", port})),
            "127.0.0.1:" + port + " is taken: another server listens there");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(RespClient(first.port()).Run({"PING"}), RespReply::Status("PONG"));
  }
}

TEST_F(ConfigTest, APortOnWhichAnythingListensIsTaken) {
  const PlainListener listener;
  const std::string port = std::to_string(listener.port());
  const std::string reason = "127.0.0.1:" + port + " is taken: another server listens there";
  EXPECT_EQ(ReasonOf(RunServer({"--bind", "127.0.0.1", "--port", port})), reason);
  listener.Share();
  EXPECT_EQ(ReasonOf(RunServer({"--bind", "127.0.0.1", "--port", port})), reason);
}

TEST_F(ConfigTest, APortThatAServerHasLeftIsFree) {
  int port = 0;
  {
    const ServerProcess first;
    port = first.port();
    RespClient(port).Run({"QUIT"});
  }
  const ServerProcess second({"--port", std::to_string(port)});
  EXPECT_EQ(second.port(), port);
}

TEST_F(ConfigTest, AnAddressThatIsNotOfThisMachineIsAnErrorUnlessItMayBeMissing) {
  EXPECT_THAT(ReasonOf(RunServer({"--port", "0", "--bind", "203.0.113.7"})),
              StartsWith("cannot listen on 203.0.113.7:"));
  const ServerProcess server({"--bind", "127.0.0.1", "-203.0.113.7", "127.0.0.2"});
  EXPECT_EQ(RespClient(server.port()).Run({"PING"}), RespReply::Status("PONG"));
  EXPECT_THAT(server.Log(), HasSubstr("address=127.0.0.2:" + std::to_string(server.port())));
  EXPECT_THAT(ReasonOf(RunServer({"--port", "0", "--bind", "-203.0.113.7"})), StartsWith("bind: "));
}

TEST_F(ConfigTest, TheLogGoesToTheFileThatIsNamed) {
  const std::string path = directory_ + "/gub log.txt";
  Program server({ServerPath(), "--port", "0", "--bind", "127.0.0.1", "--logfile", path});
  const auto log = [&path] {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  EXPECT_TRUE(Eventually([&] { return log().find("notice ready ") != std::string::npos; }));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
  EXPECT_THAT(log(), HasSubstr("notice stopped\n"));
  EXPECT_EQ(server.Out() + server.Err(), "");
}

TEST_F(ConfigTest, QuestionsAreAnsweredOnStdout) {
  const ProgramResult version = RunServer({"--version"});
  EXPECT_EQ(version.exit_status, 0);
  EXPECT_THAT(version.out, StartsWith("gub-server "));
  const ProgramResult help = RunServer({"--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_THAT(help.out, HasSubstr("--max-keys"));
  const ProgramResult config = RunServer({"--max-keys", "4711", "--print-config"});
  EXPECT_EQ(config.exit_status, 0);
  EXPECT_THAT(config.out, HasSubstr("\nmax-keys 4711\n"));
  EXPECT_EQ(version.err + help.err + config.err, "");
}

TEST_F(ConfigTest, APrintedConfigIsOneThatStarts) {
  const std::string printed =
      RunServer({"--max-keys", "4711", "--threads", "1", "--port", "0", "--print-config"}).out;
  // The defaults of the tests go before the file, so these options are asked of the file alone.
  const ServerProcess server({Write(printed), "--threads=1", "--max-keys=4711"});
  EXPECT_EQ(ValueOf(server, "max-keys"), "4711");
}

}  // namespace
}  // namespace gub
