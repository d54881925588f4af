// The port of the agent stream over real sockets: its connections begin, are limited, replaced and ended as
// the protocol says.
#include "server/agents/agent_listener.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/memory_store.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

constexpr std::chrono::seconds kPatience{30};

// An agent's side of one connection.
class Peer {
 public:
  explicit Peer(const Endpoint& server) : connection_(TcpConnection::to(server)) {
    EXPECT_TRUE(connection_.is_connected());
  }

  bool send(std::string_view bytes) { return connection_.send(bytes); }
  bool hello(uint8_t id) {
    std::string bytes;
    append_frame(
        bytes,
        HelloFrame{.id = {{id}}, .acknowledged = {.epoch = 1}, .clock = SystemClock().wall(), .host = "web"});
    return send(bytes);
  }
  static std::string batch(uint64_t seq) {
    std::string bytes;
    append_frame(bytes, BatchFrame{.seq = seq,
                                   .lines_before = seq - 1,
                                   .lines = 1,
                                   .time = SystemClock().wall(),
                                   .text = "*seen 1\n"});
    return bytes;
  }
  // What the server says next; none: it has hung up.
  std::optional<FrameRead> next() {
    unread_.erase(0, std::exchange(taken_, 0));
    while (true) {
      const FrameRead frame = read_frame(unread_);
      if (frame.state == FrameRead::State::kWhole) {
        taken_ = frame.bytes;
        return frame;
      }
      const std::string bytes = connection_.receive();
      if (bytes.empty()) return std::nullopt;
      unread_ += bytes;
    }
  }
  // How far the server is, by its welcome.
  std::optional<uint64_t> welcome() {
    const auto frame = next();
    if (!frame || frame->type != FrameType::kWelcome) return std::nullopt;
    return decode_welcome(frame->payload)->position.seq;
  }
  std::optional<uint64_t> acknowledged() {
    const auto frame = next();
    if (!frame || frame->type != FrameType::kAck) return std::nullopt;
    return decode_ack(frame->payload)->seq;
  }
  std::optional<RefuseReason> refusal() {
    const auto frame = next();
    if (!frame || frame->type != FrameType::kRefuse) return std::nullopt;
    return decode_refuse(frame->payload)->reason;
  }

 private:
  TcpConnection connection_;
  std::string unread_;
  size_t taken_ = 0;
};

class AgentListenerTest : public testing::Test {
 protected:
  void open() {
    AgentOptions options = options_;
    options.listen = Endpoint{"127.0.0.1", 0};
    listener_ = std::make_unique<AgentListener>(
        options, AgentListener::Services{agents_, table_, intake_, registry_, clock_, log_});
    const Status opened = listener_->open();
    ASSERT_TRUE(opened) << opened.error().message;
  }
  Peer peer() const { return Peer(listener_->endpoint()); }
  Status tick() { return ticker_.tick({clock_.wall(), clock_.steady()}); }
  uint64_t accepted() { return intake_.account("agent").accepted.value(); }
  // The samples are in the table, and durable with the next tick.
  bool wait_for_samples(uint64_t count) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (accepted() < count) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  SystemClock clock_;
  Table table_{tiers_, TableLimits{}};
  Intake intake_{table_, registry_};
  AgentRegistry agents_{AgentLimits{}, registry_};
  Ticker ticker_{{table_, store_, registry_, health_, log_, &agents_},
                 TickOptions{},
                 recover(store_, table_)->start,
                 clock_.steady()};
  AgentOptions options_;
  std::unique_ptr<AgentListener> listener_;
};

TEST_F(AgentListenerTest, AcknowledgesABatchWithTheTickThatHasIt) {
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.hello(1));
  EXPECT_EQ(agent.welcome(), 0U);
  ASSERT_TRUE(agent.send(Peer::batch(1) + Peer::batch(2)));
  ASSERT_TRUE(wait_for_samples(2));
  ASSERT_TRUE(tick());
  EXPECT_EQ(agent.acknowledged(), 2U) << "one for both";
  Peer again = peer();
  ASSERT_TRUE(again.hello(1));
  EXPECT_EQ(again.welcome(), 2U);
}

TEST_F(AgentListenerTest, TakesFramesInPiecesOfAnySize) {
  open();
  Peer agent = peer();
  std::string bytes;
  append_frame(
      bytes,
      HelloFrame{.id = {{1}}, .acknowledged = {.epoch = 1}, .clock = SystemClock().wall(), .host = "web"});
  for (uint64_t seq = 1; seq <= 20; ++seq) bytes += Peer::batch(seq);
  for (size_t begin = 0, size = 1; begin < bytes.size(); begin += size, size = size % 7 + 1)
    ASSERT_TRUE(agent.send(std::string_view(bytes).substr(begin, size)));
  EXPECT_EQ(agent.welcome(), 0U);
  ASSERT_TRUE(wait_for_samples(20));
  ASSERT_TRUE(tick());
  EXPECT_EQ(agent.acknowledged(), 20U);
}

