// Which signals end statmill-agent, and what systemd is notified of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/hash.h"
#include "tests/support/agent_server.h"
#include "tests/support/notify_socket.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/stream_of_signals.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::Optional;

Command agent(std::vector<std::string> arguments) { return {STATMILL_AGENT, std::move(arguments), {}}; }

TEST(AgentEnd, AHangupIsLoggedAndIgnored) {
  AgentServer server;
  Process process(agent({"--server", server.endpoint().text(), "--interval", "100ms", "--agent.host", "t",
                         "--collectors", "load"}));
  ASSERT_TRUE(server.accept());
  for (int i = 0; i < 2; ++i) {
    process.signal(SIGHUP);
    ASSERT_TRUE(process.wait_for_line("SIGHUP is ignored"));
  }
  server.lines_until("host.load.average_1m ");
  process.signal(SIGTERM);
  server.all_lines();
  EXPECT_THAT(process.wait(), Optional(0));
}

TEST(AgentEnd, SignalsDuringTheLookUpOfTheHostsNameWait) {
  std::array<char, 257> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  if (std::string_view(name.data()).find('.') != std::string_view::npos)
    GTEST_SKIP() << "this host's name is complete, so it is not looked up";
  AgentServer server;
  Command command = agent({"--server", server.endpoint().text(), "--collectors", "load"});
  command.environment.emplace_back("LD_PRELOAD", STATMILL_HUNG_NAMES);
  Process process(command);
  ASSERT_TRUE(process.wait_for_line("the look-up hangs"));
  process.signal(SIGUSR2);
  EXPECT_TRUE(process.wait_for_line("warn SIGUSR2 is ignored"));
  process.signal(SIGTERM);
  EXPECT_THAT(process.wait(), Optional(0));
}

// Its own connection, and those that pass on the batches of other agents.
TEST(AgentEnd, AGatewayWaitsForNoNameServer) {
  const TempDirectory directory;
  Command command =
      agent({"--server", "hung.test:1", "--server.plain", "--agent.host", "gateway", "--collectors", "load",
             "--agent.listen", "127.0.0.1:0", "--spool.path", directory.path() / "spool"});
  command.environment.emplace_back("LD_PRELOAD", STATMILL_HUNG_NAMES);
  Process gateway(command);
  const auto ready = gateway.wait_for_line(" ready ");
  ASSERT_TRUE(ready);
  const size_t at = ready->find(" agent=") + 7;
  const std::string port = ready->substr(at, ready->find(' ', at) - at);
  ASSERT_TRUE(gateway.wait_for_line("the look-up hangs"));
  Process leaf(agent({"--server", port, "--agent.host", "leaf", "--collectors", "load"}));
  ASSERT_TRUE(gateway.wait_for_line("the look-up hangs"));
  gateway.signal(SIGTERM);
  EXPECT_THAT(gateway.wait(), Optional(0)) << gateway.standard_error();
  leaf.signal(SIGTERM);
  EXPECT_THAT(leaf.wait(), Optional(0));
}

// Signals arrive during the shutdown, too, up to the last instruction.
TEST(AgentEnd, AStreamOfSignalsWithinASecondEndsItWithExitCodeZero) {
  for (int i = 0; i < 20; ++i) {
    AgentServer server;
    Process process(agent({"--server", server.endpoint().text(), "--collectors", "load"}));
    ASSERT_TRUE(server.accept());
    EXPECT_TRUE(ends_cleanly_by_a_stream_of_signals(process));
  }
}

TEST(AgentEnd, NotifiesSystemdWhenItIsReadyAndWhenItStops) {
  const NotifySocket systemd;
  Command command = agent({"--server", "127.0.0.1:" + std::to_string(unused_port()), "--collectors", "load"});
  command.environment.emplace_back("NOTIFY_SOCKET", systemd.path());
  Process process(command);
  EXPECT_TRUE(systemd.wait_for("READY=1"));
  process.signal(SIGTERM);
  EXPECT_TRUE(systemd.wait_for("STOPPING=1"));
  EXPECT_THAT(process.wait(), Optional(0));
}

TEST(AgentEnd, ASpoolOfAnotherVersionEndsItWithExitCodeFive) {
  const TempDirectory directory;
  const std::string identity = "statmill spool 99\n";
  std::array<char, 16> checksum{};
  std::snprintf(checksum.data(), checksum.size(), "crc %08x\n", static_cast<unsigned>(crc32c(identity)));
  directory.write("spool/identity", identity + checksum.data());
  Process process(agent({"--server", "127.0.0.1:" + std::to_string(unused_port()), "--collectors", "load",
                         "--spool.path", directory.path() / "spool"}));
  EXPECT_THAT(process.wait(), Optional(5)) << process.standard_error();
}

}  // namespace
}  // namespace statmill
