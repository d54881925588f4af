// The port for agents over real sockets: connections are accepted, limited, replaced and closed as the
// protocol requires.
#include "ingest/agents/agent_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "server/agents/registered_agents.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

using testing::ContainsRegex;

constexpr std::chrono::seconds kPatience{30};

// The agent's side of a connection.
class Peer {
 public:
  explicit Peer(const Endpoint& server) : Peer(TcpConnection::to(server)) {}
  explicit Peer(TcpConnection connection) : connection_(std::move(connection)) {
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
  // Returns the next frame; nullopt if the server has closed the connection.
  std::optional<FrameRead> next() {
    unread_.erase(0, std::exchange(frame_bytes_, 0));
    while (true) {
      const FrameRead frame = read_frame(unread_);
      if (frame.state == FrameRead::State::kWhole) {
        frame_bytes_ = frame.bytes;
        return frame;
      }
      const std::string bytes = connection_.receive();
      if (bytes.empty()) return std::nullopt;
      unread_ += bytes;
    }
  }
  // Returns the durable position in the welcome.
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
  size_t frame_bytes_ = 0;
};

class AgentListenerTest : public testing::Test {
 protected:
  void open() { open(clock_); }
  void open(const Clock& clock) {
    AgentOptions options = options_;
    options.listen = Endpoint{"127.0.0.1", 0};
    listener_ = std::make_unique<AgentListener>(
        options, AgentListener::Services{
                     [this](boost::asio::io_context&) { return make_agent_host(agents_, table_, intake_); },
                     registry_, clock, log_});
    const Status opened = listener_->open();
    ASSERT_TRUE(opened) << opened.error().message;
  }
  Peer peer() const { return Peer(listener_->endpoint()); }
  Status tick() { return ticker_.tick({clock_.wall(), clock_.steady()}); }
  uint64_t refused_connections(std::string_view reason) {
    return registry_.counter("statmill.agent_connections_refused", "", {{"reason", std::string(reason)}})
        .value();
  }
  uint64_t accepted() { return intake_.account("agent").accepted.value(); }
  // Waits until the samples are in the table; the next tick makes them durable.
  bool wait_for_samples(uint64_t count) {
    return wait_until([&] { return accepted() >= count; });
  }
  template <class Condition>
  static bool wait_until(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kInfo};
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

TEST_F(AgentListenerTest, AcknowledgesABatchAfterTheTickThatStoresIt) {
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.hello(1));
  EXPECT_EQ(agent.welcome(), 0U);
  ASSERT_TRUE(agent.send(Peer::batch(1) + Peer::batch(2)));
  ASSERT_TRUE(wait_for_samples(2));
  ASSERT_TRUE(tick());
  EXPECT_EQ(agent.acknowledged(), 2U) << "one acknowledgment for both";
  Peer again = peer();
  ASSERT_TRUE(again.hello(1));
  EXPECT_EQ(again.welcome(), 2U);
}

TEST_F(AgentListenerTest, ReadsFramesInPiecesOfAnySize) {
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
  EXPECT_EQ(other.acknowledged(), 1U) << "the other agent is not affected";
}

TEST_F(AgentListenerTest, ConnectionsOverTheLimitAreClosedAndCounted) {
  options_.connections_max = 2;
  options_.per_address_max = 2;
  open();
  Peer one = peer();
  Peer two = peer();
  ASSERT_TRUE(one.hello(1) && two.hello(2));
  ASSERT_EQ(one.welcome(), 0U);
  ASSERT_EQ(two.welcome(), 0U);
  Peer three = peer();
  EXPECT_FALSE(three.next());
  EXPECT_EQ(refused_connections("limit"), 1U);
  EXPECT_EQ(registry_.counter("statmill.agent_connections", "").value(), 2U);
}

TEST_F(AgentListenerTest, OneAddressLeavesConnectionsToOthers) {
  options_.connections_max = 4;
  options_.per_address_max = 1;
  open();
  Peer one = peer();
  ASSERT_TRUE(one.hello(1));
  ASSERT_EQ(one.welcome(), 0U);
  Peer two = peer();
  EXPECT_FALSE(two.next());
  EXPECT_EQ(refused_connections("address_limit"), 1U);
  Peer other(TcpConnection::to(listener_->endpoint(), "127.0.0.2"));
  ASSERT_TRUE(other.hello(3));
  EXPECT_EQ(other.welcome(), 0U);
}

TEST_F(AgentListenerTest, ASilentAgentIsClosedAndCounted) {
  options_.idle_timeout = std::chrono::milliseconds(50);
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.hello(1));
  ASSERT_EQ(agent.welcome(), 0U);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(agent.next());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, options_.hello_timeout)
      << "the idle timeout applies, not that of the hello";
  EXPECT_EQ(registry_.counter("statmill.agent_connections_idle", "").value(), 1U);
  EXPECT_EQ(agents_.connected(), 0U);
}