TEST_F(AgentListenerTest, ASecondConnectionOfAnAgentReplacesTheFirst) {
  options_.threads = 2;
  open();
  Peer first = peer();
  ASSERT_TRUE(first.hello(1));
  ASSERT_EQ(first.welcome(), 0U);
  Peer other = peer();
  ASSERT_TRUE(other.hello(2));
  ASSERT_EQ(other.welcome(), 0U);
  Peer second = peer();
  ASSERT_TRUE(second.hello(1));
  EXPECT_EQ(second.welcome(), 0U);
  EXPECT_EQ(first.refusal(), RefuseReason::kReplaced);
  EXPECT_FALSE(first.next());
  ASSERT_TRUE(second.send(Peer::batch(1)) && other.send(Peer::batch(1)));
  ASSERT_TRUE(wait_for_samples(2));
  ASSERT_TRUE(tick());
  EXPECT_EQ(second.acknowledged(), 1U);
  EXPECT_EQ(other.acknowledged(), 1U) << "another agent is not concerned";
}

TEST_F(AgentListenerTest, ConnectionsOverTheLimitAreClosedAndCounted) {
  options_.connections_max = 2;
  open();
  Peer one = peer();
  Peer two = peer();
  ASSERT_TRUE(one.hello(1) && two.hello(2));
  ASSERT_EQ(one.welcome(), 0U);
  ASSERT_EQ(two.welcome(), 0U);
  Peer three = peer();
  EXPECT_FALSE(three.next());
  EXPECT_EQ(registry_.counter("statmill.agent_connections_refused", "").value(), 1U);
  EXPECT_EQ(registry_.counter("statmill.agent_connections", "").value(), 2U);
}

TEST_F(AgentListenerTest, ASilentAgentIsClosedAndCounted) {
  options_.idle_timeout = std::chrono::milliseconds(50);
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.hello(1));
  ASSERT_EQ(agent.welcome(), 0U);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(agent.next());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, AgentSession::kHelloTimeout)
      << "the limit of another time";
  EXPECT_EQ(registry_.counter("statmill.agent_connections_idle", "").value(), 1U);
  EXPECT_EQ(agents_.connected(), 0U);
}

TEST_F(AgentListenerTest, WhatIsNoFrameIsRefused) {
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(agent.refusal(), RefuseReason::kProtocol);
  EXPECT_FALSE(agent.next());
}

TEST_F(AgentListenerTest, SaysThatItStops) {
  options_.threads = 2;
  open();
  Peer welcome = peer();
  ASSERT_TRUE(welcome.hello(1));
  ASSERT_EQ(welcome.welcome(), 0U);
  listener_->stop();
  EXPECT_EQ(welcome.refusal(), RefuseReason::kStopping);
  EXPECT_FALSE(welcome.next());
  EXPECT_FALSE(TcpConnection::to(listener_->endpoint()).is_connected());
}

// A tick that is telling connections what is durable while the listener stops.
TEST_F(AgentListenerTest, ConnectionsMayBeToldWhatIsDurableAfterItHasStopped) {
  class SlowObserver final : public AgentObserver {
   public:
    void on_durable(AckFrame) override {
      told_.release();
      go_on_.acquire();
    }
    void on_ended(RefuseReason) override {}

    std::binary_semaphore told_{0};
    std::binary_semaphore go_on_{0};
  };
  open();
  const auto slow = std::make_shared<SlowObserver>();
  const auto first = std::get<AgentRegistry::Opened>(agents_.open(
      HelloFrame{.id = {{1}}, .acknowledged = {.epoch = 1}, .clock = clock_.wall(), .host = "slow"},
      LineSender(), slow, TickTime::of(clock_)));
  Peer agent = peer();
  ASSERT_TRUE(agent.hello(2));
  ASSERT_EQ(agent.welcome(), 0U);
  ASSERT_TRUE(agent.send(Peer::batch(1)));
  ASSERT_TRUE(wait_for_samples(1));
  const BatchFrame batch{.seq = 1, .lines_before = 0, .lines = 0};
  agents_.accept(first.lease, batch, TickTime::of(clock_),
                 [](auto, const auto& on_applied) { on_applied(0, {}); });
  std::thread ticks([this] { EXPECT_TRUE(tick()); });
  slow->told_.acquire();
  listener_->stop();
  slow->go_on_.release();
  ticks.join();
  EXPECT_EQ(agent.refusal(), RefuseReason::kStopping);
}

}  // namespace
}  // namespace statmill
