// Records lost batches in an agent's row.
#pragma once

#include "proto/agent/frames.h"
#include "storage/agent_row.h"

namespace statmill {

// Records that the batches after the row's position up to frame.seq, and the lines after it up to
// frame.lines_before, are lost. Does not move the position. Evicted batches that follow one another form one
// gap. The row keeps AgentRow::kGapsKept gaps; the oldest is dropped.
// Requires: frame.seq > row.position.seq and frame.lines_before >= row.position.lines.
void add_gap(AgentRow& row, const GapFrame& frame);

}  // namespace statmill
