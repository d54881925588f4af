#include "server/agents/agent_gaps.h"

#include <algorithm>

namespace statmill {

void add_gap(AgentRow& row, const AgentPosition& before, const GapFrame& frame) {
  const uint64_t lines = frame.lines_before - before.lines;
  row.lines_lost += lines;
  // A backlog and the run ahead of it may be evicted in turn, each as one gap.
  const auto continued = std::find_if(row.last_gaps.begin(), row.last_gaps.end(), [&](const AgentGap& gap) {
    return frame.reason == GapReason::kEvicted && gap.reason == frame.reason && gap.last == before.seq;
  });
  if (continued != row.last_gaps.end()) {
    continued->last = frame.seq;
    continued->lines += lines;
    continued->to = frame.time;
    return;
  }
  ++row.gaps;
  if (row.last_gaps.size() == AgentRow::kGapsKept) row.last_gaps.erase(row.last_gaps.begin());
  row.last_gaps.push_back({before.seq + 1, frame.seq, lines, frame.reason, before.time, frame.time});
}

}  // namespace statmill
