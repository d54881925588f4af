// AgentStream: the protocol with one agent, frame by frame.
#include "tests/server/agents/agent_stream_fixture.h"

#include <limits>

namespace statmill {
namespace {

TEST_F(AgentStreamTest, WelcomesWithThePosition) {
  receive(hello());
  const FrameRead frame = answer();
  ASSERT_EQ(frame.type, FrameType::kWelcome);
  EXPECT_EQ(decode_welcome(frame.payload)->position, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentStreamTest, ReadsBatchesInPiecesOfAnySize) {
  const std::string all = hello() + batch(1, "a 1 1\n") + batch(2, "b 1 1\n");
  std::string unread;
  for (const char c : all) {
    unread.push_back(c);
    unread.erase(0, receive(unread));
  }
  EXPECT_EQ(intake_.applied, (std::vector<std::string>{"a 1 1\n", "b 1 1\n"}));
  EXPECT_TRUE(unread.empty());
}

TEST_F(AgentStreamTest, AcknowledgesDurableBatchesOnce) {
  receive(hello() + batch(1) + batch(2));
  stream_->pop_output();
  stream_->on_durable({2, 3});
  const auto ack = decode_ack(answer().payload);
  EXPECT_EQ(ack->seq, 2U);
  EXPECT_EQ(ack->lines_refused, 3U);
  stream_->on_durable({2, 3});
  EXPECT_EQ(stream_->pop_output(), "");
}

TEST_F(AgentStreamTest, ARepeatIsAcknowledgedAgainAndNotApplied) {
  receive(hello() + batch(1));
  tick();
  stream_->on_durable({1, 0});
  stream_->pop_output();
  receive(batch(1));
  EXPECT_EQ(intake_.applied.size(), 1U);
  EXPECT_EQ(decode_ack(answer().payload)->seq, 1U);
}

TEST_F(AgentStreamTest, ABatchOfACloneIsRefusedAndNotAcknowledged) {
  receive(hello() + batch(1));
  connect();
  receive(hello());
  stream_->pop_output();
  tick();
  stream_->on_durable({1, 0});
  EXPECT_EQ(decode_ack(answer().payload)->seq, 0U) << "this connection has sent none of it";
  receive(bytes_of(BatchFrame{1, 0, 2, {}, {}, "b 1 1\nc 1 1\n"}));
  expect_refused(RefuseReason::kOwner);
  EXPECT_EQ(intake_.applied.size(), 1U);
}

TEST_F(AgentStreamTest, ARepeatIsAcknowledgedEvenIfItBecameDurableBefore) {
  receive(hello() + batch(1) + batch(2));
  connect();
  receive(hello());
  stream_->pop_output();
  tick();
  stream_->on_durable({2, 0});
  stream_->pop_output();
  receive(batch(1));
  EXPECT_EQ(decode_ack(answer().payload)->seq, 1U);
  receive(batch(2));
  EXPECT_EQ(decode_ack(answer().payload)->seq, 2U);
}

TEST_F(AgentStreamTest, AnAnnouncedGapIsAccepted) {
  receive(hello() + bytes_of(GapFrame{1, 4, 4, GapReason::kForgotten, {}}) + batch(5));
  EXPECT_EQ(intake_.applied, (std::vector<std::string>{"", "a 1 1\n"}));
}

TEST_F(AgentStreamTest, TheFirstFrameMustBeAHello) {
  receive(batch(1));
  expect_refused(RefuseReason::kProtocol);
}

TEST_F(AgentStreamTest, AHelloWithControlCharactersIsRefused) {
  receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .kernel = "6\u009b31m", .boot_id = "1"}));
  expect_refused(RefuseReason::kProtocol);
}

TEST_F(AgentStreamTest, WrongTokensAreRefused) {
  for (const std::string_view token : {"", "secre", "secret!", "Secret"}) {
    connect();
    receive(hello(token));
    expect_refused(RefuseReason::kToken);
  }
}

TEST_F(AgentStreamTest, AnotherVersionIsRefused) {
  receive(bytes_of(HelloFrame{.version = 9, .token = token_}));
  expect_refused(RefuseReason::kVersion);
}

