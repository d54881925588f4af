// Which agents the book forgets, and when; and that one that was forgotten is never counted twice.
#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

TEST_F(AgentRegistryTest, AgentsNotSeenForLongerThanAnythingIsKeptAreForgotten) {
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

TEST_F(AgentRegistryTest, NothingIsForgottenInTheFirstHour) {
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

TEST_F(AgentRegistryTest, AClockThatIsAheadForgetsNobody) {
  make_registry({.expiry = hours(100)});
  visit(1);
  pass(hours(2));
  now_.wall += hours(24 * 365 * 10);
  open(2);  // whose clock is right; so the server's would have refused it
  batch_of(from_unix_seconds(1'700'000'000), 1, 0);
  EXPECT_TRUE(tick().forgotten_agents.empty());
}

TEST_F(AgentRegistryTest, ForgetsByTheTimeOfTheTickAndNotByAnyClock) {
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

TEST_F(AgentRegistryTest, WhenTheTableIsFullTheLongestUnseenIsForgotten) {
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
  EXPECT_EQ(batch(1, 0), FrameResult::kAccepted);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(2)});
  EXPECT_EQ(counted("statmill.agents_evicted"), 1U);
}

TEST_F(AgentRegistryTest, AgentsWithoutDataGoFirst) {
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

// --- Agents that come back.

class ForgottenAgentTest : public AgentRegistryTest {
 protected:
  // Agent 1 has sent two batches, and heard of the first only.
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

TEST_F(ForgottenAgentTest, GetsAGapForWhatIsInAndForWhatMayBe) {
  for (const bool has_restarted : {false, true}) {
    if (has_restarted) restart();
    applied_ = 0;
    EXPECT_EQ(open(returning()).durable, (AgentPosition{1, 1, 10, first_}));
    EXPECT_EQ(batch_of(first_ + minutes(1), 2, 10), FrameResult::kAccepted);
    EXPECT_EQ(applied_, 0) << "it was sent before, and is in";
    pass(minutes(1));
    EXPECT_EQ(batch(3, 20), FrameResult::kAccepted);
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

// Its process knows nothing of what the one before has sent.
TEST_F(ForgottenAgentTest, CountsNothingTwiceThoughItHasRestarted) {
  applied_ = 0;
  EXPECT_EQ(open(1).durable.seq, 0U);
  EXPECT_EQ(batch_of(first_, 1, 0), FrameResult::kAccepted);
  tick();
  restart();
  open(1);
  EXPECT_EQ(batch_of(first_ + minutes(1), 2, 10), FrameResult::kAccepted);
  EXPECT_EQ(applied_, 0);
  EXPECT_EQ(batch(3, 20), FrameResult::kAccepted);
  EXPECT_EQ(batch_of(first_, 4, 30), FrameResult::kAccepted) << "its clock was set back meanwhile";
  EXPECT_EQ(applied_, 2);
  const AgentRow row = tick().agents.at(0);
  EXPECT_EQ(row.gaps, 1U);
  EXPECT_EQ(row.lines_lost, 20U);
}

TEST_F(ForgottenAgentTest, MakesNoGapOfWhatWasMadeLater) {
  applied_ = 0;
  open(2);
  EXPECT_EQ(batch(1, 0), FrameResult::kAccepted);
  EXPECT_EQ(applied_, 1);
  // A server that was set back to before it knew of this agent.
  HelloFrame later = hello(3);
  later.acknowledged = {1, 5, 50, now_.wall};
  EXPECT_EQ(open(later).durable.seq, 0U) << "it sends again what it still has";
}

TEST_F(AgentRegistryTest, AServerThatNeverForgotAsksForEverything) {
  HelloFrame known = hello(1);
  known.acknowledged = {1, 5, 50, now_.wall};
  EXPECT_EQ(open(known).durable, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentRegistryTest, AnAgentIsForgottenByTheBeginningOfItsId) {
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
  EXPECT_EQ(agents_->forget({.id = "121"}).error().code, ErrorCode::kInvalid) << "two begin so";
  EXPECT_EQ(agents_->forget({.id = other.text()}).error().code, ErrorCode::kBusy) << "it is connected";
  batch(2, 10);  // not durable yet
  ASSERT_TRUE(agents_->forget({.id = other.text(), .even_connected = true}));
  EXPECT_EQ(observer_->end, RefuseReason::kStopping);
  EXPECT_EQ(batch(3, 20), FrameResult::kReplaced);
  const StoreBatch stored = tick();
  EXPECT_EQ(stored.forgotten_agents, std::vector<AgentId>{other});
  EXPECT_TRUE(stored.agents.empty()) << "its row must not come behind";
  EXPECT_EQ(stored.forgotten_until, now_.wall);
  EXPECT_TRUE(agents_->forget({.id = "1212"}));
}

TEST_F(AgentRegistryTest, AnAgentIsNotForgottenBeforeItsLastBatchIsInABatchOfTheStore) {
  open(1);
  batch(1, 0);
  parity_ ^= 1;  // the epoch that goes on, while the tick takes the one before
  agents_->close(lease_);
  ASSERT_TRUE(agents_->forget({.id = "01"}));
  EXPECT_TRUE(tick().forgotten_agents.empty());
  EXPECT_EQ(tick().forgotten_agents.size(), 1U);
  EXPECT_TRUE(stored_.empty());
}

// --- What is told of them.

}  // namespace
}  // namespace statmill
