// AgentStreamTest: an AgentStream with a registry, without a socket and without a table.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/agents/agent_stream.h"
#include "server/agents/registered_agents.h"

namespace statmill {

class FakeIntake final : public AgentIntake {
 public:
  bool has_room() const override { return room; }
  void apply(const LineBlock& lines, Timestamp, const AgentRegistry::OnApplied& on_applied) override {
    applied.emplace_back(lines.text);
    Batch batch;
    tagged_name = lines.tags.name("a", "op=x", batch);
    line_time = lines.now;
    RefusalCounts refused{};
    refused[static_cast<size_t>(Refusal::kTooOld)] = refuses;
    on_applied(0, refused);
  }
  uint64_t refuses = 0;  // lines of each batch
  bool room = true;
  Timestamp line_time{};    // of the last call
  std::string tagged_name;  // of "a;op=x", with the tags of the last call
  std::vector<std::string> applied;
};

class NullObserver final : public AgentObserver {
 public:
  void on_durable(AckFrame) override {}
  void on_ended(RefuseReason) override {}
};

template <class Frame>
std::string bytes_of(const Frame& frame) {
  std::string out;
  append_frame(out, frame);
  return out;
}

inline std::string hello(std::string_view token = "secret") {
  return bytes_of(HelloFrame{.acknowledged = {.epoch = 1}, .host = "web", .token = token});
}
inline std::string batch(uint64_t seq, std::string_view text = "a 1 1\n") {
  return bytes_of(BatchFrame{seq, seq - 1, 1, {}, {}, text});
}

class AgentStreamTest : public testing::Test {
 protected:
  AgentStreamTest() { connect(); }
  void connect() {
    stream_.emplace(AgentStream::Services{host_, [this] { return token_; }}, LineSender());
    stream_->set_observer(observer_);
  }
  size_t receive(const std::string& bytes) { return stream_->receive(bytes, {now_, steady_}); }
  void pass(Duration time) {
    now_ += time;
    steady_ += time;
  }
  void see_clock(bool in_doubt) { agents_.clock_seen({now_, steady_}, in_doubt); }
  void tick() {
    StoreBatch batch;
    agents_.add_to(0, batch, now_);
    agents_.committed(batch);
  }
  // Returns the only frame in the output.
  FrameRead answer() {
    answer_ = stream_->pop_output();
    const FrameRead frame = read_frame(answer_);
    EXPECT_EQ(frame.bytes, answer_.size());
    return frame;
  }
  void expect_refused(RefuseReason reason) {
    const FrameRead frame = answer();
    ASSERT_EQ(frame.type, FrameType::kRefuse);
    EXPECT_EQ(decode_refuse(frame.payload)->reason, reason)
        << refuse_reason_text(decode_refuse(frame.payload)->reason);
    EXPECT_TRUE(stream_->is_over());
  }

  const std::string token_ = "secret";
  Registry registry_;
  AgentRegistry agents_{{}, registry_};
  FakeIntake intake_;
  RegisteredAgents host_{agents_, intake_};
  std::shared_ptr<NullObserver> observer_ = std::make_shared<NullObserver>();
  Timestamp now_{};  // changed without steady_, the server's clock steps
  SteadyTime steady_{};
  std::optional<AgentStream> stream_;
  std::string answer_;
};

}  // namespace statmill
