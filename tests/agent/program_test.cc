// statmill-agent as its users see it: lines on a connection, exit codes, signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/agent_server.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Optional;
using testing::StartsWith;

Command agent(std::vector<std::string> arguments) { return {STATMILL_AGENT, std::move(arguments), {}}; }

class AgentProgramTest : public testing::TestWithParam<int> {};

TEST_P(AgentProgramTest, PushesUntilASignalAndExitsZero) {
  AgentServer server;
  Process process(agent({"--server", server.endpoint().text(), "--interval", "100ms", "--agent.host", "t",
                         "--agent.tags", "dc=eu", "--collectors", "cpu,load"}));
  ASSERT_TRUE(server.accept());
  const std::string text = server.lines_until("host.cpu.busy_percent ");
  EXPECT_THAT(text, HasSubstr("host.agent.collector_status;collector=load "));
  EXPECT_THAT(text, HasSubstr("*host.agent.lines_dropped "));
  EXPECT_THAT(text, HasSubstr("host.agent.rss_bytes "));
  EXPECT_THAT(text, HasSubstr("$c host.up "));
  EXPECT_THAT(text, HasSubstr("\n$m g host.agent.rss_bytes bytes Resident memory of the agent.\n"));
  EXPECT_EQ(server.tags(), "dc=eu;host=t");
  process.signal(GetParam());
  EXPECT_THAT(server.all_lines(), testing::EndsWith("\n"));
  EXPECT_THAT(process.wait(), Optional(0));
  EXPECT_THAT(process.standard_error(), HasSubstr("info collector name=cpu status=ok"));
}

INSTANTIATE_TEST_SUITE_P(Signals, AgentProgramTest, testing::Values(SIGTERM, SIGINT));

TEST(AgentProgram, DebugSaysWhatEachCollectionHas) {
  AgentServer server;
  Process process(agent({"--server", server.endpoint().text(), "--interval", "100ms", "--collectors", "load",
                         "--log.level", "debug"}));
  const auto line = process.wait_for_line("debug collected lines=");
  ASSERT_TRUE(line) << process.standard_error();
  EXPECT_THAT(*line, HasSubstr(" bytes="));
  process.signal(SIGTERM);
  EXPECT_THAT(process.wait(), Optional(0));
}

TEST(AgentProgram, EndsAtOnceWhenTheServerIsAway) {
  const Endpoint nobody{"127.0.0.1", unused_port()};
  Process process(agent({"--server", nobody.text(), "--collectors", "load"}));
  ASSERT_TRUE(process.wait_for_line("server away"));
  process.signal(SIGTERM);
  EXPECT_THAT(process.wait(std::chrono::seconds(5)), Optional(0));
}

TEST(AgentProgram, SpooledLinesAreSentAfterTheNextStart) {
  const TempDirectory directory;
  const std::string spool = directory.path() / "spool";
  AgentServer server;
  const auto start = [&](const std::string& collector, const std::string& at, const std::string& interval) {
    return agent({"--server", at, "--interval", interval, "--agent.host", "t", "--collectors", collector,
                  "--spool.path", spool});
  };
  {
    Process process(start("load", "127.0.0.1:" + std::to_string(unused_port()), "100ms"));
    const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
    const auto first_segment = std::filesystem::path(spool) / "00000000000000000001.spool";
    std::error_code none;
    while (std::filesystem::file_size(first_segment, none) < 200 || none) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << process.standard_error();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // polls a file
    }
    process.signal(SIGKILL);
    EXPECT_THAT(process.wait(), Optional(-SIGKILL));
  }
  // A batch that is made before the agent is connected would be sent before those of the spool.
  Process process(start("psi", server.endpoint().text(), "3s"));
  ASSERT_TRUE(server.accept());
  EXPECT_THAT(server.lines_until("collector_status;collector=psi "),
              HasSubstr("host.agent.collector_status;collector=load "));
}

TEST(AgentProgram, ASpoolBelongsToOneAgent) {
  const TempDirectory directory;
  const auto start = [&] {
    return agent({"--server", "127.0.0.1:" + std::to_string(unused_port()), "--collectors", "load",
                  "--spool.path", directory.path().string()});
  };
  Process first(start());
  ASSERT_TRUE(first.wait_for_line("spool open"));
  Process second(start());
  EXPECT_THAT(second.wait(), Optional(4));
  EXPECT_THAT(second.standard_error(), HasSubstr(directory.path().string()));
}

TEST(AgentProgram, ConnectsWithoutTlsOutsideTheLoopbackOnlyIfAllowed) {
  Process process(agent({"--server", "192.0.2.1:8113", "--collectors", "load"}));
  EXPECT_THAT(process.wait(), Optional(2));
  EXPECT_THAT(process.standard_error(), HasSubstr("--server.tls"));
}

TEST(AgentProgram, OncePrintsOneCollection) {
  Process process(agent({"--once", "--interval", "100ms", "--agent.host", "h", "--collectors", "load,cpu"}));
  EXPECT_THAT(process.wait(), Optional(0));
  EXPECT_THAT(process.standard_output(), HasSubstr("\n*host.cpu.context_switches "));
  EXPECT_EQ(process.standard_output().find("$c host.up "), 0U);
  EXPECT_EQ(process.standard_output().find("$c host.up ", 1), std::string::npos) << "one collection, not two";
}

