// GatewayTest: a Gateway on a loop of the test, and a server that remembers what it gets and acknowledges it
// at once.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/gateway/gateway.h"
#include "base/mutex.h"
#include "ingest/agents/agent_listener.h"
#include "statmill/registry.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {

// What a server got, and what its next welcomes say. Thread-safe.
struct FakeServerState {
  struct Got {
    std::vector<std::string> hellos;      // "host version kernel hops"
    std::vector<std::string> batches;     // "number tags text"
    std::vector<std::string> gaps;        // "first-last reason"
    std::optional<uint64_t> spool_bytes;  // in the last status
  };
  Mutex mutex;
  Got got GUARDED_BY(mutex);
  AgentPosition position GUARDED_BY(mutex);  // of the next welcome
  std::optional<RefuseReason> refuses GUARDED_BY(mutex);

  Got copy() {
    MutexLock lock(mutex);
    return got;
  }
  void refuse(RefuseReason reason) {
    MutexLock lock(mutex);
    refuses = reason;
  }
  void begin_at(const AgentPosition& durable) {
    MutexLock lock(mutex);
    position = durable;
  }
};

class FakeServerHost final : public AgentHost {
 public:
  explicit FakeServerHost(FakeServerState& state) : state_(state) {}

  std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender&,
                                          const std::shared_ptr<AgentObserver>& observer, TickTime) override;
  void note_outdated(const HelloFrame&, const LineSender&, Timestamp) override {}
  ClockLimit clock_limit(TickTime) const override { return {std::chrono::hours(25), false}; }

 private:
  FakeServerState& state_;
};

class FakeServerConnection final : public AgentConnection {
 public:
  FakeServerConnection(FakeServerState& state, std::shared_ptr<AgentObserver> observer)
      : state_(state), observer_(std::move(observer)) {}

  bool has_room() const override { return true; }
  FrameResult accept(const BatchFrame& batch, TickTime) override {
    note({0, batch.seq, batch.lines_before + batch.lines, batch.time}, [&](FakeServerState::Got& got) {
      got.batches.push_back(std::to_string(batch.seq) + " " + std::string(batch.tags) + " " +
                            std::string(batch.text));
    });
    return FrameResult::kApplied;
  }
  FrameResult accept(const GapFrame& gap, TickTime) override {
    note({0, gap.seq, gap.lines_before, gap.time}, [&](FakeServerState::Got& got) {
      got.gaps.push_back(std::to_string(gap.first) + "-" + std::to_string(gap.seq) + " " +
                         std::string(gap_reason_text(gap.reason)));
    });
    return FrameResult::kApplied;
  }
  void note_status(const StatusFrame& status, std::optional<Duration>) override {
    MutexLock lock(state_.mutex);
    state_.got.spool_bytes = status.spool_bytes;
  }

 private:
  void note(const AgentPosition& end, const std::function<void(FakeServerState::Got&)>& add) {
    {
      MutexLock lock(state_.mutex);
      add(state_.got);
      const uint32_t epoch = state_.position.epoch;
      state_.position = end;
      state_.position.epoch = epoch;
    }
    observer_->on_durable({.seq = end.seq});
  }

  FakeServerState& state_;
  const std::shared_ptr<AgentObserver> observer_;
};

inline std::variant<AgentHost::Opened, RefuseReason> FakeServerHost::open(
    const HelloFrame& hello, const LineSender&, const std::shared_ptr<AgentObserver>& observer, TickTime) {
  MutexLock lock(state_.mutex);
  state_.got.hellos.push_back(std::string(hello.host) + " " + std::string(hello.agent_version) + " " +
                              std::string(hello.kernel) + " " + std::to_string(hello.hops));
  if (state_.refuses) return *state_.refuses;
  state_.position.epoch = hello.acknowledged.epoch;
  return Opened{.connection = std::make_unique<FakeServerConnection>(state_, observer),
                .durable = {state_.position, std::nullopt}};
}

// What the gateway tells an agent's connection.
class RememberingObserver final : public AgentObserver {
 public:
  void on_durable(AckFrame ack) override { acknowledged = ack.seq; }
  void on_ended(RefuseReason reason) override { ended = reason; }

