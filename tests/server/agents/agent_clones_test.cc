// Two agents with one identity, at the book: what one sends is never taken for what the other sent.
#include "server/agents/fresh_frames.h"
#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

TEST_F(AgentRegistryTest, ABatchOfACloneIsNoRepeat) {
  open(1);
  const Timestamp first = now_.wall;
  batch_of(first, 1, 0);
  open(1);  // the clone: nothing is durable, so it is told to begin at nothing
  EXPECT_EQ(batch_of(first + Duration(1), 1, 0), AgentTake::kOther) << "another time";
  EXPECT_EQ(batch_of(first, 1, 0, 11), AgentTake::kOther) << "another number of lines";
  EXPECT_EQ(batch_of(first, 1, 0), AgentTake::kAgain);
  EXPECT_EQ(applied_, 1);
}

TEST_F(AgentRegistryTest, ABatchOfACloneIsNoRepeatThoughTheFirstIsDurableByThen) {
  open(1);
  batch(1, 0);
  open(1);
  tick();
  EXPECT_EQ(batch_of(now_.wall + Duration(1), 1, 0), AgentTake::kOther);
}

TEST_F(AgentRegistryTest, BatchesOfClonesAreAConflict) {
  open(1);
  batch(1, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(batch(1, 0, 11), AgentTake::kOther);
  ASSERT_EQ(book_->conflicts(now_.steady).size(), 1U);
  EXPECT_EQ(book_->conflicts(now_.steady)[0].kind, AgentConflict::Kind::kClones);
  EXPECT_EQ(counted("statmill.agent_clones"), 1U);
}

TEST_F(AgentRegistryTest, AGapIsARepeatWheneverItIsTold) {
  open(1);
  gap(1, 3, 30);
  pass(minutes(1));
  open(1);
  EXPECT_EQ(gap(1, 3, 30), AgentTake::kAgain);
}

// Nobody can say whose they are: the agent comes again when they are durable, and compares them itself.
TEST_F(AgentRegistryTest, WhatCannotBeComparedIsNotAcknowledged) {
  open(1);
  gap(1, 1, 10);
  for (uint64_t seq = 2; seq <= FreshFrames::kKept + 2; ++seq) batch(seq, 10 * (seq - 1));
  open(1);
  EXPECT_EQ(batch(1, 0), AgentTake::kGap);
  EXPECT_EQ(batch(2, 10), AgentTake::kGap) << "more than are kept came behind it";
  EXPECT_EQ(gap(3, 3, 30), AgentTake::kGap) << "a batch was taken";
  EXPECT_EQ(batch(3, 20), AgentTake::kAgain);
}

TEST_F(AgentRegistryTest, ABatchOfAnEarlierEpochIsComparedWithNone) {
  open(1);
  batch(1, 0);
  open(1, 2);
  EXPECT_EQ(batch(1, 0, 11), AgentTake::kTaken);
  EXPECT_EQ(batch(1, 0, 11), AgentTake::kAgain);
}

}  // namespace
}  // namespace statmill
