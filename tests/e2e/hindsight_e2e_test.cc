// Recordings of real agents: what a file holds is what a server gets of it, and the ring is written when it
// is asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/e2e/server_process.h"
#include "tests/support/http_client.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Optional;

std::string inflate(const std::string& path) {
  std::string text;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  std::string buffer(1 << 16, '\0');
  for (int n = 0; (n = ::gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;)
    text.append(buffer, 0, static_cast<size_t>(n));
  EXPECT_EQ(::gzclose(file), Z_OK) << path;
  return text;
}

// The sum of the values of all lines that begin with `name`, and how many they are.
SeriesTotals sum_of(const std::string& text, const std::string& name) {
  SeriesTotals totals;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + " ")) continue;
    totals.sum += std::stod(line.substr(line.rfind(' ')));
    totals.count += 1;
  }
  return totals;
}

// How many moments have a line that begins with `name`. A moment can go on in the next block.
size_t moments_with(const std::string& text, const std::string& name) {
  std::set<std::string> moments;
  std::string at;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# at ")) at = line;
    if (line.starts_with(name)) moments.insert(at);
  }
  return moments.size();
}

class HindsightE2e : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() / name; }
  // Starts an agent with a ring.
  void start(std::vector<std::string> options) {
    std::vector<std::string> arguments = {"--server",      "127.0.0.1:" + std::to_string(unused_port()),
                                          "--interval",    "100ms",
                                          "--agent.host",  "web1",
                                          "--hindsight",   "1m",
                                          "--http.listen", "127.0.0.1:0",
                                          "--collectors",  "cpu,load"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    agent_.emplace(Command{STATMILL_BIN "/statmill-agent", arguments, {}});
    const auto ready = agent_->wait_for_line("info ready ");
    ASSERT_TRUE(ready) << agent_->standard_error();
    http_ = parse_endpoint(ready->substr(ready->find(" http=") + 6)).value();
  }
  // Waits for a file and returns its text.
  std::string written() {
    const auto line = agent_->wait_for_line("info recording written ");
    if (!line) return "nothing was written: " + agent_->standard_error();
    const size_t begin = line->find("file=") + 5;
    return inflate(line->substr(begin, line->find(' ', begin) - begin));
  }
  std::string get(const std::string& target) {
    TcpConnection connection = TcpConnection::to(http_);
    EXPECT_TRUE(connection.send("GET " + target + " HTTP/1.0\r\n\r\n"));
    return connection.receive_all();
  }
  double metric(const std::string& name) {
    const std::string text = get("/metrics");
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }
  void stop() {
    agent_->signal(SIGTERM);
    EXPECT_THAT(agent_->wait(), Optional(0)) << agent_->standard_error();
  }

  const TempDirectory directory_;
  std::optional<Process> agent_;
  Endpoint http_;
};

TEST_F(HindsightE2e, AServerStoresWhatARecordingHolds) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const Ended recorded = server.cli({"record", "--for", "3s", "--interval", "1s", "--collectors", "cpu,load",
                                     "--fast", "cpu", "--fast.interval", "100ms", path("web.rec.gz")});
  ASSERT_EQ(recorded.status, 0) << recorded.said;
  const std::string text = inflate(path("web.rec.gz"));
  const std::string host =
      text.substr(text.find("host=") + 5, text.find(' ', text.find("host=")) - text.find("host=") - 5);
  EXPECT_THAT(server.cli({"record", "--info", path("web.rec.gz")}).out,
              AllOf(HasSubstr("host           " + host + "\n"), HasSubstr("interval       1000 ms\n"),
                    HasSubstr("fast interval  100 ms\n"), HasSubstr("end            complete\n")));
  const Ended put =
      run_program({"/bin/sh",
                   {"-c", "zcat '" + path("web.rec.gz") + "' | " STATMILL_BIN "/statmill put -"},
                   {{"STATMILL_URL", "http://" + server.http().text()}}});
  ASSERT_EQ(put.status, 0) << put.said;
  EXPECT_GE(moments_with(text, "host.load.average_5m"), 2U);
  EXPECT_GT(moments_with(text, "host.cpu."), moments_with(text, "host.load.average_5m"));
  for (const std::string name :
       {"*host.cpu.context_switches", "host.cpu.busy_percent", "host.load.average_1m"}) {
    const bool is_event = name.starts_with('*');
    const bool is_load = name == "host.load.average_1m";
    const std::string full = name + ";host=" + host;
    const SeriesTotals want = sum_of(text, full);
    EXPECT_EQ(want.count, moments_with(text, is_load ? "host.load.average_5m" : "host.cpu.")) << full;
    const SeriesTotals stored = server.totals(full.substr(is_event ? 1 : 0))[full.substr(is_event ? 1 : 0)];
    EXPECT_NEAR(stored.sum, want.sum, 1e-9 * want.sum) << full;
    if (!is_event) {
      EXPECT_EQ(stored.count, want.count) << full;
    }
  }
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(HindsightE2e, ASignalEndsARecordingWithACompleteFile) {
  Process agent({STATMILL_BIN "/statmill-agent",
                 {"--record", path("a.rec.gz"), "--interval", "100ms", "--collectors", "load"},
                 {}});
  ASSERT_TRUE(agent.wait_for_line("collector name=load"));
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(path("a.rec.gz")); }));
  agent.signal(SIGINT);
  EXPECT_THAT(agent.wait(), Optional(0));
  EXPECT_THAT(inflate(path("a.rec.gz")), HasSubstr("$m g host.load.average_1m "));
  Process info({STATMILL_BIN "/statmill", {"record", "--info", path("a.rec.gz")}, {}});
  EXPECT_THAT(info.wait(), Optional(0));
  EXPECT_THAT(info.standard_output(), HasSubstr("complete\n"));
}

