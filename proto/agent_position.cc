#include "proto/agent_position.h"

namespace statmill {

bool AgentProgress::extend(uint64_t first, std::optional<uint64_t> lines_before, AgentPosition end) {
  const auto follows = [&](const AgentPosition& before) {
    return first == before.seq + 1 &&
           (lines_before ? *lines_before == before.lines : end.lines >= before.lines);
  };
  end.epoch = position.epoch;
  if (follows(position)) {
    if (!ahead || end.seq < ahead->after) {
      if (ahead && end.lines > ahead->lines_before) return false;
      position = end;
      return true;
    }
    if (end.seq != ahead->after || end.lines != ahead->lines_before) return false;
    position = ahead->last;
    ahead.reset();
    return true;
  }
  if (ahead) {
    if (!follows(ahead->last)) return false;
    ahead->last = end;
    return true;
  }
  if (!lines_before || first <= position.seq + 1 || *lines_before < position.lines) return false;
  ahead = AgentRun{first - 1, *lines_before, end};
  return true;
}

bool AgentProgress::contains(uint64_t seq) const {
  return seq <= position.seq || (ahead && seq > ahead->after && seq <= ahead->last.seq);
}

}  // namespace statmill