TEST_F(AgentListenerTest, BytesThatAreNotAFrameAreRefused) {
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(agent.refusal(), RefuseReason::kProtocol);
  EXPECT_FALSE(agent.next());
}

// When a client sees the end of its connection, or the registry that of a lease, the line is there.
TEST_F(AgentListenerTest, AgentsThatComeLeaveOrAreRefusedHaveALine) {
  testing::internal::CaptureStderr();
  open();
  {
    Peer agent = peer();
    ASSERT_TRUE(agent.hello(0xab));
    ASSERT_EQ(agent.welcome(), 0U);
  }
  EXPECT_TRUE(wait_until([&] { return agents_.connected() == 0; }));
  Peer stranger = peer();
  ASSERT_TRUE(stranger.send("GET / HTTP/1.1\r\n\r\n"));
  while (stranger.next()) {
  }
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, ContainsRegex("info agent connected host=web id=ab[0-9a-f]* version=.* "
                                   "peer=127.0.0.1:[0-9]* held_back=0\n"));
  EXPECT_THAT(lines, ContainsRegex("info agent left host=web id=ab[0-9a-f]* peer=127.0.0.1:[0-9]* "
                                   "reason=\"it closed the connection\" connected_s=[0-9]+ held_back=0\n"));
  EXPECT_THAT(lines, ContainsRegex("warn agent refused host=\"\" id=\"\" version=\"\" peer=127.0.0.1:[0-9]* "
                                   "reason=protocol text=\"damaged frame\" held_back=0\n"));
}

// Else there would be a line for each agent of a fleet.
TEST_F(AgentListenerTest, AStopHasNoLineForEachAgent) {
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.hello(1));
  ASSERT_EQ(agent.welcome(), 0U);
  testing::internal::CaptureStderr();
  listener_->stop();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(AgentListenerTest, ALongFirstFrameIsRefusedFromItsLength) {
  open();
  Peer agent = peer();
  ASSERT_TRUE(agent.send(std::string("\0\x03\xff\x70", 4)));
  EXPECT_EQ(agent.refusal(), RefuseReason::kProtocol);
  EXPECT_FALSE(agent.next());
  const Counter& failures = registry_.counter("statmill.agent_handshake_failures", "");
  EXPECT_TRUE(wait_until([&] { return failures.value() == 1; }));
}

TEST_F(AgentListenerTest, SingleBytesDoNotMoveTheDeadlineOfTheHello) {
  ManualClock clock;
  options_.hello_timeout = std::chrono::milliseconds(20);
  open(clock);
  Peer agent = peer();
  const Counter& received = registry_.counter("statmill.agent_bytes", "");
  for (const char byte : {'\0', '\0'}) {
    const uint64_t wanted = received.value() + 1;
    ASSERT_TRUE(agent.send({&byte, 1}));
    ASSERT_TRUE(wait_until([&] { return received.value() == wanted; }));
    clock.advance(options_.hello_timeout / 2);
  }
  EXPECT_FALSE(agent.next()) << "closed";
  EXPECT_EQ(registry_.counter("statmill.agent_connections_idle", "").value(), 1U);
}

TEST_F(AgentListenerTest, TellsAgentsThatItStops) {
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

// The tick reports durable batches to connections while the listener stops.
TEST_F(AgentListenerTest, ATickMayReportDurableBatchesAfterStop) {
  class SlowObserver final : public AgentObserver {
   public:
    void on_durable(AckFrame) override {
      called_.release();
      may_return_.acquire();
    }
    void on_ended(RefuseReason) override {}

    std::binary_semaphore called_{0};
    std::binary_semaphore may_return_{0};
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
  slow->called_.acquire();
  listener_->stop();
  slow->may_return_.release();
  ticks.join();
  EXPECT_EQ(agent.refusal(), RefuseReason::kStopping);
}

}  // namespace
}  // namespace statmill
