// Records lost batches in an agent's row.
#pragma once

#include "proto/agent/frames.h"
#include "storage/agent_row.h"

namespace statmill {

// Records that the batches after `before` up to frame.seq, and the lines after it up to frame.lines_before,
// are lost. Does not change the progress. Evicted batches that follow one another form one gap. The row keeps
// AgentRow::kGapsKept gaps; the oldest is dropped.
// Requires: frame.seq > before.seq and frame.lines_before >= before.lines.
void add_gap(AgentRow& row, const AgentPosition& before, const GapFrame& frame);

}  // namespace statmill
