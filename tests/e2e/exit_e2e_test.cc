// For each cause statmilld ends with a clear log line and the documented exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/server_process.h"
#include "tests/support/notify_socket.h"
#include "tests/support/stream_of_signals.h"

namespace statmill {
namespace {

using testing::HasSubstr;

Ended run(std::vector<std::string> arguments,
          std::vector<std::pair<std::string, std::string>> environment = {}) {
  return run_program(
      {std::string(STATMILL_BIN) + "/statmilld", std::move(arguments), std::move(environment)});
}

std::vector<std::string> options_for(const std::filesystem::path& data) {
  return {"--store.path",  data.string(), "--line.listen",  "127.0.0.1:0",
          "--http.listen", "127.0.0.1:0", "--agent.listen", "127.0.0.1:0"};
}

TEST(ExitE2e, SigintAndSigtermEndWithStatusZero) {
  for (const int number : {SIGINT, SIGTERM}) {
    ServerProcess server(STATMILL_BIN);
    server.start();
    server.send("x 1\n");
    EXPECT_EQ(server.conservation(), "");
    server.process().signal(number);
    EXPECT_EQ(server.process().wait(), 0) << number;
    server.start();
    EXPECT_EQ(server.totals("x").at("x").sum, 1);
  }
}

TEST(ExitE2e, AStopOnAHungDiskIsReportedAndEndsWithZeroOnceTheDiskResumes) {
  ServerProcess server(STATMILL_BIN, {"--watchdog.hang", "200ms"});
  const std::filesystem::path hung = server.data() / "hung";
  server.start(0, 0, {{"LD_PRELOAD", STATMILL_HUNG_DISK}, {"HUNG_DISK", hung}});
  server.send("x 1\n");
  EXPECT_EQ(server.conservation(), "");
  std::ofstream(hung).close();
  ASSERT_TRUE(server.process().wait_for_line("hangs what=tick"));
  server.send("x 1\n");
  server.process().signal(SIGTERM);
  EXPECT_TRUE(server.process().wait_for_line("hangs what=stop at=\"the last tick\""));
  std::filesystem::remove(hung);
  EXPECT_EQ(server.process().wait(), 0);
  server.start();
  EXPECT_EQ(server.totals("x").at("x").sum, 2);
}

TEST(ExitE2e, ASecondSignalEndsAStopOnAHungDiskAtOnceWithOne) {
  // The server reports the hang when the first signal is more than a second old.
  ServerProcess server(STATMILL_BIN, {"--watchdog.hang", "1500ms"});
  const std::filesystem::path hung = server.data() / "hung";
  server.start(0, 0, {{"LD_PRELOAD", STATMILL_HUNG_DISK}, {"HUNG_DISK", hung}});
  server.send("x 1\n");
  server.wait_until_durable();
  std::ofstream(hung).close();
  server.send("x 1\n");
  server.process().signal(SIGTERM);
  ASSERT_TRUE(server.process().wait_for_line("hangs what=stop"));
  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().wait(), 1);
  EXPECT_THAT(server.process().standard_error(), HasSubstr("statmilld: second SIGINT: ends at once"));
  std::filesystem::remove(hung);
  server.start();
  EXPECT_GE(server.totals("x").at("x").sum, 1);
}

// The server must handle signals until its last instruction.
TEST(ExitE2e, AStreamOfSignalsWithinASecondEndsWithZero) {
  for (int i = 0; i < 10; ++i) {
    ServerProcess server(STATMILL_BIN);
    server.start();
    EXPECT_TRUE(ends_cleanly_by_a_stream_of_signals(server.process()));
  }
}

TEST(ExitE2e, AHangupDoesNotEndTheServer) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  for (int i = 0; i < 2; ++i) {
    server.process().signal(SIGHUP);
    ASSERT_TRUE(server.process().wait_for_line("certificates, tokens and lists of networks read again"));
  }
  server.send("x 1\n");
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(ExitE2e, SystemdIsNotifiedWhenTheServerIsReadyAndWhenItStops) {
  const NotifySocket systemd;
  ServerProcess server(STATMILL_BIN);
  server.start(0, 0, {{"NOTIFY_SOCKET", systemd.path()}});
  EXPECT_TRUE(systemd.wait_for("READY=1"));
  EXPECT_EQ(server.stop(), 0);
  EXPECT_TRUE(systemd.wait_for("STOPPING=1"));
}

TEST(ExitE2e, SystemdGetsWatchdogMessagesIfItAsksForThem) {
  const NotifySocket systemd;
  ServerProcess server(STATMILL_BIN);
  server.start(0, 0, {{"NOTIFY_SOCKET", systemd.path()}, {"WATCHDOG_USEC", "300000"}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(systemd.wait_for("WATCHDOG=1"));
  EXPECT_EQ(server.stop(), 0);
}

TEST(ExitE2e, AllInvalidSettingsAreReportedAndEndWithTwo) {
  const Ended ended = run({"--retention", "10s", "--line.listen", "here"}, {{"STATMILL_LOG_LEVEL", "loud"}});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.said, HasSubstr("retention"));
  EXPECT_THAT(ended.said, HasSubstr("line.listen"));
  EXPECT_THAT(ended.said, HasSubstr("log.level"));
  EXPECT_EQ(run({"--no.such", "1"}).status, 2);
}

TEST(ExitE2e, AnUnreadableConfigEndsWithTwo) {
  const TempDirectory directory;
  const Ended missing = run({"--config", (directory.path() / "none.conf").string()});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.said, HasSubstr("none.conf"));
  EXPECT_EQ(run({"--config", directory.path().string()}).status, 2) << "a directory";
  const auto unknown = directory.write("bad.conf", "[line]\nlistne = 127.0.0.1:1\n");
  const Ended bad = run({"--config", unknown.string()});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.said, HasSubstr("line.listne"));
}

