// SimSession: one connection at a simulated server, like AgentSession but without sockets.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ingest/agents/agent_stream.h"
#include "server/agents/registered_agents.h"
#include "server/agents/table_intake.h"
#include "server/table/table.h"
#include "tests/sim/connection.h"
#include "tests/sim/stage.h"

namespace statmill::sim {

// A server's intake whose table is full when the simulation says so.
class SimIntake final : public AgentIntake {
 public:
  SimIntake(Table& table, Intake& intake, std::function<bool()> has_room)
      : lines_(table, intake), has_room_(std::move(has_room)) {}

  bool has_room() const override { return has_room_(); }
  void apply(const LineBlock& lines, Timestamp sent, const AgentRegistry::OnApplied& on_applied) override {
    lines_.apply(lines, sent, on_applied);
  }

 private:
  TableIntake lines_;
  const std::function<bool()> has_room_;
};

// What the stream uses must outlive it.
class SimSession final : public AgentObserver, public std::enable_shared_from_this<SimSession> {
 public:
  // `now` returns the server's clocks.
  static std::shared_ptr<SimSession> make(Stage& stage, const std::shared_ptr<Connection>& connection,
                                          const AgentStream::Services& services,
                                          std::function<TickTime()> now);

  bool is_open() const { return stream_ != nullptr; }
  // Delivers the next bytes now.
  void deliver_now();
  // The process ends. If silent, the connection is not closed.
  void die(bool is_silent);

  void on_durable(AckFrame ack) override;
  void on_ended(RefuseReason reason) override;

 private:
  SimSession(Stage& stage, std::shared_ptr<Connection> connection, const AgentStream::Services& services,
             std::function<TickTime()> now);
  void receive(std::string_view bytes);
  void process_unread();
  void write();
  void close();

  Stage& stage_;
  const std::shared_ptr<Connection> connection_;
  std::unique_ptr<AgentStream> stream_;  // null: closed
  const std::function<TickTime()> now_;
  std::string unread_;
  std::string writing_;
  bool waits_for_room_ = false;
};

}  // namespace statmill::sim
