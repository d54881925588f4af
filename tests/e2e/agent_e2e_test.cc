// An agent and a server as a user runs them: the series of this host arrive, and the agent continues after
// the server was away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "agent/catalogue/catalogue.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// What each series of the host has: those of its programs, too.
const std::string kTags = "dc=eu;host=e2e.example.org";
constexpr const char* kAccepted = "statmill_samples_accepted_total{listener=\"agent\"}";

Command agent_for(const ServerProcess& server) {
  return {std::string(STATMILL_BIN) + "/statmill-agent",
          {"--server", server.agent().text(), "--interval", "100ms", "--agent.host", "e2e.example.org",
           "--agent.tags", "dc=eu"},
          {}};
}

TEST(AgentE2e, HostSeriesAndTheStatusOfEveryCollectorArrive) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  Process agent(agent_for(server));
  ASSERT_TRUE(server.wait_for_metric(kAccepted, 200)) << agent.standard_error();
  // The first interval is shorter than the others. It may contain no clock tick, and then has no share of
  // busy time.
  const std::string busy = "host.cpu.busy_percent;dc=eu;host=e2e.example.org";
  EXPECT_TRUE(wait_until([&] { return server.totals("host.*").contains(busy); }));
  const auto totals = server.totals("*");
  for (const char* name :
       {"host.up;dc=eu;host=e2e.example.org", "host.load.average_1m;dc=eu;host=e2e.example.org",
        "host.cpu.time_ns;cpu=0;dc=eu;host=e2e.example.org;mode=user",
        "host.agent.collector_status;collector=sched;dc=eu;host=e2e.example.org"}) {
    EXPECT_TRUE(totals.contains(name)) << name;
  }
  for (const auto& [name, series] : totals) {
    if (!name.starts_with("host.")) continue;
    EXPECT_NE(find_family(name.substr(0, name.find(';'))), nullptr) << name << " is not in the catalogue";
  }
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(AgentE2e, ReconnectsToAServerThatWasKilledAndRestarted) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const uint16_t port = server.agent().port;
  Process agent(agent_for(server));
  const auto collected = [&] { return server.totals("host.load.average_1m;*").begin()->second.count; };
  ASSERT_TRUE(server.wait_for_metric(kAccepted, 200)) << agent.standard_error();
  const double before = collected();
  ASSERT_GE(before, 1);
  server.wait_until_durable();
  server.kill();
  server.start(0, port);
  EXPECT_GE(collected(), before);
  ASSERT_TRUE(server.wait_for_metric(kAccepted, 300)) << agent.standard_error();
  EXPECT_GT(collected(), before);
  agent.signal(SIGINT);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

// Threads that use CPU time until the object is destroyed.
class Load {
 public:
  explicit Load(int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!is_over_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Load() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

// Returns how many programs to kill, one after the other: KILLED_PROGRAMS if set, 1,000 with SM_TIER=nightly,
// else 10. They run on a loaded machine, so that the agent reads their cells at arbitrary points.
int programs_wanted() {
  if (const char* wanted = std::getenv("KILLED_PROGRAMS")) return std::atoi(wanted);
  const char* tier = std::getenv("SM_TIER");
  return tier != nullptr && std::string_view(tier) == "nightly" ? 1000 : 10;
}

TEST(AgentE2e, CountsOfKilledProgramsArriveExactly) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const TempDirectory cells;
  Command command = agent_for(server);
  command.arguments.insert(command.arguments.end(), {"--programs.dir", cells.path().string()});
  Process agent(command);
  ASSERT_TRUE(agent.wait_for_line("collector name=programs status=ok"));
  const std::string user = ";uid=" + std::to_string(::geteuid());
  const Load load(4);
  const int programs = programs_wanted();
  for (double ended = 1; ended <= programs && !HasFailure(); ++ended) {
    {
      Process program({STATMILL_SHARING_PROGRAM, {"threads"}, {{"STATMILL_SHARE", cells.path().string()}}});
      ASSERT_TRUE(program.wait_for_line("ready")) << program.standard_error();
      program.signal(SIGKILL);
      EXPECT_EQ(program.wait(), -SIGKILL);
    }
    const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
    // A query does not see a batch at one instant, so both series are waited for.
    auto totals = server.totals("shop.*");
    while ((!std::filesystem::is_empty(cells.path()) ||
            totals["shop.requests;code=200;" + kTags + user].sum < ended * 800'000 ||
            totals["shop.latency_ns;" + kTags + user].count < ended * 800'000) &&
           std::chrono::steady_clock::now() < deadline)
      totals = server.totals("shop.*");
    EXPECT_TRUE(std::filesystem::is_empty(cells.path())) << "the agent removes the cells of ended programs";
    EXPECT_EQ(totals["shop.requests;code=200;" + kTags + user].sum, ended * 800'000);
    EXPECT_EQ(totals["shop.latency_ns;" + kTags + user].count, ended * 800'000);
    EXPECT_EQ(totals["shop.latency_ns;" + kTags + user].sum, ended * (100'000.0 * 1000 * 28 + 80'000.0 * 45));
  }
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(AgentE2e, StartsBeforeTheServerAndConnectsOnceItRuns) {
  const uint16_t port = unused_port();
  Process agent({std::string(STATMILL_BIN) + "/statmill-agent",
                 {"--server", "127.0.0.1:" + std::to_string(port), "--interval", "100ms", "--agent.host",
                  "e2e.example.org", "--agent.tags", "dc=eu"},
                 {}});
  ServerProcess server(STATMILL_BIN);
  server.start(0, port);
  EXPECT_TRUE(server.wait_for_metric(kAccepted, 100)) << agent.standard_error();
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