TEST_F(AgentStreamTest, AgentsWithTheOldNamesAreToldToUpgradeAndNamed) {
  const std::string bytes = hello();  // the frame points into it
  HelloFrame old = *decode_hello(read_frame(bytes).payload);
  old.version = kAgentProtocolRenamed;
  receive(bytes_of(old));
  const auto refused = decode_refuse(answer().payload);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, RefuseReason::kVersion);
  EXPECT_EQ(refused->text, "upgrade the agent: it speaks protocol 2, whose series have other names");
  ASSERT_EQ(agents_.outdated(now_).size(), 1U);
  EXPECT_EQ(agents_.outdated(now_).front().host, old.host);
  connect();
  old.token = "wrong";
  receive(bytes_of(old));
  expect_refused(RefuseReason::kToken);
}

TEST_F(AgentStreamTest, ADamagedFrameEndsTheConnection) {
  receive(hello());
  stream_->pop_output();
  std::string damaged = batch(1);
  damaged.back() = 'x';
  EXPECT_EQ(receive(damaged), damaged.size());
  expect_refused(RefuseReason::kProtocol);
  receive(batch(1));
  EXPECT_TRUE(intake_.applied.empty());
}

TEST_F(AgentStreamTest, AFrameLongerThanAHelloIsDamagedBeforeIt) {
  const std::string length_1201("\0\0\x04\xb1", 4);
  EXPECT_EQ(receive(length_1201), length_1201.size()) << "nothing is kept";
  expect_refused(RefuseReason::kProtocol);
  connect();
  const std::string long_batch = batch(1, std::string(kHelloBytesMax, 'x'));
  receive(hello("wrong") + long_batch);
  expect_refused(RefuseReason::kToken);
  connect();
  receive(hello() + long_batch);
  EXPECT_EQ(intake_.applied.size(), 1U) << "of an agent with a lease";
}

TEST_F(AgentStreamTest, ABatchBeforeTheHelloDoesNotWaitForRoom) {
  intake_.room = false;
  const std::string bytes = batch(1);
  EXPECT_EQ(receive(bytes), bytes.size()) << "nothing is kept";
  EXPECT_FALSE(stream_->waits_for_room());
  expect_refused(RefuseReason::kProtocol);
}

TEST_F(AgentStreamTest, AWelcomeReportsRefusedLinesAndTheTime) {
  intake_.refuses = 2;
  receive(hello() + batch(1));
  tick();
  connect();
  pass(std::chrono::seconds(7));
  receive(hello());
  const auto welcome = decode_welcome(answer().payload);
  EXPECT_EQ(welcome->lines_refused, 2U);
  EXPECT_EQ(welcome->clock, now_);
}

TEST_F(AgentStreamTest, AClockThatDiffersTooMuchIsRefusedBeforeAnyBatch) {
  for (const Duration by : {Duration(std::chrono::hours(25)) + Duration(1), -Duration(std::chrono::hours(26)),
                            Duration(std::numeric_limits<int64_t>::max())}) {
    connect();
    receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .clock = Timestamp(by), .token = token_}));
    expect_refused(RefuseReason::kClock);
  }
  connect();
  receive(hello());
  stream_->pop_output();
  receive(bytes_of(StatusFrame{.clock = now_ + std::chrono::hours(26)}) + batch(1));
  expect_refused(RefuseReason::kClock);
  EXPECT_TRUE(intake_.applied.empty());
}

TEST_F(AgentStreamTest, ADelayedStatusDoesNotUpdateTheClockDifference) {
  receive(hello());
  intake_.room = false;
  const std::string late = batch(1) + bytes_of(StatusFrame{.clock = now_, .spool_bytes = 7});
  receive(late);
  pass(std::chrono::hours(30));
  intake_.room = true;
  receive(late);
  EXPECT_FALSE(stream_->is_over());
  EXPECT_EQ(agents_.clock_difference_max(), Duration(0));
  EXPECT_EQ(agents_.list(1).at(0).connection->status->spool_bytes, 7U);
}

