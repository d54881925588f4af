// Scrapes by an agent: it and the server are killed with kill -9 at any moment, and what a counter went up by
// is counted exactly once.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// An agent that scrapes a server.
class ScrapingAgent {
 public:
  explicit ScrapingAgent(const Endpoint& source)
      : targets_(directory_.write("source.json", R"([{"targets": [")" + source.text() +
                                                     R"("], "labels": {"job": "source", )"
                                                     R"("__scrape_interval__": "100ms"}}])")) {}

  void start(const Endpoint& server) {
    const std::string spool = (directory_.path() / "spool").string();
    agent_ = std::make_unique<Process>(
        Command{std::string(STATMILL_BIN) + "/statmill-agent",
                {"--server", server.text(), "--collectors", "load", "--agent.host", "e2e", "--interval",
                 "100ms", "--spool.path", spool, "--scrape.targets", targets_},
                {}});
  }
  void kill() {
    agent_->signal(SIGKILL);
    agent_->wait();
  }
  std::optional<int> stop() {
    agent_->signal(SIGTERM);
    return agent_->wait();
  }
  std::string said() const { return agent_->standard_error(); }

 private:
  TempDirectory directory_;
  const std::string targets_;
  std::unique_ptr<Process> agent_;
};

// SM_SEEDS is how many, by default 10.
TEST(AgentScrapeE2e, CountersAreExactThoughAllAreKilled) {
  const char* const wanted = std::getenv("SM_SEEDS");
  const uint64_t seeds = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 10;
  ServerProcess source(STATMILL_BIN);
  source.start();
  for (uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ServerProcess server(STATMILL_BIN, {"--tick", "20ms"});
    server.start();
    ScrapingAgent agent(source.http());
    agent.start(server.agent());
    const std::string name =
        "statmill_samples_accepted_total;instance=" + source.http().text() + ";job=source;listener=http";
    const auto total = [&] {
      const auto totals = server.totals("statmill_samples_accepted_total;*listener=http");
      const auto found = totals.find(name);
      return found == totals.end() ? -1 : found->second.sum;
    };
    // The server has it, so the spool has what it begins with.
    ASSERT_TRUE(wait_until([&] { return total() >= 0; })) << agent.said();
    const double before = total();
    double posted = 0;
    for (int kills = 0; kills < 4; ++kills) {
      // How much is sent before a kill is an input of the test.
      for (uint64_t posts = 1 + random() % 60; posts > 0; --posts, posted += 3)
        ASSERT_EQ(http_post(source.http(), "/api/v1/lines", "*n 1\n*n 1\n*n 1\n").status, 200);
      const uint64_t which = random() % 3;
      const uint16_t port = server.agent().port;
      if (which != 0) agent.kill();
      if (which != 1) {
        server.kill();
        server.start(0, port);
      }
      if (which != 0) agent.start(server.agent());
    }
    EXPECT_TRUE(wait_until([&] { return total() == before + posted; }))
        << total() << " of " << before + posted << "\n"
        << agent.said();
    // Later scrapes change nothing.
    const auto ups = [&] { return server.totals("up;*").begin()->second.count; };
    EXPECT_TRUE(wait_until([&, least = ups() + 3] { return ups() >= least; }));
    EXPECT_EQ(total(), before + posted);
    EXPECT_EQ(server.conservation(), "");
    EXPECT_EQ(agent.stop(), 0);
    EXPECT_EQ(server.stop(), 0);
  }
}

}  // namespace
}  // namespace statmill
