// AgentRegistry between connections and tick: each batch is accepted once and acknowledged when it is
// durable.
#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

TEST_F(AgentRegistryTest, AnUnknownAgentStartsAtZero) {
  EXPECT_EQ(open(1).durable.position, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentRegistryTest, BatchesAreAcceptedInOrderAndOnce) {
  open(1);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  EXPECT_EQ(batch(1, 0), FrameResult::kRepeat);
  EXPECT_EQ(batch(3, 9), FrameResult::kGap);
  EXPECT_EQ(batch(2, 11), FrameResult::kGap);  // it does not lease what should lie before it
  EXPECT_EQ(batch(2, 10), FrameResult::kApplied);
  EXPECT_EQ(applied_, 2);
}

TEST_F(AgentRegistryTest, APositionIsReportedWhenItsTickIsDurable) {
  open(1);
  batch(1, 0);
  const StoreBatch first = end_epoch();
  EXPECT_EQ(observer_->durable_seq, 0U);
  batch(2, 10);  // in the next epoch: the first epoch's batch must not include it
  ASSERT_EQ(first.agents.size(), 1U);
  EXPECT_EQ(first.agents[0].position.seq, 1U);
  agents_->committed(first);
  EXPECT_EQ(observer_->durable_seq, 1U);
  tick();
  EXPECT_EQ(observer_->durable_seq, 2U);
}

TEST_F(AgentRegistryTest, AWelcomeReportsDurableBatchesNotAcceptedOnes) {
  open(1);
  batch(1, 0);
  tick();
  batch(2, 10);
  EXPECT_EQ(open(1).durable.position.seq, 1U);
  EXPECT_EQ(batch(2, 10), FrameResult::kRepeat);
  tick();
  EXPECT_EQ(observer_->durable_seq, 2U);
}

TEST_F(AgentRegistryTest, RestoredBatchesAreNotAcceptedAgain) {
  open(1);
  batch(1, 0);
  tick();
  restart();
  EXPECT_EQ(open(1).durable.position, (AgentPosition{1, 1, 10, now_.wall}));
  EXPECT_EQ(batch(1, 0), FrameResult::kGap);
  EXPECT_EQ(batch(2, 10), FrameResult::kApplied);
}

TEST_F(AgentRegistryTest, TheNewerConnectionSpeaksForTheAgent) {
  open(1);
  const AgentRegistry::Lease old = lease_;
  const auto old_observer = observer_;
  open(1);
  EXPECT_EQ(old_observer->end, RefuseReason::kReplaced);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  lease_ = old;
  EXPECT_EQ(batch(2, 10), FrameResult::kReplaced);
  agents_->close(old);  // does not close the other connection
  EXPECT_EQ(agents_->connected(), 1U);
}

TEST_F(AgentRegistryTest, AHelloThatArrivesLateReplacesNoConnection) {
  HelloFrame first = hello(1);
  first.boot_id = "boot";
  HelloFrame late = first;
  late.clock -= std::chrono::milliseconds(1);
  open(first);
  const auto observer = observer_;
  expect_refused(late, RefuseReason::kStopping);
  EXPECT_FALSE(observer->end);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
}

TEST_F(AgentRegistryTest, AHelloIsNotLateAfterABootOrASetClockOrAlone) {
  HelloFrame first = hello(1);
  first.boot_id = "boot";
  open(first);
  HelloFrame rebooted = first;
  rebooted.boot_id = "reboot";
  rebooted.clock -= std::chrono::seconds(1);
  open(rebooted);
  HelloFrame set_back = rebooted;
  set_back.clock -= std::chrono::seconds(61);
  open(set_back);
  agents_->close(lease_);
  set_back.clock -= std::chrono::seconds(1);
  open(set_back);
}

TEST_F(AgentRegistryTest, ALowerEpochIsFencedAndAHigherOneStartsAtZero) {
  open(1, 2);
  batch(1, 0);
  tick();
  expect_refused(hello(1, 1), RefuseReason::kFenced);
  EXPECT_EQ(open(1, 3).durable.position, (AgentPosition{3, 0, 0, now_.wall}));
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
}

TEST_F(AgentRegistryTest, ATickOfAnOlderEpochDoesNotMoveTheNewerOne) {
  open(1, 1);
  batch(1, 0);
  const StoreBatch older = end_epoch();
  open(1, 2);
  agents_->committed(older);
  EXPECT_EQ(observer_->durable_seq, 0U);
  EXPECT_EQ(open(1, 2).durable.position.seq, 0U);
}

TEST_F(AgentRegistryTest, AHelloAloneFencesNoOtherConnection) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, std::numeric_limits<uint32_t>::max());
  agents_->close(lease_);
  EXPECT_EQ(open(1, 1).durable.position.seq, 1U) << "the real agent continues";
  EXPECT_EQ(batch(2, 10), FrameResult::kApplied);
}

