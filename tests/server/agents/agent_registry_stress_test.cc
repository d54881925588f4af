// Two connections keep replacing each other for one agent while ticks run: each batch counts once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "server/agents/agent_registry.h"
#include "server/agents/table_intake.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/memory_store.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

constexpr int64_t kNow = 1'700'006'400;
constexpr uint64_t kBatches = 2000;
constexpr uint8_t kAgents = 2;

class Observer final : public AgentObserver {
 public:
  void on_durable(AckFrame ack) override { durable_ = ack.seq; }
  void on_ended(RefuseReason) override { is_over_ = true; }

  // Waits until most sent batches are durable: the registry remembers only some that are not, and refuses
  // repeats of others. `seq`: the last batch sent.
  void wait_for_ticks(uint64_t seq) const {
    while (!is_over_ && seq >= durable_ + RecentFrames::kKept / 2) std::this_thread::yield();
  }

 private:
  std::atomic<uint64_t> durable_{0};
  std::atomic<bool> is_over_{false};
};

// Runs one connection of an agent, which sends at most `limit` batches after the durable ones until it is
// replaced. Returns the last batch that it sent.
uint64_t run_connection(AgentRegistry& agents, TableIntake& intake, uint8_t agent, uint64_t limit,
                        std::atomic<uint64_t>& accepted) {
  const TickTime now{from_unix_seconds(kNow), SteadyTime{}};
  HelloFrame hello{.acknowledged = {.epoch = 1}, .host = "web"};
  hello.id.bytes.fill(agent);
  const auto observer = std::make_shared<Observer>();
  const auto opened = std::get<AgentRegistry::Opened>(agents.open(hello, LineSender(), observer, now));
  uint64_t seq = opened.durable.position.seq;
  const uint64_t last = std::min(seq + limit, kBatches);
  const uint64_t first = seq;
  while (seq < last) {
    if (seq - first >= RecentFrames::kKept / 2) observer->wait_for_ticks(seq);
    const FrameResult result = agents.accept(
        opened.lease, BatchFrame{seq + 1, seq, 1, {}, {}, {}}, now, [&](auto action, const auto& on_applied) {
          intake.apply({.action = action, .text = "*seen 1700006400 1\n", .now = now.wall}, now.wall,
                       on_applied);
        });
    if (result == FrameResult::kReplaced) break;
    EXPECT_NE(result, FrameResult::kGap);
    if (result == FrameResult::kApplied) accepted.fetch_add(1);
    ++seq;
  }
  agents.close(opened.lease);
  return seq;
}

// One of the two connections of an agent. It reconnects until all batches are sent.
void run_agent(AgentRegistry& agents, TableIntake& intake, uint8_t agent, std::atomic<uint64_t>& accepted) {
  while (run_connection(agents, intake, agent, kBatches, accepted) < kBatches) continue;
}

void run_intruder(AgentRegistry& agents, TableIntake& intake, uint8_t agent,
                  std::atomic<uint64_t>& accepted) {
  constexpr int kIntrusions = 200;
  for (int i = 0; i < kIntrusions; ++i) run_connection(agents, intake, agent, 100, accepted);
}

TEST(AgentRegistryStress, EachBatchCountsOnceWhicheverConnectionSendsIt) {
  MemoryStore store(*Tiers::parse("10s:10d,5m:1y"));
  Registry registry;
  Health health;
  Log log(LogLevel::kError);
  Table table(store.tiers(), TableLimits{});
  Intake intake(table, registry);
  AgentRegistry agents(AgentLimits{}, registry);
  Ticker ticker({table, store, registry, health, log, &agents}, {}, {}, SteadyTime{});
  std::atomic<uint64_t> accepted{0};
  std::atomic<bool> done{false};
  std::thread tick([&] {
    while (!done) ASSERT_TRUE(ticker.tick({from_unix_seconds(kNow), SteadyTime{}}));
  });
  std::vector<std::thread> connections;
  for (uint8_t agent = 0; agent < kAgents; ++agent) {
    connections.emplace_back([&, agent] {
      TableIntake lines(table, intake);
      run_agent(agents, lines, agent, accepted);
    });
    connections.emplace_back([&, agent] {
      TableIntake lines(table, intake);
      run_intruder(agents, lines, agent, accepted);
    });
  }
  for (std::thread& connection : connections) connection.join();
  done = true;
  tick.join();
  ASSERT_TRUE(ticker.tick({from_unix_seconds(kNow), SteadyTime{}}));
  EXPECT_EQ(accepted, kBatches * kAgents);
  const auto series = copy_of(table, "seen");
  ASSERT_TRUE(series);
  ASSERT_EQ(series->unflushed.size(), 1U);
  EXPECT_EQ(series->unflushed[0].bucket.sum(), static_cast<double>(kBatches * kAgents));
  const auto rows = store.snapshot()->agents();
  ASSERT_EQ(rows->rows.size(), size_t{kAgents});
  for (const AgentRow& row : rows->rows) EXPECT_EQ(row.position.seq, kBatches);
}

}  // namespace
}  // namespace statmill
