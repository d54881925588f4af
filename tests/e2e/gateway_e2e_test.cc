// Agents that send through gateways: three hops, of which each is killed repeatedly, and bad networks between
// them. Once the faults stop, the server has exactly what the agents' spools hold, each batch once.
//
// Runs 1 random seed; SM_TIER=nightly runs 20. CHAOS_SEEDS=n runs n, CHAOS_SEED=n runs only that seed.
#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <random>
#include <thread>
#include <vector>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/chaos_seeds.h"
#include "tests/e2e/server_process.h"
#include "tests/support/chaos_proxy.h"

namespace statmill {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kChaos{12'000};
constexpr milliseconds kFeedInterval{10};
constexpr int kLinesPerFeed = 30;
constexpr int kLines = 2000;
constexpr int kLeaves = 2;
constexpr int kLivesMax = 3;

std::vector<std::string> gateway_options() {
  return {"--agent.listen", "127.0.0.1:0", "--interval", "200ms"};
}

// Waits until the server has these batches of the host.
bool wait_for_batches(const ServerProcess& server, const std::string& host, uint64_t batches) {
  const auto deadline = Steady::now() + kProcessTimeout;
  while (account_of_host(server, host).durable < static_cast<double>(batches)) {
    if (Steady::now() > deadline) return false;
  }
  return true;
}

// The leaves send to one gateway, that to another, and that to the server.
class Chain {
 public:
  explicit Chain(uint64_t seed) : random_(seed), server_(STATMILL_BIN, {"--flush.interval", "500ms"}) {
    for (uint64_t hop = 0; hop < 3; ++hop) proxies_.emplace_back(seed + hop);
    for (size_t hop = 2; hop > 0; --hop) {
      hosts_.emplace_back(STATMILL_BIN, "gateway" + std::to_string(hop),
                          std::vector<Endpoint>{proxy(hop).endpoint()}, gateway_options());
    }
    for (int leaf = 0; leaf < kLeaves; ++leaf) {
      hosts_.emplace_back(STATMILL_BIN, "leaf" + std::to_string(leaf),
                          std::vector<Endpoint>{proxy(0).endpoint()},
                          std::vector<std::string>{"--interval", "100ms"});
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
        next_strike = Steady::now() + random_delay(100, 1500);
      } else if (Steady::now() >= up_again_) {
        start_what_is_down();
      }
      // The duration is an input of the test; this sleep waits for no event.
      std::this_thread::sleep_for(kFeedInterval);
    }
  }

  // Stops the faults, then the leaves, then the gateways, each once the next hop has everything.
  void drain() {
    for (ChaosProxy& proxy : proxies_) proxy.stop_faults();
    start_what_is_down();
    for (auto host = hosts_.rbegin(); host != hosts_.rend(); ++host) {
      // New batches arrive, so all hops are connected again.
      const double before = account_of_host(server_, host->name()).durable;
      ASSERT_TRUE(wait_for_batches(server_, host->name(), static_cast<uint64_t>(before) + 5)) << host->said();
      ASSERT_TRUE(stop_when_all_arrived(*host)) << host->said();
    }
  }

  // What a host did not hand over before it stopped waits in its spool: then it lives once more.
  bool stop_when_all_arrived(AgentHost& host) {
    for (int life = 0; life < kLivesMax; ++life) {
      if (!host.is_up()) host.start();
      EXPECT_EQ(host.stop(), 0) << host.said();
      Spooled spooled = read_spool(host.spool());
      if (!wait_for_batches(server_, host.name(), spooled.batches)) continue;
      spooled_.push_front(std::move(spooled));
      return true;
    }
    return false;
  }

  void compare() {
    auto spooled = spooled_.begin();
    uint64_t lines = 0;
    for (const AgentHost& host : hosts_) {
      EXPECT_EQ(difference(server_, *spooled, host.name()), "") << host.said();
      EXPECT_GT(spooled->batches, 10) << "too few batches to prove anything";
      EXPECT_EQ(account_of_host(server_, host.name()).gaps, 0) << host.name();
      lines += spooled->lines;
      ++spooled;
    }
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
    std::printf("%d hosts and %d servers killed, %lu lines spooled\n", hosts_killed_, servers_killed_, lines);
  }

 private:
  ChaosProxy& proxy(size_t hop) { return *std::next(proxies_.begin(), static_cast<int64_t>(hop)); }
  milliseconds random_delay(uint64_t least, uint64_t most) {
    return milliseconds(least + random_() % (most - least));
  }

