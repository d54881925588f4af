// A fixture for tests of AgentRegistry without connections and without a store.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

#include "server/agents/agent_registry.h"

namespace statmill {

using std::chrono::hours;
using std::chrono::minutes;

class Observer final : public AgentObserver {
 public:
  void on_durable(AckFrame ack) override {
    durable_seq = ack.seq;
    durable_ahead = ack.ahead;
  }
  void on_ended(RefuseReason reason) override { end = reason; }
  uint64_t durable_seq = 0;
  uint64_t durable_ahead = 0;
  std::optional<RefuseReason> end;
};

inline AgentId id_of(uint8_t number) {
  AgentId id;
  id.bytes.fill(number);
  return id;
}

class AgentRegistryTest : public testing::Test {
 protected:
  AgentRegistryTest() { make_registry({}); }

  void make_registry(const AgentLimits& limits) {
    agents_ = std::make_unique<AgentRegistry>(limits, registry_);
  }
  // Restarts the server with the rows in the store.
  void restart(const AgentLimits& limits = {}) {
    make_registry(limits);
    AgentRows rows{{}, 0, forgotten_until_};
    for (const auto& [id, row] : stored_) rows.rows.push_back(row);
    agents_->restore(std::move(rows));
  }
  void pass(Duration time) {
    now_.wall += time;
    now_.steady += time;
  }

  HelloFrame hello(uint8_t agent, uint32_t epoch = 1) const {
    return {.id = id_of(agent), .acknowledged = {.epoch = epoch}, .clock = now_.wall, .host = "web"};
  }
  std::variant<AgentRegistry::Opened, RefuseReason> try_open(const HelloFrame& hello) {
    observer_ = std::make_shared<Observer>();
    return agents_->open(hello, sender_, observer_, now_);
  }
  std::variant<AgentRegistry::Opened, RefuseReason> try_open(uint8_t agent, uint32_t epoch = 1) {
    return try_open(hello(agent, epoch));
  }
  AgentRegistry::Opened open(const HelloFrame& hello) {
    auto opened = try_open(hello);
    EXPECT_TRUE(std::holds_alternative<AgentRegistry::Opened>(opened));
    lease_ = std::get<AgentRegistry::Opened>(opened).lease;
    return std::get<AgentRegistry::Opened>(opened);
  }
  AgentRegistry::Opened open(uint8_t agent, uint32_t epoch = 1) { return open(hello(agent, epoch)); }
  void expect_refused(const HelloFrame& hello, RefuseReason reason) {
    const auto opened = try_open(hello);
    ASSERT_TRUE(std::holds_alternative<RefuseReason>(opened));
    EXPECT_EQ(std::get<RefuseReason>(opened), reason) << refuse_reason_text(std::get<RefuseReason>(opened));
  }
  FrameResult batch(uint64_t seq, uint64_t lines_before, uint32_t lines = 10) {
    return batch_of(now_.wall, seq, lines_before, lines);
  }
  FrameResult batch_of(Timestamp time, uint64_t seq, uint64_t lines_before, uint32_t lines = 10) {
    return agents_->accept(lease_, BatchFrame{seq, lines_before, lines, time, {}, {}}, now_,
                           [this](auto action, const auto& on_applied) { apply(action, on_applied); });
  }
  FrameResult gap(uint64_t first, uint64_t seq, uint64_t lines_before) {
    return agents_->accept(lease_, GapFrame{first, seq, lines_before, GapReason::kSpoolFull, now_.wall}, now_,
                           [this](auto action, const auto& on_applied) { apply(action, on_applied); });
  }
  void apply(LinesAction action, const AgentRegistry::OnApplied& on_applied) {
    if (action == LinesAction::kApply) ++applied_;
    on_applied(parity_, {});
  }
  // Connects an agent, stores one batch and disconnects it.
  void visit(uint8_t agent) {
    open(agent);
    EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
    tick();
    agents_->close(lease_);
  }
  // Ends the epoch and returns its batch, which is not durable yet. `passed`: the time that retention goes
  // by.
  StoreBatch end_epoch(std::optional<Timestamp> passed = {}) {
    StoreBatch batch;
    agents_->add_to(parity_, batch, passed.value_or(now_.wall));
    parity_ ^= 1;
    return batch;
  }
  StoreBatch tick() {
    StoreBatch batch = end_epoch();
    for (const AgentRow& row : batch.agents) stored_[row.id] = row;
    for (const AgentId& id : batch.forgotten_agents) stored_.erase(id);
    if (batch.forgotten_until) forgotten_until_ = batch.forgotten_until;
    agents_->committed(batch);
    return batch;
  }
  uint64_t counted(const std::string& name) { return registry_.counter(name, "").value(); }

  Registry registry_;
  std::unique_ptr<AgentRegistry> agents_;
  std::map<AgentId, AgentRow> stored_;
  std::optional<Timestamp> forgotten_until_;
  std::shared_ptr<Observer> observer_;
  AgentRegistry::Lease lease_;
  LineSender sender_;
  TickTime now_{from_unix_seconds(1'700'000'000), SteadyTime(hours(1))};
  int parity_ = 0;
  int applied_ = 0;
};

}  // namespace statmill
