// AgentLines: the lines of one frame of an agent, on their way into the table.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "proto/batch.h"
#include "proto/line_sender.h"
#include "server/agents/agent_registry.h"
#include "server/table/table.h"

namespace statmill {

struct AgentLines {
  AgentRegistry::Lines fate = AgentRegistry::Lines::kNone;
  std::string_view text = {};  // of a batch; empty: of a gap
  LineSender sender = {};
  Timestamp sent{};  // the agent's clock when it made the batch
  Timestamp now{};   // the server's: AgentRegistry::time_for_lines()
};

// Parses the lines into `batch`, whose memory is kept from call to call, and does with them what they are
// for; `mark` is called once. Gives how many samples were accepted.
uint64_t apply_agent_lines(Table& table, const AgentLines& lines, Batch& batch,
                           const AgentRegistry::Mark& mark);

}  // namespace statmill
