// Applies the lines of one agent frame to the table.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "proto/batch.h"
#include "proto/line_sender.h"
#include "server/agents/agent_registry.h"
#include "server/table/table.h"

namespace statmill {

// The lines of one frame and their context.
struct AgentLines {
  AgentRegistry::LinesAction action = AgentRegistry::LinesAction::kSkip;
  std::string_view text = {};  // empty for a gap
  LineSender sender = {};
  Timestamp sent{};  // the agent's clock when it made the batch
  Timestamp now{};   // the server's time: AgentRegistry::time_for_lines()
};

// Parses the lines into `batch`, whose memory is reused, and performs the action. Calls `on_applied` once.
// Returns the number of samples accepted.
uint64_t apply_agent_lines(Table& table, const AgentLines& lines, Batch& batch,
                           const AgentRegistry::OnApplied& on_applied);

}  // namespace statmill
