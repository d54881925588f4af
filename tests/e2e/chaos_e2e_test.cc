// Exactly-once delivery under faults: three agents and a server are killed repeatedly, and the network
// between them cuts connections, delays and corrupts data. Once the faults stop, the server has exactly what
// the agents' spools hold: the same totals for each series, and each batch once.
//
// Runs 3 random seeds; SM_TIER=nightly runs 100, which take half an hour, longer than ctest's limit for a
// test. CHAOS_SEEDS=n runs n, CHAOS_SEED=n runs only that seed.
#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <random>
#include <thread>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/chaos_seeds.h"
#include "tests/e2e/server_process.h"
#include "tests/support/chaos_proxy.h"

namespace statmill {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kChaos{15'000};
constexpr milliseconds kFeedInterval{10};
constexpr int kLinesPerFeed = 50;
constexpr int kHosts = 3;
constexpr int kDrainRoundsMax = 5;

class Chaos {
 public:
  explicit Chaos(uint64_t seed)
      : random_(seed), proxy_(seed), server_(STATMILL_BIN, {"--flush.interval", "500ms"}) {
    for (int i = 0; i < kHosts; ++i) {
      // The relay of the last host forwards each sample; those of the others aggregate over 1 s.
      const std::string aggregate = i == kHosts - 1 ? "0s" : "1s";
      hosts_.emplace_back(STATMILL_BIN, "chaos" + std::to_string(i), std::vector<Endpoint>{proxy_.endpoint()},
                          std::vector<std::string>{"--relay.aggregate", aggregate, "--interval", "100ms"});
    }
  }

  void run() {
    start_what_is_down();
    const Steady::time_point end = Steady::now() + kChaos;
    Steady::time_point next_strike = Steady::now() + random_delay(100, 1000);
    while (Steady::now() < end && !testing::Test::HasFatalFailure()) {
      for (AgentHost& host : hosts_) {
        EXPECT_TRUE(!host.is_up() || host.feed(random_, kLinesPerFeed)) << host.said();
      }
      if (Steady::now() >= next_strike) {
        strike();
        next_strike = Steady::now() + random_delay(100, 2000);
      } else if (Steady::now() >= up_again_) {
        start_what_is_down();
      }
      // The duration is an input of the test; this sleep waits for no event.
      std::this_thread::sleep_for(kFeedInterval);
    }
  }

  // Stops the faults and runs the agents until everything in their spools is at the server.
  void drain() {
    proxy_.stop_faults();
    for (int round = 0; round < kDrainRoundsMax; ++round) {
      start_what_is_down();
      for (const AgentHost& host : hosts_) ASSERT_TRUE(wait_for(host)) << host.said();
      for (AgentHost& host : hosts_) EXPECT_EQ(host.stop(), 0) << host.said();
      spooled_.clear();
      bool is_all_there = true;
      for (const AgentHost& host : hosts_) {
        const Spooled& spooled = spooled_.emplace_back(read_spool(host.spool()));
        is_all_there = is_all_there &&
                       account_of(server_, spooled.agent).durable == static_cast<double>(spooled.batches);
      }
      if (is_all_there) return;
    }
  }

  void compare() {
    auto spooled = spooled_.begin();
    uint64_t lines = 0;
    for (const AgentHost& host : hosts_) {
      EXPECT_EQ(difference(server_, *spooled, host.name()), "") << host.said();
      for (const auto& [series, sum] : host.sent_sums())
        EXPECT_LE(spooled->series[series].totals.sum, sum) << series << ": more than was sent";
      EXPECT_GT(spooled->batches, 10) << "too few batches to prove anything";
      lines += spooled->lines;
      ++spooled;
    }
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
    std::printf("%d agents and %d servers killed, %d servers stopped, %lu connections, %lu lines spooled\n",
                agents_killed_, servers_killed_, servers_stopped_, proxy_.connections(), lines);
  }

  std::string story() const { return proxy_.story(); }

 private:
  milliseconds random_delay(uint64_t least, uint64_t most) {
    return milliseconds(least + random_() % (most - least));
  }

  // Kills an agent, or kills or stops the server, for a random time.
  void strike() {
    const uint64_t victim = random_() % (2 * kHosts);  // the server is hit as often as all agents together
    up_again_ = Steady::now() + random_delay(0, 500);
    if (victim < kHosts) {
      AgentHost& host = *std::next(hosts_.begin(), static_cast<int64_t>(victim));
      if (!host.is_up()) return;
      host.kill();
      ++agents_killed_;
    } else if (is_server_up_) {
      is_server_up_ = false;
      if (random_() % 4 == 0) {
        EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
        ++servers_stopped_;
      } else {
        server_.kill();
        ++servers_killed_;
      }
    }
  }

  void start_what_is_down() {
    if (!is_server_up_) {
      server_.start();
      proxy_.forward_to(server_.agent());
      is_server_up_ = true;
    }
    for (AgentHost& host : hosts_) {
      if (!host.is_up()) host.start();
    }
  }

  bool wait_for(const AgentHost& host) {
    const Steady::time_point deadline = Steady::now() + kProcessTimeout;
    while (!account_of_host(server_, host.name()).is_connected) {
      if (Steady::now() > deadline) return false;
    }
    return true;
  }

  std::mt19937_64 random_;
  ChaosProxy proxy_;
  ServerProcess server_;
  std::list<AgentHost> hosts_;
  std::vector<Spooled> spooled_;  // one per host, in the order of hosts_
  bool is_server_up_ = false;
  Steady::time_point up_again_{};
  int agents_killed_ = 0;
  int servers_killed_ = 0;
  int servers_stopped_ = 0;
};

TEST(ChaosE2e, EachSpooledSampleCountsOnce) {
  for (const uint64_t seed : chaos_seeds(3, 100)) {
    std::printf("CHAOS_SEED=%lu\n", seed);
    std::fflush(stdout);
    Chaos chaos(seed);
    chaos.run();
    if (!HasFatalFailure()) chaos.drain();
    if (!HasFatalFailure()) chaos.compare();
    ASSERT_FALSE(HasFailure()) << "CHAOS_SEED=" << seed << "\n" << chaos.story();
  }
}

}  // namespace
}  // namespace statmill
