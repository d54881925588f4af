// Which agents are forgotten, and when; and that no batch of a forgotten agent counts twice.
#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

TEST_F(AgentRegistryTest, AnAgentUnseenForLongerThanTheExpiryIsForgotten) {
  make_registry({.expiry = hours(100)});
  visit(1);
  pass(hours(99));
  visit(2);
  EXPECT_EQ(agents_->count(), 2U);
  pass(hours(4));
  open(3);
  batch(1, 0);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
  EXPECT_EQ(agents_->count(), 2U);
  EXPECT_EQ(counted("statmill.agents_forgotten"), 1U);
}

TEST_F(AgentRegistryTest, AnExpiryThatChangesAppliesToAllAgents) {
  make_registry({.expiry = hours(100)});
  visit(1);
  pass(hours(50));
  open(2);
  batch(1, 0);
  EXPECT_TRUE(tick().forgotten_agents.empty());
  agents_->set_expiry(hours(40));
  pass(hours(2));
  batch(2, 10);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
}

TEST_F(AgentRegistryTest, AConnectedAgentIsNotForgotten) {
  make_registry({.expiry = hours(1)});
  open(1);
  batch(1, 0);
  tick();
  pass(hours(10));
  open(2);
  batch(1, 0);
  EXPECT_TRUE(tick().forgotten_agents.empty());
}

TEST_F(AgentRegistryTest, NoAgentIsForgottenInTheFirstHour) {
  make_registry({.expiry = hours(100)});
  visit(1);
  pass(hours(1000));
  restart({.expiry = hours(100)});
  visit(2);
  pass(minutes(59));
  open(2);
  EXPECT_TRUE(tick().forgotten_agents.empty());
  pass(minutes(2));
  open(2);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
}

TEST_F(AgentRegistryTest, NoAgentIsForgottenBecauseTheClockIsAhead) {
  make_registry({.expiry = hours(100)});
  visit(1);
  pass(hours(2));
  now_.wall += hours(24 * 365 * 10);
  open(2);  // its clock is right; an AgentStream would have refused it
  batch_of(from_unix_seconds(1'700'000'000), 1, 0);
  EXPECT_TRUE(tick().forgotten_agents.empty());
}

TEST_F(AgentRegistryTest, ExpiryGoesByTheTicksTimeAndNotByTheWallClock) {
  make_registry({.expiry = hours(100)});
  visit(1);
  const Timestamp passed = now_.wall + hours(2);
  pass(hours(2));
  now_.wall += hours(24 * 365 * 10);
  open(2);
  batch(1, 0);
  EXPECT_TRUE(end_epoch(passed).forgotten_agents.empty());
  pass(minutes(2));
  open(3);
  EXPECT_EQ(end_epoch(passed + hours(99)).forgotten_agents, std::vector<AgentId>{id_of(1)});
}

TEST_F(AgentRegistryTest, ANewAgentReplacesTheOneUnseenForLongest) {
  make_registry({.agents_max = 3});
  visit(1);
  pass(minutes(1));
  visit(2);
  pass(minutes(1));
  open(3);
  batch(1, 0);
  tick();
  expect_refused(hello(4), RefuseReason::kLimit);  // within the first hour
  pass(hours(1));
  open(1);
  batch(2, 10);
  tick();
  agents_->close(lease_);
  open(4);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(2)});
  EXPECT_EQ(counted("statmill.agents_evicted"), 1U);
}

TEST_F(AgentRegistryTest, AgentsWithoutDataAreEvictedFirst) {
  make_registry({.agents_max = 2});
  visit(1);
  pass(minutes(1));
  open(2);
  gap(1, 5, 50);
  tick();
  agents_->close(lease_);
  pass(hours(1));
  visit(3);
  EXPECT_EQ(agents_->count(), 2U);
  EXPECT_FALSE(stored_.contains(id_of(2)));
}

// --- Agents that reconnect.

