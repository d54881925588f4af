// AgentBook between its connections and the tick: what follows is taken once, and told when it is durable.
#include "server/agents/agent_book.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

class Watcher final : public AgentWatcher {
 public:
  void durable(uint64_t seq) override { durable_seq = seq; }
  void replaced() override { is_replaced = true; }
  uint64_t durable_seq = 0;
  bool is_replaced = false;
};

AgentId id_of(uint8_t number) {
  AgentId id;
  id.bytes.fill(number);
  return id;
}

class AgentBookTest : public testing::Test {
 protected:
  AgentBookTest() { make_book({}); }

  void make_book(const AgentLimits& limits) { book_ = std::make_unique<AgentBook>(limits, registry_); }

  std::variant<AgentBook::Opened, RefuseReason> try_open(uint8_t agent, uint32_t epoch = 1,
                                                         bool is_ephemeral = false) {
    watcher_ = std::make_shared<Watcher>();
    return book_->open(
        {.is_ephemeral = is_ephemeral, .id = id_of(agent), .acknowledged = {.epoch = epoch}, .host = "web"},
        watcher_, now_);
  }
  AgentBook::Opened open(uint8_t agent, uint32_t epoch = 1, bool is_ephemeral = false) {
    auto opened = try_open(agent, epoch, is_ephemeral);
    EXPECT_TRUE(std::holds_alternative<AgentBook::Opened>(opened));
    hold_ = std::get<AgentBook::Opened>(opened).hold;
    return std::get<AgentBook::Opened>(opened);
  }
  AgentTake batch(uint64_t seq, uint64_t lines_before, uint32_t lines = 10) {
    return book_->take(hold_, BatchFrame{seq, lines_before, lines, now_, {}, {}}, now_,
                       [this](const auto& mark) { apply(mark); });
  }
  AgentTake gap(uint64_t first, uint64_t seq, uint64_t lines_before) {
    return book_->take(hold_, GapFrame{first, seq, lines_before, GapReason::kSpoolFull, now_}, now_,
                       [this](const auto& mark) { apply(mark); });
  }
  void apply(const std::function<void(int)>& mark) {
    ++applied_;
    mark(parity_);
  }
  // Ends the epoch; its batch is not durable yet.
  StoreBatch end_epoch() {
    StoreBatch batch;
    book_->ride(parity_, batch);
    parity_ ^= 1;
    return batch;
  }
  void tick() { book_->committed(end_epoch()); }

  Registry registry_;
  std::unique_ptr<AgentBook> book_;
  std::shared_ptr<Watcher> watcher_;
  AgentBook::Hold hold_;
  Timestamp now_{std::chrono::hours(1)};
  int parity_ = 0;
  int applied_ = 0;
};

TEST_F(AgentBookTest, AnAgentNotSeenBeforeBeginsAtNothing) {
  EXPECT_EQ(open(1).durable, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentBookTest, BatchesAreTakenInOrderAndOnce) {
  open(1);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  EXPECT_EQ(batch(1, 0), AgentTake::kAgain);
  EXPECT_EQ(batch(3, 20), AgentTake::kGap);
  EXPECT_EQ(batch(2, 11), AgentTake::kGap);  // it does not hold what should lie before it
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken);
  EXPECT_EQ(applied_, 2);
}

TEST_F(AgentBookTest, APositionIsToldWhenItsTickIsDurable) {
  open(1);
  batch(1, 0);
  const StoreBatch first = end_epoch();
  EXPECT_EQ(watcher_->durable_seq, 0U);
  batch(2, 10);  // of the next epoch: the batch of the first must not speak of it
  ASSERT_EQ(first.agents.size(), 1U);
  EXPECT_EQ(first.agents[0].position.seq, 1U);
  book_->committed(first);
  EXPECT_EQ(watcher_->durable_seq, 1U);
  tick();
  EXPECT_EQ(watcher_->durable_seq, 2U);
}

TEST_F(AgentBookTest, AHelloIsToldWhatIsDurableNotWhatIsTaken) {
  open(1);
  batch(1, 0);
  tick();
  batch(2, 10);
  EXPECT_EQ(open(1).durable.seq, 1U);
  EXPECT_EQ(batch(2, 10), AgentTake::kAgain);
  tick();
  EXPECT_EQ(watcher_->durable_seq, 2U);
}

TEST_F(AgentBookTest, WhatIsRestoredIsNotTakenAgain) {
  open(1);
  batch(1, 0);
  const StoreBatch stored = end_epoch();
  make_book({});
  book_->restore(stored.agents);
  EXPECT_EQ(open(1).durable, (AgentPosition{1, 1, 10, now_}));
  EXPECT_EQ(batch(1, 0), AgentTake::kAgain);
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken);
}

TEST_F(AgentBookTest, TheNewerConnectionSpeaksForTheAgent) {
  open(1);
  const AgentBook::Hold old = hold_;
  const auto old_watcher = watcher_;
  open(1);
  EXPECT_TRUE(old_watcher->is_replaced);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  hold_ = old;
  EXPECT_EQ(batch(2, 10), AgentTake::kReplaced);
  book_->close(old);  // closes nothing of the other's
  EXPECT_EQ(book_->connected(), 1U);
}

