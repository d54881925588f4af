// Gateway: what it takes from agents, what it tells them, and what servers get.
#include "agent/gateway/gateway.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/agent/gateway/gateway_fixture.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(GatewayTest, ABatchIsAcknowledgedOnceItIsOnDisk) {
  Peer agent = connect();
  EXPECT_EQ(agent.durable, (AgentPosition{1, 0, 0, {}}));
  EXPECT_EQ(agent.batch(1), FrameResult::kApplied);
  EXPECT_EQ(agent.batch(2), FrameResult::kApplied);
  EXPECT_FALSE(agent.observer->acknowledged);
  settle();
  EXPECT_EQ(agent.observer->acknowledged, 2U);
}

TEST_F(GatewayTest, AfterARestartTheAgentContinuesAfterItsLastBatch) {
  {
    Peer agent = connect();
    agent.batch(1);
    agent.batch(2, "a 1 1\n", from_unix_seconds(8));
    settle();
  }
  reopen();
  EXPECT_EQ(connect().durable, (AgentPosition{1, 2, 2, from_unix_seconds(8)}));
}

TEST_F(GatewayTest, WhatDoesNotFollowIsRefused) {
  Peer agent = connect();
  EXPECT_EQ(agent.batch(2), FrameResult::kGap);
  EXPECT_EQ(agent.batch(1), FrameResult::kApplied);
  EXPECT_EQ(agent.batch(1), FrameResult::kGap);
  EXPECT_EQ(agent.gap(3, 4, GapReason::kDamaged), FrameResult::kGap);
  EXPECT_EQ(agent.connection->accept(BatchFrame{2, 5, 1, {}, {}, "a 1 1\n"}, TickTime::of(ManualClock())),
            FrameResult::kGap)
      << "lines are missing before it";
}

TEST_F(GatewayTest, AGapCountsOnceABatchFollows) {
  Peer agent = connect();
  agent.batch(1);
  EXPECT_EQ(agent.gap(2, 5, GapReason::kDamaged), FrameResult::kApplied);
  settle();
  EXPECT_EQ(agent.observer->acknowledged, 1U);
  agent = connect();
  EXPECT_EQ(agent.durable.seq, 1U);
  EXPECT_EQ(agent.gap(2, 6, GapReason::kDamaged), FrameResult::kApplied);
  EXPECT_EQ(agent.batch(7), FrameResult::kApplied);
  settle();
  EXPECT_EQ(agent.observer->acknowledged, 7U);
}

TEST_F(GatewayTest, ANewConnectionReplacesTheOneBefore) {
  Peer first = connect();
  first.batch(1);
  settle();
  Peer second = connect();
  EXPECT_EQ(first.observer->ended, RefuseReason::kReplaced);
  EXPECT_EQ(first.batch(2), FrameResult::kReplaced);
  EXPECT_EQ(second.batch(2), FrameResult::kApplied);
  first.connection.reset();
  EXPECT_EQ(second.batch(3), FrameResult::kApplied);
}

TEST_F(GatewayTest, AHelloThatArrivesLateReplacesNoConnection) {
  HelloFrame first = hello();
  first.boot_id = "boot";
  Peer agent = connect(first);
  agent.batch(1);
  agent = connect(first);
  HelloFrame late = first;
  late.clock -= std::chrono::milliseconds(1);
  EXPECT_EQ(connect(late).refused, RefuseReason::kStopping);
  EXPECT_EQ(agent.batch(2), FrameResult::kApplied);
}

TEST_F(GatewayTest, AHelloAloneMakesNothing) {
  HelloFrame stranger = hello();
  stranger.secret.bytes[5] = 1;
  Peer false_one = connect(stranger);
  Peer true_one = connect();
  EXPECT_FALSE(true_one.refused);
  EXPECT_TRUE(std::filesystem::is_empty(path()));
  EXPECT_EQ(true_one.batch(1), FrameResult::kApplied);
  EXPECT_EQ(false_one.batch(1), FrameResult::kReplaced);
  EXPECT_EQ(connect(stranger).refused, RefuseReason::kOwner);
}

TEST_F(GatewayTest, OnlyTheOwnerOfAnIdInItsLastEpochIsWelcome) {
  HelloFrame other = hello();
  other.acknowledged.epoch = 2;
  Peer agent = connect(other);
  agent.batch(1);
  settle();
  other.secret.bytes[5] = 1;
  EXPECT_EQ(connect(other).refused, RefuseReason::kOwner);
  EXPECT_EQ(connect(hello()).refused, RefuseReason::kFenced);
}