TEST_F(HindsightE2e, AFullDiskEndsARecordingWithAnError) {
  const Ended recorded = run_program(
      {STATMILL_BIN "/statmill-agent",
       {"--record", "/dev/full", "--record.for", "200ms", "--interval", "100ms", "--collectors", "load"},
       {}});
  EXPECT_EQ(recorded.status, 1);
  EXPECT_THAT(recorded.said, HasSubstr("statmill-agent: write /dev/full: No space left on device\n"));
}

TEST_F(HindsightE2e, ASignalWritesTheRing) {
  start({"--spool.path", path("spool"), "--hindsight.fast", "cpu"});
  ASSERT_TRUE(wait_until([&] { return metric("statmill_host_agent_hindsight_seconds") > 0.5; }));
  agent_->signal(SIGUSR2);
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("# recording 1 host=web1 interval_ms=100 fast_ms=100\n$m "));
  EXPECT_THAT(text, HasSubstr("\nhost.load.average_1m;host=web1 1"));
  EXPECT_THAT(text, HasSubstr("\nhost.cpu.busy_percent;host=web1 1"));
  for (size_t at = text.find("\n# at "); at != std::string::npos;) {
    const size_t end = text.find("\n# at ", at + 1);
    const std::string moment = text.substr(at, end - at);
    EXPECT_FALSE(moment.find("\nhost.cpu.busy_percent;") != std::string::npos &&
                 moment.find("\nhost.load.average_1m;") != std::string::npos)
        << "a fast collector is also in the collection of the others:" << moment;
    at = end;
  }
  for (const auto& entry : std::filesystem::directory_iterator(path("spool/hindsight")))
    EXPECT_THAT(entry.path().filename().string(), MatchesRegex("web1-........T......Z.rec.gz"));
  EXPECT_TRUE(wait_until([&] { return metric("statmill_host_agent_hindsight_files_total") == 1; }));
  stop();
}

TEST_F(HindsightE2e, WithoutARingTheSignalIsIgnored) {
  start({"--hindsight", "0s"});
  agent_->signal(SIGUSR2);
  EXPECT_TRUE(agent_->wait_for_line("warn SIGUSR2 is ignored"));
  EXPECT_THAT(get("/hindsight"), HasSubstr(" 404 "));
  stop();
}

TEST_F(HindsightE2e, ARequestGivesTheRing) {
  start({});
  ASSERT_TRUE(wait_until([&] { return metric("statmill_host_agent_hindsight_seconds") > 0.3; }));
  const std::string answer = get("/hindsight");
  std::ofstream(path("get.gz"), std::ios::binary) << answer.substr(answer.find("\r\n\r\n") + 4);
  EXPECT_THAT(inflate(path("get.gz")), HasSubstr("\nhost.load.average_1m;host=web1 1"));
  stop();
}