TEST(ExitE2e, CheckConfigOpensNothing) {
  const TempDirectory directory;
  const std::string data = directory.path() / "data";
  const Ended valid = run({"--check-config", "--store.path", data});
  EXPECT_EQ(valid.status, 0) << valid.said;
  EXPECT_EQ(valid.out, "statmilld: the settings are valid\n");
  EXPECT_FALSE(std::filesystem::exists(data));
  const Ended faults = run({"--check-config", "--http.certificate", data, "--http.key", data,
                            "--agent.token_file", data, "--http.tokens", data},
                           {{"STATMILL_HTTP_LISEN", "127.0.0.1:1"}});
  EXPECT_EQ(faults.status, 2);
  for (const std::string part : {"http.certificate", "agent.token_file", "http.tokens",
                                 "STATMILL_HTTP_LISEN; did you mean STATMILL_HTTP_LISTEN?"})
    EXPECT_THAT(faults.said, HasSubstr(part));
  const Command agent{std::string(STATMILL_BIN) + "/statmill-agent", {"--check-config"}, {}};
  EXPECT_EQ(run_program(agent).out, "statmill-agent: the settings are valid\n");
  const Command wrong{
      std::string(STATMILL_BIN) + "/statmill-agent", {"--check-config", "--server.token_file", data}, {}};
  const Ended missing = run_program(wrong);
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.said, HasSubstr("server.token_file"));
}

TEST(ExitE2e, CommandLineOverridesEnvironmentOverridesFile) {
  const TempDirectory directory;
  const std::string port = std::to_string(unused_port());
  const auto config = directory.write(
      "c.conf", "retention = nonsense\n[line]\nlisten = 127.0.0.1:" + port + "\n[http]\nlisten = bad\n");
  Process server({std::string(STATMILL_BIN) + "/statmilld",
                  {"--config", config.string(), "--http.listen", "127.0.0.1:0", "--store.path",
                   (directory.path() / "d").string()},
                  {{"STATMILL_RETENTION", "10s:1d"}}});
  const auto ready = server.wait_for_line(" ready ");
  ASSERT_TRUE(ready) << server.standard_error();
  EXPECT_EQ(log_value(*ready, "line"), "127.0.0.1:" + port);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST(ExitE2e, ALockedDataDirectoryEndsWithFour) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const Ended second = run(options_for(server.data() / "data"));
  EXPECT_EQ(second.status, 4);
  EXPECT_THAT(second.said, HasSubstr("in use by another process"));
  server.send("x 1\n");
  EXPECT_EQ(server.conservation(), "") << "the first server keeps working";
}

