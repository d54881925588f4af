// The disk of an agent's spool hangs: the agent reports it, keeps collecting and answering, keeps the
// collected lines within its memory limit, reports what it had to drop, and sends the rest once the disk
// resumes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>

#include "tests/support/agent_server.h"
#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Optional;

class HungSpool : public testing::Test {
 protected:
  ~HungSpool() override { release(); }

  void SetUp() override {
    agent_ = std::make_unique<Process>(
        Command{std::string(STATMILL_BIN) + "/statmill-agent",
                {"--server", server_.endpoint().text(), "--interval", "100ms", "--agent.host", "t",
                 "--collectors", "load", "--spool.path", directory_.path() / "spool", "--queue.bytes", "1M",
                 "--watchdog.hang", "200ms", "--http.listen", "127.0.0.1:0", "--line.listen", "127.0.0.1:0"},
                {{"LD_PRELOAD", STATMILL_HUNG_DISK}, {"HUNG_DISK", switch_}}});
    const auto ready = agent_->wait_for_line(" ready ");
    ASSERT_TRUE(ready) << agent_->standard_error();
    http_ = *parse_endpoint(log_value(*ready, "http"));
    line_ = *parse_endpoint(log_value(*ready, "line"));
    ASSERT_TRUE(server_.accept());
    server_.lines_until("host.load.average_1m ");
  }
  void hang() {
    directory_.write("hung", "");
    ASSERT_TRUE(agent_->wait_for_line("error hangs what=loop.outbox at=\"the spool's disk\""));
  }
  // Sends lines to the agent's relay and returns when it has read them all.
  void send(const std::string& lines) const {
    TcpConnection connection = TcpConnection::to(line_);
    ASSERT_TRUE(connection.send(lines));
    connection.finish_sending();
    connection.receive_all();
  }
  void release() { std::filesystem::remove(switch_); }
  double metric(const std::string& name) const {
    const std::string text = http_get(http_, "/metrics").body;
    const size_t at = text.find("\nstatmill_host_" + name + " ");
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + text.find(' ', at + 1), nullptr);
  }
  bool wait_for_metric(const std::string& name, double least) const {
    return wait_until([&] { return metric(name) >= least; });
  }
  bool wait_until_nothing_waits() const {
    return wait_until([&] { return metric("agent_spool_wait_seconds") == 0; });
  }
  // Stops the agent, which sends all that it has, and returns the lines that the server received. The server
  // checks that no batch is missing or duplicate.
  std::string end() {
    agent_->signal(SIGTERM);
    std::string lines = server_.all_lines();
    EXPECT_THAT(agent_->wait(), Optional(0)) << agent_->standard_error();
    return lines;
  }

  TempDirectory directory_;
  const std::string switch_ = directory_.path() / "hung";
  AgentServer server_;
  std::unique_ptr<Process> agent_;
  Endpoint http_;
  Endpoint line_;
};

TEST_F(HungSpool, AHangIsReportedDelaysNeitherCollectionNorMetricsAndLosesNothing) {
  hang();
  send("meanwhile 1\n");
  EXPECT_TRUE(wait_for_metric("agent_spool_wait_seconds", 1.0))
      << "lines are collected and wait for the spool";
  release();
  EXPECT_TRUE(agent_->wait_for_line("event loop was held loop=outbox"));
  EXPECT_EQ(metric("agent_lines_dropped_total"), 0);
  EXPECT_THAT(end(), HasSubstr("meanwhile "));
  EXPECT_EQ(server_.lines_lost(), 0U);
}

TEST_F(HungSpool, BeyondTheLimitTheOldestLinesAreDroppedCountedAndReportedAsAGap) {
  hang();
  std::string lines;
  for (int i = 0; i < 40'000; ++i)
    lines += "a.name.of.some.length.that.takes.room." + std::to_string(i) + " 1\n";
  send(lines);
  ASSERT_TRUE(agent_->wait_for_line("the oldest waiting lines are dropped"));
  release();
  EXPECT_TRUE(wait_until_nothing_waits());
  const double dropped = metric("agent_lines_dropped_total");
  end();
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(static_cast<double>(server_.lines_lost()), dropped);
}

TEST_F(HungSpool, AStopReportsThatItWaitsForTheDiskAndThenSendsEverything) {
  hang();
  agent_->signal(SIGTERM);
  ASSERT_TRUE(agent_->wait_for_line("shutdown waits for the spool's disk"));
  release();
  server_.all_lines();
  EXPECT_THAT(agent_->wait(), Optional(0)) << agent_->standard_error();
  EXPECT_EQ(server_.lines_lost(), 0U);
}

TEST_F(HungSpool, ASecondSignalEndsAStopThatHangsAtOnceWithOne) {
  hang();
  agent_->signal(SIGTERM);
  // The agent says so once the stop has gone on for kFinishLimit and more.
  ASSERT_TRUE(agent_->wait_for_line("shutdown waits for the spool's disk"));
  agent_->signal(SIGTERM);
  EXPECT_THAT(agent_->wait(), Optional(1));
  EXPECT_THAT(agent_->standard_error(), HasSubstr("statmill-agent: second SIGTERM: ends at once"));
}

}  // namespace
}  // namespace statmill
