#include "server/agents/agent_gaps.h"

namespace statmill {

void add_gap(AgentRow& row, const AgentPosition& before, const GapFrame& frame) {
  const uint64_t lines = frame.lines_before - before.lines;
  row.lines_lost += lines;
  AgentGap* const last = row.last_gaps.empty() ? nullptr : &row.last_gaps.back();
  const bool continues = frame.reason == GapReason::kEvicted && last != nullptr &&
                         last->reason == frame.reason && last->last == before.seq;
  if (continues) {
    last->last = frame.seq;
    last->lines += lines;
    last->to = frame.time;
    return;
  }
  ++row.gaps;
  if (row.last_gaps.size() == AgentRow::kGapsKept) row.last_gaps.erase(row.last_gaps.begin());
  row.last_gaps.push_back({before.seq + 1, frame.seq, lines, frame.reason, before.time, frame.time});
}

}  // namespace statmill