TEST(AgentProgram, ASignalEndsOnce) {
  Process process(agent({"--once", "--interval", "1h", "--collectors", "load"}));
  ASSERT_TRUE(process.wait_for_line("collector name=load"));
  process.signal(SIGTERM);
  EXPECT_THAT(process.wait(std::chrono::seconds(5)), Optional(-SIGTERM));
}

TEST(AgentProgram, OnceFailsWhenNothingCanBePrinted) {
  Process process({"/bin/sh",
                   {"-c", "exec " STATMILL_AGENT " --once --interval 100ms --collectors load >/dev/full"},
                   {}});
  EXPECT_THAT(process.wait(), Optional(1));
  EXPECT_THAT(process.standard_error(), HasSubstr("cannot write"));
}

// Returns a line of /proc/<pid>/status: "CapEff", "NoNewPrivs".
std::string status_of(pid_t pid, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  }
  return "not there";
}

constexpr const char* kNoCapabilities = "0000000000000000";

TEST(AgentProgram, DropsAllCapabilitiesOnceItsProgramsAreLoaded) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  Process process(agent({"--server", Endpoint{"127.0.0.1", unused_port()}.text(), "--collectors", "load"}));
  ASSERT_TRUE(process.wait_for_line("collector name=load"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
    EXPECT_EQ(status_of(process.pid(), set), kNoCapabilities) << set;
  EXPECT_EQ(status_of(process.pid(), "NoNewPrivs"), "1");
}

TEST(AgentProgram, NeedsTwoCapabilitiesForItsProgramsButNotRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root: cannot become another user";
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) GTEST_SKIP() << "no BTF";
  const std::string two = "-all,+bpf,+perfmon";
  Process process({"setpriv",
                   {"--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=" + two,
                    "--ambient-caps=" + two, "--bounding-set=" + two, STATMILL_AGENT, "--server",
                    Endpoint{"127.0.0.1", unused_port()}.text(), "--interval", "100ms"},
                   {}});
  const auto line = process.wait_for_line("collector name=interrupts");
  if (!line) {
    process.wait();
    GTEST_SKIP() << "not started as another user: " << process.standard_error();
  }
  if (line->find("built without eBPF") != std::string::npos) GTEST_SKIP() << "built without eBPF";
  for (const char* name : {"sched", "process", "interrupts", "block", "net", "memory"}) {
    EXPECT_THAT(process.standard_error(), HasSubstr(std::string("name=") + name + " status=ok")) << name;
  }
  EXPECT_THAT(status_of(process.pid(), "Uid"), StartsWith("65534\t65534"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    EXPECT_EQ(status_of(process.pid(), set), kNoCapabilities) << set;
  EXPECT_EQ(status_of(process.pid(), "NoNewPrivs"), "1");
}

TEST(AgentProgram, CheckPrintsWhatEachCollectorReads) {
  Process process(agent({"--check", "--collectors", "cpu", "--log.level", "error"}));
  EXPECT_THAT(process.wait(), Optional(0));
  const std::string& out = process.standard_output();
  EXPECT_THAT(out, HasSubstr("\ncpu         on   /proc/stat "));
  EXPECT_THAT(out, HasSubstr("\nload        off  /proc/loadavg "));
  for (const char* name : {"sched", "process", "interrupts", "block", "inet", "net", "memory", "syscalls"})
    EXPECT_THAT(out, HasSubstr(std::string("\n") + name + " ")) << name;
  // The columns are aligned.
  const size_t column = out.find("status");
  size_t begin = out.find('\n') + 1;
  for (size_t end = out.find('\n', begin); end > begin; begin = end + 1, end = out.find('\n', begin)) {
    const std::string cell = out.substr(begin, end - begin).substr(column);
    EXPECT_TRUE(cell.starts_with("ok") || cell.starts_with("unavailable") || cell.starts_with("degraded"))
        << out.substr(begin, end - begin);
  }
}

TEST(AgentProgram, WrongUsageExitsWithTwoAndNamesEveryError) {
  Process process(agent({"--interval", "1ms", "--collectors", "fan"}));
  EXPECT_THAT(process.wait(), Optional(2));
  EXPECT_THAT(process.standard_error(), HasSubstr("interval: "));
  EXPECT_THAT(process.standard_error(), HasSubstr("collectors: "));
}

TEST(AgentProgram, HelpAndVersionExitWithZero) {
  Process help(agent({"--help"}));
  EXPECT_THAT(help.wait(), Optional(0));
  EXPECT_THAT(help.standard_output(), HasSubstr("--agent.host"));
  Process version(agent({"--version"}));
  EXPECT_THAT(version.wait(), Optional(0));
  EXPECT_THAT(version.standard_output(), MatchesRegex("statmill-agent [0-9.]+\n"));
}

}  // namespace
}  // namespace statmill