  // Kills a host, more often a gateway than a leaf, or the server.
  void strike() {
    up_again_ = Steady::now() + random_delay(0, 500);
    const uint64_t victim = random_() % (hosts_.size() + 3);
    if (victim == 0) {
      if (is_server_up_) {
        server_.kill();
        ++servers_killed_;
      }
      is_server_up_ = false;
      return;
    }
    AgentHost& host = *std::next(hosts_.begin(), static_cast<int64_t>((victim - 1) % hosts_.size()));
    if (!host.is_up()) return;
    host.kill();
    ++hosts_killed_;
  }

  void start_what_is_down() {
    if (!is_server_up_) {
      server_.start();
      is_server_up_ = true;
      proxy(2).forward_to(server_.agent());
    }
    size_t hop = 2;
    for (AgentHost& host : hosts_) {
      const bool is_gateway = hop > 0;
      if (is_gateway) --hop;
      if (host.is_up()) continue;
      host.start();
      if (is_gateway) proxy(hop).forward_to(host.gateway());
    }
  }

  std::mt19937_64 random_;
  std::list<ChaosProxy> proxies_;  // before the first gateway, before the second one, before the server
  ServerProcess server_;
  std::list<AgentHost> hosts_;  // the gateways, the one next to the server first; then the leaves
  std::list<Spooled> spooled_;  // in the order of hosts_
  bool is_server_up_ = false;
  Steady::time_point up_again_{};
  int hosts_killed_ = 0;
  int servers_killed_ = 0;
};

TEST(GatewayE2e, ThreeHopsAreExactUnderKills) {
  for (const uint64_t seed : chaos_seeds(1, 20)) {
    std::printf("CHAOS_SEED=%lu\n", seed);
    std::fflush(stdout);
    Chain chain(seed);
    chain.run();
    if (!HasFatalFailure()) chain.drain();
    if (!HasFatalFailure()) chain.compare();
    ASSERT_FALSE(HasFailure()) << "CHAOS_SEED=" << seed;
  }
}

class GatewayPathE2e : public testing::Test {
 protected:
  void feed_and_stop(AgentHost& host) {
    EXPECT_TRUE(host.feed(random_, kLines)) << host.said();
    EXPECT_EQ(host.stop(), 0) << host.said();
  }
  void expect_all_arrives(const AgentHost& leaf) {
    const Spooled spooled = read_spool(leaf.spool());
    ASSERT_TRUE(wait_for_batches(server_, leaf.name(), spooled.batches)) << leaf.said();
    EXPECT_EQ(difference(server_, spooled, leaf.name()), "");
    EXPECT_EQ(account_of_host(server_, leaf.name()).gaps, 0);
  }
  void end(AgentHost& gateway) {
    EXPECT_EQ(gateway.stop(), 0) << gateway.said();
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }

  std::mt19937_64 random_{11};
  ServerProcess server_{STATMILL_BIN};
};

TEST_F(GatewayPathE2e, AGatewayHoldsWhatItTookWhileTheServerIsAway) {
  const uint16_t port = unused_port();
  AgentHost gateway(STATMILL_BIN, "gateway", {{"127.0.0.1", port}}, gateway_options());
  gateway.start();
  AgentHost leaf(STATMILL_BIN, "leaf", {gateway.gateway()});
  leaf.start();
  feed_and_stop(leaf);  // it ends as soon as the gateway has everything
  gateway.kill();
  gateway.start();
  server_.start(0, port);
  expect_all_arrives(leaf);
  end(gateway);
}

TEST_F(GatewayPathE2e, AnAgentMayMoveToAGatewayAndBack) {
  server_.start();
  const uint16_t port = unused_port();
  AgentHost gateway(STATMILL_BIN, "gateway", {server_.agent()},
                    {"--agent.listen", "127.0.0.1:" + std::to_string(port), "--interval", "200ms"});
  gateway.start();
  AgentHost leaf(STATMILL_BIN, "leaf", {{"127.0.0.1", port}});
  leaf.start();
  feed_and_stop(leaf);
  expect_all_arrives(leaf);
  for (const Endpoint& next : {server_.agent(), gateway.gateway(), server_.agent()}) {
    leaf.send_to({next});
    leaf.start();
    feed_and_stop(leaf);
    expect_all_arrives(leaf);
  }
  end(gateway);
}

TEST_F(GatewayPathE2e, AGatewayNeedsASpoolOnDisk) {
  Process agent(
      Command{STATMILL_BIN "/statmill-agent", {"--agent.listen", "127.0.0.1:0", "--collectors", "load"}, {}});
  EXPECT_NE(agent.wait(), 0);
  EXPECT_NE(agent.standard_error().find("agent.listen needs spool.path"), std::string::npos)
      << agent.standard_error();
}

}  // namespace
}  // namespace statmill
