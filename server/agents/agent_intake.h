// AgentIntake: receives the lines of agents' batches.
#pragma once

#include "base/clock.h"
#include "ingest/line_intake.h"
#include "server/agents/agent_registry.h"

namespace statmill {

class AgentIntake {
 public:
  virtual ~AgentIntake() = default;
  // Returns false if there is no room for a batch; the agent then waits.
  virtual bool has_room() const = 0;
  // Performs lines.action. `sent` is the agent's clock when it made the lines, and the time of those that
  // have none. Calls `on_applied` once, in the epoch that the lines are applied in, even if no line is left.
  virtual void apply(const LineBlock& lines, Timestamp sent, const AgentRegistry::OnApplied& on_applied) = 0;
};

}  // namespace statmill
