// After a restart, SIGTERM or kill -9 under load all durable data is there, nothing counts twice, and there
// are no holes.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

constexpr int kSeries = 10;

// Line i goes to series i % kSeries, so in any prefix of the lines the counts of the series differ by at
// most 1.
std::string lines_from(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = first; i < first + count; ++i) text += "load." + std::to_string(i % kSeries) + " 1\n";
  return text;
}

int64_t counted(const ServerProcess& server) {
  const auto totals = server.totals("load.*");
  double all = 0;
  for (const auto& [name, t] : totals) {
    EXPECT_EQ(t.count, t.sum) << name;
    all += t.count;
  }
  const double least = totals.empty() ? 0 : totals.begin()->second.count;
  for (const auto& [name, t] : totals) EXPECT_LE(std::abs(t.count - least), 1) << name << ": a hole";
  return static_cast<int64_t>(all);
}

TEST(CrashE2e, ContinuesOnTheSameDataAfterAStop) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  server.send("a.gauge 1.5\na.gauge 2.5\n*an.event 4\n");
  EXPECT_EQ(server.conservation(), "");
  ASSERT_EQ(server.stop(), 0);
  server.start();
  EXPECT_EQ(server.totals("a.gauge").at("a.gauge").sum, 4);
  EXPECT_EQ(server.totals("an.event").at("an.event").sum, 4);
  server.send("a.gauge 1\n*an.event 1\n");
  EXPECT_EQ(server.totals("a.gauge").at("a.gauge").count, 3);
  EXPECT_EQ(server.totals("an.event").at("an.event").sum, 5);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(CrashE2e, SigtermLosesNothingThatWasSent) {
  ServerProcess server(STATMILL_BIN);
  int64_t sent = 0;
  for (int round = 0; round < 5; ++round) {
    server.start();
    ASSERT_EQ(counted(server), sent) << "round " << round;
    {
      TcpConnection connection = TcpConnection::to(server.line());
      constexpr int64_t kLines = 50'000;
      ASSERT_TRUE(connection.send(lines_from(sent, kLines)));
      sent += kLines;
      connection.finish_sending();
    }  // closed, maybe before the server accepted it; SIGTERM follows at once
    ASSERT_EQ(server.stop(), 0) << server.process().standard_error();
  }
  server.start();
  EXPECT_EQ(counted(server), sent);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

// Kills the server `kills` times under load. `options` set how often shards are flushed, so that kills happen
// during journal writes, flushes and trims.
void kill_under_load(const std::vector<std::string>& options, int kills) {
  ServerProcess server(STATMILL_BIN, options);
  std::mt19937 random(7);
  int64_t stored = 0;
  for (int round = 0; round < kills; ++round) {
    server.start();
    ASSERT_EQ(counted(server), stored) << "round " << round;
    std::atomic<int64_t> sent{stored};
    std::atomic<bool> killed{false};
    std::thread sender([&] {
      TcpConnection connection = TcpConnection::to(server.line());
      while (!killed && connection.send(lines_from(sent, 100))) sent += 100;
    });
    // Waits until the server reports some of the load as durable, then kills it.
    const bool flowing = server.wait_for_metric("statmill_samples_accepted_total{listener=\"tcp\"}",
                                                1000 + static_cast<double>(random() % 20'000));
    const int64_t accepted =
        stored + static_cast<int64_t>(server.metric("statmill_samples_accepted_total{listener=\"tcp\"}"));
    const double ticks = server.metric("statmill_ticks_total");
    const bool ticked = server.wait_for_metric("statmill_ticks_total", ticks + 2);
    EXPECT_EQ(server.conservation(), "");
    server.kill();
    killed = true;
    sender.join();
    ASSERT_TRUE(flowing && ticked);
    server.start();
    const int64_t recovered = counted(server);
    EXPECT_GE(recovered, accepted) << "round " << round << ": lost what two ticks had made durable";
    EXPECT_LE(recovered, sent + 100) << "round " << round << ": counted twice";
    stored = recovered;
    EXPECT_EQ(server.conservation(), "");
    ASSERT_EQ(server.stop(), 0);
  }
}

TEST(CrashE2e, Kill9UnderLoadRecoversFromTheJournal) { kill_under_load({"--tick", "50ms"}, 4); }

TEST(CrashE2e, Kill9UnderLoadRecoversBetweenFlushes) {
  kill_under_load({"--tick", "20ms", "--flush.interval", "100ms"}, 6);
}

}  // namespace
}  // namespace statmill