// After a step forward their lines would seem too old, after a step back too new.
TEST_F(AgentStreamTest, AfterAStepOfTheServersClockBatchesAreRefused) {
  using std::chrono::hours;
  for (const Duration by : {Duration(hours(2)), -Duration(hours(2)), Duration(hours(24 * 365 * 10)),
                            -Duration(hours(24 * 365 * 10))}) {
    for (const bool has_ticked : {false, true}) {
      connect();
      see_clock(false);
      const Timestamp right = now_;
      receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .clock = right, .token = token_}));
      EXPECT_EQ(answer().type, FrameType::kWelcome);
      now_ += by;
      if (has_ticked) see_clock(true);
      receive(batch(1));
      expect_refused(RefuseReason::kServerClock);
      connect();
      receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .clock = right, .token = token_}));
      expect_refused(RefuseReason::kServerClock);
      now_ = right;
    }
  }
  EXPECT_TRUE(intake_.applied.empty());
  connect();
  receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .clock = now_, .token = token_}) + batch(1));
  EXPECT_EQ(intake_.applied.size(), 1U);
}

// As if both ran on one host. The agent has unsent batches from before the step.
TEST_F(AgentStreamTest, WhenBothClocksStepAheadEarlierLinesAreNotTooOld) {
  StoreBatch ignored;
  agents_.add_to(0, ignored, now_);
  see_clock(false);
  for (const bool has_ticked : {false, true}) {
    now_ = Timestamp(std::chrono::hours(24 * 365));
    if (has_ticked) see_clock(true);
    connect();
    receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .clock = now_, .token = token_}));
    receive(batch(has_ticked ? 2 : 1));
    EXPECT_EQ(intake_.line_time, Timestamp{});
  }
  EXPECT_EQ(intake_.applied.size(), 2U);
  see_clock(false);
  receive(batch(3));
  EXPECT_EQ(intake_.line_time, now_) << "the clock is trusted again";
}

TEST_F(AgentStreamTest, AnAgentThatAgreesWithASuspectClockIsAccepted) {
  now_ += std::chrono::hours(24 * 31);  // the server was down; the agent's clock agrees
  see_clock(true);
  receive(bytes_of(HelloFrame{
              .acknowledged = {.epoch = 1}, .clock = now_ - std::chrono::minutes(59), .token = token_}) +
          batch(1));
  EXPECT_EQ(intake_.applied.size(), 1U);
}

TEST_F(AgentStreamTest, AConfirmedClockOverrulesAnAgents) {
  see_clock(true);
  const Timestamp agents = now_ - std::chrono::hours(26);
  for (const bool in_doubt : {true, false}) {
    see_clock(in_doubt);
    connect();
    receive(bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .clock = agents, .token = token_}));
    expect_refused(in_doubt ? RefuseReason::kServerClock : RefuseReason::kClock);
  }
}

TEST_F(AgentStreamTest, PassingTimeIsNotAClockStep) {
  see_clock(false);
  receive(hello());
  stream_->pop_output();
  pass(std::chrono::hours(24 * 30));
  see_clock(false);
  receive(batch(1));
  EXPECT_EQ(intake_.applied.size(), 1U);
}

TEST_F(AgentStreamTest, TheTagsOfABatchAreForItsLines) {
  receive(hello());
  stream_->pop_output();
  receive(bytes_of(BatchFrame{.seq = 1, .lines = 1, .tags = "dc=eu;host=w", .text = "a;op=x 1 1\n"}));
  EXPECT_FALSE(stream_->is_over());
  EXPECT_EQ(intake_.tagged_name, "a;dc=eu;host=w;op=x");
}

TEST_F(AgentStreamTest, ABatchWithWrongTagsIsRefused) {
  receive(hello());
  stream_->pop_output();
  receive(bytes_of(BatchFrame{.seq = 1, .lines = 1, .tags = "b=1;a=1", .text = "a 1 1\n"}));
  EXPECT_TRUE(intake_.applied.empty());
  expect_refused(RefuseReason::kProtocol);
}

TEST_F(AgentStreamTest, ABatchWaitsForRoom) {
  receive(hello());
  stream_->pop_output();
  intake_.room = false;
  EXPECT_EQ(receive(batch(1)), 0U);
  EXPECT_TRUE(stream_->waits_for_room());
  intake_.room = true;
  EXPECT_EQ(receive(batch(1)), batch(1).size());
  EXPECT_FALSE(stream_->waits_for_room());
  EXPECT_EQ(intake_.applied.size(), 1U);
}

TEST_F(AgentStreamTest, ReleasesTheAgentWhenItEnds) {
  receive(hello());
  EXPECT_EQ(agents_.connected(), 1U);
  stream_.reset();
  EXPECT_EQ(agents_.connected(), 0U);
}

}  // namespace
}  // namespace statmill
