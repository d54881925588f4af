// Batches of agents through table and tick: their samples and position reach the store in one write.
#include <gtest/gtest.h>

#include "server/agents/agent_registry.h"
#include "server/agents/table_intake.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

constexpr int64_t kNow = 1'700'006'400;
const TickTime kMoment{from_unix_seconds(kNow), SteadyTime(std::chrono::seconds(kNow))};
constexpr std::string_view kLine = "*seen 1700006400 1\n";

class Observer final : public AgentObserver {
 public:
  void on_durable(AckFrame ack) override { durable_ack = ack; }
  void on_ended(RefuseReason) override {}
  AckFrame durable_ack;
};

class AgentTickTest : public testing::Test {
 protected:
  AgentTickTest() { start(); }

  // Starts the server with the data in the store.
  void start() {
    ticker_.reset();
    table_ = std::make_unique<Table>(tiers_, TableLimits{});
    intake_.emplace(*table_, registry_);
    table_intake_.emplace(*table_, *intake_);
    agents_ = std::make_unique<AgentRegistry>(AgentLimits{}, registry_);
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    agents_->restore(*store_.snapshot()->agents());
    ticker_ =
        std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_, agents_.get()},
                                 TickOptions{}, recovery->start, SteadyTime(std::chrono::seconds(kNow)));
  }
  // Returns the durable position.
  uint64_t hello(uint8_t agent = 1) {
    observer_ = std::make_shared<Observer>();
    HelloFrame hello{.acknowledged = {.epoch = 1}, .host = "web"};
    hello.id.bytes.fill(agent);
    auto opened = std::get<AgentRegistry::Opened>(agents_->open(hello, LineSender(), observer_, moment_));
    lease_ = opened.lease;
    return opened.durable.position.seq;
  }
  FrameResult send(uint64_t seq, std::string_view text = kLine, Timestamp sent = kMoment.wall) {
    return agents_->accept(lease_, BatchFrame{seq, seq - 1, 1, sent, {}, text}, moment_,
                           [&](auto action, const auto& on_applied) {
                             table_intake_->apply({.action = action, .text = text, .now = moment_.wall}, sent,
                                                  on_applied);
                           });
  }
  Status tick() { return ticker_->tick(moment_); }
  static std::string line_at(int64_t time_s) { return "*seen " + std::to_string(time_s) + " 1\n"; }
  // Returns the sum of all samples of the series.
  double total() {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{"seen"}, kNow - 60, kNow + 60, 10, {}}, from_unix_seconds(kNow + 60));
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return -1;
    double sum = 0;
    sum += total_of(Stat::kSum, *answer, answer->series.at(0));
    return sum;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store_{tiers_};
  TickTime moment_ = kMoment;
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Table> table_;
  std::optional<Intake> intake_;
  std::optional<TableIntake> table_intake_;
  std::unique_ptr<AgentRegistry> agents_;
  std::unique_ptr<Ticker> ticker_;
  std::shared_ptr<Observer> observer_;
  AgentRegistry::Lease lease_;
};

TEST_F(AgentTickTest, ACrashBeforeTheTickLosesSamplesAndPosition) {
  hello();
  send(1);
  start();
  EXPECT_EQ(hello(), 0U);
  EXPECT_EQ(send(1), FrameResult::kApplied);
  ASSERT_TRUE(tick());
  EXPECT_EQ(observer_->durable_ack.seq, 1U);
  EXPECT_EQ(total(), 1);
}

TEST_F(AgentTickTest, ACrashAfterTheTickKeepsSamplesAndPosition) {
  hello();
  send(1);
  ASSERT_TRUE(tick());
  start();
  EXPECT_EQ(hello(), 1U);
  EXPECT_EQ(send(1), FrameResult::kGap);
  EXPECT_EQ(total(), 1);
}

