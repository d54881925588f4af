// Delivery: a conversation with one server, frame by frame, over a real spool in memory.
#include "agent/delivery/delivery.h"

#include <gtest/gtest.h>

#include <vector>

#include "agent/spool/memory_directory.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

template <class Frame>
std::string bytes_of(const Frame& frame) {
  std::string out;
  append_frame(out, frame);
  return out;
}

class DeliveryTest : public testing::Test {
 protected:
  DeliveryTest() : spool_(open_spool(directory_)) { delivery_.emplace(*spool_, options_); }

  void spool(uint64_t batches) {
    for (uint64_t i = 0; i < batches; ++i) spool_->append(numbered_lines(0, 10), at_second(0));
    ASSERT_TRUE(spool_->sync());
  }
  // All that it has to write, frame by frame: "hello", "batch 1", "gap 3 spool_full" ...
  std::vector<std::string> written() {
    std::vector<std::string> frames;
    for (;;) {
      const auto output = delivery_->output(now_);
      if (!output || output->empty()) return frames;
      frames.push_back(words_of(read_frame(*output)));
      delivery_->took(output->size());
    }
  }
  static std::string words_of(const FrameRead& frame) {
    if (frame.type == FrameType::kHello) return "hello";
    if (const auto batch = decode_batch(frame.payload); frame.type == FrameType::kBatch && batch)
      return "batch " + std::to_string(batch->seq);
    if (const auto gap = decode_gap(frame.payload); frame.type == FrameType::kGap && gap) {
      return "gap " + std::to_string(gap->seq) + " " + std::string(gap_reason_text(gap->reason)) + " " +
             std::to_string(gap->lines_before);
    }
    return "?";
  }
  void welcome(uint64_t seq, uint64_t lines) {
    delivery_->connected(now_);
    written();
    delivery_->receive(bytes_of(WelcomeFrame{kAgentProtocol, {spool_->epoch(), seq, lines, {}}}), now_);
  }
  void ack(uint64_t seq) { delivery_->receive(bytes_of(AckFrame{seq, 0}), now_); }
  bool goes_on() const { return !delivery_->verdict(now_); }

  using Words = std::vector<std::string>;
  const DeliveryOptions options_{.host = "web1", .token = "secret"};
  MemoryDirectory directory_;
  std::unique_ptr<Spool> spool_;
  std::optional<Delivery> delivery_;
  SteadyTime now_{std::chrono::hours(1)};
};

TEST_F(DeliveryTest, SaysWhoItIsAndWaitsForTheWelcome) {
  spool(1);
  delivery_->connected(now_);
  const std::string hello(*delivery_->output(now_));
  const auto frame = decode_hello(read_frame(hello).payload);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->id, spool_->id());
  EXPECT_EQ(frame->acknowledged.epoch, spool_->epoch());
  EXPECT_EQ(frame->host, "web1");
  EXPECT_EQ(frame->token, "secret");
  EXPECT_EQ(written(), Words{"hello"});
}