TEST(ExitE2e, APortInUseEndsWithSix) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const TempDirectory directory;
  for (const auto& [option, endpoint] :
       {std::pair{"--line.listen", server.line()}, {"--http.listen", server.http()}}) {
    auto arguments = options_for(directory.path() / "d");
    arguments.insert(arguments.end(), {option, endpoint.text()});
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 6) << option;
    EXPECT_THAT(ended.said, HasSubstr(endpoint.text()));
    EXPECT_THAT(ended.said, HasSubstr("in use"));
  }
}

TEST(ExitE2e, AnAddressThatIsNoIpAddressEndsWithTwo) {
  const TempDirectory directory;
  for (const char* option : {"--line.listen", "--agent.listen"}) {
    auto arguments = options_for(directory.path() / "d");
    arguments.insert(arguments.end(), {option, "no-address:1"});
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2) << option;
    EXPECT_THAT(ended.said, HasSubstr("no-address:1: not an IP address"));
  }
}

TEST(ExitE2e, AForeignDirectoryEndsWithTwoAndIsNotChanged) {
  const TempDirectory directory;
  const auto file = directory.write("d/holiday.txt", "sun");
  const Ended ended = run(options_for(directory.path() / "d"));
  EXPECT_EQ(ended.status, 2) << ended.said;
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
}

// The server ends with status 3 and changes nothing. With --salvage it starts and reports what is lost.
TEST(ExitE2e, DamageInTheMiddleOfTheLogEndsWithThreeWithoutSalvage) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  for (int i = 0; i < 5; ++i) {
    server.send("x" + std::to_string(i) + " 1\n");
    server.wait_until_durable();
  }
  server.kill();
  std::filesystem::path log;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.data() / "data")) {
    if (entry.path().extension() == ".log") log = entry.path();
  }
  ASSERT_FALSE(log.empty());
  const auto size = std::filesystem::file_size(log);
  {
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(size / 3));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(size / 3));
    file.put(static_cast<char>(byte ^ 0x10));
  }
  const Ended ended = run(options_for(server.data() / "data"));
  EXPECT_EQ(ended.status, 3) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("store.path"));
  EXPECT_THAT(ended.said, HasSubstr("--salvage"));
  const Ended checked = server.cli({"check", (server.data() / "data").string()});
  EXPECT_EQ(checked.status, 3) << checked.said;
  EXPECT_EQ(std::filesystem::file_size(log), size) << "the damaged file must stay for analysis";
  auto arguments = options_for(server.data() / "data");
  arguments.emplace_back("--salvage");
  Process salvaging({std::string(STATMILL_BIN) + "/statmilld", arguments, {}});
  const auto salvaged = salvaging.wait_for_line(" salvaged ");
  ASSERT_TRUE(salvaged) << salvaging.standard_error();
  EXPECT_GT(std::stoi(log_value(*salvaged, "log_bytes")), 0);
  ASSERT_TRUE(salvaging.wait_for_line(" ready "));
  salvaging.signal(SIGTERM);
  EXPECT_EQ(salvaging.wait(), 0);
  server.start();
}

TEST(ExitE2e, TierStepsThatDifferFromTheDataEndWithTwo) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  ASSERT_EQ(server.stop(), 0);
  auto arguments = options_for(server.data() / "data");
  arguments.insert(arguments.end(), {"--retention", "1m:10d,1h:1y"});
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.status, 2) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("retention"));
}

TEST(ExitE2e, ALaterMinorVersionOfTheFormatEndsWithFiveAndIsNotChanged) {
  const TempDirectory directory;
  const auto format = directory.write("d/FORMAT", "statmill store 2.99\nsteps 10s,5m,1h\n");
  const Ended ended = run(options_for(format.parent_path()));
  EXPECT_EQ(ended.status, 5) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("format version 2.99, this program reads 1.0 to 2."));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(format.parent_path()), {}), 1);
}

