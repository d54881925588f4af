// DeliveryTest: a Delivery with a real spool in memory and without a connection.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "agent/delivery/delivery.h"
#include "agent/spool/memory_directory.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {

template <class Frame>
std::string bytes_of(const Frame& frame) {
  std::string out;
  append_frame(out, frame);
  return out;
}

class DeliveryTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = {};
    delivery_.reset();
    spool_ = open_spool(directory_);
    delivery_.emplace(*spool_, options_);
  }
  void TearDown() override { delivery_.reset(); }

  void spool(uint64_t batches) {
    for (uint64_t i = 0; i < batches; ++i) spool_->append(numbered_lines(0, 10), at_second(0));
    ASSERT_TRUE(spool_->sync());
  }
  // Simulates a new process that finds the spool unchanged.
  void restart() { delivery_.emplace(*spool_, options_); }
  // Writes everything that is due and returns it frame by frame, without the status: "hello", "batch 1", "gap
  // 3 spool_full 30" ...
  std::vector<std::string> written() {
    std::vector<std::string> frames;
    for (;;) {
      const auto output = delivery_->output(now_);
      if (!output || output->empty()) return frames;
      frames.push_back(words_of(read_frame(*output)));
      if (frames.back() == "status") {
        statuses_.emplace_back(*output);
        frames.pop_back();
      }
      delivery_->consume_output(output->size());
    }
  }
  static std::string words_of(const FrameRead& frame) {
    if (frame.type == FrameType::kHello) return "hello";
    if (frame.type == FrameType::kStatus) return "status";
    if (const auto batch = decode_batch(frame.payload); frame.type == FrameType::kBatch && batch)
      return "batch " + std::to_string(batch->seq);
    if (const auto gap = decode_gap(frame.payload); frame.type == FrameType::kGap && gap) {
      return "gap " + std::to_string(gap->seq) + " " + std::string(gap_reason_text(gap->reason)) + " " +
             std::to_string(gap->lines_before);
    }
    return "?";
  }
  void welcome(const WelcomeFrame& frame) {
    delivery_->connected(now_);
    written();
    delivery_->receive(bytes_of(frame), now_);
  }
  void welcome(uint64_t seq, uint64_t lines, Timestamp time = at_second(0)) {
    welcome({.position = {spool_->epoch(), seq, lines, time}});
  }
  void ack(uint64_t seq, uint64_t refused = 0) { delivery_->receive(bytes_of(AckFrame{seq, refused}), now_); }
  std::string refused(RefuseReason reason) {
    delivery_->receive(bytes_of(RefuseFrame{reason, "no"}), now_);
    delivery_->disconnected();
    const Status status = delivery_->check(now_.steady);
    return status ? "" : status.error().message;
  }
  HelloFrame hello() {
    delivery_->connected(now_);
    hello_ = *delivery_->output(now_);
    const auto frame = decode_hello(read_frame(hello_).payload);
    EXPECT_TRUE(frame);
    return frame.value_or(HelloFrame());
  }
  bool continues() const { return delivery_->check(now_.steady).has_value(); }
  void pass(Duration time) {
    now_.steady += time;
    now_.wall += time;
  }

  using Words = std::vector<std::string>;
  const DeliveryOptions options_{.host = "web1", .token = "secret"};
  MemoryDirectory directory_;
  std::unique_ptr<Spool> spool_;
  std::optional<Delivery> delivery_;
  ClockReadings now_{at_second(0), SteadyTime(std::chrono::hours(1))};
  std::string hello_;
  std::vector<std::string> statuses_;
};

}  // namespace statmill