TEST_F(DeliveryTest, SendsWhatIsDurableFromWhereTheServerIs) {
  spool(3);
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

TEST_F(DeliveryTest, AFrameMayBeTakenInPieces) {
  spool(1);
  welcome(0, 0);
  std::string all;
  for (;;) {
    const auto output = delivery_->output(now_);
    if (output->empty()) break;
    all.push_back(output->front());
    delivery_->took(1);
  }
  EXPECT_EQ(words_of(read_frame(all)), "batch 1");
}

TEST_F(DeliveryTest, AnswersMayComeInPieces) {
  spool(1);
  welcome(0, 0);
  written();
  for (const char c : bytes_of(AckFrame{1, 0})) delivery_->receive({&c, 1}, now_);
  EXPECT_EQ(delivery_->acknowledged_seq(), 1U);
}

TEST_F(DeliveryTest, AServerThatCameBackOlderGetsItAgain) {
  spool(3);
  welcome(0, 0);
  written();
  ack(3);
  delivery_->disconnected();
  welcome(1, 10);
  EXPECT_EQ(written(), (Words{"batch 2", "batch 3"}));
  EXPECT_EQ(delivery_->stats().rewinds, 1U);
}

TEST_F(DeliveryTest, WhatIsGoneIsToldAsAGap) {
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

TEST_F(DeliveryTest, AServerThatKnowsMoreMovesTheNumbersOn) {
  welcome(5, 50);
  EXPECT_TRUE(goes_on());
  EXPECT_EQ(written(), Words{});
  spool(1);
  EXPECT_EQ(written(), Words{"batch 6"});
}

TEST_F(DeliveryTest, AServerThatKnowsMoreIsToldOfWhatItsNumbersDisplaced) {
  spool(1);
  welcome(5, 50);
  EXPECT_TRUE(goes_on());
  EXPECT_EQ(written(), Words{});
  spool(1);
  EXPECT_EQ(written(), (Words{"gap 6 spool_full 60", "batch 7"}));
}

TEST_F(DeliveryTest, BatchesThatCannotFollowAServersAreToldToBeMissing) {
  spool(5);
  welcome(3, 25);  // of other batches: here there are 30 lines in three
  EXPECT_TRUE(goes_on());
  EXPECT_EQ(written(), (Words{"gap 4 spool_full 40", "batch 5"}));
  EXPECT_EQ(delivery_->stats().lines_displaced, 10U);
}

TEST_F(DeliveryTest, AServerThatHasMoreLinesInFewerBatchesMovesTheNumbersOn) {
  spool(2);
  welcome(1, 70);
  EXPECT_TRUE(goes_on());
  spool(1);
  EXPECT_EQ(written(), (Words{"gap 3 spool_full 90", "batch 4"}));
}

TEST_F(DeliveryTest, ARefusalEndsTheConnectionAndIsSaid) {
  delivery_->connected(now_);
  delivery_->receive(bytes_of(RefuseFrame{RefuseReason::kToken, "wrong token"}), now_);
  const auto verdict = delivery_->verdict(now_);
  ASSERT_TRUE(verdict);
  EXPECT_NE(verdict->message.find("token"), std::string::npos) << verdict->message;
}

TEST_F(DeliveryTest, ARefusalThatWillNotPassSaysWhatHelps) {
  delivery_->connected(now_);
  delivery_->receive(bytes_of(RefuseFrame{RefuseReason::kFenced, "epoch 1"}), now_);
  const auto verdict = delivery_->verdict(now_);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(
      verdict->message,
      "it refused (fenced): epoch 1; the spool's disk is that of an earlier day: remove its files, and the "
      "agent begins anew");
}

TEST_F(DeliveryTest, NonsenseEndsTheConnection) {
  const auto end_of = [this](const std::string& bytes) {
    welcome(0, 0);
    delivery_->receive(bytes, now_);
    return !goes_on();
  };
  spool(1);
  EXPECT_TRUE(end_of("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(end_of(bytes_of(AckFrame{7, 0})));  // never sent
  EXPECT_TRUE(end_of(bytes_of(WelcomeFrame{})));
  EXPECT_TRUE(end_of(bytes_of(BatchFrame{1, 0, 0, {}, {}, {}})));
  EXPECT_TRUE(end_of(bytes_of(RefuseFrame{RefuseReason::kGap, std::string(200, 'x')})));
  welcome(0, 0);
  EXPECT_TRUE(goes_on());
}

TEST_F(DeliveryTest, AWelcomeOfAnotherEpochIsNone) {
  delivery_->connected(now_);
  delivery_->receive(bytes_of(WelcomeFrame{kAgentProtocol, {spool_->epoch() + 1, 0, 0, {}}}), now_);
  EXPECT_FALSE(goes_on());
}

TEST_F(DeliveryTest, SilenceEndsTheConnection) {
  delivery_->connected(now_);
  EXPECT_TRUE(goes_on());
  now_ += Delivery::kHelloLimit;
  EXPECT_FALSE(goes_on());
  welcome(0, 0);
  EXPECT_EQ(delivery_->deadline(), std::nullopt);  // nothing is due
  now_ += std::chrono::hours(1);
  EXPECT_TRUE(goes_on());
  spool(2);
  written();
  now_ += Delivery::kSilenceLimit / 2;
  ack(1);
  now_ += Delivery::kSilenceLimit - Duration(1);
  EXPECT_TRUE(goes_on());
  now_ += Duration(1);
  EXPECT_FALSE(goes_on());
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
    delivery->took(delivery->output(now_)->size());
    delivery->receive(bytes_of(WelcomeFrame{kAgentProtocol, {spool->epoch(), 0, 0, {}}}), now_);
    EXPECT_EQ(words_of(read_frame(*delivery->output(now_))), "batch 1");
  }
  one.receive(bytes_of(AckFrame{1, 0}), now_);
  EXPECT_TRUE(one.is_done());
  EXPECT_FALSE(two.is_done());
}

}  // namespace
}  // namespace statmill