TEST_F(AgentTickTest, ABatchThatTheStoreRefusesIsNotAcknowledged) {
  hello();
  send(1);
  store_.fail_next_write({ErrorCode::kIo, "full"});
  ASSERT_FALSE(tick());
  EXPECT_EQ(observer_->durable_ack.seq, 0U);
  send(2);
  ASSERT_TRUE(tick());  // retries the failed tick
  ASSERT_TRUE(tick());
  EXPECT_EQ(observer_->durable_ack.seq, 2U);
  start();
  EXPECT_EQ(hello(), 2U);
  EXPECT_EQ(total(), 2);
}

TEST_F(AgentTickTest, AFailedWriteThatReachedTheDiskCountsOnce) {
  hello();
  send(1);
  store_.fail_next_write({ErrorCode::kIo, "lost power"}, MemoryStore::Effect::kWhole);
  ASSERT_FALSE(tick());
  start();
  EXPECT_EQ(hello(), 1U);
  EXPECT_EQ(send(1), FrameResult::kGap);
  ASSERT_TRUE(tick());
  EXPECT_EQ(total(), 1);
}

// A server whose clock is an hour slow accepts lines of agents whose clocks are right.
TEST_F(AgentTickTest, LinesAreJudgedByTheClockOfTheirSender) {
  hello();
  EXPECT_EQ(send(1, line_at(kNow + 3600), from_unix_seconds(kNow + 3600)), FrameResult::kApplied);
  EXPECT_EQ(send(2, line_at(kNow + 24 * 3600), from_unix_seconds(kNow + 24 * 3600)), FrameResult::kApplied);
  ASSERT_TRUE(tick());
  EXPECT_EQ(observer_->durable_ack.lines_refused, 0U);
  EXPECT_EQ(copy_of(*table_, "seen")->last_slot, (kNow + 24 * 3600) / 10);
}

TEST_F(AgentTickTest, LinesAheadOfTheirSendersClockAreRefusedAndReported) {
  hello();
  send(1, line_at(kNow + 3600 + 601), from_unix_seconds(kNow + 3600));
  send(2);
  ASSERT_TRUE(tick());
  EXPECT_EQ(observer_->durable_ack.seq, 2U);
  EXPECT_EQ(observer_->durable_ack.lines_refused, 1U);
  EXPECT_EQ(total(), 1);
  start();
  hello();
  EXPECT_EQ(agents_->list(1).at(0).row.lines_refused, 1U) << "the count is stored with the agent";
}

// The clocks agree now; the agent's was ahead when it made the batch.
TEST_F(AgentTickTest, ABatchMadeByAWrongClockIsRefusedAndCounted) {
  hello();
  EXPECT_EQ(send(1, kLine, from_unix_seconds(kNow + 26 * 3600)), FrameResult::kApplied);
  send(2);
  ASSERT_TRUE(tick());
  EXPECT_EQ(observer_->durable_ack.seq, 2U);
  EXPECT_EQ(observer_->durable_ack.lines_refused, 1U);
  EXPECT_EQ(agents_->list(1).at(0).row.newest, kMoment.wall) << "the first batch does not count";
  EXPECT_EQ(total(), 1);
}

TEST_F(AgentTickTest, ALineWithoutATimeHasTheTimeOfItsBatch) {
  hello();
  send(1, "*seen 1\n", from_unix_seconds(kNow - 7200));
  EXPECT_EQ(copy_of(*table_, "seen")->last_slot, (kNow - 7200) / 10);
}

// A wrong time server can make the clocks of server and agent wrong together.
TEST_F(AgentTickTest, NoAgentIsForgottenWhenBothClocksAreAhead) {
  hello(1);
  send(1);
  ASSERT_TRUE(tick());
  agents_->close(lease_);
  constexpr auto kAhead = std::chrono::hours(24) * 3650;
  const auto later = kMoment.steady + std::chrono::hours(2);
  moment_ = {kMoment.wall + kAhead, later, later};
  hello(2);
  send(1, line_at(unix_seconds(moment_.wall)), moment_.wall);
  ASSERT_TRUE(tick());
  EXPECT_EQ(store_.snapshot()->agents()->rows.size(), 2U);
}

}  // namespace
}  // namespace statmill