TEST_F(GatewayTest, ALaterEpochWaitsUntilTheBatchesOfTheLastOneAreSent) {
  {
    Peer agent = connect();
    agent.batch(1);
    settle();
  }
  HelloFrame later = hello();
  later.acknowledged.epoch = 2;
  EXPECT_EQ(connect(later).refused, RefuseReason::kStopping);
  start_server();
  reopen();  // for the server's port
  EXPECT_TRUE(run_until([&] { return !connect(later).refused; }));
  EXPECT_THAT(state_.copy().batches, ElementsAre("1 host=web a 1 1\n"));
  EXPECT_EQ(connect(later).durable, (AgentPosition{2, 0, 0, {}}));
}

TEST_F(GatewayTest, OverItsLimitItForgetsAgentsThatAreAwayAndHaveNothingLeft) {
  options_.agents_max = 2;
  reopen();
  Peer first = connect(1);
  Peer second = connect(2);
  first.batch(1);
  second.gap(1, 1, GapReason::kSpoolFull);  // nothing that a server lacks
  EXPECT_EQ(connect(3).batch(1), FrameResult::kLimit);
  second.connection.reset();
  EXPECT_EQ(connect(3).batch(1), FrameResult::kApplied);
  EXPECT_FALSE(std::filesystem::exists(path() + "/" + hello(2).id.text()));
  settle();
  EXPECT_EQ(connect(2).batch(1), FrameResult::kLimit) << "what is left of the third one is not sent yet";
}

TEST_F(GatewayTest, AnAgentWaitsWhileTheSpoolIsFullOfBatchesThatAServerLacks) {
  spool_bytes_ = 4 << 20;
  reopen();
  Peer agent = connect();
  const std::string text(200 << 10, '\n');
  uint64_t seq = 0;
  while (agent.connection->has_room() && seq < 1000) {
    ++seq;
    ASSERT_EQ(
        agent.connection->accept(BatchFrame{seq, seq - 1, 1, {}, {}, text}, TickTime::of(ManualClock())),
        FrameResult::kApplied);
    settle();
  }
  EXPECT_GT(seq, 15U);
  EXPECT_LT(seq, 21U);
  EXPECT_EQ(agent.observer->acknowledged, seq);
  start_server();
  agent.connection.reset();
  reopen();
  agent = connect();
  EXPECT_TRUE(run_until([&] { return agent.connection->has_room(); }));
  EXPECT_TRUE(run_until([&] { return state_.copy().batches.size() == seq; }));
}

TEST_F(GatewayTest, ServersGetTheAgentsOwnIdentityAndTexts) {
  start_server();
  reopen();
  Peer agent = connect();
  agent.connection->note_status({.spool_bytes = 77}, std::nullopt);
  agent.batch(1, "b 1 2\n");
  agent.gap(2, 3, GapReason::kDamaged);
  agent.batch(4);
  ASSERT_TRUE(run_until([&] { return state_.copy().batches.size() == 2; }));
  const auto got = state_.copy();
  EXPECT_THAT(got.hellos, ElementsAre("web 9.9 6.1 1"));
  EXPECT_THAT(got.batches, ElementsAre("1 host=web b 1 2\n", "4 host=web a 1 1\n"));
  EXPECT_THAT(got.gaps, ElementsAre("2-3 damaged"));
  EXPECT_EQ(got.spool_bytes, 77U);
}

TEST_F(GatewayTest, WhatIsLeftIsSentAfterARestartThoughTheAgentIsAway) {
  {
    Peer agent = connect();
    agent.batch(1);
    settle();
  }
  start_server();
  reopen();
  ASSERT_TRUE(run_until([&] { return !state_.copy().batches.empty(); }));
  EXPECT_THAT(state_.copy().hellos, ElementsAre("web 9.9 6.1 1"));
}

TEST_F(GatewayTest, BatchesThatAServerHasAlreadyAreNotSentAgain) {
  start_server();
  state_.begin_at({1, 2, 2, from_unix_seconds(7)});
  reopen();
  Peer agent = connect();
  for (uint64_t seq = 1; seq <= 3; ++seq) EXPECT_EQ(agent.batch(seq), FrameResult::kApplied);
  ASSERT_TRUE(run_until([&] { return !state_.copy().batches.empty(); }));
  EXPECT_THAT(state_.copy().batches, ElementsAre("3 host=web a 1 1\n"));
}

TEST_F(GatewayTest, ACloneOfWhatTheServerKnowsIsRefused) {
  start_server();
  state_.begin_at({1, 5, 5, from_unix_seconds(7)});
  reopen();
  Peer agent = connect();
  EXPECT_EQ(agent.batch(1, "a 1 1\n", from_unix_seconds(1000)), FrameResult::kApplied);
  ASSERT_TRUE(run_until([&] { return agent.observer->ended.has_value(); }))
      << "it was made later than a batch with a higher number";
  EXPECT_EQ(agent.observer->ended, RefuseReason::kOwner);
  EXPECT_THAT(state_.copy().batches, IsEmpty());
}

