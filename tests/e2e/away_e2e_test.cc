// Servers that are down for a while, or are restored from an older state: the agents resend from their
// spools, and each sample counts once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <vector>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr int kLines = 2000;
constexpr int kLivesMax = 5;

// Returns true if `batches` batches of the host are durable at the server.
bool has_batches(const ServerProcess& server, const AgentHost& host, uint64_t batches) {
  const AgentAccount account = account_of_host(server, host.name());
  return account.is_known && account.durable >= static_cast<double>(batches);
}

bool wait_for_batches(const ServerProcess& server, const AgentHost& host, uint64_t batches) {
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  while (!has_batches(server, host, batches)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

class AwayE2e : public testing::Test {
 protected:
  // Sends samples to the agent and stops it, so that they are in its spool.
  void feed_and_stop(AgentHost& host) {
    EXPECT_TRUE(host.feed(random_, kLines)) << host.said();
    EXPECT_EQ(host.stop(), 0) << host.said();
  }
  // Expects that all of the spool arrives at the servers, and nothing else. The agent must run to send it,
  // and then adds samples of its own; those that it cannot send before it stops are sent in its next run.
  void expect_all_arrives(AgentHost& host, const std::vector<const ServerProcess*>& servers) {
    Spooled spooled = read_spool(host.spool());
    for (int life = 0; life < kLivesMax; ++life) {
      host.start();
      for (const ServerProcess* server : servers)
        ASSERT_TRUE(wait_for_batches(*server, host, spooled.batches)) << host.said();
      EXPECT_EQ(host.stop(), 0) << host.said();
      spooled = read_spool(host.spool());
      const bool is_all_there = std::all_of(servers.begin(), servers.end(), [&](const auto* server) {
        return has_batches(*server, host, spooled.batches);
      });
      if (is_all_there) break;
    }
    for (const ServerProcess* server : servers) EXPECT_EQ(difference(*server, spooled, host.name()), "");
    for (const auto& [series, sum] : host.sent_sums())
      EXPECT_EQ(spooled.series[series].totals.sum, sum) << series << " in the spool";
  }

  std::mt19937_64 random_{7};
};

TEST_F(AwayE2e, AServerRestoredFromAnOlderStateReceivesTheMissingBatchesAgain) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const uint16_t port = server.agent().port;
  AgentHost host(STATMILL_BIN, "rewound", {server.agent()});
  host.start();
  feed_and_stop(host);
  expect_all_arrives(host, {&server});
  ASSERT_EQ(server.stop(), 0);
  const fs::path data = server.data() / "data";
  const fs::path earlier = server.data() / "earlier";
  fs::copy(data, earlier, fs::copy_options::recursive);

  server.start(0, port);
  host.start();
  feed_and_stop(host);
  expect_all_arrives(host, {&server});
  const double batches = account_of_host(server, host.name()).durable;
  ASSERT_EQ(server.stop(), 0);
  fs::remove_all(data);
  fs::rename(earlier, data);

  server.start(0, port);
  EXPECT_LT(account_of_host(server, host.name()).durable, batches) << "the restored state should be older";
  expect_all_arrives(host, {&server});
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(AwayE2e, SamplesSpooledWithoutAServerArriveOnceItRuns) {
  const uint16_t port = unused_port();
  AgentHost host(STATMILL_BIN, "alone", {{"127.0.0.1", port}});
  for (int life = 0; life < 3; ++life) {
    host.start();
    feed_and_stop(host);
  }
  // A kill loses what is not in the spool yet, so this run of the agent gets no samples.
  host.start();
  host.kill();
  ServerProcess server(STATMILL_BIN);
  server.start(0, port);
  expect_all_arrives(host, {&server});
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(AwayE2e, ASecondServerBeginsWithABackupOfTheFirst) {
  ServerProcess first(STATMILL_BIN);
  ServerProcess second(STATMILL_BIN);
  first.start();
  const uint16_t port = unused_port();
  AgentHost host(STATMILL_BIN, "seeded", {first.agent(), {"127.0.0.1", port}});
  host.start();
  feed_and_stop(host);
  expect_all_arrives(host, {&first});
  const std::string backup = first.data() / "backup";
  ASSERT_EQ(first.cli({"backup", backup}).status, 0);
  const double batches = account_of_host(first, host.name()).durable;
  host.start();
  feed_and_stop(host);
  expect_all_arrives(host, {&first});

  ASSERT_EQ(first.cli({"restore", backup, second.data() / "data"}).status, 0);
  second.start(0, port);
  EXPECT_EQ(account_of_host(second, host.name()).durable, batches) << "what the backup has is not sent again";
  expect_all_arrives(host, {&first, &second});
  for (ServerProcess* server : {&first, &second}) {
    EXPECT_EQ(server->conservation(), "");
    EXPECT_EQ(server->stop(), 0);
  }
}

TEST_F(AwayE2e, BothServersReceiveEverythingThoughOneWasDown) {
  ServerProcess here(STATMILL_BIN);
  ServerProcess away(STATMILL_BIN);
  here.start();
  away.start();
  const uint16_t port = away.agent().port;
  AgentHost host(STATMILL_BIN, "both", {here.agent(), away.agent()});
  host.start();
  feed_and_stop(host);
  away.kill();
  for (int life = 0; life < 2; ++life) {
    host.start();
    feed_and_stop(host);
  }
  expect_all_arrives(host, {&here});
  away.start(0, port);
  expect_all_arrives(host, {&here, &away});
  for (ServerProcess* server : {&here, &away}) {
    EXPECT_EQ(server->conservation(), "");
    EXPECT_EQ(server->stop(), 0);
  }
}

}  // namespace
}  // namespace statmill