class ForgottenAgentTest : public AgentRegistryTest {
 protected:
  // Agent 1 has sent two batches and received the acknowledgment of the first only.
  ForgottenAgentTest() {
    first_ = now_.wall;
    open(1);
    batch(1, 0);
    tick();
    pass(minutes(1));
    batch(2, 10);
    tick();
    agents_->close(lease_);
    pass(minutes(1));
    forget();
  }
  void forget() {
    const auto forgotten = agents_->forget({.id = "0101"});
    ASSERT_TRUE(forgotten) << forgotten.error().message;
    expect_refused(hello(1), RefuseReason::kStopping);
    EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
    EXPECT_EQ(agents_->count(), 0U);
  }
  HelloFrame returning() const {
    HelloFrame frame = hello(1);
    frame.acknowledged = {1, 1, 10, first_};
    return frame;
  }
  Timestamp first_;
};

TEST_F(ForgottenAgentTest, GetsAGapForBatchesThatAreOrMayBeStored) {
  for (const bool has_restarted : {false, true}) {
    if (has_restarted) restart();
    applied_ = 0;
    EXPECT_EQ(open(returning()).durable.position, (AgentPosition{1, 1, 10, first_}));
    EXPECT_EQ(batch_of(first_ + minutes(1), 2, 10), FrameResult::kApplied);
    EXPECT_EQ(applied_, 0) << "it is already stored";
    pass(minutes(1));
    EXPECT_EQ(batch(3, 20), FrameResult::kApplied);
    EXPECT_EQ(applied_, 1);
    const AgentRow row = tick().agents.at(0);
    EXPECT_EQ(row.gaps, 1U);
    EXPECT_EQ(row.lines_lost, 20U);
    ASSERT_EQ(row.last_gaps.size(), 1U);
    EXPECT_EQ(row.last_gaps[0].reason, GapReason::kEvicted);
    EXPECT_EQ(row.last_gaps[0].last, 2U);
    EXPECT_EQ(row.position.seq, 3U);
    agents_->close(lease_);
    forget();
  }
}

// The new process does not know what the previous one has sent.
TEST_F(ForgottenAgentTest, CountsNothingTwiceAfterItsRestart) {
  applied_ = 0;
  EXPECT_EQ(open(1).durable.position.seq, 0U);
  EXPECT_EQ(batch_of(first_, 1, 0), FrameResult::kApplied);
  tick();
  restart();
  open(1);
  EXPECT_EQ(batch_of(first_ + minutes(1), 2, 10), FrameResult::kApplied);
  EXPECT_EQ(applied_, 0);
  EXPECT_EQ(batch(3, 20), FrameResult::kApplied);
  EXPECT_EQ(batch_of(first_, 4, 30), FrameResult::kApplied);
  EXPECT_EQ(applied_, 1) << "it may have been sent ahead of a backlog with batch 3";
  const AgentRow row = tick().agents.at(0);
  EXPECT_EQ(row.gaps, 2U);
  EXPECT_EQ(row.lines_lost, 30U);
}

// Batches 1 and 5 were stored, and the backlog between them was not.
TEST_F(ForgottenAgentTest, CountsNothingTwiceThatWasAheadOfABacklog) {
  open(2);
  EXPECT_EQ(batch_of(first_, 1, 0), FrameResult::kApplied);
  EXPECT_EQ(batch_of(first_ + minutes(4), 5, 40), FrameResult::kApplied);
  tick();
  agents_->close(lease_);
  ASSERT_TRUE(agents_->forget({.id = "0202"}));
  tick();
  pass(minutes(10));
  applied_ = 0;
  open(2);
  EXPECT_EQ(batch(9, 80), FrameResult::kApplied);  // made now, and ahead of the backlog again
  EXPECT_EQ(applied_, 1);
  for (uint64_t seq = 1; seq <= 8; ++seq)
    EXPECT_EQ(batch_of(first_ + minutes(seq - 1), seq, 10 * (seq - 1)), FrameResult::kApplied);
  EXPECT_EQ(applied_, 1 + 3) << "6, 7 and 8 were made after all that was stored";
  const AgentRow row = tick().agents.at(0);
  EXPECT_EQ(row.position.seq, 9U);
  EXPECT_EQ(row.lines_lost, 50U);
  EXPECT_EQ(row.gaps, 1U);
}

