// Two connections of one agent fight for it, and a tick takes what they bring: each batch counts once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "server/agents/agent_lines.h"
#include "server/agents/agent_registry.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

constexpr int64_t kNow = 1'700'006'400;
constexpr uint64_t kBatches = 2000;
constexpr uint8_t kAgents = 2;

class Watcher final : public AgentWatcher {
 public:
  void durable(AckFrame ack) override { durable_ = ack.seq; }
  void ended(RefuseReason) override { is_over_ = true; }

  // Waits until fewer batches are not durable than the book remembers: it refuses repeats of more. `seq`: the
  // last that was sent.
  void wait_for_ticks(uint64_t seq) const {
    while (!is_over_ && seq >= durable_ + FreshFrames::kKept / 2) std::this_thread::yield();
  }

 private:
  std::atomic<uint64_t> durable_{0};
  std::atomic<bool> is_over_{false};
};

// One connection of an agent, which sends what is not durable yet until it is replaced; `limit` batches at
// most. Gives the last batch it sent.
uint64_t run_connection(AgentRegistry& book, Table& table, uint8_t agent, uint64_t limit,
                        std::atomic<uint64_t>& taken) {
  const TickTime now{from_unix_seconds(kNow), SteadyTime{}};
  HelloFrame hello{.acknowledged = {.epoch = 1}, .host = "web"};
  hello.id.bytes.fill(agent);
  const auto watcher = std::make_shared<Watcher>();
  const auto opened = std::get<AgentRegistry::Opened>(book.open(hello, LineSender(), watcher, now));
  uint64_t seq = opened.durable.seq;
  const uint64_t last = std::min(seq + limit, kBatches);
  const uint64_t first = seq;
  while (seq < last) {
    if (seq - first >= FreshFrames::kKept / 2) watcher->wait_for_ticks(seq);
    const AgentTake take = book.take(
        opened.hold, BatchFrame{seq + 1, seq, 1, {}, {}, {}}, now, [&](auto fate, const auto& mark) {
          Batch batch;
          apply_agent_lines(table,
                            {.fate = fate, .text = "*seen 1700006400 1\n", .sent = now.wall, .now = now.wall},
                            batch, mark);
        });
    if (take == AgentTake::kReplaced) break;
    EXPECT_NE(take, AgentTake::kGap);
    if (take == AgentTake::kTaken) taken.fetch_add(1);
    ++seq;
  }
  book.close(opened.hold);
  return seq;
}

// One of two that speak for the agent by turns: this one comes back until all is sent.
void run_agent(AgentRegistry& book, Table& table, uint8_t agent, std::atomic<uint64_t>& taken) {
  while (run_connection(book, table, agent, kBatches, taken) < kBatches) continue;
}

void run_intruder(AgentRegistry& book, Table& table, uint8_t agent, std::atomic<uint64_t>& taken) {
  constexpr int kIntrusions = 200;
  for (int i = 0; i < kIntrusions; ++i) run_connection(book, table, agent, 100, taken);
}

TEST(AgentRegistryStress, EachBatchCountsOnceWhoeverBringsIt) {
  MemoryStore store(*Tiers::parse("10s:10d,5m:1y"));
  Registry registry;
  Health health;
  Log log(LogLevel::kError);
  Table table(store.tiers(), TableLimits{});
  AgentRegistry book(AgentLimits{}, registry);
  Ticker ticker({table, store, registry, health, log, &book}, {}, {}, SteadyTime{});
  std::atomic<uint64_t> taken{0};
  std::atomic<bool> done{false};
  std::thread tick([&] {
    while (!done) ASSERT_TRUE(ticker.tick({from_unix_seconds(kNow), SteadyTime{}}));
  });
  std::vector<std::thread> connections;
  for (uint8_t agent = 0; agent < kAgents; ++agent) {
    connections.emplace_back([&, agent] { run_agent(book, table, agent, taken); });
    connections.emplace_back([&, agent] { run_intruder(book, table, agent, taken); });
  }
  for (std::thread& connection : connections) connection.join();
  done = true;
  tick.join();
  ASSERT_TRUE(ticker.tick({from_unix_seconds(kNow), SteadyTime{}}));
  EXPECT_EQ(taken, kBatches * kAgents);
  const auto series = table.copy("seen");
  ASSERT_TRUE(series);
  ASSERT_EQ(series->unflushed.size(), 1U);
  EXPECT_EQ(series->unflushed[0].bucket.sum(), static_cast<double>(kBatches * kAgents));
  const auto rows = store.snapshot()->agents();
  ASSERT_EQ(rows->rows.size(), size_t{kAgents});
  for (const AgentRow& row : rows->rows) EXPECT_EQ(row.position.seq, kBatches);
}

}  // namespace
}  // namespace statmill
