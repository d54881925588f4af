#include "tests/support/agent_server.h"

#include <gtest/gtest.h>

namespace statmill {

bool AgentServer::accept() {
  connection_ = listener_.accept();
  unread_.clear();
  lines_.clear();
  FrameRead frame;
  while (frame.state == FrameRead::State::kIncomplete) {
    const std::string bytes = connection_.receive();
    if (bytes.empty()) return false;
    unread_ += bytes;
    frame = read_frame(unread_);
  }
  const auto hello = decode_hello(frame.payload);
  EXPECT_TRUE(frame.type == FrameType::kHello && hello);
  if (!hello) return false;
  position_.epoch = hello->acknowledged.epoch;
  unread_.erase(0, frame.bytes);
  std::string welcome;
  append_frame(welcome, WelcomeFrame{.position = position_});
  return connection_.send(welcome);
}

std::string AgentServer::lines_until(std::string_view part) {
  for (;;) {
    FrameRead frame = read_frame(unread_);
    for (; frame.state == FrameRead::State::kWhole; frame = read_frame(unread_)) {
      handle(frame);
      unread_.erase(0, frame.bytes);
    }
    EXPECT_NE(frame.state, FrameRead::State::kDamaged);
    if (!part.empty() && lines_.find(part) != std::string::npos) return lines_;
    const std::string bytes = connection_.receive();
    if (bytes.empty()) return lines_;
    unread_ += bytes;
  }
}

void AgentServer::handle(const FrameRead& frame) {
  if (frame.type == FrameType::kStatus) {
    EXPECT_TRUE(decode_status(frame.payload));
    return;
  }
  if (frame.type == FrameType::kGap) {
    const auto gap = decode_gap(frame.payload);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->first, position_.seq + 1);
    lines_lost_ += gap->lines_before - position_.lines;
    position_.seq = gap->seq;
    position_.lines = gap->lines_before;
    return;
  }
  const auto batch = decode_batch(frame.payload);
  EXPECT_TRUE(frame.type == FrameType::kBatch && batch);
  if (!batch) return;
  EXPECT_EQ(batch->seq, position_.seq + 1);
  EXPECT_EQ(batch->lines_before, position_.lines);
  position_.seq = batch->seq;
  position_.lines += batch->lines;
  lines_ += batch->text;
  tags_ = batch->tags;
  std::string ack;
  append_frame(ack, AckFrame{position_.seq, 0});
  connection_.send(ack);  // fails if the agent has disconnected
}

}  // namespace statmill
