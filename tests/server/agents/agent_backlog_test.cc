// AgentRegistry while an agent sends new batches ahead of a backlog.
#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

class AgentBacklogTest : public AgentRegistryTest {
 protected:
  // Ten lines per batch.
  FrameResult send(uint64_t seq) { return batch(seq, 10 * (seq - 1)); }
};

TEST_F(AgentBacklogTest, BatchesAheadOfABacklogAreAcceptedAndAcknowledged) {
  open(1);
  EXPECT_EQ(send(1), FrameResult::kApplied);
  EXPECT_EQ(send(5), FrameResult::kApplied);
  EXPECT_EQ(send(2), FrameResult::kApplied);
  EXPECT_EQ(send(6), FrameResult::kApplied);
  EXPECT_EQ(send(8), FrameResult::kGap);
  EXPECT_EQ(send(5), FrameResult::kRepeat);
  const StoreBatch stored = tick();
  EXPECT_EQ(observer_->durable_seq, 2U);
  EXPECT_EQ(observer_->durable_ahead, 6U);
  EXPECT_EQ(stored.agents.at(0).ahead, (AgentRun{4, 40, {1, 6, 60, now_.wall}}));
  EXPECT_EQ(send(3), FrameResult::kApplied);
  EXPECT_EQ(send(4), FrameResult::kApplied);
  tick();
  EXPECT_EQ(observer_->durable_seq, 6U);
  EXPECT_EQ(observer_->durable_ahead, 0U);
  EXPECT_EQ(applied_, 6);
}

TEST_F(AgentBacklogTest, AWelcomeReportsTheDurableRun) {
  open(1);
  send(1);
  send(5);
  tick();
  send(6);
  const AgentProgress durable = open(1).durable;
  EXPECT_EQ(durable.position.seq, 1U);
  EXPECT_EQ(durable.ahead, (AgentRun{4, 40, {1, 5, 50, now_.wall}}));
  EXPECT_EQ(send(6), FrameResult::kRepeat);
  EXPECT_EQ(send(5), FrameResult::kGap) << "the welcome said that it is there";
}

// The agent then continues with this run: a server has one at a time.
TEST_F(AgentBacklogTest, AWelcomeSaysWhereAnAcceptedRunBegins) {
  open(1);
  send(1);
  tick();
  send(5);
  const AgentProgress durable = open(1).durable;
  EXPECT_EQ(durable.position.seq, 1U);
  EXPECT_EQ(durable.ahead, (AgentRun{4, 40, {1, 4, 40, now_.wall}}));
  EXPECT_EQ(send(5), FrameResult::kRepeat);
  EXPECT_EQ(send(6), FrameResult::kApplied);
}

TEST_F(AgentBacklogTest, ARunSurvivesARestart) {
  open(1);
  send(1);
  send(5);
  tick();
  restart();
  EXPECT_EQ(open(1).durable.ahead, (AgentRun{4, 40, {1, 5, 50, now_.wall}}));
  EXPECT_EQ(send(5), FrameResult::kGap);
  for (const uint64_t seq : {6U, 2U, 3U, 4U}) EXPECT_EQ(send(seq), FrameResult::kApplied) << seq;
  EXPECT_EQ(tick().agents.at(0).progress(), (AgentProgress{{1, 6, 60, now_.wall}, std::nullopt}));
}

TEST_F(AgentBacklogTest, AGapMayCoverTheRestOfABacklog) {
  open(1);
  send(1);
  send(5);
  EXPECT_EQ(gap(2, 5, 50), FrameResult::kGap) << "the run has its last batch";
  EXPECT_EQ(gap(2, 4, 40), FrameResult::kApplied);
  EXPECT_EQ(gap(6, 6, 65), FrameResult::kApplied);
  const AgentRow row = tick().agents.at(0);
  EXPECT_EQ(row.position.seq, 6U);
  EXPECT_EQ(row.lines_lost, 30U + 15U);
  ASSERT_EQ(row.last_gaps.size(), 2U);
  EXPECT_EQ(row.last_gaps[0].first, 2U);
  EXPECT_EQ(row.last_gaps[1].first, 6U);
  EXPECT_EQ(observer_->durable_seq, 6U);
}

TEST_F(AgentBacklogTest, ALaterEpochHasNoRun) {
  open(1);
  send(1);
  send(5);
  tick();
  EXPECT_EQ(open(1, 2).durable, (AgentProgress{{2, 0, 0, now_.wall}, std::nullopt}));
  EXPECT_EQ(send(1), FrameResult::kApplied);
  EXPECT_EQ(tick().agents.at(0).ahead, std::nullopt);
}

}  // namespace
}  // namespace statmill