TEST_F(ForgottenAgentTest, GetsOneGapForARunAndOneForItsBacklog) {
  open(1);
  const std::vector<uint64_t> in_turn = {1, 5, 2, 6, 3, 7};
  for (const uint64_t seq : in_turn)
    EXPECT_EQ(batch_of(first_, seq, 10 * (seq - 1)), FrameResult::kApplied) << seq;
  const AgentRow row = tick().agents.at(0);
  EXPECT_EQ(row.gaps, 2U);
  EXPECT_EQ(row.lines_lost, 60U);
  ASSERT_EQ(row.last_gaps.size(), 2U);
  EXPECT_EQ(row.last_gaps[0].last, 3U);
  EXPECT_EQ(row.last_gaps[1].last, 7U);
}

TEST_F(ForgottenAgentTest, GetsNoGapForBatchesMadeLater) {
  applied_ = 0;
  open(2);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  EXPECT_EQ(applied_, 1);
  // The store was restored from a state before it knew this agent.
  HelloFrame later = hello(3);
  later.acknowledged = {1, 5, 50, now_.wall};
  EXPECT_EQ(open(later).durable.position.seq, 0U) << "it sends its spool again";
}

TEST_F(AgentRegistryTest, AServerThatNeverForgotAnAgentRequestsAllBatches) {
  HelloFrame known = hello(1);
  known.acknowledged = {1, 5, 50, now_.wall};
  EXPECT_EQ(open(known).durable.position, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentRegistryTest, AnAgentIsForgottenByTheStartOfItsId) {
  visit(0x12);
  AgentId other = id_of(0x12);
  other.bytes.back() = 0;
  HelloFrame frame = hello(0x12);
  frame.id = other;
  open(frame);
  batch(1, 0);
  tick();
  for (const std::string_view wrong : {"", "xy", "1212121212121212121212121212121212"})
    EXPECT_EQ(agents_->forget({.id = wrong}).error().code, ErrorCode::kInvalid) << wrong;
  EXPECT_EQ(agents_->forget({.id = "13"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(agents_->forget({.id = "121"}).error().code, ErrorCode::kInvalid) << "two ids start with it";
  EXPECT_EQ(agents_->forget({.id = other.text()}).error().code, ErrorCode::kBusy) << "it is connected";
  batch(2, 10);  // not durable yet
  ASSERT_TRUE(agents_->forget({.id = other.text(), .even_connected = true}));
  EXPECT_EQ(observer_->end, RefuseReason::kStopping);
  EXPECT_EQ(batch(3, 20), FrameResult::kReplaced);
  const StoreBatch stored = tick();
  EXPECT_EQ(stored.forgotten_agents, std::vector<AgentId>{other});
  EXPECT_TRUE(stored.agents.empty()) << "its row must not be written again";
  EXPECT_EQ(stored.forgotten_until, now_.wall);
  EXPECT_TRUE(agents_->forget({.id = "1212"}));
}

TEST_F(AgentRegistryTest, AnAgentIsNotForgottenBeforeItsLastBatchIsWritten) {
  open(1);
  batch(1, 0);
  parity_ ^= 1;  // its batch belongs to the current epoch, the tick writes the one before
  agents_->close(lease_);
  ASSERT_TRUE(agents_->forget({.id = "01"}));
  EXPECT_TRUE(tick().forgotten_agents.empty());
  EXPECT_EQ(tick().forgotten_agents.size(), 1U);
  EXPECT_TRUE(stored_.empty());
}

}  // namespace
}  // namespace statmill