TEST(ExitE2e, HelpAndVersionGoToStandardOutput) {
  for (const char* option : {"--help", "--version"}) {
    Process process({std::string(STATMILL_BIN) + "/statmilld", {option}, {}});
    EXPECT_EQ(process.wait(), 0);
    EXPECT_THAT(process.standard_output(), HasSubstr("statmill"));
  }
}

// Runs a program with a limit on its file descriptors and stops it once it is ready. Returns nullopt if it
// got ready, else how it ended.
std::optional<Ended> run_with_descriptors(int descriptors, const std::string& program,
                                          std::vector<std::string> arguments, std::string_view ready) {
  arguments.insert(arguments.begin(),
                   {"--nofile=" + std::to_string(descriptors), std::string(STATMILL_BIN) + "/" + program});
  Process process({"prlimit", std::move(arguments), {}});
  const bool is_ready = process.wait_for_line(ready).has_value();
  if (is_ready) process.signal_if_running(SIGTERM);  // it may also fail after it was ready
  Ended ended{process.wait().value_or(-1000), process.standard_output(), process.standard_error()};
  if (!is_ready) return ended;
  EXPECT_THAT(ended.status, testing::AnyOf(0, 1)) << descriptors << "\n" << ended.said;
  return std::nullopt;
}

// With each limit the program either runs, or ends with a line that names what failed.
TEST(ExitE2e, TooFewDescriptorsEndTheServerWithAnErrorLine) {
  bool has_run = false;
  for (int descriptors = 8; descriptors <= 256; descriptors += descriptors < 64 ? 4 : 32) {
    const TempDirectory directory;
    const auto ended =
        run_with_descriptors(descriptors, "statmilld", options_for(directory.path() / "d"), " ready ");
    has_run = !ended;
    if (!ended) continue;
    EXPECT_THAT(ended->status, testing::AnyOf(1, 6)) << descriptors << "\n" << ended->said;
    EXPECT_THAT(ended->said, HasSubstr("statmilld: ")) << descriptors;
  }
  EXPECT_TRUE(has_run) << "256 are enough";
}

TEST(ExitE2e, TooFewDescriptorsEndTheAgentWithAnErrorLine) {
  const std::vector<std::string> options{"--server", "127.0.0.1:" + std::to_string(unused_port()),
                                         "--http.listen", "127.0.0.1:0"};
  bool has_run = false;
  for (const int descriptors :
       {8, 12, 16, 20, 24, 32, 48, 64, 128, 256}) {  // fewer steps, because the agent ends slowly
    const auto ended = run_with_descriptors(descriptors, "statmill-agent", options, " ready ");
    has_run = !ended;
    if (!ended) continue;
    EXPECT_THAT(ended->status, testing::AnyOf(1, 6)) << descriptors << "\n" << ended->said;
    EXPECT_THAT(ended->said, HasSubstr("statmill-agent: ")) << descriptors;
  }
  EXPECT_TRUE(has_run) << "256 are enough";
}

// The server handles the signal once the start is complete. Before it has a signal handler, the signal ends
// it.
TEST(ExitE2e, ASignalDuringTheStartEndsTheServerCleanly) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  server.send("x 1\n");
  server.wait_until_durable();
  server.kill();
  Process starting({std::string(STATMILL_BIN) + "/statmilld", options_for(server.data() / "data"), {}});
  ASSERT_TRUE(starting.wait_for_line("store open"));
  starting.signal(SIGTERM);
  starting.signal(SIGTERM);
  EXPECT_EQ(starting.wait(), 0) << starting.standard_error();
  Process early({std::string(STATMILL_BIN) + "/statmilld", options_for(server.data() / "data"), {}});
  early.signal(SIGTERM);
  EXPECT_THAT(early.wait(), testing::AnyOf(0, -SIGTERM)) << early.standard_error();
  server.start();
  EXPECT_EQ(server.totals("x").at("x").count, 1);
}

}  // namespace
}  // namespace statmill
