// Delivery: a conversation with one server, frame by frame, with a real spool in memory.
#include "tests/agent/delivery/delivery_fixture.h"

namespace statmill {
namespace {

TEST_F(DeliveryTest, SendsItsIdentityAndWaitsForTheWelcome) {
  spool(1);
  const HelloFrame frame = hello();
  EXPECT_EQ(frame.id, spool_->id());
  EXPECT_EQ(frame.secret, spool_->secret());
  EXPECT_EQ(frame.acknowledged, (AgentPosition{.epoch = spool_->epoch()}));
  EXPECT_EQ(frame.clock, now_.wall);
  EXPECT_EQ(frame.host, "web1");
  EXPECT_EQ(frame.agent_version, STATMILL_VERSION);
  EXPECT_EQ(frame.token, "secret");
  EXPECT_EQ(written(), Words{"hello"});
}

TEST_F(DeliveryTest, TheHelloContainsWhatTheServerHasAcknowledged) {
  spool(3);
  welcome(0, 0);
  written();
  ack(2);
  EXPECT_EQ(hello().acknowledged, (AgentPosition{spool_->epoch(), 2, 20, at_second(0)}));
  welcome(1, 10);  // a server restored from a backup has acknowledged it nevertheless
  EXPECT_EQ(hello().acknowledged.seq, 2U);
}

TEST_F(DeliveryTest, SendsDurableBatchesFromTheServersPosition) {
  spool(3);
  restart();
  spool_->append(numbered_lines(0, 1), at_second(0));
  welcome(1, 10);
  EXPECT_EQ(written(), (Words{"batch 2", "batch 3"}));
  ASSERT_TRUE(spool_->sync());
  EXPECT_EQ(written(), (Words{"batch 4"}));
  EXPECT_FALSE(delivery_->is_done());
  ack(4);
  EXPECT_TRUE(delivery_->is_done());
  EXPECT_EQ(delivery_->stats().lines_acknowledged, 11U + 10U);
}

TEST_F(DeliveryTest, AFrameMayBeWrittenInPieces) {
  spool(1);
  welcome(0, 0);
  delivery_->consume_output(delivery_->output(now_)->size());  // status
  std::string all;
  for (;;) {
    const auto output = delivery_->output(now_);
    if (output->empty()) break;
    all.push_back(output->front());
    delivery_->consume_output(1);
  }
  EXPECT_EQ(words_of(read_frame(all)), "batch 1");
}

TEST_F(DeliveryTest, AnswersMayComeInPieces) {
  spool(1);
  welcome(0, 0);
  written();
  for (const char c : bytes_of(AckFrame{1, 0})) delivery_->receive({&c, 1}, now_);
  EXPECT_EQ(delivery_->acknowledged().position.seq, 1U);
}

TEST_F(DeliveryTest, ARestoredServerGetsBatchesAgain) {
  spool(3);
  welcome(0, 0);
  written();
  ack(3);
  delivery_->disconnected();
  welcome(1, 10);
  EXPECT_EQ(written(), (Words{"batch 2", "batch 3"}));
  EXPECT_EQ(delivery_->stats().rewinds, 1U);
}

TEST_F(DeliveryTest, MissingBatchesAreSentAsAGap) {
  const SpoolOptions small{.bytes_max = 8 * 512 * 1024, .segment_bytes = 512 * 1024};
  spool_.reset();
  MemoryDirectory directory;
  spool_ = open_spool(directory, small);
  delivery_.emplace(*spool_, options_);
  for (int i = 0; i < 40; ++i) {
    spool_->append(numbered_lines(0, 10, 20'000), at_second(0));
    ASSERT_TRUE(spool_->sync());
  }
  const uint64_t first = spool_->first_seq();
  ASSERT_GT(first, 1U);
  welcome(0, 0);
  const Words words = written();
  ASSERT_GE(words.size(), 2U);
  EXPECT_EQ(words[0], "gap " + std::to_string(first - 1) + " spool_full " + std::to_string(10 * (first - 1)));
  EXPECT_EQ(words[1], "batch " + std::to_string(first));
  delivery_.reset();
  spool_.reset();
}

TEST_F(DeliveryTest, AServerWithBatchesOfAnotherAgentCausesANewIdentity) {
  const std::vector<AgentPosition> of_others = {
      {1, 7, 70, at_second(0)},  // more batches than exist here
      {1, 3, 35, at_second(0)},  // the same number of batches with other lines
      {1, 3, 30, at_second(1)},  // a batch with another time
  };
  for (const AgentPosition& position : of_others) {
    SetUp();
    spool(5);
    restart();
    welcome(1, 10);
    written();
    const AgentId id = spool_->id();
    delivery_->disconnected();
    welcome({.position = position});
    EXPECT_FALSE(continues());
    EXPECT_NE(spool_->id(), id);
    welcome(0, 0);
    EXPECT_EQ(written(), Words{"gap 1 cloned 40"});
    spool(1);
    EXPECT_EQ(written(), Words{"batch 2"});
    EXPECT_TRUE(continues());
  }
}

TEST_F(DeliveryTest, BatchesThatCannotFollowTheServersCauseANewIdentity) {
  const SpoolOptions small{.bytes_max = 8 * 512 * 1024, .segment_bytes = 512 * 1024};
  MemoryDirectory directory;
  const auto spool = open_spool(directory, small);
  for (int i = 0; i < 40; ++i) {
    spool->append(numbered_lines(0, 10, 20'000), at_second(0));
    ASSERT_TRUE(spool->sync());
  }
  ASSERT_GT(spool->first_seq(), 2U);
  Delivery delivery(*spool, options_);
  delivery.connected(now_);
  delivery.consume_output(delivery.output(now_)->size());
  const AgentId id = spool->id();
  delivery.receive(bytes_of(WelcomeFrame{.position = {1, 1, 300, at_second(0)}}), now_);
  delivery.consume_output(delivery.output(now_)->size());
  EXPECT_FALSE(delivery.output(now_));
  EXPECT_NE(spool->id(), id);
}

TEST_F(DeliveryTest, ThreeReplacedInTenMinutesCauseANewIdentity) {
  spool(2);
  const AgentId id = spool_->id();
  for (int i = 0; i < 2; ++i) {
    welcome(0, 0);
    EXPECT_EQ(refused(RefuseReason::kReplaced), "it refused (replaced): no");
    pass(std::chrono::minutes(4));
  }
  EXPECT_EQ(spool_->id(), id);
  welcome(0, 0);
  EXPECT_EQ(refused(RefuseReason::kReplaced),
            "it refused (replaced): no, three times in ten minutes; the agent takes a new identity");
  EXPECT_NE(spool_->id(), id);
  welcome(0, 0);
  EXPECT_EQ(written(), Words{"gap 1 cloned 20"});
}

TEST_F(DeliveryTest, OccasionalReplacedIsNotAClone) {
  spool(2);
  const AgentId id = spool_->id();
  for (int i = 0; i < 10; ++i) {
    welcome(0, 0);
    refused(RefuseReason::kReplaced);
    pass(std::chrono::minutes(6));
  }
  EXPECT_EQ(spool_->id(), id);
}

TEST_F(DeliveryTest, ABatchInFlightWhenAnotherAgentConnectsMayBeTheOthers) {
  spool(3);
  welcome(0, 0);
  written();
  ack(1);
  const AgentId id = spool_->id();
  refused(RefuseReason::kReplaced);
  welcome(1, 10);  // no batch of the other agent arrived
  EXPECT_EQ(spool_->id(), id);
  written();
  refused(RefuseReason::kReplaced);
  welcome(2, 20);
  EXPECT_NE(spool_->id(), id);
  EXPECT_EQ(spool_->lost(), (SpoolLoss{20, GapReason::kCloned}));
}

TEST_F(DeliveryTest, DoubtfulBatchesCountAsOwnShortlyAfterAnIdentityChange) {
  ASSERT_TRUE(spool_->change_identity(GapReason::kCloned, now_.steady));
  spool(2);
  const AgentId id = spool_->id();
  welcome(0, 0);
  written();
  refused(RefuseReason::kReplaced);
  welcome(1, 10);
  EXPECT_TRUE(continues());
  EXPECT_EQ(written(), Words{"batch 2"});
  EXPECT_EQ(spool_->id(), id);
}

TEST_F(DeliveryTest, AnIdOfAnotherAgentCausesANewIdentity) {
  for (const RefuseReason reason : {RefuseReason::kOwner, RefuseReason::kFenced}) {
    SetUp();
    const AgentId id = spool_->id();
    delivery_->connected(now_);
    refused(reason);
    EXPECT_NE(spool_->id(), id);
  }
}

TEST_F(DeliveryTest, AServerThatRefusesEveryIdentityDoesNotCauseManyNewOnes) {
  delivery_->connected(now_);
  refused(RefuseReason::kOwner);
  const AgentId id = spool_->id();
  for (int i = 0; i < 50; ++i) {
    pass(std::chrono::minutes(1));
    delivery_->connected(now_);
    EXPECT_EQ(refused(RefuseReason::kOwner),
              "it refused (owner): no; the agent has changed its identity recently");
  }
  EXPECT_EQ(spool_->id(), id);
}

TEST_F(DeliveryTest, OtherServersGetTheNewIdentity) {
  MemoryDirectory directory;
  const auto spool = open_spool(directory, {.servers = 2});
  Delivery one(*spool, {.server = 0});
  Delivery two(*spool, {.server = 1});
  for (Delivery* delivery : {&one, &two}) {
    delivery->connected(now_);
    delivery->consume_output(delivery->output(now_)->size());
  }
  two.receive(bytes_of(WelcomeFrame{.position = {1, 0, 0, {}}}), now_);
  spool->append(numbered_lines(0, 1), at_second(0));
  ASSERT_TRUE(spool->sync());
  one.receive(bytes_of(RefuseFrame{RefuseReason::kOwner, "no"}), now_);
  EXPECT_FALSE(two.output(now_));
  two.connected(now_);
  const std::string hello(*two.output(now_));
  EXPECT_EQ(decode_hello(read_frame(hello).payload)->id, spool->id());
}

TEST_F(DeliveryTest, TheHelloSaysWhichKernelRunsAndSinceWhen) {
  delivery_.emplace(*spool_, DeliveryOptions{.boot = [&] {
    return HostBoot{.kernel = "6.1", .id = "9f1c", .time = now_.wall - std::chrono::hours(2)};
  }});
  delivery_->connected(now_);
  const std::string bytes(*delivery_->output(now_));
  const auto hello = decode_hello(read_frame(bytes).payload);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->kernel, "6.1");
  EXPECT_EQ(hello->boot_id, "9f1c");
  EXPECT_EQ(hello->uptime, std::chrono::hours(2));
}

TEST_F(DeliveryTest, RefusedLinesAreCountedFromTheFirstWelcomeOn) {
  spool(2);
  welcome({.position = {.epoch = 1}, .lines_refused = 7});
  EXPECT_EQ(delivery_->stats().lines_refused, 0U);
  written();
  ack(1, 10);
  ack(2, 10);
  EXPECT_EQ(delivery_->stats().lines_refused, 3U);
  delivery_->disconnected();
  welcome({.position = {1, 2, 20, at_second(0)}, .lines_refused = 12});
  EXPECT_EQ(delivery_->stats().lines_refused, 5U);
}

TEST_F(DeliveryTest, MeasuresHowFarItsClockIsAhead) {
  EXPECT_EQ(delivery_->clock_ahead(), std::nullopt);
  delivery_->connected(now_);
  pass(std::chrono::seconds(2));  // one second for each direction
  const Timestamp server = now_.wall - std::chrono::seconds(1) - std::chrono::minutes(5);
  delivery_->receive(bytes_of(WelcomeFrame{.position = {.epoch = 1}, .clock = server}), now_);
  EXPECT_EQ(delivery_->clock_ahead(), std::chrono::minutes(5));
}

TEST_F(DeliveryTest, SendsItsStatusAfterTheWelcomeAndLaterBeforeBatches) {
  std::string reason = "no BTF";
  delivery_.emplace(*spool_, DeliveryOptions{.collectors = [&] {
    return std::vector<CollectorNote>{{"cpu", 0, ""}, {"sched", 2, reason}};
  }});
  spool(1);
  welcome(0, 0);
  EXPECT_EQ(written(), Words{"batch 1"});
  ASSERT_EQ(statuses_.size(), 1U);
  const auto status = decode_status(read_frame(statuses_[0]).payload);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->clock, now_.wall);
  EXPECT_GT(status->spool_bytes, 0U);
  EXPECT_EQ(status->lines_dropped, 0U);
  EXPECT_EQ(status->collectors, (std::vector<CollectorNote>{{"cpu", 0, ""}, {"sched", 2, "no BTF"}}));
  for (int i = 0; i < 21; ++i) {
    pass(std::chrono::seconds(1));
    spool(1);
    written();
  }
  EXPECT_EQ(statuses_.size(), 3U);
  pass(std::chrono::minutes(5));
  EXPECT_EQ(written(), Words{});
  EXPECT_EQ(statuses_.size(), 3U);
}

TEST_F(DeliveryTest, ARefusalEndsTheConnectionAndIsReported) {
  delivery_->connected(now_);
  EXPECT_EQ(refused(RefuseReason::kToken), "it refused (token): no");
}

TEST_F(DeliveryTest, ARefusedVersionIsReportedWithItsOwn) {
  delivery_->connected(now_);
  EXPECT_EQ(refused(RefuseReason::kVersion), "it refused (version): no; this agent speaks protocol 3");
}

TEST_F(DeliveryTest, ARefusalForTheClockHasTheSameTextEachTime) {
  delivery_->connected(now_);
  EXPECT_EQ(
      refused(RefuseReason::kClock),
      "it refused (clock): the clocks of this host and of the server differ by more than 25 hours; batches "
      "wait in the spool until the wrong one is corrected");
}

TEST_F(DeliveryTest, InvalidFramesEndTheConnection) {
  const auto end_of = [this](const std::string& bytes) {
    welcome(0, 0);
    delivery_->receive(bytes, now_);
    return !continues();
  };
  spool(1);
  EXPECT_TRUE(end_of("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(end_of(bytes_of(AckFrame{7, 0})));  // never sent
  EXPECT_TRUE(end_of(bytes_of(WelcomeFrame{})));
  EXPECT_TRUE(end_of(bytes_of(BatchFrame{1, 0, 0, {}, {}, {}})));
  EXPECT_TRUE(end_of(bytes_of(RefuseFrame{RefuseReason::kGap, std::string(200, 'x')})));
  welcome(0, 0);
  EXPECT_TRUE(continues());
}

TEST_F(DeliveryTest, AWelcomeForAnotherEpochIsInvalid) {
  delivery_->connected(now_);
  delivery_->receive(bytes_of(WelcomeFrame{kAgentProtocol, {spool_->epoch() + 1, 0, 0, {}}}), now_);
  EXPECT_FALSE(continues());
}

TEST_F(DeliveryTest, SilenceEndsTheConnection) {
  delivery_->connected(now_);
  EXPECT_TRUE(continues());
  pass(Delivery::kHelloLimit);
  EXPECT_FALSE(continues());
  welcome(0, 0);
  EXPECT_EQ(delivery_->deadline(), std::nullopt);  // nothing is due
  pass(std::chrono::hours(1));
  EXPECT_TRUE(continues());
  spool(2);
  written();
  pass(Delivery::kSilenceLimit / 2);
  ack(1);
  pass(Delivery::kSilenceLimit - Duration(1));
  EXPECT_TRUE(continues());
  pass(Duration(1));
  EXPECT_FALSE(continues());
}

TEST_F(DeliveryTest, EachServerHasItsOwnPosition) {
  MemoryDirectory directory;
  const auto spool = open_spool(directory, {.servers = 2});
  Delivery one(*spool, {.server = 0});
  Delivery two(*spool, {.server = 1});
  spool->append(numbered_lines(0, 1), at_second(0));
  ASSERT_TRUE(spool->sync());
  for (Delivery* delivery : {&one, &two}) {
    delivery->connected(now_);
    delivery->consume_output(delivery->output(now_)->size());
    delivery->receive(bytes_of(WelcomeFrame{kAgentProtocol, {spool->epoch(), 0, 0, {}}}), now_);
    delivery->consume_output(delivery->output(now_)->size());  // status
    EXPECT_EQ(words_of(read_frame(*delivery->output(now_))), "batch 1");
  }
  one.receive(bytes_of(AckFrame{1, 0}), now_);
  EXPECT_TRUE(one.is_done());
  EXPECT_FALSE(two.is_done());
}

}  // namespace
}  // namespace statmill
