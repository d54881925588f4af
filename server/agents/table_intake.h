// TableIntake: the AgentIntake of a server: applies the lines of agents to the table.
#pragma once

#include "ingest/line_intake.h"
#include "server/agents/agent_intake.h"
#include "server/table/table.h"

namespace statmill {

// Confined to one thread; there is one per thread.
class TableIntake final : public AgentIntake {
 public:
  // Both must outlive it. Samples are counted for the listener "agent".
  TableIntake(Table& table, Intake& intake) : table_(table), lines_(intake, "agent") {}

  bool has_room() const override { return table_.has_room(); }
  void apply(const LineBlock& lines, Timestamp sent, const AgentRegistry::OnApplied& on_applied) override;

 private:
  Table& table_;
  const LineIntake lines_;
  Batch batch_;  // reused, to keep its memory
};

}  // namespace statmill
