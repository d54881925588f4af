// RegisteredAgents: the AgentHost of a server: an AgentRegistry, and the intake of one thread.
#pragma once

#include <memory>
#include <variant>

#include "ingest/agents/agent_host.h"
#include "ingest/intake.h"
#include "server/agents/agent_intake.h"
#include "server/agents/agent_registry.h"
#include "server/table/table.h"

namespace statmill {

// Confined to the thread of its intake. The registry and the intake must outlive it and its connections.
class RegisteredAgents : public AgentHost {
 public:
  RegisteredAgents(AgentRegistry& agents, AgentIntake& intake) : agents_(agents), intake_(intake) {}

  std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender& sender,
                                          const std::shared_ptr<AgentObserver>& observer,
                                          TickTime now) override;
  void note_outdated(const HelloFrame& hello, const LineSender& sender, Timestamp now) override {
    agents_.note_outdated(hello, sender, now);
  }
  ClockLimit clock_limit(TickTime now) const override;

 private:
  AgentRegistry& agents_;
  AgentIntake& intake_;
};

// Returns one with an intake of its own. All must outlive it; samples are counted for the listener "agent".
std::unique_ptr<AgentHost> make_agent_host(AgentRegistry& agents, Table& table, Intake& intake);

}  // namespace statmill
