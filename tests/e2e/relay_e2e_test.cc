// An agent as the relay of its host: programs send to it in any dialect and the server receives their
// samples; an agent sends all it has before it stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

Command relay_to(const ServerProcess& server, std::vector<std::string> options) {
  std::vector<std::string> arguments = {"--server",      server.agent().text(), "--collectors",
                                        "load",          "--agent.host",        "e2e",
                                        "--line.listen", "127.0.0.1:0",         "--statsd.listen",
                                        "127.0.0.1:0",   "--graphite.listen",   "127.0.0.1:0"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return {std::string(STATMILL_BIN) + "/statmill-agent", arguments, {}};
}

// Returns the endpoint that the agent listens on for a setting.
Endpoint port_of(Process& agent, const std::string& setting) {
  const auto line = agent.wait_for_line("setting=" + setting);
  EXPECT_TRUE(line) << agent.standard_error();
  return endpoint_of(log_value(line.value_or("address=127.0.0.1:1"), "address"));
}

struct Ports {
  explicit Ports(Process& agent)
      : lines(port_of(agent, "line.listen")),
        graphite(port_of(agent, "graphite.listen")),
        statsd(port_of(agent, "statsd.listen")) {}
  Endpoint lines;
  Endpoint graphite;
  Endpoint statsd;
};

void stop(Process& agent) {
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
}

class RelayE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }
  // Waits until the server has `count` samples of the series, then returns its totals.
  SeriesTotals totals(const std::string& name, double count) {
    const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
    SeriesTotals found;
    while (found.count < count && std::chrono::steady_clock::now() < deadline)
      found = server_.totals(name + "*")[name];
    return found;
  }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(RelayE2e, SamplesSentInAnyDialectArriveAtTheServer) {
  for (const char* aggregate : {"1s", "0s"}) {
    const std::string name = "app" + std::string(aggregate);
    Process agent(relay_to(server_, {"--relay.aggregate", aggregate}));
    const Ports ports(agent);
    std::string lines;
    for (int i = 1; i <= 1000; ++i)
      lines += name + ".gauge " + std::to_string(i) + ".25\n%" + name + ".histogram 20\n";
    ServerProcess::send_to(ports.lines, lines);
    ServerProcess::send_to(ports.graphite, name + ".Disk;host=B 12.5\n" + name + ".Disk;host=B 13.5\n");
    ServerProcess::send_to(ports.statsd,
                           name + ".hits:3|c\n" + name + ".hits:4|c\n" + name + ".ms:8|ms|@0.1\n");
    stop(agent);
    EXPECT_EQ(totals(name + ".gauge", 1000).sum, 500'750) << aggregate;
    EXPECT_EQ(totals(name + ".histogram", 1000).sum, 20'000) << aggregate;
    EXPECT_EQ(totals(name + ".Disk;host=B", 2).sum, 26) << aggregate;
    EXPECT_EQ(totals(name + ".hits", 1).sum, 7) << aggregate;
    EXPECT_EQ(totals(name + ".ms", 10).count, 10) << aggregate;
  }
}

TEST_F(RelayE2e, TagsAndCaretsOfTheHostAreAddedToNames) {
  Process agent(relay_to(server_, {"--relay.tags", "rack=r1,dc=eu", "--relay.caret", "host.web1^cluster.a"}));
  const Ports ports(agent);
  ServerProcess::send_to(ports.lines, "req 1\nreq 2\n");
  stop(agent);
  EXPECT_EQ(totals("req.host.web1;dc=eu;rack=r1", 2).sum, 3);
  EXPECT_EQ(totals("req.cluster.a;dc=eu;rack=r1", 2).sum, 3);
}

TEST_F(RelayE2e, ARunningAgentSendsEverySecondAndReportsItsCounts) {
  Process agent(relay_to(server_, {}));
  const Ports ports(agent);
  ServerProcess::send_to(ports.lines, "req 1\nbad\n");
  EXPECT_EQ(totals("req", 1).sum, 1);
  EXPECT_EQ(totals("host.agent.relay_received;host=e2e", 1).sum, 2);
  EXPECT_EQ(totals("host.agent.relay_refused;host=e2e", 1).sum, 1);
  stop(agent);
}

TEST_F(RelayE2e, CountsArriveOverTheSocketAndFromSharedCells) {
  const TempDirectory directory;
  const std::string socket = (directory.path() / "lines").string();
  const TempDirectory cells;
  Command command = relay_to(server_, {"--line.socket", socket, "--collectors", "programs", "--programs.dir",
                                       cells.path().string()});
  Process agent(command);
  ASSERT_TRUE(agent.wait_for_line("collector name=programs status=ok")) << agent.standard_error();
  Process example(
      {.program = STATMILL_BIN "/example-requests", .arguments = {"unix:" + socket}, .environment = {}});
  EXPECT_EQ(example.wait(), 0) << example.standard_error();
  Process program({STATMILL_SHARING_PROGRAM, {"threads"}, {{"STATMILL_SHARE", cells.path().string()}}});
  ASSERT_TRUE(program.wait_for_line("ready")) << program.standard_error();
  const std::string user = ";uid=" + std::to_string(::geteuid());
  EXPECT_GT(totals("shop.latency_ns;host=e2e" + user, 800'000).count, 0);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  stop(agent);
  EXPECT_EQ(totals("shop.requests;code=200;host=e2e" + user, 1).sum, 800'000)
      << "cells have the tags of the host";
  EXPECT_EQ(server_.totals("shop.requests;code=200")["shop.requests;code=200"].sum, 1'000)
      << "samples over the socket only have those of --relay.tags";
  EXPECT_EQ(totals("shop.latency_ns;host=e2e" + user, 800'000).count, 800'000);
}

TEST_F(RelayE2e, TheServerRefusesOtherKindsOfARelay) {
  Process agent(relay_to(server_, {}));
  const Ports ports(agent);
  server_.send("level 1\n");
  ServerProcess::send_to(ports.lines, "*level 2\nlevel 3\n");
  stop(agent);
  EXPECT_EQ(totals("level", 2).sum, 1 + 3);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"agent\",reason=\"kind_mismatch\"}"), 1);
  const std::string rejects = server_.cli({"rejects", "--format", "csv"}).out;
  EXPECT_THAT(rejects, testing::ContainsRegex(",agent,[^,]+,kind_mismatch,no,5,level\n"));
}

TEST_F(RelayE2e, MetricsReportTheAccountAndTheHost) {
  Process agent(relay_to(server_, {"--http.listen", "127.0.0.1:0"}));
  const auto ready = agent.wait_for_line(" ready ");
  ASSERT_TRUE(ready) << agent.standard_error();
  const Endpoint http = endpoint_of(log_value(*ready, "http"));
  ServerProcess::send_to(endpoint_of(log_value(*ready, "line")), "req 1\nreq 2\nbad\n");
  const HttpReply reply = http_get(http, "/metrics");
  EXPECT_EQ(reply.status, 200);
  for (const char* line : {"statmill_samples_received_total{listener=\"tcp\"} 3\n",
                           "statmill_samples_accepted_total{listener=\"tcp\"} 2\n",
                           "statmill_samples_refused_total{listener=\"tcp\",reason=\"field_count\"} 1\n",
                           "\nstatmill_host_load_average_1m ", "\nstatmill_host_agent_rss_bytes ",
                           "\nstatmill_host_agent_collector_status{collector=\"load\"} 0\n"}) {
    EXPECT_THAT(reply.body, testing::HasSubstr(line));
  }
  stop(agent);
}

TEST_F(RelayE2e, AnAgentThatCannotListenReportsItAndEnds) {
  Process agent(relay_to(server_, {"--line.listen", server_.line().text()}));
  EXPECT_EQ(agent.wait(), 6);
  EXPECT_THAT(agent.standard_error(), testing::HasSubstr("statmill-agent: line.listen "));
}

}  // namespace
}  // namespace statmill