// The pause is shorter than the wait, so only what the trigger was keeps it from a second file.
TEST_F(HindsightE2e, ATriggerWritesOneFileWhenItBecomesTrue) {
  start({"--hindsight.directory", path("files"), "--hindsight", "300ms", "--interval", "500ms",
         "--collectors", "load", "--hindsight.when", "host.agent.hindsight_s > 0.9", "--hindsight.when",
         "host.load.tasks >= 1"});
  EXPECT_THAT(written(), HasSubstr("\nhost.load.tasks;host=web1 1"));
  ASSERT_TRUE(wait_until([&] { return metric("statmill_host_agent_hindsight_seconds") > 2.5; }));
  stop();
  const std::string& log = agent_->standard_error();
  EXPECT_THAT(log, HasSubstr("info hindsight reason=\"host.agent.hindsight_s > 0.9\""));
  EXPECT_EQ(log.find("info hindsight reason="), log.rfind("info hindsight reason="))
      << "the first is still true, and the second has been from the start";
}

TEST_F(HindsightE2e, AStopWaitsForTheRecordingThatIsBeingWritten) {
  start({"--hindsight.directory", path("files")});
  ASSERT_TRUE(wait_until([&] { return metric("statmill_host_agent_hindsight_seconds") > 0.3; }));
  agent_->signal(SIGUSR2);
  stop();
  EXPECT_THAT(agent_->standard_error(), HasSubstr("info recording written "));
  const auto file = std::filesystem::directory_iterator(path("files"))->path();
  EXPECT_EQ(file.extension(), ".gz");
  EXPECT_THAT(inflate(file), HasSubstr("\nhost.load.tasks;host=web1 1"));
}

// To open a FIFO for writing waits for its reader, as a disk that hangs would.
TEST_F(HindsightE2e, AStopSaysThatItDoesNotWaitForADiskThatHangs) {
  std::filesystem::create_directory(path("files"));
  for (std::time_t second = std::time(nullptr), end = second + 60; second < end; ++second) {
    std::tm utc{};
    ::gmtime_r(&second, &utc);
    std::array<char, 64> name{};
    std::strftime(name.data(), name.size(), "web1-%Y%m%dT%H%M%SZ.rec.gz.new", &utc);
    ASSERT_EQ(::mkfifo((path("files") + "/" + name.data()).c_str(), 0600), 0);
  }
  start({"--hindsight.directory", path("files")});
  agent_->signal(SIGUSR2);
  stop();
  EXPECT_THAT(agent_->standard_error(),
              HasSubstr("error stopping before a recording is written directory=" + path("files") + "\n"));
}

TEST_F(HindsightE2e, SeriesHaveTheNamesThatTheAgentGivesThem) {
  std::ofstream(path("agent.conf")) << "hindsight = 15m\n[agent]\nhost = web7\ntags = dc=eu\n"
                                       "[hindsight]\nwhen = host.load.tasks > 1\n";
  Command command{STATMILL_BIN "/statmill",
                  {"record", "--config", path("agent.conf"), "--for", "300ms", "--interval", "100ms",
                   "--collectors", "load", path("a.rec.gz")},
                  {}};
  Ended recorded = run_program(command);
  ASSERT_EQ(recorded.status, 0) << recorded.said;
  EXPECT_THAT(inflate(path("a.rec.gz")),
              AllOf(HasSubstr("# recording 1 host=web7 "), HasSubstr("\nhost.load.tasks;dc=eu;host=web7 1")));
  command.environment.emplace_back("STATMILL_AGENT_TAGS", "dc=us");
  recorded = run_program(command);
  ASSERT_EQ(recorded.status, 0) << recorded.said;
  EXPECT_THAT(inflate(path("a.rec.gz")), HasSubstr("\nhost.load.tasks;dc=us;host=web7 1"));
}

TEST_F(HindsightE2e, ADirectoryThatFailsIsLoggedAndCounted) {
  std::ofstream(path("file")) << "no directory";
  start({"--hindsight.directory", path("file/below")});
  agent_->signal(SIGUSR2);
  const auto line = agent_->wait_for_line("error recording not written");
  ASSERT_TRUE(line);
  EXPECT_THAT(*line, HasSubstr("Not a directory"));
  EXPECT_TRUE(wait_until([&] { return metric("statmill_host_agent_hindsight_failures_total") == 1; }));
  EXPECT_THAT(get("/hindsight"), HasSubstr(" 200 "));
  stop();
}

}  // namespace
}  // namespace statmill