TEST_F(AgentRegistryTest, TheFirstBatchOfALaterEpochFencesTheEarlierOne) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, 2);
  batch(1, 0);
  agents_->close(lease_);
  expect_refused(hello(1, 1), RefuseReason::kFenced);
}

TEST_F(AgentRegistryTest, AcceptedBatchesOfALaterEpochAreNotReportedDurable) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, 2);
  batch(1, 0);
  EXPECT_EQ(open(1, 2).durable.position, (AgentPosition{2, 0, 0, now_.wall}));
  tick();
  EXPECT_EQ(observer_->durable_seq, 1U);
}

TEST_F(AgentRegistryTest, AWrongSecretIsRefusedAndTheOwnerStaysConnected) {
  open(1);
  batch(1, 0);
  const auto owner = observer_;
  HelloFrame thief = hello(1, 9);
  thief.secret.bytes[0] = 1;
  thief.host = "evil";
  expect_refused(thief, RefuseReason::kOwner);
  EXPECT_FALSE(owner->end);
  EXPECT_EQ(batch(2, 10), FrameResult::kApplied);
  EXPECT_EQ(counted("statmill.agent_connections_wrong_owner"), 1U);
  const auto conflicts = agents_->conflicts(now_.steady);
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].known.host, "web");
  EXPECT_EQ(conflicts[0].other.host, "evil");
  tick();
  restart();
  expect_refused(thief, RefuseReason::kOwner);
}

TEST_F(AgentRegistryTest, TheFirstBatchBindsTheIdToItsSecret) {
  HelloFrame one = hello(1);
  one.secret.bytes[0] = 1;
  open(one);
  open(1);  // the id has no owner yet
  batch(1, 0);
  expect_refused(one, RefuseReason::kOwner);
}

TEST_F(AgentRegistryTest, ThreeReplacementsIn10MinutesAreClones) {
  for (int i = 0; i < 3; ++i) open(1);
  EXPECT_TRUE(agents_->conflicts(now_.steady).empty()) << "two replacements are not enough";
  pass(minutes(9));
  open(1);
  ASSERT_EQ(agents_->conflicts(now_.steady).size(), 1U);
  EXPECT_EQ(counted("statmill.agent_clones"), 1U);
  pass(minutes(10));
  EXPECT_TRUE(agents_->conflicts(now_.steady).empty()) << "it has ended";
}

TEST_F(AgentRegistryTest, ConflictsAreBounded) {
  for (uint8_t agent = 1; agent < 2 * AgentConflicts::kKept; ++agent) {
    visit(agent);
    HelloFrame thief = hello(agent);
    thief.secret.bytes[0] = 1;
    expect_refused(thief, RefuseReason::kOwner);
  }
  EXPECT_EQ(agents_->conflicts(now_.steady).size(), AgentConflicts::kKept);
}

TEST_F(AgentRegistryTest, AGapMovesThePositionAndIsRecorded) {
  open(1);
  batch(1, 0);
  pass(minutes(1));
  EXPECT_EQ(gap(2, 5, 50), FrameResult::kApplied);
  EXPECT_EQ(batch(6, 50), FrameResult::kApplied);
  const StoreBatch stored = end_epoch();
  ASSERT_EQ(stored.agents.size(), 1U);
  const AgentRow& row = stored.agents[0];
  EXPECT_EQ(row.gaps, 1U);
  EXPECT_EQ(row.lines_lost, 40U);
  EXPECT_EQ(row.last_gaps,
            std::vector<AgentGap>({{2, 5, 40, GapReason::kSpoolFull, now_.wall - minutes(1), now_.wall}}));
}

TEST_F(AgentRegistryTest, AGapBeforeThePositionIsRefused) {
  open(1);
  batch(1, 0);
  EXPECT_EQ(gap(1, 1, 10), FrameResult::kGap);
  EXPECT_EQ(gap(2, 2, 9), FrameResult::kGap);
}

TEST_F(AgentRegistryTest, AGapThatDoesNotFollowIsRefused) {
  open(1);
  batch(1, 0);
  EXPECT_EQ(gap(3, 5, 50), FrameResult::kGap) << "it does not announce the second";
  EXPECT_EQ(gap(1, 5, 50), FrameResult::kGap) << "the first was accepted";
  EXPECT_EQ(gap(2, 5, 50), FrameResult::kApplied);
}

