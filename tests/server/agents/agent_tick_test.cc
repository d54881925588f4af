// Batches of agents through table and tick: their samples and their position are one batch of the store.
#include <gtest/gtest.h>

#include "proto/istatd_lines.h"
#include "server/agents/agent_book.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

constexpr int64_t kNow = 1'700'006'400;

class Watcher final : public AgentWatcher {
 public:
  void durable(uint64_t seq) override { durable_seq = seq; }
  void replaced() override {}
  uint64_t durable_seq = 0;
};

class AgentTickTest : public testing::Test {
 protected:
  AgentTickTest() { start(); }

  // The server, from what the store has.
  void start() {
    ticker_.reset();
    table_ = std::make_unique<Table>(tiers_, TableLimits{});
    book_ = std::make_unique<AgentBook>(AgentLimits{}, registry_);
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    book_->restore(store_.snapshot()->agents()->rows);
    ticker_ =
        std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_, book_.get()},
                                 TickOptions{}, recovery->start, SteadyTime(std::chrono::seconds(kNow)));
  }
  // Gives the durable position.
  uint64_t hello() {
    watcher_ = std::make_shared<Watcher>();
    auto opened = std::get<AgentBook::Opened>(
        book_->open({.acknowledged = {.epoch = 1}, .host = "web"}, watcher_, from_unix_seconds(kNow)));
    hold_ = opened.hold;
    return opened.durable.seq;
  }
  AgentTake send(uint64_t seq) {
    return book_->take(hold_, BatchFrame{seq, seq - 1, 1, {}, {}, {}}, from_unix_seconds(kNow),
                       [&](const auto& mark) {
                         Batch batch;
                         parse_istatd_lines("*seen 1700006400 1\n", batch);
                         table_->apply_marked(batch, from_unix_seconds(kNow), mark);
                       });
  }
  Status tick() { return ticker_->tick({from_unix_seconds(kNow), SteadyTime(std::chrono::seconds(kNow))}); }
  // All that was ever sent to the series.
  double total() {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{"seen"}, kNow - 60, kNow + 60, 10, {}}, from_unix_seconds(kNow + 60));
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return -1;
    double sum = 0;
    for (const Bucket& bucket : answer->series.at(0).slots)
      sum += stat_of(Stat::kSum, bucket, Kind::kEvent, 10, 10).value_or(0);
    return sum;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Table> table_;
  std::unique_ptr<AgentBook> book_;
  std::unique_ptr<Ticker> ticker_;
  std::shared_ptr<Watcher> watcher_;
  AgentBook::Hold hold_;
};

TEST_F(AgentTickTest, ACrashBeforeTheTickLosesBoth) {
  hello();
  send(1);
  start();
  EXPECT_EQ(hello(), 0U);
  EXPECT_EQ(send(1), AgentTake::kTaken);
  ASSERT_TRUE(tick());
  EXPECT_EQ(watcher_->durable_seq, 1U);
  EXPECT_EQ(total(), 1);
}

TEST_F(AgentTickTest, ACrashAfterTheTickKeepsBoth) {
  hello();
  send(1);
  ASSERT_TRUE(tick());
  start();
  EXPECT_EQ(hello(), 1U);
  EXPECT_EQ(send(1), AgentTake::kAgain);
  EXPECT_EQ(total(), 1);
}

TEST_F(AgentTickTest, WhatTheStoreRefusesIsNotAcknowledged) {
  hello();
  send(1);
  store_.fail_next_write({ErrorCode::kIo, "full"});
  ASSERT_FALSE(tick());
  EXPECT_EQ(watcher_->durable_seq, 0U);
  send(2);
  ASSERT_TRUE(tick());  // the one before, and this one's own
  ASSERT_TRUE(tick());
  EXPECT_EQ(watcher_->durable_seq, 2U);
  start();
  EXPECT_EQ(hello(), 2U);
  EXPECT_EQ(total(), 2);
}

TEST_F(AgentTickTest, AWriteThatFailedAndYetIsInCountsOnce) {
  hello();
  send(1);
  store_.fail_next_write({ErrorCode::kIo, "lost power"}, MemoryStore::Effect::kWhole);
  ASSERT_FALSE(tick());
  start();
  EXPECT_EQ(hello(), 1U);
  EXPECT_EQ(send(1), AgentTake::kAgain);
  ASSERT_TRUE(tick());
  EXPECT_EQ(total(), 1);
}

}  // namespace
}  // namespace statmill
