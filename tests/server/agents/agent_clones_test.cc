// Two agents with the same identity: a batch of one is never mistaken for a batch of the other.
#include "server/agents/recent_frames.h"
#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

TEST_F(AgentRegistryTest, ADifferentBatchWithTheSameNumberIsNotARepeat) {
  open(1);
  const Timestamp first = now_.wall;
  batch_of(first, 1, 0);
  open(1);  // the clone; nothing is durable, so it starts at zero, too
  EXPECT_EQ(batch_of(first + Duration(1), 1, 0), FrameResult::kOtherBatch) << "another time";
  EXPECT_EQ(batch_of(first, 1, 0, 11), FrameResult::kOtherBatch) << "another number of lines";
  EXPECT_EQ(batch_of(first, 1, 0), FrameResult::kRepeat);
  EXPECT_EQ(applied_, 1);
}

TEST_F(AgentRegistryTest, ADifferentBatchIsNotARepeatAfterTheFirstBecameDurable) {
  open(1);
  batch(1, 0);
  open(1);
  tick();
  EXPECT_EQ(batch_of(now_.wall + Duration(1), 1, 0), FrameResult::kOtherBatch);
}

TEST_F(AgentRegistryTest, DifferentBatchesWithOneNumberAreAConflict) {
  open(1);
  batch(1, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(batch(1, 0, 11), FrameResult::kOtherBatch);
  ASSERT_EQ(agents_->conflicts(now_.steady).size(), 1U);
  EXPECT_EQ(agents_->conflicts(now_.steady)[0].kind, AgentConflict::Kind::kClones);
  EXPECT_EQ(counted("statmill.agent_clones"), 1U);
}

TEST_F(AgentRegistryTest, AGapIsARepeatWhateverItsTime) {
  open(1);
  gap(1, 3, 30);
  pass(minutes(1));
  open(1);
  EXPECT_EQ(gap(1, 3, 30), FrameResult::kRepeat);
}

// The agent reconnects when the batches are durable, and compares them itself.
TEST_F(AgentRegistryTest, AFrameThatCannotBeComparedIsNotAcknowledged) {
  open(1);
  gap(1, 1, 10);
  for (uint64_t seq = 2; seq <= RecentFrames::kKept + 2; ++seq) batch(seq, 10 * (seq - 1));
  open(1);
  EXPECT_EQ(batch(1, 0), FrameResult::kGap);
  EXPECT_EQ(batch(2, 10), FrameResult::kGap) << "too many frames came after it";
  EXPECT_EQ(gap(3, 3, 30), FrameResult::kGap) << "a batch with this number was accepted";
  EXPECT_EQ(batch(3, 20), FrameResult::kRepeat);
}

TEST_F(AgentRegistryTest, BatchesOfDifferentEpochsAreNotCompared) {
  open(1);
  batch(1, 0);
  open(1, 2);
  EXPECT_EQ(batch(1, 0, 11), FrameResult::kApplied);
  EXPECT_EQ(batch(1, 0, 11), FrameResult::kRepeat);
}

}  // namespace
}  // namespace statmill