TEST_F(AgentRegistryTest, RecordedGapsAreBoundedAndAllAreCounted) {
  open(1);
  for (uint64_t seq = 1; seq <= AgentRow::kGapsKept + 5; ++seq) gap(seq, seq, seq);
  const AgentRow row = end_epoch().agents.at(0);
  EXPECT_EQ(row.gaps, AgentRow::kGapsKept + 5);
  ASSERT_EQ(row.last_gaps.size(), AgentRow::kGapsKept);
  EXPECT_EQ(row.last_gaps.back().last, AgentRow::kGapsKept + 5);
}

TEST_F(AgentRegistryTest, AnAgentWithoutABatchDoesNotCountForTheLimit) {
  make_registry({.agents_max = 1});
  open(1);
  agents_->close(lease_);
  EXPECT_EQ(agents_->count(), 0U);
  open(2);
  const AgentRegistry::Lease second = lease_;
  open(3);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  lease_ = second;
  EXPECT_EQ(batch(1, 0), FrameResult::kLimit) << "the other agent uses up the limit";
}

TEST_F(AgentRegistryTest, NewAgentsOfOneAddressAreLimitedPerMinute) {
  make_registry({.new_per_minute = 2});
  sender_ = LineSender::host({0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 1});
  visit(1);
  sender_.address[15] = 7;  // in the same network
  visit(2);
  expect_refused(hello(3), RefuseReason::kLimit);
  open(1);
  EXPECT_EQ(batch(2, 10), FrameResult::kApplied) << "known agents are not limited";
  sender_.address[7] = 7;
  visit(3);
  pass(minutes(1));
  sender_.address[7] = 0;
  visit(4);
  EXPECT_EQ(counted("statmill.agents_limited"), 1U);
}

TEST_F(AgentRegistryTest, TheLimitAlsoAppliesAtTheFirstBatch) {
  make_registry({.new_per_minute = 1});
  sender_ = LineSender::host({0x20, 1});
  open(1);
  const AgentRegistry::Lease first = lease_;
  open(2);
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  lease_ = first;
  EXPECT_EQ(batch(1, 0), FrameResult::kLimit);
}

TEST_F(AgentRegistryTest, AnEphemeralAgentIsStillKnownAfterDays) {
  HelloFrame ephemeral = hello(1);
  ephemeral.is_ephemeral = true;
  open(ephemeral);
  batch(1, 0);
  tick();
  agents_->close(lease_);
  restart();  // the server was down in the meantime
  pass(hours(25 * 24));
  open(2);
  batch(1, 0);
  tick();
  pass(hours(2));
  visit(3);
  ephemeral.acknowledged = {1, 1, 10, from_unix_seconds(1'700'000'000)};
  EXPECT_EQ(open(ephemeral).durable.position.seq, 1U);
  EXPECT_EQ(batch(1, 0), FrameResult::kGap);
}

TEST_F(AgentRegistryTest, ClocksOfConnectedAgentsAreCompared) {
  HelloFrame fast = hello(1);
  fast.clock += minutes(11);
  fast.host = "fast";
  open(fast);
  HelloFrame slow = hello(2);
  slow.clock -= minutes(12);
  slow.host = "slow";
  open(slow);
  open(3);
  const auto differences = agents_->clock_differences(minutes(1));
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].host, "slow");
  EXPECT_EQ(differences[0].ahead, -minutes(12));
  EXPECT_EQ(agents_->clock_difference_max(), minutes(12));
  lease_ = open(slow).lease;
  agents_->note_status(lease_, {}, Duration(5));
  EXPECT_EQ(agents_->clock_difference_max(), minutes(11));
}

TEST_F(AgentRegistryTest, KeepsTheNewestStatusOfAConnection) {
  open(1);
  StatusFrame status{.spool_bytes = 7, .lines_dropped = 8};
  status.collectors.push_back({"cpu", 0, ""});
  for (size_t i = 0; i < AgentStatus::kTroublesKept + 1; ++i)
    status.collectors.push_back({"block", 2, "no BTF"});
  agents_->note_status(lease_, status, {});
  const auto info = agents_->list(1).at(0);
  ASSERT_TRUE(info.connection && info.connection->status);
  EXPECT_EQ(info.connection->status->spool_bytes, 7U);
  EXPECT_EQ(info.connection->status->collectors_not_ok, AgentStatus::kTroublesKept + 1);
  EXPECT_EQ(info.connection->status->troubles.size(), AgentStatus::kTroublesKept);
  EXPECT_EQ(info.connection->status->troubles[0].reason, "no BTF");
}

TEST_F(AgentRegistryTest, ListsAgentsByHost) {
  open(2);
  open(1);
  batch(1, 0);
  const auto list = agents_->list(10);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].row.id, id_of(1));
  EXPECT_EQ(list[0].row.position.seq, 1U);
  EXPECT_TRUE(list[0].connection);
  EXPECT_EQ(agents_->list(1).size(), 1U);
}

}  // namespace
}  // namespace statmill