TEST_F(AgentBookTest, ALowerEpochIsFencedAndAHigherBeginsAnew) {
  open(1, 2);
  batch(1, 0);
  tick();
  const auto fenced = try_open(1, 1);
  ASSERT_TRUE(std::holds_alternative<RefuseReason>(fenced));
  EXPECT_EQ(std::get<RefuseReason>(fenced), RefuseReason::kFenced);
  EXPECT_EQ(open(1, 3).durable, (AgentPosition{3, 0, 0, now_}));
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
}

TEST_F(AgentBookTest, ATickOfAnOlderEpochSaysNothingOfTheNewer) {
  open(1, 1);
  batch(1, 0);
  const StoreBatch older = end_epoch();
  open(1, 2);
  book_->committed(older);
  EXPECT_EQ(watcher_->durable_seq, 0U);
  EXPECT_EQ(open(1, 2).durable.seq, 0U);
}

TEST_F(AgentBookTest, AnAgentWhoseEpochRoseIsStillFencedAfterItLeft) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, 2);
  book_->close(hold_);  // without a batch
  EXPECT_TRUE(std::holds_alternative<RefuseReason>(try_open(1, 1)));
}

TEST_F(AgentBookTest, GapsMoveThePositionAndAreKept) {
  open(1);
  batch(1, 0);
  now_ += std::chrono::minutes(1);
  EXPECT_EQ(gap(2, 5, 50), AgentTake::kTaken);
  EXPECT_EQ(batch(6, 50), AgentTake::kTaken);
  const StoreBatch stored = end_epoch();
  ASSERT_EQ(stored.agents.size(), 1U);
  const AgentRow& row = stored.agents[0];
  EXPECT_EQ(row.gaps, 1U);
  EXPECT_EQ(row.lines_lost, 40U);
  EXPECT_EQ(row.last_gaps,
            std::vector<AgentGap>({{2, 5, 40, GapReason::kSpoolFull, now_ - std::chrono::minutes(1), now_}}));
}

TEST_F(AgentBookTest, AGapThatSaysLessThanIsInIsRefused) {
  open(1);
  batch(1, 0);
  EXPECT_EQ(gap(1, 1, 10), AgentTake::kAgain);
  EXPECT_EQ(gap(2, 2, 9), AgentTake::kGap);
}

TEST_F(AgentBookTest, AGapThatDoesNotFollowIsRefused) {
  open(1);
  batch(1, 0);
  EXPECT_EQ(gap(3, 5, 50), AgentTake::kGap) << "the second is not told to be missing";
  EXPECT_EQ(gap(1, 5, 50), AgentTake::kGap) << "the first is here";
  EXPECT_EQ(gap(2, 5, 50), AgentTake::kTaken);
}

TEST_F(AgentBookTest, OnlySoManyGapsAreKeptAndAllCounted) {
  open(1);
  for (uint64_t seq = 1; seq <= AgentRow::kGapsKept + 5; ++seq) gap(seq, seq, seq);
  const AgentRow row = end_epoch().agents.at(0);
  EXPECT_EQ(row.gaps, AgentRow::kGapsKept + 5);
  ASSERT_EQ(row.last_gaps.size(), AgentRow::kGapsKept);
  EXPECT_EQ(row.last_gaps.back().last, AgentRow::kGapsKept + 5);
}

TEST_F(AgentBookTest, ThereIsALimitToAgents) {
  make_book({.agents_max = 2});
  open(1);
  open(2);
  const auto refused = try_open(3);
  ASSERT_TRUE(std::holds_alternative<RefuseReason>(refused));
  EXPECT_EQ(std::get<RefuseReason>(refused), RefuseReason::kLimit);
}

TEST_F(AgentBookTest, WhoSaidNothingTakesNoPlace) {
  make_book({.agents_max = 1});
  open(1);
  book_->close(hold_);
  open(2);
}

TEST_F(AgentBookTest, AgentsNotSeenForLongAreForgotten) {
  make_book({.kept = std::chrono::hours(1000), .ephemeral_kept = std::chrono::hours(10)});
  open(1, 1, true);
  batch(1, 0);
  tick();
  book_->close(hold_);
  open(2);
  batch(1, 0);
  tick();
  now_ += std::chrono::hours(11);
  open(3);  // tells the time
  StoreBatch batch = end_epoch();
  EXPECT_EQ(batch.forgotten_agents, std::vector<AgentId>{id_of(1)});
  EXPECT_EQ(book_->count(), 2U);
}

TEST_F(AgentBookTest, AConnectedAgentIsNotForgotten) {
  make_book({.kept = std::chrono::hours(1)});
  open(1);
  batch(1, 0);
  tick();
  now_ += std::chrono::hours(2);
  open(2);
  EXPECT_TRUE(end_epoch().forgotten_agents.empty());
}

TEST_F(AgentBookTest, ListsAgentsByHost) {
  open(2);
  open(1);
  batch(1, 0);
  const auto list = book_->list(10);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].row.id, id_of(1));
  EXPECT_EQ(list[0].row.position.seq, 1U);
  EXPECT_TRUE(list[0].is_connected);
  EXPECT_EQ(book_->list(1).size(), 1U);
}

}  // namespace
}  // namespace statmill
