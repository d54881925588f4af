#include "server/agents/agent_lines.h"

#include "proto/istatd/parser.h"

namespace statmill {

uint64_t apply_agent_lines(Table& table, const AgentLines& lines, Batch& batch,
                           const AgentRegistry::OnApplied& on_applied) {
  batch.clear();
  batch.set_sender(lines.sender);
  if (lines.action != AgentRegistry::LinesAction::kSkip) parse_istatd_lines(lines.text, batch);
  if (lines.action == AgentRegistry::LinesAction::kRefuse) {
    batch.refuse_all_samples(Refusal::kTooNew);
    batch.samples.clear();
  }
  return table.apply_marked(batch, lines.now, lines.sent,
                            [&](int parity) { on_applied(parity, batch.refused); });
}

}  // namespace statmill
