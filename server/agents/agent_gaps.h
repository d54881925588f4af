// The gaps that an agent's row keeps.
#pragma once

#include "proto/agent/frames.h"
#include "storage/agent_row.h"

namespace statmill {

// Adds a gap of the batches that follow the row's position up to frame.seq, and of the lines up to
// frame.lines_before. The position itself stays. An evicted batch that follows an evicted one makes their gap
// longer; of more than AgentRow::kGapsKept the oldest goes.
// Requires: frame.seq > row.position.seq and frame.lines_before >= row.position.lines.
void add_gap(AgentRow& row, const GapFrame& frame);

}  // namespace statmill