  std::optional<uint64_t> acknowledged;
  std::optional<RefuseReason> ended;
};

class GatewayTest : public testing::Test {
 protected:
  static constexpr std::chrono::seconds kPatience{30};

  GatewayTest() { reopen(); }
  ~GatewayTest() override { close(); }

  // An agent's connection to the gateway.
  struct Peer {
    std::shared_ptr<RememberingObserver> observer = std::make_shared<RememberingObserver>();
    std::optional<RefuseReason> refused = {};
    std::unique_ptr<AgentConnection> connection = nullptr;
    AgentPosition durable = {};  // of the welcome

    FrameResult batch(uint64_t seq, std::string_view text = "a 1 1\n",
                      Timestamp time = from_unix_seconds(7)) {
      return connection->accept(BatchFrame{seq, seq - 1, 1, time, "host=web", text},
                                TickTime::of(ManualClock()));
    }
    FrameResult gap(uint64_t first, uint64_t last, GapReason reason) {
      return connection->accept(GapFrame{first, last, last, reason, {}}, TickTime::of(ManualClock()));
    }
  };

  static HelloFrame hello(uint8_t number = 1) {
    HelloFrame hello{.acknowledged = {.epoch = 1},
                     .clock = ManualClock().wall(),
                     .host = "web",
                     .agent_version = "9.9",
                     .kernel = "6.1"};
    hello.id.bytes[0] = number;
    hello.secret.bytes[0] = number;
    return hello;
  }
  Peer connect(const HelloFrame& hello) {
    Peer peer;
    auto opened = gateway_->open(hello, LineSender(), peer.observer, TickTime::of(clock_));
    if (const auto* reason = std::get_if<RefuseReason>(&opened)) {
      peer.refused = *reason;
    } else {
      auto& welcome = std::get<AgentHost::Opened>(opened);
      EXPECT_FALSE(welcome.accepts_ahead);
      peer.connection = std::move(welcome.connection);
      peer.durable = welcome.durable.position;
    }
    return peer;
  }
  Peer connect(uint8_t number = 1) { return connect(hello(number)); }

  // Runs what is due now.
  void settle() {
    loop_.restart();
    loop_.poll();
  }
  template <class Condition>
  bool run_until(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      loop_.restart();
      loop_.run_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  // The server listens on a port that stays the same.
  void start_server() {
    AgentOptions options;
    options.listen = server_;
    listener_ = std::make_unique<AgentListener>(
        options,
        AgentListener::Services{[this](boost::asio::io_context&) -> Result<std::unique_ptr<AgentHost>> {
                                  return std::unique_ptr<AgentHost>(std::make_unique<FakeServerHost>(state_));
                                },
                                registry_, real_clock_, log_});
    ASSERT_TRUE(listener_->open());
    server_ = listener_->endpoint();
  }

  void close() {
    if (!gateway_) return;
    gateway_->stop();
    loop_.restart();
    loop_.run();
    gateway_.reset();
  }
  // The process of the gateway ends and starts again.
  void reopen() {
    close();
    Upstream upstream{.servers = {server_},
                      .spool = {.bytes_max = spool_bytes_, .keeps_unacknowledged = true}};
    auto gateway = Gateway::open({loop_, log_, real_clock_, [this](const auto& now) { figures_ = now; }},
                                 options_, upstream, path());
    ASSERT_TRUE(gateway) << gateway.error().message;
    gateway_ = std::move(*gateway);
  }
  std::string path() const { return (directory_.path() / "agents").string(); }

  ManualClock clock_;
  SystemClock real_clock_;
  Registry registry_;
  Log log_{LogLevel::kError};
  TempDirectory directory_;
  GatewayOptions options_;
  size_t spool_bytes_ = size_t{64} << 20;
  Endpoint server_{"127.0.0.1", unused_port()};  // nobody listens, until start_server()
  FakeServerState state_;
  std::unique_ptr<AgentListener> listener_;
  boost::asio::io_context loop_{1};
  GatewayFigures figures_;
  std::unique_ptr<Gateway> gateway_;
};

}  // namespace statmill
