// TestAgent: an agent for tests of the server, which sends one sample per batch. Its calls wait for the
// server.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "proto/agent/frames.h"
#include "tests/support/sockets.h"

namespace statmill {

// An agent across all its connections. Each batch is one sample of its series.
class TestAgent {
 public:
  explicit TestAgent(uint8_t number) : number_(number) {}

  std::string series() const { return "agent." + std::to_string(number_); }
  uint64_t acknowledged() const { return acknowledged_; }

  // Connects. Returns true if the server welcomes it; expects all acknowledged batches to be durable.
  bool connect(const Endpoint& server) {
    connection_ = TcpConnection::to(server);
    unread_.clear();
    std::string hello;
    append_frame(hello, HelloFrame{.id = {{number_}},
                                   .secret = {{number_}},
                                   .acknowledged = {.epoch = 1, .seq = acknowledged_, .lines = acknowledged_},
                                   .clock = now(),
                                   .host = "stop"});
    if (!connection_.is_connected() || !connection_.send(hello)) return false;
    const auto welcome = next(FrameType::kWelcome, decode_welcome);
    if (!welcome) return false;
    EXPECT_GE(welcome->position.seq, acknowledged_) << series() << ": an acknowledged batch is lost";
    sent_ = acknowledged_ = welcome->position.seq;
    return true;
  }
  bool send_batch() {
    const std::string line = series() + " 1\n";
    std::string batch;
    append_frame(
        batch,
        BatchFrame{.seq = ++sent_, .lines_before = sent_ - 1, .lines = 1, .time = now(), .text = line});
    return connection_.send(batch);
  }
  // Waits until all sent batches are acknowledged. Returns false if the connection has ended.
  bool wait_for_ack() {
    while (acknowledged_ < sent_) {
      const auto ack = next(FrameType::kAck, decode_ack);
      if (!ack) return false;
      acknowledged_ = ack->seq;
    }
    return true;
  }
  void close() { connection_.close(); }

 private:
  static Timestamp now() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

  // Returns the next frame if it has that type.
  template <class Decode>
  auto next(FrameType type, Decode decode) -> decltype(decode({})) {
    while (true) {
      const FrameRead frame = read_frame(unread_);
      if (frame.state == FrameRead::State::kWhole) {
        const auto decoded = frame.type == type ? decode(frame.payload) : std::nullopt;
        unread_.erase(0, frame.bytes);
        return decoded;
      }
      const std::string bytes = connection_.receive();
      if (bytes.empty()) return std::nullopt;
      unread_ += bytes;
    }
  }

  const uint8_t number_;
  TcpConnection connection_{Descriptor()};
  std::string unread_;
  uint64_t sent_ = 0;
  uint64_t acknowledged_ = 0;
};

}  // namespace statmill
