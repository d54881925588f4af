// statmill-agent as its users see it: lines on a connection, exit codes, signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/process.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Optional;

Command agent(std::vector<std::string> arguments) { return {STATMILL_AGENT, std::move(arguments), {}}; }

// Receives until `part` has come.
std::string receive_until(TcpConnection& connection, std::string_view part) {
  std::string text;
  while (text.find(part) == std::string::npos) {
    const std::string more = connection.receive();
    if (more.empty()) break;
    text += more;
  }
  return text;
}

class AgentProgramTest : public testing::TestWithParam<int> {};

TEST_P(AgentProgramTest, PushesUntilASignalAndExitsZero) {
  TcpListener server;
  Process process(agent({"--server", server.endpoint().text(), "--interval", "100ms", "--agent.prefix",
                         "host.t", "--collectors", "cpu,load"}));
  TcpConnection connection = server.accept();
  ASSERT_TRUE(connection.is_connected());
  const std::string text = receive_until(connection, "host.t.cpu.busy ");
  EXPECT_THAT(text, HasSubstr("host.t.agent.load.status "));
  EXPECT_THAT(text, HasSubstr("*host.t.agent.samples_dropped "));
  EXPECT_THAT(text, HasSubstr("host.t.agent.rss_bytes "));
  process.signal(GetParam());
  EXPECT_THAT(connection.receive_all(), AnyOf(Eq(""), testing::EndsWith("\n"))) << "ends with a whole line";
  EXPECT_THAT(process.wait(), Optional(0));
  EXPECT_THAT(process.standard_error(), HasSubstr("info collector name=cpu status=ok"));
}

INSTANTIATE_TEST_SUITE_P(Signals, AgentProgramTest, testing::Values(SIGTERM, SIGINT, SIGHUP));

TEST(AgentProgram, EndsAtOnceWhenTheServerIsAway) {
  const Endpoint nobody{"127.0.0.1", unused_port()};
  Process process(agent({"--server", nobody.text(), "--collectors", "load"}));
  ASSERT_TRUE(process.wait_for_line("server away"));
  process.signal(SIGTERM);
  EXPECT_THAT(process.wait(std::chrono::seconds(5)), Optional(0));
}

TEST(AgentProgram, OncePrintsOneCollection) {
  Process process(
      agent({"--once", "--interval", "100ms", "--agent.prefix", "h", "--collectors", "load,vmstat"}));
  EXPECT_THAT(process.wait(), Optional(0));
  EXPECT_THAT(process.standard_output(), HasSubstr("\n*h.vmstat.ctxt "));
  EXPECT_EQ(process.standard_output().find("h.load.1m "), 0U);
  EXPECT_EQ(process.standard_output().find("h.load.1m ", 1), std::string::npos) << "one collection, not two";
}

TEST(AgentProgram, OnceFailsWhenNothingCanBePrinted) {
  Process process({"/bin/sh",
                   {"-c", "exec " STATMILL_AGENT " --once --interval 100ms --collectors load >/dev/full"},
                   {}});
  EXPECT_THAT(process.wait(), Optional(1));
  EXPECT_THAT(process.standard_error(), HasSubstr("cannot print"));
}

TEST(AgentProgram, BadUsageExitsTwoAndNamesEveryFault) {
  Process process(agent({"--interval", "1ms", "--collectors", "fan"}));
  EXPECT_THAT(process.wait(), Optional(2));
  EXPECT_THAT(process.standard_error(), HasSubstr("interval: "));
  EXPECT_THAT(process.standard_error(), HasSubstr("collectors: "));
}

TEST(AgentProgram, HelpAndVersionExitZero) {
  Process help(agent({"--help"}));
  EXPECT_THAT(help.wait(), Optional(0));
  EXPECT_THAT(help.standard_output(), HasSubstr("--agent.prefix"));
  Process version(agent({"--version"}));
  EXPECT_THAT(version.wait(), Optional(0));
  EXPECT_THAT(version.standard_output(), MatchesRegex("statmill-agent [0-9.]+\n"));
}

}  // namespace
}  // namespace statmill