TEST_F(GatewayTest, AfterAConflictTheLinesAreCountedAndTheAgentTakesANewIdentity) {
  state_.refuse(RefuseReason::kOwner);
  start_server();
  reopen();
  Peer agent = connect();
  agent.batch(1);
  ASSERT_TRUE(run_until([&] { return agent.observer->ended.has_value(); }));
  EXPECT_EQ(agent.observer->ended, RefuseReason::kOwner);
  EXPECT_EQ(connect().refused, RefuseReason::kOwner);
  ASSERT_TRUE(run_until([&] { return figures_.lines_dropped == 1; }));
  EXPECT_EQ(figures_.lines, 1U);
}

TEST_F(GatewayTest, AnAgentWhoseClockWasSetBackIsNoClone) {
  start_server();
  state_.begin_at({1, 5, 5, from_unix_seconds(7)});
  reopen();
  Peer agent = connect();
  const Timestamp future = real_clock_.wall() + std::chrono::hours(5);
  for (uint64_t seq = 1; seq <= 6; ++seq)
    EXPECT_EQ(agent.batch(seq, "a 1 1\n", seq == 5 ? from_unix_seconds(7) : future), FrameResult::kApplied);
  ASSERT_TRUE(run_until([&] { return !state_.copy().batches.empty(); }));
  EXPECT_THAT(state_.copy().batches, ElementsAre("6 host=web a 1 1\n"));
}

TEST_F(GatewayTest, BatchesThatNoServerWouldAcceptAreRefused) {
  Peer agent = connect();
  EXPECT_EQ(
      agent.connection->accept(BatchFrame{1, 0, 1, {}, "b=1;a=1", "a 1 1\n"}, TickTime::of(ManualClock())),
      FrameResult::kInvalid);
  EXPECT_EQ(agent.connection->accept(BatchFrame{1, 0, 0, {}, {}, ""}, TickTime::of(ManualClock())),
            FrameResult::kInvalid);
  EXPECT_EQ(agent.batch(1), FrameResult::kApplied);
}

TEST_F(GatewayTest, TooManyGatewaysOrALongerWayAreRefused) {
  HelloFrame far = hello();
  far.hops = kHopsMax;
  EXPECT_EQ(connect(far).refused, RefuseReason::kProtocol);
  Peer near = connect();
  near.batch(1);
  settle();
  far.hops = 1;
  EXPECT_EQ(connect(far).refused, RefuseReason::kReplaced);
  near.connection.reset();
  EXPECT_FALSE(connect(far).refused);
}

TEST_F(GatewayTest, WhatIsLeftOfAnAgentThatHasMovedDoesNotReplaceItAgain) {
  {
    Peer agent = connect();
    agent.batch(1);
    settle();
  }
  state_.refuse(RefuseReason::kReplaced);
  start_server();
  reopen();
  ASSERT_TRUE(run_until([&] { return !state_.copy().hellos.empty(); }));
  const auto later = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  run_until([&] { return std::chrono::steady_clock::now() > later; });
  EXPECT_EQ(state_.copy().hellos.size(), 1U);
}

TEST_F(GatewayTest, WhatCannotBeReadNowIsReadLater) {
  {
    Peer agent = connect();
    agent.batch(1);
    settle();
  }
  close();
  {
    const auto lock = DiskDirectory::open(path() + "/" + hello().id.text());
    reopen();
    settle();
    EXPECT_EQ(connect().refused, RefuseReason::kStopping);
  }
  EXPECT_EQ(connect().durable.seq, 1U);
}

TEST_F(GatewayTest, WhatACrashLeftUnfinishedIsRemoved) {
  close();
  for (const char* suffix : {".new", ".gone"})
    std::filesystem::create_directory(path() + "/" + hello().id.text() + suffix);
  reopen();
  EXPECT_TRUE(std::filesystem::is_empty(path()));
}

TEST_F(GatewayTest, WhatIsDamagedIsPutAsideAndTheOthersGoOn) {
  for (const uint8_t number : {uint8_t{1}, uint8_t{2}}) {
    Peer agent = connect(number);
    agent.batch(1);
    settle();
  }
  close();
  std::ofstream(path() + "/" + hello(1).id.text() + "/identity") << "damaged";
  reopen();
  EXPECT_EQ(connect(2).durable.seq, 1U);
  EXPECT_EQ(connect(1).durable.seq, 0U) << "it begins again, and servers know what they have";
  EXPECT_TRUE(
      std::filesystem::exists(path() + "/" + hello(1).id.text() + ".damaged/00000000000000000001.spool"));
  ASSERT_TRUE(run_until([&] { return figures_.failures == 1; }));
}

}  // namespace
}  // namespace statmill
